package operators

import (
	"errors"
	"runtime"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// Plan makes the operator tree of an analysed statement: every query block is inside a route or can be evaluated above one, and
// every operator knows the offsets of the columns it uses.
// Errors: VT12001 for what cannot be planned right, VT09015 where columns must be known and are not, and others that name a
// fault of the statement.
func Plan(ctx *Context, stmt sqlparser.Statement) (root Operator, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, recovered(r)
		}
	}()
	root = fromStatement(ctx, stmt)
	checkVindexes(root)
	root = planTree(ctx, root)
	return root, checkRoutes(ctx, root)
}

// recovered lets refusals out as errors; all else is a bug and goes on.
func recovered(r any) error {
	if _, isRuntime := r.(runtime.Error); isRuntime {
		panic(r)
	}
	err, ok := r.(error)
	if !ok {
		panic(r)
	}
	var refused refusal
	if errors.As(err, &refused) {
		return refused.error
	}
	return err
}

// planTree runs the phases and makes the root return what the statement asks for, no more.
func planTree(ctx *Context, root Operator) Operator {
	var want []sqlparser.SelectExpr
	if h, ok := root.(*Horizon); ok {
		want = sqlparser.Clone(firstSelect(h.Query).SelectExprs).Exprs
	}
	root = runPhases(ctx, root)
	root = planOffsets(ctx, root)
	trimUnions(ctx, root)
	root, _ = bottomUp(ctx, root, aboveRoutes, func(op Operator) (Operator, string) {
		p, ok := op.(*Projection)
		if !ok {
			return op, ""
		}
		if !p.isNeeded() {
			return p.Source, "removed projection only passing through the input"
		}
		if join, ok := p.Source.(*ApplyJoin); ok {
			return p.foldIntoJoin(ctx, join)
		}
		return p, ""
	})
	return returnOnly(ctx, want, root)
}

// checkVindexes refuses vindexes that nothing is compared with.
func checkVindexes(root Operator) {
	visit(root, func(op Operator) bool {
		if v, ok := op.(*Vindex); ok && v.Value == nil {
			refuseVindexWhere("where clause missing")
		}
		return true
	})
}

// checkRoutes raises the errors that count for plans of more than one route, or of a route to more than one shard.
func checkRoutes(ctx *Context, root Operator) error {
	sem := ctx.Sem
	if sem.NotSingleRouteErr == nil && sem.NotSingleShardErr == nil {
		return nil
	}
	routes, single := 0, false
	visit(root, func(op Operator) bool {
		if r, ok := op.(*Route); ok {
			routes++
			single = r.IsSingleShard()
		}
		return aboveRoutes(op)
	})
	switch {
	case routes > 1 && sem.NotSingleRouteErr != nil:
		return sem.NotSingleRouteErr
	case routes > 1 || !single:
		return sem.NotSingleShardErr
	}
	return nil
}

// returnOnly drops helper columns and gives columns the names that were asked for.
func returnOnly(ctx *Context, want []sqlparser.SelectExpr, root Operator) Operator {
	if len(want) == 0 {
		return root
	}
	have := root.SelectExprs(ctx)
	if (len(want) == len(have) || truncateAt(root, len(want))) && sameNames(want, have) {
		return root
	}
	proj := newProjection(root)
	for _, e := range want {
		ae, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			refuse(vterrors.VT09015())
		}
		if col, isCol := ae.Expr.(*sqlparser.ColName); isCol && ae.As.IsEmpty() {
			ae.As = col.Name
		}
		pe := newProjExpr(ae)
		pe.Offset, pe.state = root.AddColumn(ctx, ae, ColumnMode{Reuse: true}), passesOffset
		proj.add(pe)
	}
	return proj
}

// truncateAt makes an operator drop the columns from an offset on, and is false if it cannot.
func truncateAt(op Operator, columns int) bool {
	switch op := op.(type) {
	case truncater:
		op.setTruncation(columns)
		return true
	case *Limit:
		return truncateAt(op.Source, columns)
	case *SubQuery:
		for _, offset := range op.Vars {
			if offset >= columns {
				return false
			}
		}
		return truncateAt(op.Outer, columns)
	}
	return false
}

func sameNames(want, have []sqlparser.SelectExpr) bool {
	if len(want) > len(have) {
		return false
	}
	for i, e := range want {
		switch e := e.(type) {
		case *sqlparser.StarExpr:
			star, ok := have[i].(*sqlparser.StarExpr)
			if !ok || !sqlparser.Equals.RefOfStarExpr(e, star) {
				return false
			}
		case *sqlparser.AliasedExpr:
			_, isCol := e.Expr.(*sqlparser.ColName)
			if e.As.IsEmpty() && !isCol {
				continue
			}
			ae, ok := have[i].(*sqlparser.AliasedExpr)
			if !ok {
				refuse(vterrors.VT13001("used star expression when user did not"))
			}
			if e.ColumnName() != ae.ColumnName() {
				return false
			}
		}
	}
	return true
}
