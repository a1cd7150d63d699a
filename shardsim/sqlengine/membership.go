package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// settleComparisons puts our IN and our comparisons of texts in the place of the engine's in an analysed plan.
func settleComparisons(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	n, _, err := transform.NodeExprsWithOpaque(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if c, ok := newTextComparison(ctx, e); ok {
			return c, transform.NewTree, nil
		}
		if c, ok := newNumberComparison(e); ok {
			return c, transform.NewTree, nil
		}
		switch e := e.(type) {
		case *plan.Subquery:
			query, err := settleComparisons(ctx, e.Query)
			return e.WithQuery(query), transform.NewTree, err
		case *plan.InSubquery:
			if m, ok := newMembership(e); ok {
				return m, transform.NewTree, nil
			}
		case *expression.HashInTuple, *expression.InTuple:
			if l, ok := newTextList(ctx, e.(expression.Comparer)); ok {
				return l, transform.NewTree, nil
			}
			if l, ok := newTupleList(e.(expression.Comparer)); ok {
				return l, transform.NewTree, nil
			}
			if l, ok := newMixedList(e.(expression.Comparer)); ok {
				return l, transform.NewTree, nil
			}
		}
		return e, transform.SameTree, nil
	})
	return n, err
}

// newEquals is a = b as an analysed plan has it.
func newEquals(ctx *sql.Context, a, b sql.Expression) sql.Expression {
	e := expression.NewEquals(a, b)
	if c, ok := newTextComparison(ctx, e); ok {
		return c
	}
	if c, ok := newNumberComparison(e); ok {
		return c
	}
	return e
}

// mixedList is IN over a list where texts meet numbers: each is compared as = does.
type mixedList struct {
	expression.Comparer
}

func newMixedList(in expression.Comparer) (sql.Expression, bool) {
	list, ok := in.Right().(expression.Tuple)
	if !ok {
		return nil, false
	}
	_, text := plainString(in.Left().Type())
	number := isNumeric(in.Left().Type())
	for _, e := range list {
		_, t := plainString(e.Type())
		if text && isNumeric(e.Type()) || number && t {
			return &mixedList{in}, true
		}
	}
	return nil, false
}

func (l *mixedList) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	e, err := l.Comparer.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return &mixedList{e.(expression.Comparer)}, nil
}

func (l *mixedList) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	unknown := false
	for _, e := range l.Right().(expression.Tuple) {
		v, err := newEquals(ctx, l.Left(), e).Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		if v == nil {
			unknown = true
		} else if sql.IsTrue(v) {
			return true, nil
		}
	}
	if unknown {
		return nil, nil
	}
	return false, nil
}

// membership is IN over a subquery's rows, with MySQL's comparisons between types: the engine converts
// one side to the other's type.
type membership struct {
	*plan.InSubquery
	values *valueTable // of a subquery that depends on nothing outside, once filled
}

func newMembership(in *plan.InSubquery) (sql.Expression, bool) {
	sub, ok := in.RightChild.(*plan.Subquery)
	if !ok {
		return nil, false
	}
	_, ok = newTypePairs(in.LeftChild.Type(), sub.Type())
	return &membership{InSubquery: in}, ok
}

func (m *membership) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	e, err := m.InSubquery.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	if again, ok := newMembership(e.(*plan.InSubquery)); ok {
		return again, nil
	}
	return e, nil
}

// fill reads the subquery's rows.
func (m *membership) fill(ctx *sql.Context, row sql.Row) error {
	sub := m.RightChild.(*plan.Subquery)
	if m.values != nil && sub.CanCacheResults() {
		return nil
	}
	rows, err := sub.EvalMultiple(ctx, row)
	if err != nil {
		return err
	}
	table, _ := newValueTable(m.LeftChild.Type(), sub.Type())
	for _, v := range rows {
		if err := table.add(ctx, v); err != nil {
			return err
		}
	}
	m.values = table
	return nil
}

func (m *membership) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := m.LeftChild.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if err := m.fill(ctx, row); err != nil {
		return nil, err
	}
	found, err := m.values.contains(ctx, v)
	if err != nil || found == nil {
		return nil, err
	}
	return *found, nil
}
