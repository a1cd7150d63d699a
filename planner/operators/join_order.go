package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner/semantics"
)

// solveQueryGraph chooses the order in which the tables of a query graph are joined.
func solveQueryGraph(ctx *Context, qg *QueryGraph) (Operator, string) {
	plans := make([]Operator, len(qg.Tables))
	for i, t := range qg.Tables {
		plans[i] = newRoute(ctx, t)
		if qg.alone != nil {
			plans[i] = addPredicate(ctx, plans[i], qg.alone)
		}
	}
	result := joinAll(ctx, qg, plans)
	if rest := qg.unsolved(); len(rest) > 0 {
		result = newFilter(result, ctx.Sem.And(rest...))
	}
	return result, "solved query graph"
}

func joinAll(ctx *Context, qg *QueryGraph, plans []Operator) Operator {
	if ctx.LeftToRight {
		acc := plans[0]
		for _, plan := range plans[1:] {
			acc, _ = mergeOrJoin(ctx, acc, plan, qg.between(tablesOf(acc), tablesOf(plan)), sqlparser.NormalJoinType)
		}
		return acc
	}
	return joinGreedily(ctx, qg, plans)
}

// pairOfSets is a key of the joins tried already.
type pairOfSets struct{ left, right semantics.TableSet }

// joinGreedily joins the two plans whose join is cheapest, again and again. Tables without a predicate between them are
// joined only when nothing else is left.
func joinGreedily(ctx *Context, qg *QueryGraph, plans []Operator) Operator {
	tried := map[pairOfSets]Operator{}
	crossOK := false
	for len(plans) > 1 {
		best, l, r := cheapestJoin(ctx, qg, plans, tried, crossOK)
		if best == nil {
			crossOK = true
			continue
		}
		plans = append(slices.Delete(slices.Delete(plans, max(l, r), max(l, r)+1), min(l, r), min(l, r)+1), best)
	}
	return plans[0]
}

func cheapestJoin(ctx *Context, qg *QueryGraph, plans []Operator, tried map[pairOfSets]Operator, crossOK bool) (best Operator, l, r int) {
	bestCost := 0
	for i, left := range plans {
		for j, right := range plans {
			if i == j {
				continue
			}
			key := pairOfSets{tablesOf(left), tablesOf(right)}
			preds := qg.between(key.left, key.right)
			if len(preds) == 0 && !crossOK {
				continue
			}
			join, ok := tried[key]
			if !ok {
				join, _ = mergeOrJoin(ctx, left, right, preds, sqlparser.NormalJoinType)
				tried[key] = join
			}
			if _, isRoute := join.(*Route); isRoute {
				return join, i, j
			}
			if cost := costOf(join); best == nil || cost < bestCost {
				best, bestCost, l, r = join, cost, i, j
			}
		}
	}
	return best, l, r
}

// mergeOrJoin makes one route of two operators if it can, else a join at the gateway. A right side with a LIMIT or an
// aggregation cannot take predicates, so the sides are switched, or a hash join compares the rows.
func mergeOrJoin(ctx *Context, lhs, rhs Operator, preds []sqlparser.Expr, joinType sqlparser.JoinType) (Operator, string) {
	merger := &joinMerger{preds: preds, joinType: joinType}
	if route := merger.merge(ctx, lhs, rhs); route != nil {
		return route, "merge routes into single operator"
	}
	if len(preds) > 0 && blocksPredicates(ctx, rhs) {
		if !joinType.IsCommutative() || blocksPredicates(ctx, lhs) {
			return newHashJoin(ctx, lhs, rhs, preds, !joinType.IsInner()), "use a hash join because both sides have LIMIT or aggregation"
		}
		lhs, rhs = rhs, lhs
	}
	join := newApplyJoin(cloneTree(lhs), cloneTree(rhs), joinType)
	join.addPredicates(ctx, preds, true)
	return join, "logical join to apply join"
}

// blocksPredicates tells whether a derived table below must be complete before a predicate is applied.
func blocksPredicates(ctx *Context, op Operator) bool {
	blocked := false
	visit(op, func(op Operator) bool {
		if h, ok := op.(*Horizon); ok && !h.isMergeable(ctx) {
			blocked = true
		}
		return !blocked
	})
	return blocked
}
