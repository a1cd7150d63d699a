package operators

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
)

// Join is a join as the statement has it, before it is decided how to run it.
type Join struct {
	noColumns
	LHS, RHS  Operator
	Predicate sqlparser.Expr
	JoinType  sqlparser.JoinType
}

// Inputs are the sides.
func (j *Join) Inputs() []Operator { return []Operator{j.LHS, j.RHS} }

// SetInputs replaces the sides.
func (j *Join) SetInputs(in []Operator) { j.LHS, j.RHS = in[0], in[1] }

// Clone copies the join.
func (j *Join) Clone(in []Operator) Operator {
	c := *j
	c.LHS, c.RHS = in[0], in[1]
	return &c
}

// Describe prints the predicate.
func (j *Join) Describe() string {
	return j.JoinType.ToString() + " on " + sqlparser.String(j.Predicate)
}

func (j *Join) sides() (Operator, Operator) { return j.LHS, j.RHS }
func (j *Join) setSides(lhs, rhs Operator)  { j.LHS, j.RHS = lhs, rhs }
func (j *Join) isInner() bool               { return j.JoinType.IsInner() }
func (j *Join) makeInner()                  { j.JoinType = sqlparser.NormalJoinType }
func (j *Join) addJoinPredicate(ctx *Context, pred sqlparser.Expr) {
	j.Predicate = ctx.Sem.And(j.Predicate, pred)
}

// decideJoin makes one query graph of two that are inner joined, else a route or a join at the gateway.
func decideJoin(ctx *Context, j *Join) (Operator, string) {
	left, isL := j.LHS.(*QueryGraph)
	right, isR := j.RHS.(*QueryGraph)
	if isL && isR && j.JoinType.IsCommutative() {
		qg := mergeGraphs(ctx, left, right)
		if j.Predicate != nil {
			qg.addPredicate(ctx, j.Predicate)
		}
		return qg, "merged query graphs"
	}
	return mergeOrJoin(ctx, j.LHS, j.RHS, sqlparser.SplitAndExpression(nil, j.Predicate), j.JoinType)
}

// joinOperator is what the joins have in common.
type joinOperator interface {
	Operator
	sides() (lhs, rhs Operator)
	setSides(lhs, rhs Operator)
	isInner() bool
	makeInner()
	addJoinPredicate(ctx *Context, pred sqlparser.Expr)
}

// addPredicateToJoin takes a predicate of WHERE to the side that it concerns. A left join becomes an inner join if the
// predicate drops all rows without a partner; else the predicate must wait above the join.
func addPredicateToJoin(ctx *Context, join joinOperator, pred sqlparser.Expr) Operator {
	lhs, rhs := join.sides()
	deps := ctx.Sem.DirectDeps(pred)
	if deps.IsSolvedBy(tablesOf(lhs)) {
		join.setSides(addPredicate(ctx, lhs, pred), rhs)
		return join
	}
	right := tablesOf(rhs)
	if !join.isInner() && dropsNulls(ctx, pred, right) {
		join.makeInner()
	}
	switch {
	case !deps.IsSolvedBy(tablesOf(join)):
		refuse(vterrors.VT13001("predicate depends on tables outside of the join: " + sqlparser.String(pred)))
	case !join.isInner():
		return newFilter(join, pred)
	case deps.IsSolvedBy(right):
		join.setSides(lhs, addPredicate(ctx, rhs, pred))
	default:
		join.addJoinPredicate(ctx, pred)
	}
	return join
}

// dropsNulls tells whether a predicate is never true for a row in which all columns of tables are NULL.
func dropsNulls(ctx *Context, pred sqlparser.Expr, tables semantics.TableSet) bool {
	fromTables := func(e sqlparser.Expr) bool {
		_, isCol := e.(*sqlparser.ColName)
		return isCol && ctx.Sem.RecursiveDeps(e).IsSolvedBy(tables)
	}
	switch pred := pred.(type) {
	case *sqlparser.ComparisonExpr:
		return pred.Operator != sqlparser.NullSafeEqualOp && (fromTables(pred.Left) || fromTables(pred.Right))
	case *sqlparser.IsExpr:
		return pred.Right == sqlparser.IsNotNullOp && fromTables(pred.Left)
	}
	return false
}
