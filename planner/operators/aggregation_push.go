package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

// pushAggregator moves aggregation towards the routes. Where all rows of a group are on one shard the shard does it all; else
// inputs aggregate what they have and the gateway combines.
func pushAggregator(ctx *Context, a *Aggregator) (Operator, string) {
	if a.pushed {
		return a, ""
	}
	if route, ok := a.Source.(*Route); ok && (route.IsSingleShard() || !a.Rollup && groupsStayTogether(ctx, a.Grouping)) {
		return swap(a, route, "push aggregation under route")
	}
	if !ctx.reached(delegateAggregation) {
		return a, ""
	}
	if slices.ContainsFunc(a.Aggregations, func(g Aggr) bool { return g.Opcode == opcode.AggregateAvg }) {
		return splitAvg(ctx, a)
	}
	if _, isRoute := a.Source.(*Route); !isRoute && a.hasDistinct() {
		// What inputs counted cannot be added up: they may have counted the same value.
		a.DistinctExpr = onlyDistinct(ctx, a)
		return a, ""
	}
	var out Operator
	var done string
	switch src := a.Source.(type) {
	case *Route:
		out, done = aggregateInRoute(ctx, a, src)
	case *ApplyJoin:
		out, done = aggregateInJoin(ctx, a, src)
	case *HashJoin:
		out, done = aggregateInHashJoin(ctx, a, src)
	case *Filter:
		out, done = aggregateBelowFilter(ctx, a, src)
	case *SubQueryContainer:
		out, done = aggregateInOuter(ctx, a, src)
	}
	if done == "" {
		return a, ""
	}
	a.pushed = true
	return out, done
}

// groupsStayTogether tells whether a unique vindex is among the grouping, so that a group is never on two shards.
func groupsStayTogether(ctx *Context, grouping []GroupBy) bool {
	return slices.ContainsFunc(grouping, func(g GroupBy) bool { return hasUniqueVindex(ctx, g.Inner) })
}

// hasUniqueVindex tells whether an expression is a column whose vindex gives one shard for a value. Only the single-column
// vindexes at the head of the table's list count, as in Vitess. The NULLs of an outer join are on all shards.
func hasUniqueVindex(ctx *Context, expr sqlparser.Expr) bool {
	col, ok := expr.(*sqlparser.ColName)
	if !ok {
		return false
	}
	deps := ctx.Sem.RecursiveDeps(expr)
	info, err := ctx.Sem.Info(deps)
	if err != nil || info.VTable == nil || deps.IsOverlapping(ctx.outerTables) {
		return false
	}
	for _, cv := range info.VTable.ColumnVindexes {
		if len(cv.Columns) > 1 || !cv.IsUnique() {
			return false
		}
		if col.Name.Equal(cv.Columns[0]) {
			return true
		}
	}
	return false
}

// combineLater makes an aggregation add up what inputs counted.
func (a *Aggregator) combineLater(i int) {
	switch g := &a.Aggregations[i]; g.Opcode {
	case opcode.AggregateCount, opcode.AggregateCountStar, opcode.AggregateCountDistinct, opcode.AggregateSumDistinct:
		g.Asked, g.Opcode = g.Opcode, opcode.AggregateSum
	}
}

func (a *Aggregator) combineAllLater() {
	for i := range a.Aggregations {
		a.combineLater(i)
	}
}

// aggregateInRoute splits an aggregation between the shards and the gateway.
func aggregateInRoute(ctx *Context, a *Aggregator, route *Route) (Operator, string) {
	below := a.below(ctx, route.Source)
	below.Aggregations = nil
	splitAggregations(ctx, a, below)
	route.Source = below
	if !a.original {
		return route, "push aggregation under route, remove original"
	}
	return a, "push aggregation under route, keep original"
}

// splitAggregations gives the aggregator below what it can do. A DISTINCT aggregate it cannot: shards return the different
// values instead, sorted, and the gateway counts them.
func splitAggregations(ctx *Context, a, below *Aggregator) {
	shardsCan, distinct := distinctOnShards(ctx, a)
	grouped := false
	for i, g := range a.Aggregations {
		if !g.Distinct || shardsCan {
			below.Aggregations = append(below.Aggregations, g)
			a.combineLater(i)
			a.Aggregations[i].pushed = true
			continue
		}
		if len(distinct) != 1 {
			refuseDistinct(g.Func)
		}
		below.Cols[g.Offset] = wrap(distinct[0])
		if !grouped {
			by := newGroupBy(distinct[0])
			by.Offset = g.Offset
			below.Grouping = append(below.Grouping, by)
			grouped = true
		}
	}
	if !shardsCan {
		a.DistinctExpr = distinct[0]
	}
}

func refuseDistinct(fn sqlparser.AggrFunc) {
	text := "distinct aggregation function with multiple expressions"
	if fn != nil {
		text += " '" + sqlparser.String(fn) + "'"
	}
	refuse(vterrors.VT12001(text))
}

func (a *Aggregator) hasDistinct() bool {
	return slices.ContainsFunc(a.Aggregations, func(g Aggr) bool { return g.Distinct })
}

// onlyDistinct is what the DISTINCT aggregates compare, if it is one expression. VT12001 if it is not.
func onlyDistinct(ctx *Context, a *Aggregator) sqlparser.Expr {
	_, distinct := distinctOnShards(ctx, a)
	if len(distinct) != 1 {
		refuseDistinct(nil)
	}
	for _, g := range a.Aggregations {
		if g.Distinct && !ctx.Sem.Equals(distinct[0], g.Func.GetArgs()[0]) {
			refuse(vterrors.VT12001("only one DISTINCT aggregation is allowed in a SELECT: " + sqlparser.String(g.Original)))
		}
	}
	return distinct[0]
}

// distinctOnShards tells whether equal values of every DISTINCT aggregate are on one shard, and what the aggregates compare.
// Where they are not, all must compare the same.
func distinctOnShards(ctx *Context, a *Aggregator) (bool, []sqlparser.Expr) {
	shardsCan := true
	var compared []sqlparser.Expr
	var odd *sqlparser.AliasedExpr
	for _, g := range a.Aggregations {
		if !g.Distinct {
			continue
		}
		args := g.Func.GetArgs()
		if !slices.ContainsFunc(args, func(arg sqlparser.Expr) bool { return hasUniqueVindex(ctx, arg) }) {
			shardsCan = false
		}
		if compared == nil {
			compared = args
		}
		if !slices.EqualFunc(compared, args, ctx.Sem.Equals) {
			odd = g.Original
		}
	}
	if !shardsCan && odd != nil {
		refuse(vterrors.VT12001("only one DISTINCT aggregation is allowed in a SELECT: " + sqlparser.String(odd)))
	}
	return shardsCan, compared
}

// aggregateBelowFilter aggregates before a filter too, grouped by what the filter looks at.
func aggregateBelowFilter(ctx *Context, a *Aggregator, f *Filter) (Operator, string) {
	below := a.below(ctx, f.Source)
	var needed []sqlparser.Expr
	for _, pred := range f.Predicates {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			if col, ok := node.(*sqlparser.ColName); ok && !ctx.Sem.Contains(needed, col) {
				needed = append(needed, col)
			}
			return true, nil
		}, pred)
	}
	for _, col := range needed {
		if !slices.ContainsFunc(below.Grouping, func(g GroupBy) bool { return ctx.Sem.Equals(col, g.Inner) }) {
			below.addWithoutPushing(ctx, wrap(col), ColumnMode{Group: true})
		}
	}
	f.Source = below
	if !a.original {
		return f, "push aggregation under filter, remove original"
	}
	a.combineAllLater()
	return a, "push aggregation under filter, keep original"
}

// aggregateInOuter aggregates before subqueries are looked at, grouped by what they need. It is for routes, whose SQL filters
// by the subqueries before it groups; elsewhere the filter would come too late.
func aggregateInOuter(ctx *Context, a *Aggregator, src *SubQueryContainer) (Operator, string) {
	if _, isRoute := src.Outer.(*Route); !isRoute {
		return a, ""
	}
	below := a.below(ctx, src.Outer)
	for _, sq := range src.Inner {
		for _, col := range sq.neededFromOuter(ctx, src.Outer) {
			if !slices.ContainsFunc(below.Cols, func(c *sqlparser.AliasedExpr) bool { return ctx.Sem.Equals(c.Expr, col) }) {
				below.addWithoutPushing(ctx, wrap(col), ColumnMode{Group: true})
			}
		}
	}
	src.Outer = below
	for _, g := range below.Aggregations {
		g.Original.Expr = bindSubqueries(ctx, g.Original.Expr, g.subqueries, src.Inner)
		below.Cols[g.Offset].Expr = bindSubqueries(ctx, below.Cols[g.Offset].Expr, g.subqueries, src.Inner)
	}
	if !a.original {
		return src, "push aggregation under subquery, remove original"
	}
	a.combineAllLater()
	return a, "push aggregation under subquery, keep original"
}

// splitAvg computes avg(x) as sum(x) / count(x): averages cannot be combined, sums and counts can.
func splitAvg(ctx *Context, a *Aggregator) (Operator, string) {
	proj := newProjection(a)
	proj.DT, a.DT = a.DT, nil
	var counts []*sqlparser.AliasedExpr
	for offset, col := range a.Cols {
		avg, ok := col.Expr.(*sqlparser.Avg)
		if !ok {
			proj.addWithoutPushing(ctx, col, ColumnMode{})
			continue
		}
		if avg.Distinct {
			refuse(vterrors.VT12001("AVG(distinct <>)"))
		}
		at := slices.IndexFunc(a.Aggregations, func(g Aggr) bool { return g.Offset == offset })
		if at < 0 {
			refuse(vterrors.VT13001("no aggregation pointing to this column was found"))
		}
		sum := &sqlparser.Sum{Arg: avg.Arg}
		count := &sqlparser.Count{Args: []sqlparser.Expr{avg.Arg}}
		proj.add(&ProjExpr{
			Original: sqlparser.Clone(col), Col: col.Expr,
			Eval: &sqlparser.BinaryExpr{Operator: sqlparser.DivOp, Left: sum, Right: count},
		})
		col.Expr = sum
		a.Aggregations[at].Opcode = opcode.AggregateSum
		counted := wrap(count)
		g := newAggr(opcode.AggregateCount, count, counted, sqlparser.String(count))
		g.Offset = len(a.Cols) + len(counts)
		a.Aggregations = append(a.Aggregations, g)
		counts = append(counts, counted)
	}
	a.Cols = append(a.Cols, counts...)
	return proj, "split avg aggregation"
}

// needAggregatesOfFilters makes the aggregations that a HAVING needs part of the aggregator below it.
func needAggregatesOfFilters(ctx *Context, root Operator) Operator {
	return topDown(ctx, root, aboveRoutes, func(op Operator) (Operator, string) {
		f, ok := op.(*Filter)
		if !ok {
			return op, ""
		}
		var needed []sqlparser.Expr
		for _, pred := range f.Predicates {
			_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
				if _, isSubquery := node.(*sqlparser.Subquery); isSubquery {
					return false, nil
				}
				if ctx.isAggr(node) && !isWindow(node) {
					needed = append(needed, node.(sqlparser.Expr))
				}
				return true, nil
			}, pred)
		}
		if needed == nil {
			return op, ""
		}
		aggr := aggregatorBelow(f.Source)
		done := ""
		for _, expr := range needed {
			if aggr.FindColumn(ctx, expr, false) < 0 {
				aggr.addWithoutPushing(ctx, wrap(expr), ColumnMode{})
				done = "added columns because filter needs them"
			}
		}
		return op, done
	})
}

// aggregatorBelow is the aggregator that a HAVING filters.
func aggregatorBelow(op Operator) *Aggregator {
	for {
		if aggr, ok := op.(*Aggregator); ok {
			return aggr
		}
		in := op.Inputs()
		if _, isRoute := op.(*Route); isRoute || len(in) != 1 {
			refuse(vterrors.VT13001("failed to find the aggregator"))
		}
		op = in[0]
	}
}

// sortForAggregation puts a sort below each aggregator whose input is not sorted by its groups.
func sortForAggregation(ctx *Context, root Operator) Operator {
	out, _ := bottomUp(ctx, root, aboveRoutes, func(op Operator) (Operator, string) {
		a, ok := op.(*Aggregator)
		if !ok || isSortedFor(ctx, a) {
			return op, ""
		}
		a.Source = newOrdering(a.Source, orderForAggregation(ctx, a))
		return a, "added ordering before aggregation"
	})
	return out
}

// orderForAggregation brings the rows of a group together, and in a group equal values of what is counted once. The groups keep
// the order they have.
func orderForAggregation(ctx *Context, a *Aggregator) []OrderBy {
	order := make([]OrderBy, len(a.Grouping))
	for i, g := range a.Grouping {
		order[i] = g.asOrder()
	}
	if have := a.Source.OrderedBy(ctx); orderedByGroups(ctx, have, a.Grouping) {
		copy(order, have)
	}
	if a.DistinctExpr != nil {
		order = append(order, newGroupBy(a.DistinctExpr).asOrder())
	}
	return order
}

func orderedByGroups(ctx *Context, have []OrderBy, grouping []GroupBy) bool {
	if len(have) < len(grouping) {
		return false
	}
	for i, g := range grouping {
		if !ctx.Sem.EqualsWithDeps(have[i].Expr, g.Inner) {
			return false
		}
	}
	return true
}

func isSortedFor(ctx *Context, a *Aggregator) bool {
	have := a.Source.OrderedBy(ctx)
	if !orderedByGroups(ctx, have, a.Grouping) {
		return false
	}
	if a.DistinctExpr == nil {
		return true
	}
	n := len(a.Grouping)
	return len(have) > n && ctx.Sem.EqualsWithDeps(have[n].Expr, a.DistinctExpr)
}

// groupRightOfJoins makes scalar aggregates on the right of a join return no row instead of one when nothing pairs.
func groupRightOfJoins(ctx *Context, root Operator) Operator {
	visit(root, func(op Operator) bool {
		if join, ok := op.(*ApplyJoin); ok {
			visit(join.RHS, func(op Operator) bool {
				if a, ok := op.(*Aggregator); ok && len(a.Grouping) == 0 {
					a.Grouping = append(a.Grouping, newGroupBy(sqlparser.NewFloatLiteral(".0")))
				}
				return true
			})
		}
		return aboveRoutes(op)
	})
	return root
}
