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

	key     []keyValue // one per primary key column, in key order; nil if an index is read
	list    string     // name of the list bind variable of an IN, else empty
	index   int        // position of the index, or store.Primary
	prefix  []keyValue // equal to the index's first columns, in their order
	within  *condition // a range of the column behind those
	reverse bool
}

// take chooses the way by conditions on the table's columns, and returns those it does not see to.
func (a *access) take(conds []condition) (others []condition) {
	others = a.takeKey(conds)
	if a.key == nil {
		others = a.takeIndex(others)
	}
	return others
}

// takeKey makes the conditions on the whole primary key the key. It takes none if they do not cover it.
func (a *access) takeKey(conds []condition) (others []condition) {
	if len(a.meta.pk) == 0 || a.meta.pkPrefix != nil {
		return conds
	}
	key := make([]keyValue, len(a.meta.pk))
	given := make([]bool, len(key))
	list := ""
	for _, c := range conds {
		part := slices.Index(a.meta.pk, c.at-a.start)
		if part < 0 || given[part] || c.kind != isEqual && (c.kind != isOneOf || len(key) > 1) {
			others = append(others, c)
			continue
		}
		key[part], list, given[part] = c.value, c.list, true
	}
	if slices.Contains(given, false) {
		return conds
	}
	a.key, a.list = key, list
	return others
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

// takeIndex chooses the index most of whose first columns have conditions: equalities, and one range behind them. It
// takes those conditions.
func (a *access) takeIndex(conds []condition) (others []condition) {
	a.index = store.Primary
	best := 0
	for index := store.Primary; index < len(a.meta.indexes); index++ {
		score, columns := 0, a.indexColumns(index)
		for _, at := range columns {
			i := findCondition(conds, at)
			if i >= 0 && conds[i].kind == isEqual {
				score += 2
				continue
			}
			if i >= 0 && conds[i].kind == isBetween {
				score++
			}
			break
		}
		if score > best {
			best, a.index = score, index
		}
	}
	for _, at := range a.indexColumns(a.index) {
		i := findCondition(conds, at)
		if i < 0 || conds[i].kind != isEqual && conds[i].kind != isBetween {
			break
		}
		c := conds[i]
		conds = append(conds[:i:i], conds[i+1:]...)
		if c.kind == isBetween {
			a.within = &c
			break
		}
		a.prefix = append(a.prefix, c.value)
	}
	return conds
}

// findCondition returns the position of the condition on a column, or -1.
func findCondition(conds []condition, at int) int {
	return slices.IndexFunc(conds, func(c condition) bool { return c.at == at })
}

// isUnique reports whether one row is found at most.
func (a *access) isUnique() bool {
	if a.key != nil {
		return a.list == ""
	}
	return a.index != store.Primary && a.meta.indexes[a.index].unique && len(a.prefix) == len(a.meta.indexes[a.index].columns)
}

// orderBy reads the index in the order wanted, if it has that behind the prefix.
func (a *access) orderBy(index int, order []orderColumn) bool {
	columns := a.indexColumns(index)
	if len(columns) < len(a.prefix)+len(order) {
		return false
	}
	for i, o := range order {
		if o.keyer.at != columns[len(a.prefix)+i] || o.desc != order[0].desc {
			return false
		}
	}
	a.index, a.reverse = index, order[0].desc
	return true
}

// accessValues is where the rows are in one execution.
type accessValues struct {
	keys   []string      // primary keys to read, nil if the index is
	ranges []store.Range // of the index, nil for all of it
	none   bool          // nowhere

	key  [1]string // the memory of one key, and of one range
	span [1]store.Range
}

// values finds out where the rows are, row being the row so far. It returns false if the long way must decide.
func (a *access) values(v *accessValues, binds binds, row []any) bool {
	v.keys, v.ranges, v.none = nil, nil, false
	if a.list != "" {
		c := condition{value: a.key[0], list: a.list}
		keys, ok := c.keys(binds)
		slices.Sort(keys)
		v.keys, v.none = slices.Compact(keys), len(keys) == 0
		return ok
	}
	if a.key == nil && len(a.prefix) == 0 && a.within == nil {
		return true
	}
	parts := a.prefix
	if a.key != nil {
		parts = a.key
	}
	var buf [160]byte
	key := buf[:0]
	for i := range parts {
		var ok bool
		if key, v.none, ok = parts[i].append(key, binds, row); !ok || v.none {
			return ok
		}
	}
	if a.key != nil {
		v.key[0] = string(key)
		v.keys = v.key[:]
		return true
	}
	low, high, ok := string(key), keyMax, true
	if a.within != nil {
		var within store.Range
		within, ok = a.within.keyRange(binds)
		low, high, v.none = low+within.Low, within.High, within == noKeys
	}
	v.span[0] = store.Range{Low: low, High: string(key) + high}
	v.ranges = v.span[:]
	return ok
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
