package operators

// phase is a step of planning. In each, first something is done to the tree once, then the rewrites run until nothing changes;
// some rewrites wait for a phase.
type phase int

const (
	physicalTransform phase = iota
	initialPlanning
	pullDistinctFromUnion
	delegateAggregation
	orderAggregation
	cleanDistinct
	dmlWithInput
	subquerySettling
)

// phases is what happens in which order, and why there.
var phases = []struct {
	phase phase
	name  string
	// needed says whether the statement has anything for the phase to do; nil for always.
	needed func(ctx *Context) bool
	// act is done once before the rewrites; nil for nothing.
	act func(ctx *Context, root Operator) Operator
}{
	// Tables become routes and joins, so that it is known what runs where.
	{phase: physicalTransform, name: "physical transform"},
	// Query blocks go below a route whole, or are taken apart.
	{phase: initialPlanning, name: "initial horizon planning"},
	// What is still a union above the routes drops duplicates at the gateway.
	{pullDistinctFromUnion, "pull distinct from union", func(ctx *Context) bool { return ctx.Sem.Signature.Union }, distinctAboveUnions},
	// Aggregation that no shard can do alone is split between shards and gateway.
	{delegateAggregation, "split aggregation between gateway and shards", func(ctx *Context) bool { return ctx.Sem.Signature.Aggregation }, needAggregatesOfFilters},
	// The gateway groups sorted rows, so they are sorted where they are not yet.
	{orderAggregation, "sort for aggregation", func(ctx *Context) bool { return ctx.Sem.Signature.Aggregation }, sortForAggregation},
	// Early DISTINCTs that found no route would only cost.
	{cleanDistinct, "remove helper distincts", func(ctx *Context) bool { return ctx.Sem.Signature.Distinct }, dropHelperDistincts},
	// An UPDATE or DELETE that is still above a route finds its rows first and changes them by key.
	{dmlWithInput, "find rows before changing them", func(ctx *Context) bool { return ctx.Sem.Signature.DML }, dmlAboveRoutes},
	// Subqueries that did not become part of a route run on their own.
	{subquerySettling, "settle subqueries", func(ctx *Context) bool { return ctx.Sem.Signature.SubQueries }, settleSubqueries},
}

// runPhases takes the tree from the shape of the statement to that of the plan.
func runPhases(ctx *Context, root Operator) Operator {
	for _, p := range phases {
		if p.needed != nil && !p.needed(ctx) {
			continue
		}
		ctx.phase = p.phase
		ctx.note("phase: " + p.name)
		if p.act != nil {
			root = p.act(ctx, root)
		}
		root = untilStable(ctx, root, func(op Operator) (Operator, string) { return rewriteOnce(ctx, op) })
	}
	return groupRightOfJoins(ctx, root)
}

// rewriteOnce is the one table of rewrites that all phases share.
func rewriteOnce(ctx *Context, op Operator) (Operator, string) {
	switch op := op.(type) {
	case *QueryGraph:
		return solveQueryGraph(ctx, op)
	case *Join:
		return decideJoin(ctx, op)
	case *ApplyJoin:
		return mergeApplyJoin(ctx, op)
	case *Horizon:
		return pushOrExpandHorizon(ctx, op)
	case *Projection:
		return pushProjection(ctx, op)
	case *Filter:
		return pushFilter(ctx, op)
	case *Aggregator:
		return pushAggregator(ctx, op)
	case *Ordering:
		return pushOrdering(ctx, op)
	case *Limit:
		return pushLimit(ctx, op)
	case *Distinct:
		return pushDistinct(op)
	case *RecurseCTE:
		return pushRecurseCTE(ctx, op)
	case *Window:
		return pushWindow(ctx, op)
	case *Union:
		return pushUnion(ctx, op)
	case *SubQueryContainer:
		return pushSubqueries(ctx, op)
	case *LockAndComment:
		return pushLockAndComment(op)
	case *Update:
		return pushDML(op, op.Source)
	case *Delete:
		return pushDML(op, op.Source)
	}
	return op, ""
}
