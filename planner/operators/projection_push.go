package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// pushProjection moves a projection towards the routes, or drops it where it changes nothing.
func pushProjection(ctx *Context, p *Projection) (Operator, string) {
	if !p.isNeeded() && p.DT == nil {
		return p.Source, "removed projection only passing through the input"
	}
	switch src := p.Source.(type) {
	case *Route:
		return swap(p, src, "push projection under route")
	case *Limit:
		return swap(p, src, "push projection under limit")
	case *ApplyJoin:
		if op, done := p.foldIntoJoin(ctx, src); done != "" {
			return op, done
		}
		if p.multiplies || !p.canPush(ctx) {
			return p, ""
		}
		return splitProjection(ctx, p, src)
	case *HashJoin:
		if !p.canPush(ctx) {
			return p, ""
		}
		return projectHashJoin(ctx, p, src)
	case *Vindex:
		if !p.canPush(ctx) {
			return p, ""
		}
		for _, pe := range p.exprs() {
			src.AddColumn(ctx, wrap(pe.Eval), ColumnMode{Reuse: true})
		}
		return src, "push projection into vindex"
	case *SubQueryContainer:
		// Predicates on subqueries are still to come, in terms of what a derived table selects from.
		if p.DT != nil || !p.canPush(ctx) || !p.moveToOuter(ctx, src.Outer, src.Inner) {
			return p, ""
		}
		src.Outer, p.Source = p, src.Outer
		return src, "push projection into outer side of subquery container"
	case *SubQuery:
		if !ctx.reached(subquerySettling) || !p.moveToOuter(ctx, src.Outer, []*SubQuery{src}) {
			return p, ""
		}
		src.Outer, p.Source = p, src.Outer
		return src, "push projection into outer side of subquery"
	}
	return p, ""
}

// canPush waits with columns that refer to subqueries until those are settled.
func (p *Projection) canPush(ctx *Context) bool {
	return ctx.reached(subquerySettling) ||
		!slices.ContainsFunc(p.Exprs, func(pe *ProjExpr) bool { return pe.state == holdsSubqueries })
}

// moveToOuter makes the columns refer to subqueries by bind variables. It is false if a column needs more than the outer query.
func (p *Projection) moveToOuter(ctx *Context, outer Operator, inner []*SubQuery) bool {
	if p.Stars != nil {
		return false
	}
	tables := tablesOf(outer)
	for _, pe := range p.Exprs {
		if pe.state != passesOffset && !ctx.Sem.RecursiveDeps(pe.Eval).IsSolvedBy(tables) {
			return false
		}
	}
	for _, pe := range p.Exprs {
		if pe.state == holdsSubqueries {
			pe.Eval = bindSubqueries(ctx, pe.Eval, pe.subqueries, inner)
		}
	}
	return true
}

// foldIntoJoin lets the join return the columns in the projection's order.
func (p *Projection) foldIntoJoin(ctx *Context, join *ApplyJoin) (Operator, string) {
	if p.Stars != nil || len(join.Cols) == 0 {
		return p, ""
	}
	var cols []int
	var exprs []joinColumn
	for _, pe := range p.Exprs {
		at := -1
		switch {
		case pe.state == passesOffset && pe.Original.As.IsEmpty():
			at = pe.Offset
		case pe.state == unplanned && ctx.Sem.EqualsWithDeps(pe.Eval, pe.Col):
			at = join.FindColumn(ctx, pe.Col, false)
		}
		if at < 0 {
			return p, ""
		}
		cols, exprs = append(cols, join.Cols[at]), append(exprs, join.columns[at])
	}
	join.Cols, join.columns = cols, exprs
	return join, "remove projection from before join"
}

// sideProjection collects what one side of a join must compute.
type sideProjection struct {
	exprs   []*ProjExpr
	aliases []string
}

func (s *sideProjection) add(pe *ProjExpr, alias string) {
	s.exprs, s.aliases = append(s.exprs, pe), append(s.aliases, alias)
}

// column is the name by which an expression of the side is known outside of the derived table dt; it is added if need be.
func (s *sideProjection) column(ctx *Context, expr sqlparser.Expr, dt sqlparser.TableName) *sqlparser.ColName {
	at := slices.IndexFunc(s.exprs, func(pe *ProjExpr) bool { return ctx.Sem.EqualsWithDeps(expr, pe.Col) })
	var name *sqlparser.ColName
	if at >= 0 {
		name = sqlparser.NewColName(s.exprs[at].Original.ColumnName())
	} else {
		alias := sqlparser.UnescapedString(expr)
		s.add(newProjExpr(sqlparser.NewAliasedExpr(expr, alias)), alias)
		name = sqlparser.NewColName(alias)
	}
	name.Qualifier = dt
	ctx.Sem.CopySemanticInfo(expr, name)
	return name
}

// splitProjection gives each side of a join the columns that it can compute:
//
//	Projection[L.x, R.y, L.z + R.w]          ApplyJoin
//	  ApplyJoin                       →        Projection[L.x, L.z]
//	    L   R                                  Projection[R.y, :z + R.w]
func splitProjection(ctx *Context, p *Projection, join *ApplyJoin) (Operator, string) {
	if p.Stars != nil {
		return p, ""
	}
	if !join.isInner() {
		// Only a plain column is NULL when the right side has no row.
		for _, pe := range p.Exprs {
			if _, isCol := pe.Original.Expr.(*sqlparser.ColName); !isCol {
				return p, ""
			}
		}
	}
	left, right := &sideProjection{}, &sideProjection{}
	before := join.columns
	join.columns = nil
	for i, pe := range p.Exprs {
		at := slices.IndexFunc(before, func(c joinColumn) bool { return ctx.Sem.EqualsWithDeps(c.original, pe.Col) })
		if at >= 0 {
			join.columns = append(join.columns, before[at])
			continue
		}
		alias := ""
		if p.DT != nil && len(p.DT.Columns) > 0 {
			if i >= len(p.DT.Columns) {
				refuse(vterrors.VT13001("derived table has fewer names than columns"))
			}
			alias = p.DT.Columns[i].String()
		}
		join.columns = append(join.columns, splitColumn(ctx, p, join, left, right, pe, alias))
	}
	if p.DT != nil {
		exposeJoinColumns(ctx, p, join, left)
	}
	join.LHS = left.over(ctx, join.LHS, p.DT)
	join.RHS = right.over(ctx, join.RHS, p.DT)
	return join, "split projection to either side of join"
}

func splitColumn(ctx *Context, p *Projection, join *ApplyJoin, left, right *sideProjection, pe *ProjExpr, alias string) joinColumn {
	col := join.columnFor(ctx, pe.Original.Expr, pe.Col, false)
	var outside *sqlparser.ColName
	if p.DT != nil && pe.state != holdsSubqueries {
		if !ctx.Sem.EqualsWithDeps(pe.Eval, pe.Col) {
			refuse(vterrors.VT13001("a derived table's column is not what it is known as"))
		}
		outside = sqlparser.NewColNameWithQualifier(pe.Original.ColumnName(), sqlparser.NewTableName(p.DT.Alias))
		ctx.Sem.CopySemanticInfo(pe.Col, outside)
		col.original = outside
		if alias == "" {
			alias = pe.Original.ColumnName()
		}
	}
	switch {
	case col.onlyLeft():
		left.add(pe, alias)
		if outside != nil {
			col.left[0].expr = outside
		}
	case col.onlyRight():
		right.add(pe, alias)
		if outside != nil {
			col.right = outside
		}
	default:
		for _, l := range col.left {
			ae := wrap(l.expr)
			name := ""
			if outside != nil {
				name = ae.ColumnName()
			} else if alias != "" {
				name = sqlparser.String(l.expr)
			}
			left.add(newProjExpr(ae), name)
		}
		right.add(&ProjExpr{Original: pe.Original, Eval: col.right, Col: col.right, state: pe.state, Offset: pe.Offset, subqueries: pe.subqueries}, alias)
		if outside != nil {
			col.right = outside
		}
	}
	return col
}

// exposeJoinColumns makes the join's predicates use the columns of the derived tables that its sides become.
func exposeJoinColumns(ctx *Context, p *Projection, join *ApplyJoin, left *sideProjection) {
	dt := must(ctx.Sem.Info(p.DT.ID)).TableName()
	lhs := tablesOf(join.LHS)
	for i, pred := range join.predicates {
		for k, l := range pred.left {
			pred.left[k].expr = left.column(ctx, l.expr, dt)
		}
		if pred.onlyLeft() {
			continue
		}
		join.predicates[i].original = sqlparser.CopyOnRewrite(pred.original, skipSubqueries, func(c *sqlparser.CopyOnWriteCursor) {
			col, ok := c.Node().(*sqlparser.ColName)
			if ok && ctx.Sem.RecursiveDeps(col).IsSolvedBy(lhs) {
				c.Replace(left.column(ctx, col, dt))
			}
		}, ctx.Sem.CopySemanticInfo).(sqlparser.Expr)
	}
}

// over puts the collected columns over a side.
func (s *sideProjection) over(ctx *Context, src Operator, dt *DerivedTable) Operator {
	if len(s.exprs) == 0 {
		return src
	}
	proj := newProjection(src)
	proj.Exprs = s.exprs
	if dt != nil {
		own := *dt
		if len(dt.Columns) > 0 {
			own.Columns = make(sqlparser.Columns, len(s.aliases))
			for i, alias := range s.aliases {
				own.Columns[i] = sqlparser.NewIdentifierCI(alias)
			}
		}
		proj.DT = &own
	}
	return proj
}

func skipSubqueries(node, _ sqlparser.SQLNode) bool {
	_, isSubquery := node.(*sqlparser.Subquery)
	return !isSubquery
}
