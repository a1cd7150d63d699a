package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/vitrodb/vitro/shardsim/store"
)

// typePair makes keys by which values of two types are found together: values that compare equal have the same key,
// and so may others. Who looks up by key compares what it finds.
//
//	a.balance = b.stock      DECIMAL 20.00 and INT 20 have one key
type typePair struct {
	kind pairKind
	text columnKeyer
}

type pairKind uint8

const (
	pairAny    pairKind = iota // all values may be equal: they have one key
	pairNumber                 // compared as numbers
	pairText                   // compared under one collation, or as bytes
	pairTime                   // compared as points in time
)

func newTypePair(a, b sql.Type) typePair {
	switch {
	case isNumeric(a) && isNumeric(b):
		return typePair{kind: pairNumber}
	case isDate(a) && isDate(b):
		return typePair{kind: pairTime}
	}
	sa, okA := plainString(a)
	sb, okB := plainString(b)
	if okA && okB && sa.Collation() == sb.Collation() {
		return typePair{kind: pairText, text: newColumnKeyer(0, a)}
	}
	return typePair{}
}

func isNumeric(t sql.Type) bool {
	switch t.(type) {
	case sql.NumberType, sql.DecimalType:
		return true
	}
	return false
}

func isDate(t sql.Type) bool {
	_, ok := t.(sql.DatetimeType)
	return ok
}

func plainString(t sql.Type) (sql.StringType, bool) {
	switch t.(type) {
	case sql.EnumType, sql.SetType:
		return nil, false
	}
	s, ok := t.(sql.StringType)
	return s, ok
}

// appendKey appends the key of a value and reports whether it is NULL.
func (k *typePair) appendKey(ctx *sql.Context, dst []byte, v any) (key []byte, null bool, err error) {
	if v == nil {
		return store.AppendNull(dst), true, nil
	}
	switch k.kind {
	case pairNumber:
		f, err := floatOf(ctx, v)
		return store.AppendFloat(dst, f), false, err
	case pairText, pairTime:
		key, err = k.text.appendAny(ctx, dst, v)
		return key, false, err
	}
	return append(dst, 1), false, nil
}

// floatOf is a number as the nearest double, with one zero.
func floatOf(ctx *sql.Context, v any) (float64, error) {
	var f float64
	switch v := v.(type) {
	case int64:
		f = float64(v)
	case uint64:
		f = float64(v)
	case float64:
		f = v
	case float32:
		f = float64(v)
	case decimal.Decimal:
		f, _ = v.Float64()
	default:
		conv, _, err := types.Float64.Convert(ctx, v)
		if err != nil {
			return 0, err
		}
		f, _ = conv.(float64)
	}
	return f + 0, nil
}

// typePairs makes the keys of tuples, or of single values.
type typePairs []typePair

// tupleTypes returns the types of a tuple's parts, or the type of what is none.
func tupleTypes(t sql.Type) []sql.Type {
	if tuple, ok := t.(types.TupleType); ok {
		return tuple
	}
	return []sql.Type{t}
}

func newTypePairs(a, b sql.Type) (typePairs, bool) {
	as, bs := tupleTypes(a), tupleTypes(b)
	if len(as) != len(bs) {
		return nil, false
	}
	k := make(typePairs, len(as))
	for i := range as {
		k[i] = newTypePair(as[i], bs[i])
	}
	return k, true
}

// key returns the key of a value and whether a part of it is NULL.
func (k typePairs) key(ctx *sql.Context, v any) (string, bool, error) {
	var buf [96]byte
	key, anyNull := buf[:0], false
	parts, isTuple := v.([]any)
	if !isTuple {
		parts = []any{v}
	}
	if len(parts) != len(k) {
		return "", v == nil, nil
	}
	for i, part := range parts {
		plain, err := sql.UnwrapAny(ctx, part)
		if err != nil {
			return "", false, err
		}
		var null bool
		if key, null, err = k[i].appendKey(ctx, key, plain); err != nil {
			return "", false, err
		}
		anyNull = anyNull || null
	}
	return string(key), anyNull, nil
}
