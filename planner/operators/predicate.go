package operators

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// JoinPredicate is a predicate between the two sides of a join, as it stands on the right-hand side. It has two forms, and
// which one counts is decided late:
//
//	original   u.id = e.user_id        both tables ended up in one route: SQL compares the columns
//	split      :u_id = e.user_id       they did not: the left row's value comes as a bind variable
//
// All copies of the predicate share one state, so that switching it switches them all.
type JoinPredicate struct {
	state *predicateState
}

type predicateState struct {
	current sqlparser.Expr // nil: the predicate stands elsewhere already and must not be printed twice
}

var (
	_ sqlparser.Expr      = (*JoinPredicate)(nil)
	_ sqlparser.Visitable = (*JoinPredicate)(nil)
)

func newJoinPredicate(split sqlparser.Expr) *JoinPredicate {
	return &JoinPredicate{state: &predicateState{current: split}}
}

// IsExpr makes it an expression.
func (p *JoinPredicate) IsExpr() {}

// VisitThis is what walks over the AST see.
func (p *JoinPredicate) VisitThis() sqlparser.SQLNode { return p.state.current }

// Clone is called by rewrites that changed the expression inside; all copies take the change.
func (p *JoinPredicate) Clone(inner sqlparser.SQLNode) sqlparser.SQLNode {
	expr, ok := inner.(sqlparser.Expr)
	if !ok {
		panic(vterrors.VT13001("join predicate was replaced by something that is no expression"))
	}
	p.state.current = expr
	return &JoinPredicate{state: p.state}
}

// Format prints the form that counts now.
func (p *JoinPredicate) Format(buf *sqlparser.TrackedBuffer) { p.state.current.Format(buf) }

// FormatFast prints the form that counts now.
func (p *JoinPredicate) FormatFast(buf *sqlparser.TrackedBuffer) { p.state.current.FormatFast(buf) }

// currentForm unwraps a join predicate and leaves all else alone.
func currentForm(expr sqlparser.Expr) sqlparser.Expr {
	if p, ok := expr.(*JoinPredicate); ok {
		return p.state.current
	}
	return expr
}
