package operators

import (
	"slices"
	"strings"

	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/semantics"
)

// Filter keeps the rows for which all predicates are true.
type Filter struct {
	unary
	truncated
	Predicates []sqlparser.Expr
	// Evaluable is the predicate over offsets, set once those are planned.
	Evaluable evalengine.Expr
}

func newFilter(src Operator, preds ...sqlparser.Expr) *Filter {
	return &Filter{unary: unary{src}, Predicates: preds}
}

// Clone copies the filter.
func (f *Filter) Clone(in []Operator) Operator {
	c := *f
	c.Source, c.Predicates = in[0], slices.Clone(f.Predicates)
	return &c
}

// Columns are the source's.
func (f *Filter) Columns(ctx *Context) []*sqlparser.AliasedExpr {
	return keep(&f.truncated, f.Source.Columns(ctx))
}

// SelectExprs are the source's.
func (f *Filter) SelectExprs(ctx *Context) []sqlparser.SelectExpr {
	return keep(&f.truncated, f.Source.SelectExprs(ctx))
}

func (f *Filter) planOffsets(ctx *Context) Operator {
	var preds []sqlparser.Expr
	for _, pred := range f.Predicates {
		if joined, ok := pred.(*JoinPredicate); ok {
			pred = joined.state.current
		}
		if pred != nil {
			preds = append(preds, pred)
		}
	}
	f.Predicates = preds
	pred := sqlparser.AndExpressions(preds...)
	translated, err := evalengine.Translate(ctx.truth(asNumbers(ctx, useOffsets(ctx, pred, f.Source))), ctx.evalConfig())
	if err != nil && strings.HasPrefix(err.Error(), evalengine.ErrTranslateExprNotSupported) {
		err = vterrors.Errorf(vtrpcpb.Code_UNIMPLEMENTED, "%s: %s", evalengine.ErrTranslateExprNotSupported, sqlparser.String(pred))
	}
	f.Evaluable = must(translated, err)
	return nil
}

// Describe prints the predicates.
func (f *Filter) Describe() string {
	return "Filter " + sqlparser.String(sqlparser.AndExpressions(f.Predicates...))
}

// pushFilter moves a filter towards the routes.
func pushFilter(ctx *Context, f *Filter) (Operator, string) {
	switch src := f.Source.(type) {
	case *Projection:
		if src.DT != nil || !filterPassesProjection(ctx, f, src) {
			return f, ""
		}
		return swap(f, src, "push filter under projection")
	case *Route:
		for _, pred := range f.Predicates {
			if !isMadeNullable(src, ctx.Sem.RecursiveDeps(pred)) {
				src.Routing = src.Routing.narrow(ctx, pred)
			}
		}
		return swap(f, src, "push filter into route")
	case *SubQuery:
		outer := tablesOf(src.Outer)
		for _, pred := range f.Predicates {
			if !ctx.Sem.RecursiveDeps(pred).IsSolvedBy(outer) {
				return f, ""
			}
		}
		src.Outer, f.Source = f, src.Outer
		return src, "push filter to outer query of subquery"
	case *Filter:
		if len(f.Predicates) == 0 {
			return src, "removed filter without predicates"
		}
		f.Source = src.Source
		f.Predicates = append(f.Predicates, src.Predicates...)
		return f, "two filters merged into one"
	}
	return f, ""
}

// filterPassesProjection tells whether a projection only passes on the columns that the predicates use.
func filterPassesProjection(ctx *Context, f *Filter, proj *Projection) bool {
	return !slices.ContainsFunc(f.Predicates, func(pred sqlparser.Expr) bool { return proj.evaluatesPartOf(ctx, pred) })
}

// isMadeNullable tells whether the tables stand on the right of a left join: a predicate on them must not choose shards, as
// rows without a partner are on other shards.
func isMadeNullable(op Operator, ts semantics.TableSet) bool {
	nullable := false
	visit(op, func(op Operator) bool {
		if j, ok := op.(*ApplyJoin); ok && !j.isInner() && tablesOf(j.RHS).IsOverlapping(ts) {
			nullable = true
		}
		return !nullable
	})
	return nullable
}
