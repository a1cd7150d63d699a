package sqlengine

import (
	"context"
	"errors"
	"slices"

	"github.com/vitrodb/vitro/shardsim/store"
)

// access is how the rows of a table are found: by primary keys, or in an index, which without prefix and range is read whole.
type access struct {
	def   *store.TableDef
	meta  *tableMeta
	start int // position of the table's first column in the plan's rows

	index   int         // position of the index, or store.Primary
	prefix  []condition // values of the index's first columns, in their order
	within  *condition  // a range of the column behind those
	whole   bool        // prefix is the whole primary key: rows are read by it, without looking for it in the index
	many    bool        // a column of prefix may have several values
	reverse bool
}

// take chooses the way by conditions on the table's columns, and returns those it does not see to.
func (a *access) take(conds []condition) (others []condition) {
	a.index = store.Primary
	best := 0
	for index := store.Primary; index < len(a.meta.indexes); index++ {
		if score := a.score(index, conds); score > best {
			best, a.index = score, index
		}
	}
	columns := a.indexColumns(a.index)
	for _, at := range columns {
		i := findCondition(conds, at)
		if i < 0 {
			break
		}
		c := conds[i]
		conds = append(conds[:i:i], conds[i+1:]...)
		if c.oneOf == nil {
			a.within = &c
			break
		}
		a.prefix = append(a.prefix, c)
		a.many = a.many || !c.isEqual()
	}
	a.whole = a.index == store.Primary && len(columns) > 0 && len(a.prefix) == len(columns)
	return conds
}

// score tells how far conditions lead into an index: most if they find one row, else by the first columns that have values,
// and a range behind them.
func (a *access) score(index int, conds []condition) (score int) {
	columns := a.indexColumns(index)
	for n, at := range columns {
		i := findCondition(conds, at)
		switch {
		case i < 0:
			return score
		case conds[i].oneOf == nil:
			return score + 1
		case conds[i].isEqual():
			score += 4
		default:
			score += 3
		}
		if n == len(columns)-1 && (index == store.Primary || a.meta.indexes[index].unique) {
			score += 1000
		}
	}
	return score
}

// indexColumns returns the columns the entries of an index are sorted by; none if prefixes of them are.
func (a *access) indexColumns(index int) []int {
	var columns []int
	switch {
	case index == store.Primary && a.meta.pkPrefix == nil:
		columns = a.meta.pk
	case index != store.Primary && a.meta.indexes[index].prefix == nil:
		var err error
		if columns, err = a.meta.positions(a.meta.indexes[index].columns); err != nil {
			return nil
		}
		if !a.meta.indexes[index].unique {
			columns = append(columns, a.meta.pk...)
		}
	}
	if a.start == 0 {
		return columns
	}
	columns = slices.Clone(columns)
	for i := range columns {
		columns[i] += a.start
	}
	return columns
}

// findCondition returns the position of the condition on a column, or -1.
func findCondition(conds []condition, at int) int {
	return slices.IndexFunc(conds, func(c condition) bool { return c.at == at })
}

// isUnique reports whether one row is found at most.
func (a *access) isUnique() bool {
	switch {
	case a.many:
		return false
	case a.index == store.Primary:
		return a.whole
	}
	m := a.meta.indexes[a.index]
	return m.unique && len(a.prefix) == len(m.columns) && !a.findsNull()
}

// findsNull reports whether rows are found by a NULL, which a unique index may have many of.
func (a *access) findsNull() bool {
	return slices.ContainsFunc(a.prefix, func(c condition) bool { return c.oneOf[0].null })
}

// orderBy reads the index in the order wanted, if it has that: columns that have one value are in every order.
func (a *access) orderBy(index int, order []orderColumn) bool {
	columns := a.indexColumns(index)
	if index != store.Primary && a.meta.indexes[index].unique && a.findsNull() {
		for _, at := range a.meta.pk {
			columns = append(columns[:len(columns):len(columns)], a.start+at)
		}
	}
	next := 0
	for _, o := range order {
		for next < len(a.prefix) && a.prefix[next].isEqual() && columns[next] != o.keyer.at {
			next++
		}
		if next == len(columns) || o.keyer.at != columns[next] || o.desc != order[0].desc {
			return false
		}
		next++
	}
	a.index, a.reverse = index, order[0].desc
	return true
}

// accessValues is where the rows are in one execution.
type accessValues struct {
	keys   []string      // primary keys to read, nil if the index is
	ranges []store.Range // of the index, nil for all of it
	none   bool          // nowhere

	one  [1]string // the memory of one key, and of one range
	span [1]store.Range
}

// values finds out where the rows are, row being the row so far. It returns false if the long way must decide.
func (a *access) values(v *accessValues, binds binds, row []any) bool {
	v.keys, v.ranges, v.none = nil, nil, false
	if len(a.prefix) == 0 && a.within == nil {
		return true
	}
	within, ok := store.Range{High: keyMax}, true
	if a.within != nil {
		within, ok = a.within.keyRange(binds)
		v.none = within == noKeys
	}
	switch {
	case !ok:
		return false
	case a.many:
		return a.manyValues(v, within, binds, row)
	}
	var buf [160]byte
	key := buf[:0]
	for i := range a.prefix {
		// All are looked at, also behind one that no row has: the long way may refuse another.
		var none bool
		if key, none, ok = a.prefix[i].oneOf[0].append(key, binds, row); !ok {
			return false
		}
		v.none = v.none || none
	}
	v.one[0] = string(key)
	v.find(a.whole, v.one[:], within)
	return true
}

// mostPlaces is how many combinations of values are looked for one by one.
const mostPlaces = 100_000

// manyValues is values where columns of the prefix may have several: all combinations of them.
func (a *access) manyValues(v *accessValues, within store.Range, binds binds, row []any) bool {
	places := []string{""}
	for i := range a.prefix {
		keys, ok := a.prefix[i].keys(binds, row)
		if !ok || len(places)*len(keys) > mostPlaces {
			return false
		}
		longer := make([]string, 0, len(places)*len(keys))
		for _, place := range places {
			for _, key := range keys {
				longer = append(longer, place+key)
			}
		}
		places = longer
	}
	v.none = v.none || len(places) == 0
	v.find(a.whole, places, within)
	return true
}

// find makes the places, which are sorted, keys or ranges.
func (v *accessValues) find(whole bool, places []string, within store.Range) {
	if whole {
		v.keys = places
		return
	}
	v.ranges = v.span[:0]
	for _, place := range places {
		v.ranges = append(v.ranges, store.Range{Low: place + within.Low, High: place + within.High})
	}
}

// taker is given rows and their primary keys, and tells whether it wants more.
type taker interface {
	take(pk string, rec store.Record) (more bool, err error)
}

// each gives to the rows until it has enough.
func (a *access) each(ctx context.Context, tx *store.Tx, scan scanMode, v *accessValues, to taker) (more bool, err error) {
	if v.keys != nil {
		return a.eachKey(ctx, tx, scan, v.keys, to)
	}
	it, err := tx.Open(ctx, a.def, store.Scan{Index: a.index, Ranges: v.ranges, Reverse: a.reverse, Lock: scan.lock, Policy: scan.policy})
	if err != nil {
		return false, err
	}
	defer it.Close()
	for {
		rec, err := it.Next()
		if err != nil || !rec.Exists() {
			return true, err
		}
		if more, err := to.take(it.PK(), rec); err != nil || !more {
			return false, err
		}
	}
}

func (a *access) eachKey(ctx context.Context, tx *store.Tx, scan scanMode, keys []string, to taker) (more bool, err error) {
	for _, pk := range keys {
		var rec store.Record
		var err error
		if scan.lock == store.NoLock {
			rec, err = tx.Read(a.def, pk)
		} else {
			rec, err = tx.ReadLocked(ctx, a.def, pk, scan.lock, scan.policy)
			if scan.policy == store.SkipLocked && errors.Is(err, store.ErrLocked) {
				continue
			}
		}
		if err != nil {
			return false, err
		}
		if !rec.Exists() {
			continue
		}
		if more, err := to.take(pk, rec); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}
