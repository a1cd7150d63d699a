package sqlengine

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"vitess.io/vitess/go/vt/sqlparser"
)

// tupleList is (a, b) IN ((1, 2), (3, NULL)): as MySQL, it is unknown where only a NULL keeps a pair from being equal. The
// engine takes NULL for equal to NULL in tuples.
type tupleList struct {
	expression.Comparer
	constant bool
	values   []*valueTable // by the types of the list's tuples; once filled if the list is constant
}

func newTupleList(in expression.Comparer) (sql.Expression, bool) {
	list, ok := in.Right().(expression.Tuple)
	if _, isTuple := in.Left().(expression.Tuple); !ok || !isTuple {
		return nil, false
	}
	l := &tupleList{Comparer: in, constant: true}
	for _, e := range list {
		tuple, ok := e.(expression.Tuple)
		if !ok || len(tuple) != len(tupleTypes(in.Left().Type())) {
			return nil, false
		}
		for _, part := range tuple {
			_, isLiteral := part.(*expression.Literal)
			l.constant = l.constant && isLiteral
		}
	}
	return l, true
}

// WithChildren implements sql.Expression.
func (l *tupleList) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	e, err := l.Comparer.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	if again, ok := newTupleList(e.(expression.Comparer)); ok {
		return again, nil
	}
	return e, nil
}

// Eval implements sql.Expression.
func (l *tupleList) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, err := l.Left().Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	values := l.values
	if values == nil {
		if values, err = l.fill(ctx, row); err != nil {
			return nil, err
		}
		if l.constant {
			l.values = values
		}
	}
	unknown := false
	for _, table := range values {
		switch found, err := table.contains(ctx, left); {
		case err != nil:
			return nil, err
		case found == nil:
			unknown = true
		case *found:
			return true, nil
		}
	}
	if unknown {
		return nil, nil
	}
	return false, nil
}

// fill sorts the tuples of the list by their types.
func (l *tupleList) fill(ctx *sql.Context, row sql.Row) ([]*valueTable, error) {
	tables := []*valueTable{}
	byType := map[string]*valueTable{}
	for _, e := range l.Right().(expression.Tuple) {
		name := fmt.Sprint(e.Type())
		table := byType[name]
		if table == nil {
			var ok bool
			if table, ok = newValueTable(l.Left().Type(), e.Type()); !ok {
				return nil, sql.ErrInvalidOperandColumns.New(len(tupleTypes(l.Left().Type())), len(tupleTypes(e.Type())))
			}
			byType[name], tables = table, append(tables, table)
		}
		v, err := e.Eval(ctx, row)
		if err == nil {
			err = table.add(ctx, v)
		}
		if err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// pairwise is a comparison of tuples as comparisons of their parts, which NULLs make unknown one by one:
//
//	(a, b) = (1, 2)        a = 1 and b = 2
//	(a, b) <=> (1, 2)      a <=> 1 and b <=> 2
//	(a, b) <> (1, 2)       not (a = 1 and b = 2)
//
// It is false for other comparisons.
func pairwise(node *sqlparser.ComparisonExpr) (sqlparser.Expr, bool) {
	left, isTuple := node.Left.(sqlparser.ValTuple)
	right, ok := node.Right.(sqlparser.ValTuple)
	if !isTuple || !ok || len(left) != len(right) || len(left) < 2 {
		return nil, false
	}
	op := node.Operator
	switch op {
	case sqlparser.EqualOp, sqlparser.NullSafeEqualOp:
	case sqlparser.NotEqualOp:
		op = sqlparser.EqualOp
	default:
		return nil, false
	}
	var all sqlparser.Expr
	for i := range left {
		var part sqlparser.Expr = sqlparser.NewComparisonExpr(op, left[i], right[i], nil)
		if i > 0 {
			part = &sqlparser.AndExpr{Left: all, Right: part}
		}
		all = part
	}
	if node.Operator == sqlparser.NotEqualOp {
		all = &sqlparser.NotExpr{Expr: all}
	}
	return all, true
}
