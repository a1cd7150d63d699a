package sqlengine

import (
	"slices"
	"sort"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/vitrodb/vitro/shardsim/store"
)

// index is an index of a table in the engine's terms.
type index struct {
	table  *table
	name   string
	at     int   // position in the definition's indexes, or store.Primary
	cols   []int // positions of the columns
	prefix []uint16
	unique bool
	note   string
}

var (
	_ sql.Index         = (*index)(nil)
	_ sql.OrderedIndex  = (*index)(nil)
	_ sql.ExtendedIndex = (*index)(nil)
)

func (t *table) GetIndexes(ctx *sql.Context) ([]sql.Index, error) {
	if now := t.shard.db.Root().Table(t.def.Name); now != nil && now.Def != t.def && fromContext(ctx).stmt.copy {
		// A step of a DDL statement, after one that changed the table.
		t = newTable(t.shard, now.Def)
	}
	all := make([]sql.Index, 0, len(t.meta.indexes)+1)
	timestamps, _ := t.zoned(fromContext(ctx))
	if len(t.meta.pk) > 0 && !overlap(t.meta.pk, timestamps) {
		all = append(all, &index{table: t, name: "PRIMARY", at: store.Primary, cols: t.meta.pk, prefix: t.meta.pkPrefix, unique: true})
	}
	for i := range t.meta.indexes {
		m := &t.meta.indexes[i]
		cols, err := t.meta.positions(m.columns)
		if err != nil {
			return nil, err
		}
		if overlap(cols, timestamps) {
			continue // its keys are in UTC
		}
		all = append(all, &index{table: t, name: m.name, at: i, cols: cols, prefix: m.prefix, unique: m.unique, note: m.comment})
	}
	return all, nil
}

func overlap(a, b []int) bool {
	for _, at := range a {
		if slices.Contains(b, at) {
			return true
		}
	}
	return false
}

func (x *index) ID() string                            { return x.name }
func (x *index) Database() string                      { return x.table.shard.keyspace }
func (x *index) Table() string                         { return x.table.meta.name }
func (x *index) IsUnique() bool                        { return x.unique }
func (x *index) IsSpatial() bool                       { return false }
func (x *index) IsFullText() bool                      { return false }
func (x *index) IsVector() bool                        { return false }
func (x *index) Comment() string                       { return x.note }
func (x *index) IndexType() string                     { return "BTREE" }
func (x *index) IsGenerated() bool                     { return false }
func (x *index) PrefixLengths() []uint16               { return x.prefix }
func (x *index) Order() sql.IndexOrder                 { return x.order() }
func (x *index) Reversible() bool                      { return x.order() == sql.IndexOrderAsc }
func (x *index) CanSupportOrderBy(sql.Expression) bool { return false }

// order is none for an index on prefixes: it does not sort the rest of the values.
func (x *index) order() sql.IndexOrder {
	for _, n := range x.prefix {
		if n > 0 {
			return sql.IndexOrderNone
		}
	}
	return sql.IndexOrderAsc
}

// CanSupport says no to what the ranges cannot express.
func (x *index) CanSupport(*sql.Context, ...sql.Range) bool { return true }

func (x *index) expression(col int) string {
	return x.table.meta.name + "." + x.table.schema[col].Name
}

func (x *index) Expressions() []string {
	all := make([]string, len(x.cols))
	for i, c := range x.cols {
		all[i] = x.expression(c)
	}
	return all
}

func (x *index) ColumnExpressionTypes() []sql.ColumnExpressionType {
	all := make([]sql.ColumnExpressionType, len(x.cols))
	for i, c := range x.cols {
		all[i] = sql.ColumnExpressionType{Expression: x.expression(c), Type: x.table.schema[c].Type}
	}
	return all
}

// extended returns the index's columns and the primary key's that are not among them: the order of its entries. A unique
// index has entries without the primary key's columns.
func (x *index) extended() []int {
	if x.unique {
		return x.cols
	}
	all := append([]int(nil), x.cols...)
	for _, pk := range x.table.meta.pk {
		seen := false
		for _, c := range x.cols {
			seen = seen || c == pk
		}
		if !seen {
			all = append(all, pk)
		}
	}
	return all
}

func (x *index) ExtendedExpressions() []string {
	var all []string
	for _, c := range x.extended() {
		all = append(all, x.expression(c))
	}
	return all
}

func (x *index) ExtendedColumnExpressionTypes() []sql.ColumnExpressionType {
	var all []sql.ColumnExpressionType
	for _, c := range x.extended() {
		all = append(all, sql.ColumnExpressionType{Expression: x.expression(c), Type: x.table.schema[c].Type})
	}
	return all
}

func (t *table) IndexedAccess(_ *sql.Context, lookup sql.IndexLookup) sql.IndexedTable {
	c := *t
	c.lookup = &lookup
	return &c
}

// LookupPartitions turns the engine's ranges into key ranges. They may cover more than the ranges do, as the engine
// filters again, but never less.
func (t *table) LookupPartitions(ctx *sql.Context, lookup sql.IndexLookup) (sql.PartitionIter, error) {
	x := lookup.Index.(*index)
	if lookup.IsEmptyRange {
		return &partitionIter{}, nil
	}
	if own, ok := lookup.Ranges.(keyRanges); ok {
		if len(own) == 0 {
			return &partitionIter{}, nil
		}
		return &partitionIter{part: &partition{index: x.at, ranges: own, reverse: lookup.IsReverse}}, nil
	}
	ranges, ok := lookup.Ranges.(sql.MySQLRangeCollection)
	if !ok {
		return nil, errUnsupported("index lookup")
	}
	part := &partition{index: x.at, reverse: lookup.IsReverse}
	for _, r := range ranges {
		kr, empty, err := x.keyRange(ctx, r)
		if err != nil {
			return nil, err
		}
		if !empty {
			part.ranges = append(part.ranges, kr)
		}
	}
	if len(part.ranges) == 0 {
		return &partitionIter{}, nil
	}
	part.ranges = disjoint(part.ranges, lookup.IsReverse)
	return &partitionIter{part: part}, nil
}

// disjoint drops ranges that are inside another one, and joins ranges that overlap, so that no row is given twice. The
// engine's ranges do not overlap, but ours may be wider. They stay in the order of the index.
func disjoint(ranges []store.Range, reverse bool) []store.Range {
	if len(ranges) < 2 {
		return ranges
	}
	sort.Slice(ranges, func(i, j int) bool { return ranges[i].Low < ranges[j].Low })
	out := ranges[:1]
	for _, r := range ranges[1:] {
		last := &out[len(out)-1]
		if last.High != "" && r.Low >= last.High {
			out = append(out, r)
			continue
		}
		if last.High != "" && (r.High == "" || r.High > last.High) {
			last.High = r.High
		}
	}
	if reverse {
		for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
			out[i], out[j] = out[j], out[i]
		}
	}
	return out
}

// keyRange returns the keys of a range. empty reports that there are none.
func (x *index) keyRange(ctx *sql.Context, r sql.MySQLRange) (kr store.Range, empty bool, err error) {
	var prefix []byte
	cols := x.extended()
	for i, bound := range r {
		if i >= len(cols) {
			break
		}
		ck := newColumnKeyer(cols[i], x.table.schema[cols[i]].Type)
		if i < len(x.prefix) {
			ck.prefix = int(x.prefix[i])
		}
		low, ok, err := lowBound(ctx, &ck, bound.LowerBound, prefix)
		if err != nil || !ok {
			return kr, !ok, err
		}
		high, ok, err := highBound(ctx, &ck, bound.UpperBound, prefix)
		if err != nil || !ok {
			return kr, !ok, err
		}
		kr = store.Range{Low: string(low), High: string(high)}
		if len(high) != len(low)+1 || high[len(low)] != store.KeyMax || string(high[:len(low)]) != string(low) || ck.prefix > 0 {
			break
		}
		// One value: the next column narrows the range down.
		prefix = low
	}
	return kr, kr.High != "" && kr.Low >= kr.High, nil
}

const notNull = 0x01

// lowBound returns the first key at or above the cut. ok is false if there can be none.
func lowBound(ctx *sql.Context, ck *columnKeyer, cut sql.MySQLRangeCut, prefix []byte) (key []byte, ok bool, err error) {
	key = append([]byte(nil), prefix...)
	switch c := cut.(type) {
	case sql.BelowNull:
		return key, true, nil
	case sql.AboveNull:
		return append(key, notNull), true, nil
	case sql.AboveAll:
		return nil, false, nil
	case sql.Below:
		full, fits, err := ck.bound(ctx, key, c.Key)
		if !fits {
			// Ranges of the engine come from joins alone: the column equals a value it cannot hold.
			return nil, false, err
		}
		return full, true, err
	case sql.Above:
		full, fits, err := ck.bound(ctx, key, c.Key)
		if !fits {
			return append(key, notNull), true, err
		}
		if ck.prefix > 0 {
			return full, true, err
		}
		return append(full, store.KeyMax), true, err
	}
	return nil, false, errUnsupported("index range")
}

// highBound returns the first key above the cut.
func highBound(ctx *sql.Context, ck *columnKeyer, cut sql.MySQLRangeCut, prefix []byte) (key []byte, ok bool, err error) {
	key = append([]byte(nil), prefix...)
	switch c := cut.(type) {
	case sql.BelowNull:
		return nil, false, nil
	case sql.AboveNull:
		// NULL alone: its marker and whatever follows.
		return append(store.AppendNull(key), store.KeyMax), true, nil
	case sql.AboveAll:
		return append(key, store.KeyMax), true, nil
	case sql.Below:
		full, fits, err := ck.bound(ctx, key, c.Key)
		if !fits {
			return append(key, store.KeyMax), true, err
		}
		if ck.prefix > 0 {
			return append(full, store.KeyMax), true, err
		}
		return full, true, err
	case sql.Above:
		full, fits, err := ck.bound(ctx, key, c.Key)
		if !fits {
			return append(key, store.KeyMax), true, err
		}
		return append(full, store.KeyMax), true, err
	}
	return nil, false, errUnsupported("index range")
}

// bound appends the key of a range's value. fits is false if the value is not one of the column's type: the range is
// then left open on that side, and the engine's filter decides.
func (c *columnKeyer) bound(ctx *sql.Context, dst []byte, v any) (key []byte, fits bool, err error) {
	if v == nil {
		return store.AppendNull(append([]byte(nil), dst...)), true, nil
	}
	if w, ok := v.(sql.AnyWrapper); ok {
		if v, err = sql.UnwrapAny(ctx, w); err != nil {
			return nil, false, err
		}
	}
	typ := c.typ
	if st, ok := typ.(sql.StringType); ok {
		// A longer string than the column holds is a bound all the same.
		typ = st.Promote()
	}
	conv, inRange, convErr := typ.Convert(ctx, v)
	if convErr != nil || !bool(inRange) || conv == nil {
		return nil, false, nil
	}
	if !sameNumber(conv, v) {
		return nil, false, nil
	}
	if cmp, err := typ.Compare(ctx, conv, v); err != nil || cmp != 0 {
		return nil, false, nil
	}
	key, err = c.append(append([]byte(nil), dst...), conv)
	return key, err == nil, err
}

// sameNumber reports whether two values are the same if both are exact numbers.
func sameNumber(a, b any) bool {
	switch a.(type) {
	case string, []byte:
		return true
	}
	switch b.(type) {
	case string, []byte:
		return true
	}
	x, errX := exactDecimal(a)
	y, errY := exactDecimal(b)
	return errX != nil || errY != nil || x.Equal(y)
}
