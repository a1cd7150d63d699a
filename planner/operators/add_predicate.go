package operators

import (
	"errors"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
)

// addPredicate takes a predicate as far down the tree as its columns and the meaning of the operators allow, and returns what
// takes op's place.
func addPredicate(ctx *Context, op Operator, pred sqlparser.Expr) Operator {
	switch op := op.(type) {
	case *QueryGraph:
		for _, p := range sqlparser.SplitAndExpression(nil, pred) {
			op.addPredicate(ctx, p)
		}
		return op
	case joinOperator:
		return addPredicateToJoin(ctx, op, pred)
	case *Route:
		op.Routing = narrowRouting(ctx, pred, op.Routing)
		op.Source = addPredicate(ctx, op.Source, pred)
		return op
	case *Horizon:
		return addPredicateToHorizon(ctx, op, pred)
	case *Union:
		return addPredicateToUnion(ctx, op, pred)
	case *Vindex:
		return op.addPredicate(ctx, pred)
	case *Limit:
		return newFilter(op, pred) // fewer rows below would let other rows in
	case *Filter, *Distinct, *Ordering, *LockAndComment, *Projection, *SubQuery, *SubQueryContainer:
		in := op.Inputs()
		in[0] = addPredicate(ctx, in[0], pred)
		op.SetInputs(in)
		return op
	case *Table, *Aggregator, *Window, *RecurseCTE:
		return newFilter(op, pred)
	}
	panic(vterrors.VT13001("predicate cannot be added to " + op.Describe()))
}

// addPredicateToHorizon rewrites a predicate on a derived table in terms of what the derived table selects.
func addPredicateToHorizon(ctx *Context, h *Horizon, pred sqlparser.Expr) Operator {
	_, recurses := h.Source.(*RecurseCTE)
	if recurses || h.Query.GetLimit() != nil && h.isDerived() {
		return newFilter(h, pred)
	}
	if _, isUnion := h.Source.(*Union); isUnion {
		h.Source = addPredicate(ctx, h.Source, pred)
		return h
	}
	info, err := ctx.Sem.InfoForExpr(pred)
	if errors.Is(err, semantics.ErrNotSingleTable) {
		return newFilter(h, pred)
	}
	must(info, err)
	inner := semantics.RewriteDerived(pred, info)
	if ctx.containsAggr(inner) || ctx.containsWindow(inner) {
		return newFilter(h, pred)
	}
	h.Source = addPredicate(ctx, h.Source, inner)
	return h
}
