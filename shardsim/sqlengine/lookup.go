package sqlengine

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"github.com/vitrodb/vitro/shardsim/store"
)

// The engine's own translation of conditions to index ranges loses rows: at bounds outside of a column's range, and at
// comparisons with NULL below OR. This one takes only what is plainly a range, and leaves all conditions to be checked.

var _ sql.IndexSearchableTable = (*table)(nil)

// SkipIndexCosting keeps the engine from falling back on its own translation.
func (t *table) SkipIndexCosting() bool { return true }

// LookupForExpressions chooses an index for a conjunction. The ranges it gives may hold more rows than match.
func (t *table) LookupForExpressions(ctx *sql.Context, conjuncts ...sql.Expression) (sql.IndexLookup, *sql.FuncDepSet, sql.Expression, bool, error) {
	bounds := t.columnBounds(ctx, conjuncts)
	if len(bounds) == 0 {
		return sql.IndexLookup{}, nil, nil, false, nil
	}
	indexes, err := t.GetIndexes(ctx)
	if err != nil {
		return sql.IndexLookup{}, nil, nil, false, err
	}
	var best *index
	var ranges []store.Range
	score := 0
	for _, x := range indexes {
		x := x.(*index)
		if x.order() == sql.IndexOrderNone {
			continue
		}
		if r, s := x.rangesFor(bounds); s > score {
			best, ranges, score = x, r, s
		}
	}
	if best == nil {
		return sql.IndexLookup{}, nil, nil, false, nil
	}
	return sql.IndexLookup{Index: best, Ranges: keyRanges(disjoint(ranges, false))}, nil, nil, true, nil
}

// keyRanges are ranges of our own keys, which the engine hands back to us.
type keyRanges []store.Range

var _ sql.RangeCollection = keyRanges(nil)

func (k keyRanges) String() string        { return fmt.Sprintf("%d key ranges", len(k)) }
func (k keyRanges) DebugString() string   { return fmt.Sprintf("%x", []store.Range(k)) }
func (k keyRanges) Len() int              { return len(k) }
func (k keyRanges) ToRanges() []sql.Range { return nil }
func (k keyRanges) Equals(other sql.RangeCollection) (bool, error) {
	o, ok := other.(keyRanges)
	if !ok || len(o) != len(k) {
		return false, nil
	}
	for i := range k {
		if k[i] != o[i] {
			return false, nil
		}
	}
	return true, nil
}

// columnBound is what the conditions say about one column, as parts of keys: one of some values, or between two.
type columnBound struct {
	values    []string // nil: a range
	low, high string   // empty: open
}

// valuesMax bounds how many keys a combination of IN lists may make.
const valuesMax = 256

// columnBounds collects what the conjuncts say about columns, by position.
func (t *table) columnBounds(ctx *sql.Context, conjuncts []sql.Expression) map[int]*columnBound {
	bounds := make(map[int]*columnBound)
	for _, e := range conjuncts {
		switch e := e.(type) {
		case *expression.Equals:
			t.compare(ctx, bounds, e.Left(), e.Right(), true, true)
		case *expression.NullSafeEquals:
			t.compare(ctx, bounds, e.Left(), e.Right(), true, true)
		case *expression.LessThan:
			t.compare(ctx, bounds, e.Left(), e.Right(), false, true)
		case *expression.LessThanOrEqual:
			t.compare(ctx, bounds, e.Left(), e.Right(), false, true)
		case *expression.GreaterThan:
			t.compare(ctx, bounds, e.Left(), e.Right(), true, false)
		case *expression.GreaterThanOrEqual:
			t.compare(ctx, bounds, e.Left(), e.Right(), true, false)
		case *expression.Between:
			t.compare(ctx, bounds, e.Val, e.Lower, true, false)
			t.compare(ctx, bounds, e.Val, e.Upper, false, true)
		case *expression.InTuple:
			t.oneOf(ctx, bounds, e.Left(), e.Right())
		case *expression.HashInTuple:
			t.oneOf(ctx, bounds, e.Left(), e.Right())
		case *expression.IsNull:
			if at := t.columnOf(e.Child); at >= 0 {
				setValues(bounds, at, []string{string(store.AppendNull(nil))})
			}
		}
	}
	return bounds
}

// columnOf returns the position of a plain column, or -1.
func (t *table) columnOf(e sql.Expression) int {
	gf, ok := e.(*expression.GetField)
	if !ok {
		return -1
	}
	at := t.schema.IndexOfColName(gf.Name())
	if at < 0 || !boundType(t.schema[at].Type) {
		return -1
	}
	return at
}

// boundType reports whether comparisons with constants of a column of the type are ranges of its keys.
func boundType(typ sql.Type) bool {
	switch typ.(type) {
	case sql.EnumType, sql.SetType:
		return false
	case sql.NumberType, sql.DecimalType, sql.DatetimeType, sql.StringType:
		return true
	}
	return false
}

// compare notes column >= value (low) or column <= value (high), or both for equality, whichever side the column is on.
func (t *table) compare(ctx *sql.Context, bounds map[int]*columnBound, left, right sql.Expression, low, high bool) {
	at := t.columnOf(left)
	if at < 0 {
		if at = t.columnOf(right); at < 0 {
			return
		}
		left, right = right, left
		low, high = high, low
	}
	key, ok := t.constantKey(ctx, at, right)
	if !ok {
		return
	}
	if low && high {
		setValues(bounds, at, []string{key})
		return
	}
	b := bounds[at]
	if b == nil {
		b = &columnBound{}
		bounds[at] = b
	}
	if b.values != nil {
		return
	}
	if low && key > b.low {
		b.low = key
	}
	if high && (b.high == "" || key < b.high) {
		b.high = key
	}
}

func (t *table) oneOf(ctx *sql.Context, bounds map[int]*columnBound, left, right sql.Expression) {
	at := t.columnOf(left)
	list, ok := right.(expression.Tuple)
	if at < 0 || !ok || len(list) > valuesMax {
		return
	}
	keys := make([]string, 0, len(list))
	for _, e := range list {
		if lit, ok := e.(*expression.Literal); ok && lit.Value() == nil {
			continue // equal to nothing
		}
		key, ok := t.constantKey(ctx, at, e)
		if !ok {
			return
		}
		keys = append(keys, key)
	}
	setValues(bounds, at, keys)
}

// setValues notes that a column has one of some values. What is known better already stays.
func setValues(bounds map[int]*columnBound, at int, keys []string) {
	if b := bounds[at]; b != nil && b.values != nil && len(b.values) <= len(keys) {
		return
	}
	if keys == nil {
		keys = []string{}
	}
	bounds[at] = &columnBound{values: keys}
}

// constantKey returns the key of a constant as a value of the column, if it is one exactly.
func (t *table) constantKey(ctx *sql.Context, at int, e sql.Expression) (string, bool) {
	if minus, ok := e.(*expression.UnaryMinus); ok {
		e = minus.Child
		if _, ok := e.(*expression.Literal); !ok {
			return "", false
		}
		e = minus
	} else if _, ok := e.(*expression.Literal); !ok {
		return "", false
	}
	v, err := e.Eval(ctx, nil)
	if err != nil {
		return "", false
	}
	if v == nil {
		// NULL-safe equality, or a comparison that is never true: either way the rows are among those with NULL.
		return string(store.AppendNull(nil)), true
	}
	typ := t.schema[at].Type
	if _, isText := typ.(sql.StringType); isText {
		switch v.(type) {
		case string, []byte:
		default:
			return "", false // compared as a number
		}
	}
	ck := newColumnKeyer(at, typ)
	key, fits, err := ck.bound(ctx, nil, v)
	return string(key), fits && err == nil
}

// rangesFor returns the index's ranges for what is known about columns, and how good they are: 0 is no use.
func (x *index) rangesFor(bounds map[int]*columnBound) ([]store.Range, int) {
	prefixes := []string{""}
	score := 0
	for n, at := range x.extended() {
		b := bounds[at]
		if b == nil {
			break
		}
		if b.values == nil {
			return bounded(prefixes, b), score + 5
		}
		if len(prefixes)*len(b.values) > valuesMax {
			break
		}
		longer := make([]string, 0, len(prefixes)*len(b.values))
		for _, p := range prefixes {
			for _, v := range b.values {
				longer = append(longer, p+v)
			}
		}
		prefixes = longer
		score += 10
		if x.unique && n == len(x.cols)-1 {
			score += 100
		}
	}
	if score == 0 {
		return nil, 0
	}
	return bounded(prefixes, &columnBound{}), score
}

const (
	keyNotNull = "\x01"
	keyMax     = "\xff"
)

// bounded returns the keys with each prefix and the next column in the bound.
func bounded(prefixes []string, b *columnBound) []store.Range {
	ranges := make([]store.Range, len(prefixes))
	for i, p := range prefixes {
		ranges[i] = store.Range{Low: p + b.low, High: p + b.high + keyMax}
		if b.low == "" && b.high != "" {
			// NULL is not below anything.
			ranges[i].Low = p + keyNotNull
		}
	}
	return ranges
}
