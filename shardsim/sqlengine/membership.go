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
	left, right sql.Type
	table       map[string][]any // of a subquery that depends on nothing outside
	hasNull     bool
	filled      bool
	rows        int
}

func newMembership(in *plan.InSubquery) (sql.Expression, bool) {
	sub, ok := in.RightChild.(*plan.Subquery)
	if !ok {
		return nil, false
	}
	m := &membership{InSubquery: in, left: in.LeftChild.Type(), right: sub.Type()}
	_, ok = newTypePairs(m.left, m.right)
	return m, ok
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
func (m *membership) fill(ctx *sql.Context, keyer typePairs, row sql.Row) error {
	sub := m.RightChild.(*plan.Subquery)
	if m.filled && sub.CanCacheResults() {
		return nil
	}
	values, err := sub.EvalMultiple(ctx, row)
	if err != nil {
		return err
	}
	m.table, m.hasNull, m.rows = make(map[string][]any, len(values)), false, len(values)
	for _, v := range values {
		key, null, err := keyer.key(ctx, v)
		if err != nil {
			return err
		}
		if null {
			m.hasNull = true
			key = ""
		}
		m.table[key] = append(m.table[key], v)
	}
	m.filled = true
	return nil
}

func (m *membership) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	keyer, _ := newTypePairs(m.left, m.right)
	v, err := m.LeftChild.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if err := m.fill(ctx, keyer, row); err != nil {
		return nil, err
	}
	if m.rows == 0 {
		return false, nil
	}
	key, null, err := keyer.key(ctx, v)
	if err != nil {
		return nil, err
	}
	candidates := m.table[key]
	if null {
		candidates = nil
		for _, values := range m.table {
			candidates = append(candidates, values...)
		}
	} else if m.hasNull {
		candidates = append(append([]any(nil), candidates...), m.table[""]...)
	}
	unknown := false
	for _, c := range candidates {
		equal, err := m.equal(ctx, v, c)
		if err != nil {
			return nil, err
		}
		if equal == nil {
			unknown = true
		} else if *equal {
			return true, nil
		}
	}
	if unknown {
		return nil, nil
	}
	return false, nil
}

// equal compares two values, part by part. It is nil for NULL.
func (m *membership) equal(ctx *sql.Context, a, b any) (*bool, error) {
	as, bs := []any{a}, []any{b}
	lefts, rights := tupleTypes(m.left), tupleTypes(m.right)
	if len(lefts) > 1 {
		as, _ = a.([]any)
		bs, _ = b.([]any)
	}
	yes, no, unknown := true, false, false
	if len(as) != len(lefts) || len(bs) != len(rights) {
		return nil, nil
	}
	for i := range as {
		if as[i] == nil || bs[i] == nil {
			unknown = true
			continue
		}
		v, err := newEquals(ctx, expression.NewLiteral(as[i], lefts[i]), expression.NewLiteral(bs[i], rights[i])).Eval(ctx, nil)
		if err != nil {
			return nil, err
		}
		if v == nil {
			unknown = true
		} else if !sql.IsTrue(v) {
			return &no, nil
		}
	}
	if unknown {
		return nil, nil
	}
	return &yes, nil
}
