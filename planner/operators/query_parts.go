package operators

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/semantics"
)

type (
	// QueryParts are the clauses of a query block in the terms that rewrites work with. It is shared by the operators that a
	// horizon was taken apart into.
	QueryParts struct {
		Select    []SelectExpr
		OrderBy   []OrderBy
		Distinct  bool
		HasAggr   bool
		HasWindow bool
		Rollup    bool
		grouping  []GroupBy
		aligned   bool
	}

	// SelectExpr is one entry of the select list.
	SelectExpr struct {
		Col  sqlparser.SelectExpr
		Aggr bool
	}

	// GroupBy is one grouping expression. Offset and WeightString are -1 until known.
	GroupBy struct {
		Inner                sqlparser.Expr
		Offset, WeightString int
	}

	// Aggr is one aggregation. Offset and WeightString are -1 until known.
	Aggr struct {
		Original *sqlparser.AliasedExpr
		// Func is nil for expressions that are no aggregate of SQL: one value of the group stands for all.
		Func   sqlparser.AggrFunc
		Opcode opcode.AggregateOpcode
		// Asked is what the query asked for, where Opcode only adds up what shards computed.
		Asked                opcode.AggregateOpcode
		Alias                string
		Distinct             bool
		Offset, WeightString int
		// pushed says that an input computes the aggregate and this one combines.
		pushed     bool
		subqueries []*SubQuery
	}
)

func newGroupBy(inner sqlparser.Expr) GroupBy {
	return GroupBy{Inner: inner, Offset: -1, WeightString: -1}
}

func (g GroupBy) asOrder() OrderBy {
	return OrderBy{Inner: &sqlparser.Order{Expr: g.Inner, Direction: sqlparser.AscOrder}, Expr: g.Inner}
}

func newAggr(code opcode.AggregateOpcode, fn sqlparser.AggrFunc, original *sqlparser.AliasedExpr, name string) Aggr {
	return Aggr{Original: original, Func: fn, Opcode: code, Alias: name, Offset: -1, WeightString: -1}
}

func aggrFromFunc(fn sqlparser.AggrFunc, original *sqlparser.AliasedExpr) Aggr {
	aggr := newAggr(aggregateCode(fn), fn, original, original.ColumnName())
	aggr.Distinct = sqlparser.IsDistinct(fn)
	return aggr
}

// aggrFromPlain lets any value of the group stand for an expression that is neither grouped nor aggregated.
func aggrFromPlain(original *sqlparser.AliasedExpr) Aggr {
	code := opcode.AggregateAnyValue
	if sqlparser.IsConstant(original.Expr) {
		code = opcode.AggregateConstant
	}
	return newAggr(code, nil, original, original.ColumnName())
}

func (a Aggr) needsWeightString(ctx *Context) bool {
	return a.Opcode.NeedsComparableValues() && ctx.needsWeightString(a.Func.GetArg())
}

// Type is the type of what the aggregate compares, the zero Type for those that compare nothing.
func (a Aggr) Type(ctx *Context) evalengine.Type {
	if a.Func == nil {
		return evalengine.NewUnknownType()
	}
	switch a.Opcode {
	case opcode.AggregateMin, opcode.AggregateMax, opcode.AggregateSumDistinct, opcode.AggregateCountDistinct:
		typ, _ := ctx.TypeOf(a.Func.GetArg())
		return typ
	}
	return evalengine.Type{}
}

func newQueryParts(ctx *Context, stmt sqlparser.TableStatement) *QueryParts {
	switch stmt := stmt.(type) {
	case *sqlparser.Select:
		return partsOfSelect(ctx, stmt)
	case *sqlparser.Union:
		parts := &QueryParts{}
		parts.addSelect(ctx, firstSelect(stmt).GetColumns())
		parts.addOrderBy(ctx, stmt.OrderBy)
		return parts
	}
	panic(vterrors.VT13001("query block is neither SELECT nor UNION"))
}

func partsOfSelect(ctx *Context, sel *sqlparser.Select) *QueryParts {
	p := &QueryParts{Distinct: sel.Distinct}
	p.addSelect(ctx, sel.GetColumns())
	p.addGroupBy(ctx, sel.GroupBy)
	p.addOrderBy(ctx, sel.OrderBy)
	if sel.Having != nil && ctx.containsAggr(sel.Having.Expr) {
		p.HasAggr = true
	}
	for _, order := range sel.OrderBy {
		p.HasAggr = p.HasAggr || sel.Distinct && ctx.containsAggr(order.Expr)
		p.HasWindow = p.HasWindow || ctx.containsWindow(order.Expr)
	}
	p.simplifyDistinct(ctx)
	return p
}

func (p *QueryParts) addSelect(ctx *Context, exprs []sqlparser.SelectExpr) {
	for _, e := range exprs {
		col := SelectExpr{Col: e}
		switch e := e.(type) {
		case *sqlparser.AliasedExpr:
			col.Aggr = ctx.containsAggr(e.Expr)
			p.HasAggr = p.HasAggr || col.Aggr
			p.HasWindow = p.HasWindow || ctx.containsWindow(e.Expr)
		case *sqlparser.StarExpr:
		default:
			refuse(vterrors.VT13001("unexpected entry in select list: " + sqlparser.String(e)))
		}
		p.Select = append(p.Select, col)
	}
}

func (p *QueryParts) addGroupBy(ctx *Context, groupBy *sqlparser.GroupBy) {
	if groupBy == nil {
		return
	}
	p.Rollup = groupBy.WithRollup
	var seen []sqlparser.Expr
	for _, e := range groupBy.Exprs {
		checkGrouping(ctx, e)
		if addUnlessKnown(ctx, &seen, e) {
			p.grouping = append(p.grouping, newGroupBy(e))
		}
	}
}

// checkGrouping refuses aggregates (VT03005) and subqueries in GROUP BY.
func checkGrouping(ctx *Context, expr sqlparser.Expr) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if ctx.isAggr(node) {
			refuse(vterrors.VT03005(sqlparser.String(expr)))
		}
		_, isSubquery := node.(*sqlparser.Subquery)
		arg, isArg := node.(*sqlparser.Argument)
		if isSubquery || (isArg && strings.HasPrefix(arg.Name, "__sq")) {
			refuse(vterrors.VT12001("subqueries in GROUP BY"))
		}
		return true, nil
	}, expr)
}

func addUnlessKnown(ctx *Context, set *[]sqlparser.Expr, e sqlparser.Expr) bool {
	for _, known := range *set {
		if ctx.Sem.EqualsWithDeps(e, known) {
			return false
		}
	}
	*set = append(*set, e)
	return true
}

func (p *QueryParts) addOrderBy(ctx *Context, orderBy sqlparser.OrderBy) {
	var seen []sqlparser.Expr
	for _, order := range orderBy {
		if ordersByConstant(ctx, order.Expr) || !addUnlessKnown(ctx, &seen, order.Expr) {
			continue
		}
		p.OrderBy = append(p.OrderBy, OrderBy{Inner: cloneSem(ctx, order), Expr: order.Expr})
	}
}

func ordersByConstant(ctx *Context, expr sqlparser.Expr) bool {
	switch expr.(type) {
	case *sqlparser.NullVal, *sqlparser.Literal, *sqlparser.Argument:
		return true
	case *sqlparser.Subquery:
		return ctx.Sem.RecursiveDeps(expr).IsEmpty()
	}
	return false
}

// simplifyDistinct turns DISTINCT into grouping where that also gives the order, and drops it where grouping makes rows unique.
func (p *QueryParts) simplifyDistinct(ctx *Context) {
	if p.Distinct && !p.HasAggr {
		if p.groupInsteadOfDistinct(ctx) {
			p.Distinct = false
		} else {
			p.grouping = nil
		}
	}
	if p.HasAggr && len(p.grouping) == 0 {
		p.Distinct = false // there is one row
	}
	if !p.Distinct || len(p.grouping) == 0 {
		return
	}
	for _, g := range p.grouping {
		if !p.selects(ctx, g.Inner) {
			return
		}
	}
	p.Distinct = false
}

func (p *QueryParts) selects(ctx *Context, expr sqlparser.Expr) bool {
	return slices.ContainsFunc(p.Select, func(s SelectExpr) bool { return ctx.Sem.EqualsWithDeps(s.expr(), expr) })
}

// expr is the expression of an entry. VT09015 for a star.
func (s SelectExpr) expr() sqlparser.Expr { return s.aliased().Expr }

func (s SelectExpr) aliased() *sqlparser.AliasedExpr {
	ae, ok := s.Col.(*sqlparser.AliasedExpr)
	if !ok {
		refuse(vterrors.VT09015())
	}
	return ae
}

func (s SelectExpr) isStar() bool {
	_, ok := s.Col.(*sqlparser.AliasedExpr)
	return !ok
}

// groupInsteadOfDistinct groups by all selected expressions, if rows are ordered by one of them anyway.
func (p *QueryParts) groupInsteadOfDistinct(ctx *Context) bool {
	if p.HasWindow || !slices.ContainsFunc(p.OrderBy, func(o OrderBy) bool { return p.names(ctx, o.Expr) }) {
		return false
	}
	if slices.ContainsFunc(p.Select, SelectExpr.isStar) {
		return false
	}
	var added []GroupBy
	for _, s := range p.Select {
		if !p.groups(ctx, s.expr()) {
			added = append(added, newGroupBy(s.expr()))
		}
	}
	p.grouping = append(p.grouping, added...)
	return true
}

// names tells whether an expression is selected, by its alias too.
func (p *QueryParts) names(ctx *Context, expr sqlparser.Expr) bool {
	col, isCol := expr.(*sqlparser.ColName)
	return slices.ContainsFunc(p.Select, func(s SelectExpr) bool {
		ae, ok := s.Col.(*sqlparser.AliasedExpr)
		if !ok {
			return false
		}
		return isCol && ae.As.NotEmpty() && col.Name.Equal(ae.As) || ctx.Sem.EqualsWithDeps(ae.Expr, expr)
	})
}

func (p *QueryParts) groups(ctx *Context, expr sqlparser.Expr) bool {
	return slices.ContainsFunc(p.grouping, func(g GroupBy) bool { return ctx.Sem.EqualsWithDeps(g.Inner, expr) })
}

func (p *QueryParts) needsAggregation() bool { return p.HasAggr || len(p.grouping) > 0 }

func (p *QueryParts) needsDistinct() bool {
	if !p.Distinct {
		return false
	}
	onlyAggr := p.HasAggr && !slices.ContainsFunc(p.Select, func(s SelectExpr) bool { return !s.Aggr })
	return !onlyAggr || len(p.grouping) > 0
}

// addToSelect makes an expression part of the select list, unless it is there.
func (p *QueryParts) addToSelect(ctx *Context, expr sqlparser.Expr) {
	known := slices.ContainsFunc(p.Select, func(s SelectExpr) bool {
		return !s.isStar() && ctx.Sem.EqualsWithDeps(s.expr(), expr)
	})
	if !known {
		p.Select = append(p.Select, SelectExpr{Col: wrap(expr), Aggr: ctx.containsAggr(expr)})
	}
}

// aggregations lists what must be aggregated. complex says that the select list is more than aggregates and grouping
// expressions, so that a projection must compute it from them.
func (p *QueryParts) aggregations(ctx *Context) (out []Aggr, complex bool) {
	for _, order := range p.OrderBy {
		p.addToSelect(ctx, order.Expr)
	}
	for _, s := range p.Select {
		ae := s.aliased()
		if !ctx.containsAggr(ae) && !ctx.containsWindow(ae) {
			if !p.groups(ctx, ae.Expr) {
				out = append(out, aggrFromPlain(ae))
			}
			continue
		}
		e := &aggrExtractor{ctx: ctx, parts: p, column: ae}
		sqlparser.CopyOnRewrite(ae.Expr, e.down, nil, nil)
		out = append(out, e.found...)
		complex = complex || e.complex
	}
	return out, complex
}

// aggrExtractor finds the aggregations inside of one select expression.
type aggrExtractor struct {
	ctx     *Context
	parts   *QueryParts
	column  *sqlparser.AliasedExpr
	found   []Aggr
	complex bool
}

func (e *aggrExtractor) down(node, _ sqlparser.SQLNode) bool {
	expr, ok := node.(sqlparser.Expr)
	if !ok {
		return true
	}
	fn, isFunc := node.(sqlparser.AggrFunc)
	switch {
	case isFunc && isWindow(node):
		return true
	case isFunc:
		original := wrap(expr)
		if expr == e.column.Expr {
			original = e.column
		}
		e.found = append(e.found, aggrFromFunc(fn, original))
	case e.ctx.isAggr(node):
		e.found = append(e.found, newAggr(opcode.AggregateUDF, nil, wrap(expr), ""))
	case e.ctx.containsAggr(node):
		e.complex = true
		return true
	case !e.parts.groups(e.ctx, expr):
		e.found = append(e.found, aggrFromPlain(wrap(expr)))
	}
	return false
}

// alignOrder makes grouping and order agree, so that one sort serves both. It is false where they cannot, and the second time.
func (p *QueryParts) alignOrder(ctx *Context) bool {
	if p == nil || p.aligned {
		return false
	}
	p.aligned = true
	var first []GroupBy
	used := make([]bool, len(p.grouping))
	for _, order := range p.OrderBy {
		at := slices.IndexFunc(p.grouping, func(g GroupBy) bool { return ctx.Sem.EqualsWithDeps(g.Inner, order.Expr) })
		if at < 0 {
			return false
		}
		first, used[at] = append(first, p.grouping[at]), true
	}
	for i, g := range p.grouping {
		if !used[i] {
			first = append(first, g)
			p.OrderBy = append(p.OrderBy, g.asOrder())
		}
	}
	p.grouping = first
	return true
}

// cloneSem copies a node with what is known of it.
func cloneSem[T sqlparser.SQLNode](ctx *Context, node T) T {
	return semantics.Clone(ctx.Sem, node)
}
