package operators

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// offsetPlanner is an operator that evaluates something and must know where its input has the columns.
type offsetPlanner interface {
	// planOffsets may return an operator to take its own place, nil to stay.
	planOffsets(ctx *Context) Operator
}

// planOffsets lets every operator above the routes ask its inputs for columns, parents first.
func planOffsets(ctx *Context, root Operator) Operator {
	return topDown(ctx, root, aboveRoutes, func(op Operator) (Operator, string) {
		if _, isHorizon := op.(*Horizon); isHorizon {
			refuse(vterrors.VT13001("query block was not expanded"))
		}
		planner, ok := op.(offsetPlanner)
		if !ok {
			return op, ""
		}
		if out := planner.planOffsets(ctx); out != nil {
			return out, "planning offsets introduced a new operator"
		}
		return op, ""
	})
}

// useOffsets replaces all that an expression takes from an input by the offset where the input returns it.
func useOffsets(ctx *Context, expr sqlparser.Expr, in Operator) sqlparser.Expr {
	var found *sqlparser.Offset
	down := func(node, _ sqlparser.SQLNode) bool {
		e, ok := node.(sqlparser.Expr)
		if !ok {
			return true
		}
		if at := in.FindColumn(ctx, e, false); at >= 0 {
			found = sqlparser.NewOffset(at, e)
			return false
		}
		if ctx.mustFetch(e) {
			_, isCol := e.(*sqlparser.ColName)
			at := in.AddColumn(ctx, wrap(e), ColumnMode{Reuse: true, Group: isCol})
			found = sqlparser.NewOffset(at, e)
			return false
		}
		return true
	}
	up := func(c *sqlparser.CopyOnWriteCursor) {
		if found != nil {
			c.Replace(found)
			found = nil
		}
	}
	return sqlparser.CopyOnRewrite(expr, down, up, ctx.Sem.CopySemanticInfo).(sqlparser.Expr)
}
