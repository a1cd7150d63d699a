package sqlengine

import (
	"slices"
	"sort"

	"github.com/vitrodb/vitro/shardsim/store"
)

// keySet is which keys of a column meet a condition, for one execution: some, or a range.
type keySet struct {
	keys []string    // sorted, none twice
	all  store.Range // if keys is nil
}

func (k *keySet) has(key []byte) bool {
	switch {
	case k.keys == nil:
		return k.all.Low <= string(key) && string(key) < k.all.High
	case len(k.keys) == 1:
		return k.keys[0] == string(key)
	}
	i := sort.Search(len(k.keys), func(i int) bool { return k.keys[i] >= string(key) })
	return i < len(k.keys) && k.keys[i] == string(key)
}

// set returns the keys that meet the condition. ok is false if the long way must decide.
func (c *condition) set(binds binds) (set keySet, ok bool) {
	if c.oneOf == nil {
		set.all, ok = c.keyRange(binds)
		return set, ok
	}
	set.keys, ok = c.keys(binds, nil)
	return set, ok
}

// noKeys is an empty range.
var noKeys = store.Range{Low: "\x01", High: "\x01"}

// keyRange returns the range of the keys between the bounds; NULL is not in it.
func (c *condition) keyRange(binds binds) (store.Range, bool) {
	r, empty := store.Range{Low: keyNotNull, High: keyMax}, false
	if c.low != nil {
		key, none, ok := c.low.value.append(nil, binds, nil)
		if !ok {
			return noKeys, false
		}
		empty = none
		if c.low.open {
			key = append(key, store.KeyMax)
		}
		r.Low = string(key)
	}
	if c.high != nil {
		key, none, ok := c.high.value.append(nil, binds, nil)
		if !ok {
			return noKeys, false
		}
		empty = empty || none
		if !c.high.open {
			key = append(key, store.KeyMax)
		}
		r.High = string(key)
	}
	if empty || r.Low >= r.High {
		return noKeys, true
	}
	return r, true
}

// keys returns the keys the column may have, sorted: none for NULL, which equals nothing. row is the row so far.
func (c *condition) keys(binds binds, row []any) ([]string, bool) {
	keys := make([]string, 0, len(c.oneOf))
	for i := range c.oneOf {
		v := &c.oneOf[i]
		if v.list {
			var ok bool
			if keys, ok = v.appendList(keys, binds); !ok {
				return nil, false
			}
			continue
		}
		key, none, ok := v.append(nil, binds, row)
		if !ok {
			return nil, false
		}
		if !none {
			keys = append(keys, string(key))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), true
}

// appendList appends the keys of a list.
func (v *keyValue) appendList(keys []string, binds binds) ([]string, bool) {
	bv := binds[v.bind]
	if bv == nil || len(bv.Values) == 0 {
		return nil, false
	}
	keys = slices.Grow(keys, len(bv.Values))
	for _, one := range bv.Values {
		key, none, ok := v.keyer.appendText(nil, one.Type, one.Value)
		if !ok {
			return nil, false
		}
		if !none {
			keys = append(keys, string(key))
		}
	}
	return keys, true
}

// pointValues are the values of one execution: what the bind variables say.
type pointValues struct {
	accessValues // of the table that is read first
	binds        binds
	sets         []keySet // of the conditions of all filters, see rowFilter
	limit        int      // -1: all
	offset       int
}

// values makes v those of one execution. It returns false if the long way must decide.
func (p *pointPlan) values(v *pointValues, binds binds) bool {
	r := &p.read
	v.binds, v.sets = binds, v.sets[:0]
	if !p.access.values(&v.accessValues, binds, nil) {
		return false
	}
	none, ok := r.filter.addSets(v)
	v.none = v.none || none
	for i := range r.joins {
		join := &r.joins[i]
		if !ok || !join.constantsFit(binds) {
			return false
		}
		none, ok = join.filter.addSets(v)
		v.none = v.none || none && !join.left
	}
	if ok {
		none, ok = r.last.addSets(v)
		v.none = v.none || none
	}
	if ok {
		v.limit, ok = limitValue(r.limit, binds, -1)
	}
	if ok {
		v.offset, ok = limitValue(r.offset, binds, 0)
	}
	return ok
}

// constantsFit reports whether the long way need not decide for what is the same for all rows.
func (a *access) constantsFit(binds binds) bool {
	for i := range a.prefix {
		if c := &a.prefix[i]; !c.inRow() {
			if _, ok := c.keys(binds, nil); !ok {
				return false
			}
		}
	}
	if a.within != nil {
		if _, ok := a.within.keyRange(binds); !ok {
			return false
		}
	}
	return true
}

// rowFilter is what rows must meet.
type rowFilter struct {
	conditions []condition
	pairs      []columnPair
	computed   []int // numbers of computed columns that must be true
	sets       int   // where the sets of the conditions begin in pointValues
}

// addSets appends the sets of the conditions. none reports that no row meets them.
func (f *rowFilter) addSets(v *pointValues) (none, ok bool) {
	for i := range f.conditions {
		set, ok := f.conditions[i].set(v.binds)
		if !ok {
			return false, false
		}
		none = none || set.keys != nil && len(set.keys) == 0 || set.keys == nil && set.all == noKeys
		v.sets = append(v.sets, set)
	}
	return none, true
}

// passes reports whether a row meets the conditions on columns.
func (f *rowFilter) passes(row []any, v *pointValues) (bool, error) {
	var buf [96]byte
	for i := range f.conditions {
		c := &f.conditions[i]
		key := store.AppendNull(buf[:0])
		if row[c.at] != nil {
			var err error
			if key, err = c.keyer.append(buf[:0], row[c.at]); err != nil {
				return false, err
			}
		}
		if !v.sets[f.sets+i].has(key) {
			return false, nil
		}
	}
	for i := range f.pairs {
		if equal, err := f.pairs[i].equal(row); err != nil || !equal {
			return false, err
		}
	}
	return true, nil
}
