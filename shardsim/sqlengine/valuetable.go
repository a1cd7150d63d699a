package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
)

// valueTable holds the values or tuples of the right side of an IN, and finds those that are equal to one of the left side as
// MySQL compares the two types.
type valueTable struct {
	left, right sql.Type
	keyer       typePairs
	byKey       map[string][]any // those with a NULL in them under ""
	hasNull     bool
}

// newValueTable is false for tuples of different lengths.
func newValueTable(left, right sql.Type) (*valueTable, bool) {
	keyer, ok := newTypePairs(left, right)
	return &valueTable{left: left, right: right, keyer: keyer, byKey: map[string][]any{}}, ok
}

func (t *valueTable) add(ctx *sql.Context, v any) error {
	key, null, err := t.keyer.key(ctx, v)
	if err != nil {
		return err
	}
	if null {
		t.hasNull, key = true, ""
	}
	t.byKey[key] = append(t.byKey[key], v)
	return nil
}

// contains tells whether a value is equal to one of the table's. It is nil where that is unknown: only NULLs are in the way.
func (t *valueTable) contains(ctx *sql.Context, v any) (*bool, error) {
	key, null, err := t.keyer.key(ctx, v)
	if err != nil {
		return nil, err
	}
	candidates := t.byKey[key]
	if null {
		candidates = nil
		for _, values := range t.byKey {
			candidates = append(candidates, values...)
		}
	} else if t.hasNull {
		candidates = append(append([]any(nil), candidates...), t.byKey[""]...)
	}
	no, unknown := false, false
	for _, c := range candidates {
		equal, err := t.equal(ctx, v, c)
		if err != nil {
			return nil, err
		}
		if equal == nil {
			unknown = true
		} else if *equal {
			return equal, nil
		}
	}
	if unknown {
		return nil, nil
	}
	return &no, nil
}

// equal compares two values, part by part. It is nil for NULL.
func (t *valueTable) equal(ctx *sql.Context, a, b any) (*bool, error) {
	as, bs := []any{a}, []any{b}
	lefts, rights := tupleTypes(t.left), tupleTypes(t.right)
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
