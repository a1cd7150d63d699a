package operators

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// Ordering sorts rows.
type Ordering struct {
	unary
	truncated
	Order []OrderBy
	// Offsets and WeightStrings are set once offsets are planned, one for each term; a weight string is -1 for none.
	Offsets, WeightStrings []int
}

func newOrdering(src Operator, order []OrderBy) *Ordering {
	return &Ordering{unary: unary{src}, Order: order}
}

// Clone copies the ordering.
func (o *Ordering) Clone(in []Operator) Operator {
	c := *o
	c.Source, c.Order = in[0], slices.Clone(o.Order)
	c.Offsets, c.WeightStrings = slices.Clone(o.Offsets), slices.Clone(o.WeightStrings)
	return &c
}

// Columns are the source's.
func (o *Ordering) Columns(ctx *Context) []*sqlparser.AliasedExpr {
	return keep(&o.truncated, o.Source.Columns(ctx))
}

// SelectExprs are the source's.
func (o *Ordering) SelectExprs(ctx *Context) []sqlparser.SelectExpr {
	return keep(&o.truncated, o.Source.SelectExprs(ctx))
}

// OrderedBy is the order.
func (o *Ordering) OrderedBy(*Context) []OrderBy { return o.Order }

func (o *Ordering) planOffsets(ctx *Context) Operator {
	for _, order := range o.Order {
		o.Offsets = append(o.Offsets, o.Source.AddColumn(ctx, wrap(order.Expr), ColumnMode{Reuse: true}))
	}
	for i, order := range o.Order {
		ws := -1
		if ctx.needsWeightString(order.Expr) {
			ws = o.Source.AddWeightString(ctx, o.Offsets[i], false)
		}
		o.WeightStrings = append(o.WeightStrings, ws)
	}
	return nil
}

// Describe lists the terms.
func (o *Ordering) Describe() string {
	texts := make([]string, len(o.Order))
	for i, order := range o.Order {
		texts[i] = sqlparser.String(order.Expr)
	}
	return "Ordering " + strings.Join(texts, ", ")
}

// pushOrdering moves a sort towards the routes, where shards sort and the gateway merges.
func pushOrdering(ctx *Context, o *Ordering) (Operator, string) {
	switch src := o.Source.(type) {
	case *Route:
		return swap(o, src, "push ordering under route")
	case *Filter:
		return swap(o, src, "push ordering under filter")
	case *ApplyJoin:
		left := tablesOf(src.LHS)
		for _, order := range o.Order {
			if !ctx.Sem.RecursiveDeps(order.Inner.Expr).IsSolvedBy(left) {
				return o, ""
			}
		}
		src.LHS, o.Source = o, src.LHS
		return src, "push ordering to the left of a join"
	case *Ordering:
		o.Source = src.Source
		return o, "remove double ordering"
	case *Projection:
		return pushOrderingUnderProjection(ctx, o, src)
	case *Aggregator:
		oneRow := src.QP.alignOrder(ctx) && len(src.Grouping) == 0 // whose order matters to nobody
		if !oneRow && !orderWithinGroups(ctx, orderInside(ctx, o.Order, src.DT), src.Grouping) {
			return o, ""
		}
		return pushOrderingUnderAggregator(ctx, o, src)
	case *SubQueryContainer:
		outer := tablesOf(src.Outer)
		for _, order := range o.Order {
			if !ctx.Sem.RecursiveDeps(order.Inner.Expr).IsSolvedBy(outer) {
				return o, ""
			}
		}
		src.Outer, o.Source = o, src.Outer
		return src, "push ordering into outer side of subquery"
	}
	return o, ""
}

func pushOrderingUnderProjection(ctx *Context, o *Ordering, proj *Projection) (Operator, string) {
	for _, order := range o.Order {
		if !ctx.mustFetch(order.Expr) || proj.evaluatesPartOf(ctx, order.Expr) {
			return o, ""
		}
	}
	if proj.Stars != nil || proj.DT != nil {
		return o, ""
	}
	for _, pe := range proj.Exprs {
		if pe.state != unplanned {
			return o, ""
		}
	}
	return swap(o, proj, "push ordering under projection")
}

// orderInside words an order by the columns of a derived table in what the derived table selects.
func orderInside(ctx *Context, order []OrderBy, dt *DerivedTable) []OrderBy {
	if dt == nil || len(order) == 0 {
		return order
	}
	out := make([]OrderBy, len(order))
	for i, o := range order {
		out[i] = OrderBy{
			Inner: &sqlparser.Order{Expr: dt.inside(ctx, o.Inner.Expr), Direction: o.Inner.Direction},
			Expr:  dt.inside(ctx, o.Expr),
		}
	}
	return out
}

func orderWithinGroups(ctx *Context, order []OrderBy, grouping []GroupBy) bool {
	for _, o := range order {
		if !slices.ContainsFunc(grouping, func(g GroupBy) bool { return ctx.Sem.EqualsWithDeps(o.Expr, g.Inner) }) {
			return false
		}
	}
	return true
}

// pushOrderingUnderAggregator sorts before grouping: groups come in the order asked for, and rows of a group together.
func pushOrderingUnderAggregator(ctx *Context, o *Ordering, aggr *Aggregator) (Operator, string) {
	if !ctx.reached(delegateAggregation) {
		return o, ""
	}
	o.Order = orderInside(ctx, o.Order, aggr.DT)
	var first, rest []GroupBy
	used := make([]bool, len(aggr.Grouping))
	for _, order := range o.Order {
		for i, g := range aggr.Grouping {
			if !used[i] && ctx.Sem.EqualsWithDeps(g.Inner, order.Expr) {
				first, used[i] = append(first, g), true
			}
		}
	}
	for i, g := range aggr.Grouping {
		if !used[i] {
			rest = append(rest, g)
			o.Order = append(o.Order, g.asOrder())
		}
	}
	aggr.Grouping = append(first, rest...)
	if below, ok := aggr.Source.(*Ordering); ok {
		o.Source, aggr.Source = below.Source, o
		return aggr, "push ordering under aggregation, removing extra ordering"
	}
	return swap(o, aggr, "push ordering under aggregation")
}
