package operators

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// Union puts the rows of several query blocks one after the other. Columns go by position; the first block names them.
type Union struct {
	Sources []Operator
	// selects are the select lists of the sources as SQL.
	selects  [][]sqlparser.SelectExpr
	columns  []sqlparser.SelectExpr
	distinct bool

	aliased []*sqlparser.AliasedExpr
	// width is the number of columns that were asked for, set once offsets are planned. 0: not known, for stars.
	width int
}

func newUnion(sources []Operator, selects [][]sqlparser.SelectExpr, columns []sqlparser.SelectExpr, distinct bool) *Union {
	return &Union{Sources: sources, selects: selects, columns: columns, distinct: distinct}
}

// Inputs are the sources.
func (u *Union) Inputs() []Operator { return slices.Clone(u.Sources) }

// SetInputs replaces the sources.
func (u *Union) SetInputs(in []Operator) { u.Sources = in }

// Clone copies the union.
func (u *Union) Clone(in []Operator) Operator {
	c := *u
	c.Sources, c.selects, c.aliased = in, slices.Clone(u.selects), slices.Clone(u.aliased)
	return &c
}

// planOffsets notes what was asked for, before sources ask for columns of their own needs.
func (u *Union) planOffsets(ctx *Context) Operator {
	if !hasStar(u.columns) {
		u.width = len(u.Columns(ctx))
	}
	return nil
}

func hasStar(exprs []sqlparser.SelectExpr) bool {
	return slices.ContainsFunc(exprs, func(e sqlparser.SelectExpr) bool {
		_, ok := e.(*sqlparser.StarExpr)
		return ok
	})
}

// trimUnions makes the sources of a union return the columns that were asked for and no others, where some have columns of
// their own. Where all have as many more, whoever is above drops them.
func trimUnions(ctx *Context, root Operator) {
	visit(root, func(op Operator) bool {
		if u, ok := stacked(op); ok && u.width > 0 && u.isRagged(ctx) {
			for i, src := range u.Sources {
				if exprs := src.SelectExprs(ctx); !hasStar(exprs) && len(exprs) > u.width && !truncateAt(src, u.width) {
					u.Sources[i] = firstColumns(ctx, src, u.width)
				}
			}
		}
		return aboveRoutes(op)
	})
}

// isRagged tells whether the sources return different numbers of columns, as far as that is known.
func (u *Union) isRagged(ctx *Context) bool {
	first := len(u.Sources[0].SelectExprs(ctx))
	return slices.ContainsFunc(u.Sources[1:], func(src Operator) bool {
		exprs := src.SelectExprs(ctx)
		return !hasStar(exprs) && len(exprs) != first
	})
}

// firstColumns passes on the first columns of an operator that cannot drop the others.
func firstColumns(ctx *Context, src Operator, n int) Operator {
	proj := newProjection(src)
	for i, col := range src.Columns(ctx)[:n] {
		pe := newProjExpr(col)
		pe.Offset, pe.state = i, passesOffset
		proj.add(pe)
	}
	return proj
}

// OrderedBy is no order.
func (u *Union) OrderedBy(*Context) []OrderBy { return nil }

// Describe says whether rows are made unique.
func (u *Union) Describe() string {
	if u.distinct {
		return "Union DISTINCT"
	}
	return "Union ALL"
}

// addPredicateToUnion gives every source the predicate in terms of its own columns:
//
//	select * from (select foo as col from t1 union select id from t2) x where x.col = 42
//	                select foo as col from t1 where foo = 42 union select id from t2 where id = 42
func addPredicateToUnion(ctx *Context, u *Union, pred sqlparser.Expr) Operator {
	offsets := map[string]int{}
	for i, e := range u.selectOf(0).GetColumns() {
		ae, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			refuse(vterrors.VT12001("pushing predicates on UNION where the first SELECT contains * or NEXT"))
		}
		offsets[strings.ToLower(ae.ColumnName())] = i
	}
	preds := make([]sqlparser.Expr, len(u.Sources))
	for i := range u.Sources {
		preds[i] = u.translate(pred, offsets, u.selectOf(i))
	}
	for i, src := range u.Sources {
		u.Sources[i] = addPredicate(ctx, src, preds[i])
	}
	return u
}

func (u *Union) translate(pred sqlparser.Expr, offsets map[string]int, sel *sqlparser.Select) sqlparser.Expr {
	if p, ok := pred.(*JoinPredicate); ok {
		pred = newJoinPredicate(p.state.current)
	}
	return sqlparser.CopyOnRewrite(pred, nil, func(c *sqlparser.CopyOnWriteCursor) {
		col, ok := c.Node().(*sqlparser.ColName)
		if !ok {
			return
		}
		at, ok := offsets[col.Name.Lowered()]
		if !ok {
			refuse(vterrors.VT13001("could not find the column '" + sqlparser.String(col) + "' on the UNION"))
		}
		ae, ok := sel.GetColumns()[at].(*sqlparser.AliasedExpr)
		if !ok {
			refuse(vterrors.VT09015())
		}
		c.Replace(ae.Expr)
	}, nil).(sqlparser.Expr)
}

// selectOf is the first query block of a source.
func (u *Union) selectOf(i int) *sqlparser.Select {
	op := u.Sources[i]
	for {
		switch src := op.(type) {
		case *Horizon:
			return firstSelect(src.Query)
		case *Route:
			op = src.Source
		default:
			refuse(vterrors.VT12001("predicate on a UNION that was taken apart"))
		}
	}
}

// Columns are the union's, and what else its sources return behind them.
func (u *Union) Columns(ctx *Context) []*sqlparser.AliasedExpr {
	if u.aliased == nil {
		for _, e := range u.columns {
			ae, ok := e.(*sqlparser.AliasedExpr)
			if !ok {
				refuse(vterrors.VT09015())
			}
			u.aliased = append(u.aliased, ae)
		}
	}
	for _, src := range u.Sources {
		for extra := len(src.SelectExprs(ctx)) - len(u.aliased); extra > 0; extra-- {
			u.aliased = append(u.aliased, wrap(sqlparser.NewIntLiteral("0")))
		}
	}
	return u.aliased
}

// SelectExprs are the columns, stars among them.
func (u *Union) SelectExprs(ctx *Context) []sqlparser.SelectExpr {
	for _, src := range u.Sources {
		for extra := len(src.SelectExprs(ctx)) - len(u.columns); extra > 0; extra-- {
			u.columns = append(u.columns, wrap(sqlparser.NewIntLiteral("0")))
		}
	}
	return u.columns
}

// FindColumn finds a column of the union.
func (u *Union) FindColumn(ctx *Context, expr sqlparser.Expr, _ bool) int {
	return slices.IndexFunc(u.Columns(ctx), func(c *sqlparser.AliasedExpr) bool { return ctx.Sem.EqualsWithDeps(expr, c.Expr) })
}

// AddColumn makes all sources return a column at the same offset.
func (u *Union) AddColumn(ctx *Context, col *sqlparser.AliasedExpr, mode ColumnMode) int {
	if mode.Reuse {
		if at := u.FindColumn(ctx, col.Expr, false); at >= 0 {
			return at
		}
	}
	switch e := col.Expr.(type) {
	case *sqlparser.ColName:
		at := slices.IndexFunc(u.Columns(ctx), func(c *sqlparser.AliasedExpr) bool {
			return c.ColumnName() == col.ColumnName() || e.Name.EqualString(c.ColumnName())
		})
		if at < 0 {
			refuse(vterrors.VT13001("could not find the column '" + sqlparser.String(e) + "' on the UNION"))
		}
		return at
	case *sqlparser.WeightStringFuncExpr:
		at := u.FindColumn(ctx, e.Expr, false)
		if at < 0 {
			refuse(vterrors.VT13001("could not find the argument to the weight_string function: " + sqlparser.String(e.Expr)))
		}
		return u.AddWeightString(ctx, at, false)
	case *sqlparser.Literal, *sqlparser.Argument:
		return u.addToSources(ctx, col, func(Operator) sqlparser.Expr { return e })
	}
	names := u.Sources[0].Columns(ctx)
	return u.addToSources(ctx, col, func(src Operator) sqlparser.Expr {
		own := src.Columns(ctx)
		return sqlparser.CopyOnRewrite(col.Expr, nil, func(c *sqlparser.CopyOnWriteCursor) {
			name, ok := c.Node().(*sqlparser.ColName)
			if !ok {
				return
			}
			at := slices.IndexFunc(names, func(c *sqlparser.AliasedExpr) bool { return name.Name.EqualString(c.ColumnName()) })
			if at < 0 {
				refuse(vterrors.VT13001("could not find the column '" + sqlparser.String(name) + "' on the UNION"))
			}
			c.Replace(own[at].Expr)
		}, nil).(sqlparser.Expr)
	})
}

// addToSources adds a column to each source, as the source knows it.
func (u *Union) addToSources(ctx *Context, col *sqlparser.AliasedExpr, own func(Operator) sqlparser.Expr) int {
	first := -1
	for _, src := range u.Sources {
		_, isConstant := col.Expr.(*sqlparser.Literal)
		at := src.AddColumn(ctx, wrap(own(src)), ColumnMode{Reuse: isConstant})
		if first < 0 {
			first = at
		}
		if at != first {
			refuse(vterrors.VT12001("argument offsets did not line up for UNION: " + sqlparser.String(col)))
		}
	}
	return first
}

// AddWeightString makes all sources return the sort key of a column.
func (u *Union) AddWeightString(ctx *Context, offset int, _ bool) int {
	at, ok := u.addWeightStrings(ctx, offset)
	if !ok {
		refuse(vterrors.VT13001("weight_string offsets did not line up for UNION"))
	}
	return at
}

func (u *Union) addWeightStrings(ctx *Context, offset int) (int, bool) {
	first := -1
	for _, src := range u.Sources {
		at := src.AddWeightString(ctx, offset, false)
		if first < 0 {
			first = at
		}
		if at != first {
			return -1, false
		}
	}
	return first, true
}
