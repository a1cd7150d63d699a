package operators

import (
	"maps"
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/semantics"
)

type (
	// SubQuery is a subquery beside the query that uses it. Until it is settled it hangs in a SubQueryContainer, and planning
	// tries to make it part of a route of the outer query; one that stays runs before the outer query and hands it its result
	// as bind variables (uncorrelated), or runs for each outer row (correlated EXISTS):
	//
	//	SubQueryContainer                  SubQuery  :__sq1
	//	  outer: Route users       →         Filter  id = :__sq1
	//	  inner: SubQuery Route extra          Route users
	//	                                     Route extra
	SubQuery struct {
		unaryOuter
		Subquery Operator
		Kind     opcode.PulloutOpcode
		// ArgName names the result in the outer query; ValueName and HasValues are the bind variables that the primitive sets,
		// empty for none.
		ArgName, ValueName, HasValues string
		// Vars are the outer columns that a correlated subquery needs, by bind variable, set once offsets are planned.
		Vars map[string]int

		original sqlparser.Expr      // the predicate as the statement has it
		query    *sqlparser.Subquery // the subquery in it
		// predicates are those of the subquery that use outer columns; outerPredicate equates the two sides of a comparison.
		predicates     []sqlparser.Expr
		outerPredicate sqlparser.Expr
		joins          []joinColumn
		joinsFor       semantics.TableSet

		isArgument bool // used in a select list, SET or ORDER BY, not as a predicate
		topLevel   bool // the predicate is the comparison or EXISTS itself, not an expression around it
		correlated bool
	}

	// SubQueryContainer holds an outer query and its subqueries before these are settled.
	SubQueryContainer struct {
		unaryOuter
		Inner []*SubQuery
	}

	// unaryOuter passes everything to the outer query.
	unaryOuter struct {
		Outer Operator
	}
)

// AddColumn asks the outer query.
func (u *unaryOuter) AddColumn(ctx *Context, col *sqlparser.AliasedExpr, mode ColumnMode) int {
	return u.Outer.AddColumn(ctx, col, mode)
}

// AddWeightString asks the outer query.
func (u *unaryOuter) AddWeightString(ctx *Context, offset int, underRoute bool) int {
	return u.Outer.AddWeightString(ctx, offset, underRoute)
}

// FindColumn asks the outer query.
func (u *unaryOuter) FindColumn(ctx *Context, expr sqlparser.Expr, underRoute bool) int {
	return u.Outer.FindColumn(ctx, expr, underRoute)
}

// Columns are the outer query's.
func (u *unaryOuter) Columns(ctx *Context) []*sqlparser.AliasedExpr { return u.Outer.Columns(ctx) }

// SelectExprs are the outer query's.
func (u *unaryOuter) SelectExprs(ctx *Context) []sqlparser.SelectExpr {
	return u.Outer.SelectExprs(ctx)
}

// OrderedBy is the outer query's order.
func (u *unaryOuter) OrderedBy(ctx *Context) []OrderBy { return u.Outer.OrderedBy(ctx) }

// Inputs are the outer query and the subqueries.
func (c *SubQueryContainer) Inputs() []Operator {
	in := []Operator{c.Outer}
	for _, sq := range c.Inner {
		in = append(in, sq)
	}
	return in
}

// SetInputs replaces the outer query; subqueries change in place.
func (c *SubQueryContainer) SetInputs(in []Operator) { c.Outer = in[0] }

// Clone copies the container.
func (c *SubQueryContainer) Clone(in []Operator) Operator {
	out := &SubQueryContainer{unaryOuter: unaryOuter{in[0]}}
	for _, op := range in[1:] {
		out.add(op.(*SubQuery))
	}
	return out
}

func (c *SubQueryContainer) add(sq *SubQuery) {
	if !slices.ContainsFunc(c.Inner, func(have *SubQuery) bool { return have.ArgName == sq.ArgName }) {
		c.Inner = append(c.Inner, sq)
	}
}

// Describe names it.
func (c *SubQueryContainer) Describe() string { return "SubQueryContainer" }

// Inputs are the outer query, once there is one, and the subquery.
func (sq *SubQuery) Inputs() []Operator {
	if sq.Outer == nil {
		return []Operator{sq.Subquery}
	}
	return []Operator{sq.Outer, sq.Subquery}
}

// SetInputs replaces them.
func (sq *SubQuery) SetInputs(in []Operator) {
	if len(in) > 1 {
		sq.Outer = in[0]
	}
	sq.Subquery = in[len(in)-1]
}

// Clone copies the subquery.
func (sq *SubQuery) Clone(in []Operator) Operator {
	c := *sq
	c.SetInputs(in)
	c.joins, c.Vars, c.predicates = slices.Clone(sq.joins), maps.Clone(sq.Vars), slices.Clone(sq.predicates)
	return &c
}

// AddColumn asks the outer query, in which the subquery is known by its bind variable.
func (sq *SubQuery) AddColumn(ctx *Context, col *sqlparser.AliasedExpr, mode ColumnMode) int {
	col = sqlparser.Clone(col)
	col.Expr = bindSubqueries(ctx, col.Expr, []*SubQuery{sq}, []*SubQuery{sq})
	return sq.Outer.AddColumn(ctx, col, mode)
}

// IsCorrelated tells whether the subquery runs for each outer row.
func (sq *SubQuery) IsCorrelated(ctx *Context) bool { return len(sq.joinColumns(ctx, sq.Outer)) > 0 }

// joinColumns splits the predicates that use outer columns.
func (sq *SubQuery) joinColumns(ctx *Context, outer Operator) []joinColumn {
	tables := tablesOf(outer)
	if sq.joins == nil || sq.joinsFor != tables {
		sq.joinsFor, sq.joins = tables, nil
		for _, pred := range sq.predicates {
			sq.joins = append(sq.joins, splitAcrossJoin(ctx, pred, tables))
		}
	}
	return sq.joins
}

// neededFromOuter are the outer columns that the subquery uses.
func (sq *SubQuery) neededFromOuter(ctx *Context, outer Operator) []sqlparser.Expr {
	var out []sqlparser.Expr
	for _, join := range sq.joinColumns(ctx, outer) {
		for _, l := range join.left {
			out = append(out, l.expr)
		}
	}
	return out
}

func (sq *SubQuery) planOffsets(ctx *Context) Operator {
	sq.Vars = map[string]int{}
	for _, join := range sq.joinColumns(ctx, sq.Outer) {
		for _, l := range join.left {
			sq.Vars[l.name] = sq.Outer.AddColumn(ctx, wrap(l.expr), ColumnMode{Reuse: true})
		}
	}
	return nil
}

// mergePredicates are what must hold for the subquery to be on the shard of its outer row.
func (sq *SubQuery) mergePredicates() []sqlparser.Expr {
	if sq.outerPredicate == nil {
		return sq.predicates
	}
	return append(slices.Clone(sq.predicates), sq.outerPredicate)
}

// mapExprs rewrites all expressions of the subquery.
func (sq *SubQuery) mapExprs(f func(sqlparser.Expr) sqlparser.Expr) {
	for i, pred := range sq.predicates {
		sq.predicates[i] = f(pred)
	}
	sq.original = f(sq.original)
	sq.query = f(sq.query).(*sqlparser.Subquery)
	sq.joinsFor = semantics.TableSet{}
}

// Describe names the bind variable and the kind.
func (sq *SubQuery) Describe() string { return "SubQuery :" + sq.ArgName + " " + sq.Kind.String() }

// settleSubqueries decides that what could not be made part of a route runs on its own.
func settleSubqueries(ctx *Context, root Operator) Operator {
	out, _ := bottomUp(ctx, root, nil, func(op Operator) (Operator, string) {
		switch op := op.(type) {
		case *SubQueryContainer:
			outer := op.Outer
			for _, sq := range op.Inner {
				sq.Outer = sq.settle(ctx, outer)
				outer = sq
			}
			return outer, "extracted subqueries from subquery container"
		case *Projection:
			for _, pe := range op.Exprs {
				if pe.state == holdsSubqueries {
					pe.Eval = settleUses(ctx, pe.Eval, pe.subqueries)
				}
			}
		case *Update:
			for _, set := range op.Assignments {
				set.Expr.Eval = settleUses(ctx, set.Expr.Eval, set.Expr.subqueries)
			}
		case *Aggregator:
			for _, g := range op.Aggregations {
				if len(g.subqueries) > 0 {
					g.Original.Expr = settleUses(ctx, g.Original.Expr, g.subqueries)
					op.Cols[g.Offset].Expr = g.Original.Expr
				}
			}
		case *Ordering:
			for i := range op.Order {
				op.Order[i].Expr = restoreByName(op.Order[i].Expr, ctx.merged)
			}
		}
		return op, ""
	})
	return out
}

// settle puts the subquery's use into the outer query and returns that. VT12001 for correlated subqueries other than EXISTS.
func (sq *SubQuery) settle(ctx *Context, outer Operator) Operator {
	if sq.correlated && !sq.topLevel {
		refuse(vterrors.VT12001("unmergable subquery can not be inside complex expression"))
	}
	if sq.correlated && sq.Kind != opcode.PulloutExists || sq.isArgument && len(sq.mergePredicates()) > 0 {
		refuse(vterrors.VT12001("correlated subquery is only supported for EXISTS"))
	}
	if sq.Kind != opcode.PulloutExists && sq.Kind != opcode.PulloutNotExists {
		sq.Subquery.Columns(ctx) // its values are columns
	}
	switch {
	case sq.isArgument:
		if sq.HasValues != sq.ArgName {
			sq.ValueName = sq.ArgName
		}
		return outer
	case len(sq.predicates) > 0:
		if changesRows(outer) {
			refuse(vterrors.VT12001("correlated subquery in UPDATE or DELETE that is not on the shard of its row"))
		}
		sq.onlyFirstRow()
		return outer
	}
	return newFilter(outer, sq.outerFilters(ctx)...)
}

// changesRows reports whether an operator is an UPDATE or DELETE, which has no columns to give to a subquery.
func changesRows(op Operator) (changes bool) {
	visit(op, func(op Operator) bool {
		switch op.(type) {
		case *Update, *Delete:
			changes = true
		}
		return !changes
	})
	return changes
}

func (sq *SubQuery) onlyFirstRow() {
	sq.Subquery = newLimit(sq.Subquery, &sqlparser.Limit{Rowcount: sqlparser.NewIntLiteral("1")}, true)
}

// outerFilters are the predicates of the outer query with the subquery's bind variables in its place.
func (sq *SubQuery) outerFilters(ctx *Context) []sqlparser.Expr {
	if sq.Kind == opcode.PulloutExists || sq.Kind == opcode.PulloutNotExists {
		sq.onlyFirstRow()
	}
	pred := sqlparser.CopyOnRewrite(sq.original, skipSubqueries, func(c *sqlparser.CopyOnWriteCursor) {
		switch node := c.Node().(type) {
		case *sqlparser.ComparisonExpr:
			if arg, ok := node.Right.(sqlparser.ListArg); ok && sq.Kind.NeedsListArg() && arg.String() == sq.ArgName {
				c.Replace(sq.listComparison(ctx, node))
			}
		case *sqlparser.Subquery:
			if sq.Kind.NeedsListArg() {
				c.Replace(sqlparser.NewListArg(sq.ArgName))
			} else {
				c.Replace(sqlparser.NewArgument(sq.ArgName))
			}
		}
	}, ctx.Sem.CopySemanticInfo).(sqlparser.Expr)

	switch sq.Kind {
	case opcode.PulloutExists:
		return []sqlparser.Expr{sqlparser.NewArgument(sq.reserveHasValues(ctx))}
	case opcode.PulloutNotExists:
		sq.Kind = opcode.PulloutExists // the predicate says NOT
		return []sqlparser.Expr{sqlparser.NewNotExpr(sqlparser.NewArgument(sq.reserveHasValues(ctx)))}
	}
	sq.ValueName = sq.ArgName
	if and, ok := pred.(*sqlparser.AndExpr); ok && sq.Kind == opcode.PulloutIn {
		return []sqlparser.Expr{and.Left, and.Right}
	}
	return []sqlparser.Expr{pred}
}

// listComparison guards IN and NOT IN: SQL has no empty list.
func (sq *SubQuery) listComparison(ctx *Context, cmp *sqlparser.ComparisonExpr) sqlparser.Expr {
	sq.reserveHasValues(ctx)
	return sq.guarded(cmp)
}

func (sq *SubQuery) guarded(cmp *sqlparser.ComparisonExpr) sqlparser.Expr {
	has := sqlparser.NewArgument(sq.HasValues)
	if sq.Kind == opcode.PulloutIn {
		return sqlparser.AndExpressions(has, cmp)
	}
	return &sqlparser.OrExpr{Left: sqlparser.NewNotExpr(has), Right: cmp}
}

func (sq *SubQuery) reserveHasValues(ctx *Context) string {
	sq.HasValues = ctx.Reserved.ReserveVariable(string(sqlparser.HasValueSubQueryBaseName))
	return sq.HasValues
}

// settleUses is an expression after it is known which of its subqueries run on their own.
func settleUses(ctx *Context, expr sqlparser.Expr, subqueries []*SubQuery) sqlparser.Expr {
	return guardLists(ctx, restoreMerged(ctx, expr, subqueries), subqueries)
}

// guardLists guards IN and NOT IN of subqueries that run on their own, may have no rows, and whose result is used as a value.
func guardLists(ctx *Context, expr sqlparser.Expr, subqueries []*SubQuery) sqlparser.Expr {
	for _, sq := range subqueries {
		if _, merged := ctx.merged[sq.ArgName]; merged || !sq.Kind.NeedsListArg() || sq.HasValues == "" {
			continue
		}
		expr = sqlparser.Rewrite(expr, nil, func(c *sqlparser.Cursor) bool {
			if cmp, ok := c.Node().(*sqlparser.ComparisonExpr); ok && sq.isNamedBy(cmp.Right) {
				c.Replace(sq.guarded(cmp))
			}
			return true
		}).(sqlparser.Expr)
	}
	return expr
}

// isNamedBy reports whether an expression stands for the subquery's list.
func (sq *SubQuery) isNamedBy(expr sqlparser.Expr) bool {
	switch expr := expr.(type) {
	case sqlparser.ListArg:
		return string(expr) == sq.ArgName
	case *sqlparser.ColName:
		return expr.Qualifier.IsEmpty() && expr.Name.String() == sq.ArgName
	}
	return false
}

// restoreMerged puts subqueries that became part of the outer query's route back into an expression.
func restoreMerged(ctx *Context, expr sqlparser.Expr, subqueries []*SubQuery) sqlparser.Expr {
	for again := true; again; {
		again = false
		for _, sq := range subqueries {
			if _, ok := ctx.merged[sq.ArgName]; !ok {
				continue
			}
			expr = replaceArgument(expr, sq.ArgName, func() sqlparser.Expr {
				again = true
				if sq.Kind == opcode.PulloutExists {
					return &sqlparser.ExistsExpr{Subquery: sq.query}
				}
				return sq.query
			})
		}
	}
	return expr
}

func restoreByName(expr sqlparser.Expr, merged map[string]*sqlparser.Subquery) sqlparser.Expr {
	for _, name := range slices.Sorted(maps.Keys(merged)) {
		expr = replaceArgument(expr, name, func() sqlparser.Expr { return merged[name] })
	}
	return expr
}

// replaceArgument replaces what stands for a subquery in an expression: a column or an argument of that name.
func replaceArgument(expr sqlparser.Expr, name string, with func() sqlparser.Expr) sqlparser.Expr {
	return sqlparser.Rewrite(expr, nil, func(c *sqlparser.Cursor) bool {
		matches := false
		switch node := c.Node().(type) {
		case *sqlparser.ColName:
			matches = node.Qualifier.IsEmpty() && node.Name.String() == name
		case *sqlparser.Argument:
			matches = node.Name == name
		case sqlparser.ListArg:
			matches = string(node) == name
		}
		if matches {
			c.Replace(with())
		}
		return true
	}).(sqlparser.Expr)
}

// bindSubqueries replaces the names of subqueries in an expression by the bind variables that will hold their results. used are
// the subqueries that the expression refers to, present those that run beside this operator.
func bindSubqueries(ctx *Context, expr sqlparser.Expr, used, present []*SubQuery) sqlparser.Expr {
	for _, sq := range used {
		at := slices.IndexFunc(present, func(p *SubQuery) bool { return p.ArgName == sq.ArgName })
		if at < 0 {
			continue
		}
		other := present[at]
		expr = sqlparser.Rewrite(expr, nil, func(c *sqlparser.Cursor) bool {
			col, ok := c.Node().(*sqlparser.ColName)
			if ok && col.Qualifier.IsEmpty() && (col.Name.String() == sq.ArgName || col.Name.String() == sq.HasValues) {
				c.Replace(sq.resultArgument(ctx, other))
			}
			return true
		}).(sqlparser.Expr)
	}
	return expr
}

// resultArgument is the bind variable that holds the result. other is the same subquery where it runs.
func (sq *SubQuery) resultArgument(ctx *Context, other *SubQuery) sqlparser.Expr {
	switch {
	case sq.Kind.NeedsListArg():
		return sqlparser.NewListArg(sq.ArgName)
	case sq.Kind == opcode.PulloutExists:
		if sq.HasValues == "" {
			sq.HasValues = ctx.Reserved.ReserveHasValuesSubQuery()
			other.HasValues = sq.HasValues
		}
		return sqlparser.NewArgument(sq.HasValues)
	}
	if ae, ok := other.query.Select.GetColumns()[0].(*sqlparser.AliasedExpr); ok {
		if _, known := ctx.TypeOf(ae.Expr); known {
			return ctx.typedArgument(sq.ArgName, ae.Expr)
		}
	}
	return sqlparser.NewArgument(sq.ArgName)
}
