package operators

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// LockAndComment carries the comments and the lock of a statement to its routes.
type LockAndComment struct {
	unary
	comments *sqlparser.ParsedComments
	lock     sqlparser.Lock
}

func newLockAndComment(src Operator, comments *sqlparser.ParsedComments, lock sqlparser.Lock) *LockAndComment {
	return &LockAndComment{unary: unary{src}, comments: comments, lock: lock}
}

// Clone copies the operator.
func (l *LockAndComment) Clone(in []Operator) Operator {
	c := *l
	c.Source = in[0]
	return &c
}

// Describe prints both.
func (l *LockAndComment) Describe() string {
	return "LockAndComment " + strings.Join(l.comments.GetComments(), " ") + l.lock.ToString()
}

// pushLockAndComment moves it into each route below.
func pushLockAndComment(l *LockAndComment) (Operator, string) {
	switch src := l.Source.(type) {
	case *Horizon, *QueryGraph:
		return l, "" // there will be routes
	case *Route:
		src.Comments = l.comments
		src.Lock = l.lock.GetHighestOrderLock(src.Lock)
		return src, "put lock and comment into route"
	case *SubQueryContainer:
		src.Outer = newLockAndComment(src.Outer, l.comments, l.lock)
		for _, sq := range src.Inner {
			sq.Subquery = newLockAndComment(sq.Subquery, l.comments, l.lock)
		}
		return src, "push lock and comment into subquery container"
	default:
		if l.comments != nil {
			for _, beside := range plannedBeside(src) {
				beside.comment(l.comments)
			}
		}
		in := src.Inputs()
		for i, op := range in {
			in[i] = newLockAndComment(op, l.comments, l.lock)
		}
		src.SetInputs(in)
		return src, "pushed down lock and comments"
	}
}
