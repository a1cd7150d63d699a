package operators

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// expandHorizon takes a query block apart into one operator for each clause, so that each can be pushed on its own:
//
//	Limit ─ Ordering ─ Distinct ─ Window ─ Filter (HAVING) ─ Projection or Aggregator ─ source
func expandHorizon(ctx *Context, h *Horizon) (Operator, string) {
	switch query := h.Query.(type) {
	case *sqlparser.Select:
		return expandSelect(ctx, h, query)
	case *sqlparser.Union:
		return expandUnion(ctx, h, query)
	}
	panic(vterrors.VT13001("query block is neither SELECT nor UNION"))
}

func expandUnion(ctx *Context, h *Horizon, union *sqlparser.Union) (Operator, string) {
	op := h.Source
	if order := h.queryParts(ctx).OrderBy; len(order) > 0 {
		op = newOrdering(op, order)
	}
	if union.Limit != nil {
		op = newLimit(op, union.Limit, false)
	}
	if h.isDerived() {
		op = h.expose(ctx, op)
	}
	if op == h.Source {
		return op, "removed horizon of union"
	}
	return op, "expand horizon of union"
}

// expose puts the derived table's select list over a query block whose columns must stay as they are, whatever is asked of
// the derived table: rows are the same or not by all of them.
func (h *Horizon) expose(ctx *Context, op Operator) Operator {
	proj := newProjection(op)
	proj.DT = h.derivedTable()
	for _, col := range h.Columns(ctx) {
		proj.add(newProjExpr(col))
	}
	return proj
}

func (h *Horizon) derivedTable() *DerivedTable {
	if !h.isDerived() {
		return nil
	}
	return &DerivedTable{ID: h.ID, Alias: h.Alias, Columns: h.ColumnAliases}
}

func expandSelect(ctx *Context, h *Horizon, sel *sqlparser.Select) (Operator, string) {
	parts := h.queryParts(ctx)
	h.checkDistinctOrder(ctx, sel, parts)
	if h.isDerived() {
		// Operators over a derived table see its columns only, so what it sorts and filters by must be among them.
		for _, order := range sel.OrderBy {
			parts.addToSelect(ctx, order.Expr)
		}
		if sel.Having != nil {
			for _, pred := range sqlparser.SplitAndExpression(nil, sel.Having.Expr) {
				parts.addToSelect(ctx, pred)
			}
		}
	}
	names := []string{"Projection"}
	if parts.HasAggr {
		names[0] = "Aggregation"
	}
	dt := h.derivedTable()
	exposes := dt != nil && parts.needsDistinct()
	if exposes {
		dt = nil
	}
	op := projectSelect(ctx, h, parts, dt)
	if sel.Having != nil {
		op = addWhere(ctx, sel.Having.Expr, op)
		names = append(names, "Filter")
	}
	if parts.HasWindow {
		op = newWindow(op, parts)
		names = append(names, "Window")
	}
	if parts.needsDistinct() {
		op = newDistinct(op, true)
		names = append(names, "Distinct")
	}
	if len(parts.OrderBy) > 0 {
		op = orderSelect(ctx, op, parts, dt.name())
		names = append(names, "Ordering")
	}
	if sel.Limit != nil {
		op = newLimit(op, sel.Limit, true)
		names = append(names, "Limit")
	}
	if exposes {
		op = h.expose(ctx, op)
	}
	return op, "expand SELECT horizon into (" + strings.Join(names, ", ") + ")"
}

// projectSelect makes the operator that computes the select list.
func projectSelect(ctx *Context, h *Horizon, parts *QueryParts, dt *DerivedTable) Operator {
	if parts.needsAggregation() {
		return aggregateSelect(ctx, h, parts, dt)
	}
	if slices.ContainsFunc(parts.Select, SelectExpr.isStar) {
		proj := starProjection(h.Source, parts)
		proj.DT = dt
		return proj
	}
	proj := newProjection(nil)
	proj.DT = dt
	builder := &subqueryBuilder{}
	tables := tablesOf(h.Source)
	for _, s := range parts.Select {
		ae := s.aliased()
		original := cloneSem(ctx, ae)
		if expr, subqueries := builder.pullOut(ctx, ae.Expr, tables, false); len(subqueries) > 0 {
			proj.add(&ProjExpr{Original: original, Eval: expr, Col: original.Expr, subqueries: subqueries, state: holdsSubqueries})
			continue
		}
		proj.add(&ProjExpr{Original: original, Eval: ae.Expr, Col: original.Expr})
	}
	proj.Source = builder.over(h.Source)
	return proj
}

// starProjection passes a star on: shards know the columns, the gateway does not.
func starProjection(src Operator, parts *QueryParts) *Projection {
	proj := newProjection(src)
	for _, s := range parts.Select {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			if _, isSubquery := node.(*sqlparser.Subquery); isSubquery {
				refuse(vterrors.VT09015())
			}
			return true, nil
		}, s.Col)
		proj.Stars = append(proj.Stars, s.Col)
	}
	return proj
}

// aggregateSelect makes an aggregator, and a projection over it where the select list computes with aggregates.
func aggregateSelect(ctx *Context, h *Horizon, parts *QueryParts, dt *DerivedTable) Operator {
	aggrs, complex := parts.aggregations(ctx)
	aggr := &Aggregator{
		unary: unary{h.Source}, original: true, QP: parts, Rollup: parts.Rollup,
		Grouping: slices.Clone(parts.grouping), Aggregations: aggrs, DT: dt,
	}
	builder := &subqueryBuilder{}
	for i := range aggrs {
		aggrs[i].pullOutSubqueries(ctx, builder, tablesOf(h.Source))
	}
	aggr.Source = builder.over(h.Source)
	if complex {
		return projectAggregates(aggr, parts)
	}
	addSelectToAggregator(ctx, aggr, parts)
	aggr.truncates = h.truncates
	return aggr
}

// projectAggregates lets the aggregator return grouping and aggregates, and a projection compute the select list.
func projectAggregates(aggr *Aggregator, parts *QueryParts) Operator {
	proj := newProjection(aggr)
	proj.DT, aggr.DT = aggr.DT, nil
	for _, s := range parts.Select {
		proj.add(newProjExpr(s.aliased()))
	}
	for i, g := range aggr.Grouping {
		aggr.Grouping[i].Offset = len(aggr.Cols)
		aggr.Cols = append(aggr.Cols, wrap(g.Inner))
	}
	for i, a := range aggr.Aggregations {
		aggr.Aggregations[i].Offset = len(aggr.Cols)
		aggr.Cols = append(aggr.Cols, a.Original)
	}
	return proj
}

// addSelectToAggregator gives each entry of the select list its column.
func addSelectToAggregator(ctx *Context, aggr *Aggregator, parts *QueryParts) {
	for offset, s := range parts.Select {
		ae := s.aliased()
		aggr.Cols = append(aggr.Cols, ae)
		grouped := false
		for i, g := range aggr.Grouping {
			if !ctx.Sem.EqualsWithDeps(g.Inner, ae.Expr) {
				continue
			}
			grouped = true
			if g.Offset < 0 {
				aggr.Grouping[i].Offset = offset
			}
		}
		if grouped {
			continue
		}
		at := slices.IndexFunc(aggr.Aggregations, func(a Aggr) bool {
			return a.Offset < 0 && ctx.Sem.EqualsWithDeps(a.Original.Expr, ae.Expr)
		})
		if at < 0 {
			refuse(vterrors.VT12001("in an aggregated query over several shards: " + sqlparser.String(ae)))
		}
		aggr.Aggregations[at].Offset = offset
	}
}

// orderSelect sorts. Inside of a derived table terms are known by the names it gives them.
func orderSelect(ctx *Context, op Operator, parts *QueryParts, derived string) Operator {
	proj, isProj := op.(*Projection)
	builder := &subqueryBuilder{}
	var order []OrderBy
	for _, o := range parts.OrderBy {
		expr, subqueries := builder.pullOut(ctx, o.Expr, tablesOf(op), false)
		if len(subqueries) == 0 {
			if derived != "" {
				o = parts.exposeOrder(ctx, o, derived)
			}
			order = append(order, o)
			continue
		}
		if !isProj {
			ctx.Sem.NotSingleRouteErr = vterrors.VT12001("subquery with aggregation in order by")
			return newOrdering(op, parts.OrderBy)
		}
		proj.add(&ProjExpr{Original: wrap(expr), Eval: expr, Col: expr, subqueries: subqueries, state: holdsSubqueries})
		order = append(order, OrderBy{Inner: &sqlparser.Order{Expr: expr, Direction: o.Inner.Direction}, Expr: expr})
	}
	if isProj {
		proj.Source = builder.over(proj.Source)
	}
	return newOrdering(op, order)
}

func (p *QueryParts) exposeOrder(ctx *Context, o OrderBy, derived string) OrderBy {
	for _, s := range p.Select {
		ae := s.aliased()
		if !ctx.Sem.EqualsWithDeps(ae.Expr, o.Expr) {
			continue
		}
		name := sqlparser.NewColNameWithQualifier(ae.ColumnName(), sqlparser.NewTableName(derived))
		ctx.Sem.CopySemanticInfo(o.Expr, name)
		return OrderBy{Inner: &sqlparser.Order{Expr: name, Direction: o.Inner.Direction}, Expr: name}
	}
	return o
}
