package sqlengine

import "github.com/vitrodb/vitro/shardsim/store"

// keySet is which keys of a column meet a condition, for one execution: some, or a range.
type keySet struct {
	keys []string
	all  store.Range // if keys is nil
}

func (k *keySet) has(key string) bool {
	if k.keys == nil {
		return k.all.Low <= key && key < k.all.High
	}
	for _, one := range k.keys {
		if one == key {
			return true
		}
	}
	return false
}

// set returns the keys that meet the condition. ok is false if the long way must decide.
func (c *condition) set(binds binds) (set keySet, ok bool) {
	switch c.kind {
	case isNull:
		return keySet{keys: []string{string(store.AppendNull(nil))}}, true
	case isBetween:
		set.all, ok = c.keyRange(binds)
		return set, ok
	}
	set.keys, ok = c.keys(binds)
	return set, ok
}

// noKeys is an empty range.
var noKeys = store.Range{Low: "\x01", High: "\x01"}

// keyRange returns the range of the keys between the bounds; NULL is not in it.
func (c *condition) keyRange(binds binds) (store.Range, bool) {
	r := store.Range{Low: keyNotNull, High: keyMax}
	if c.low != nil {
		key, none, ok := c.low.value.append(nil, binds, nil)
		if !ok || none {
			return noKeys, ok
		}
		if c.low.open {
			key = append(key, store.KeyMax)
		}
		r.Low = string(key)
	}
	if c.high != nil {
		key, none, ok := c.high.value.append(nil, binds, nil)
		if !ok || none {
			return noKeys, ok
		}
		if !c.high.open {
			key = append(key, store.KeyMax)
		}
		r.High = string(key)
	}
	if r.Low >= r.High {
		return noKeys, true
	}
	return r, true
}

// keys returns the keys the column may have, none for NULL.
func (c *condition) keys(binds binds) ([]string, bool) {
	if c.list == "" {
		key, none, ok := c.value.append(nil, binds, nil)
		if !ok || none {
			return []string{}, ok
		}
		return []string{string(key)}, true
	}
	bv := binds[c.list]
	if bv == nil || len(bv.Values) == 0 {
		return nil, false
	}
	keys := make([]string, 0, len(bv.Values))
	for _, v := range bv.Values {
		key, none, ok := c.value.keyer.appendText(nil, v.Type, v.Value)
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
	var buf [96]byte
	for _, values := range [...][]keyValue{a.key, a.prefix} {
		for i := range values {
			if values[i].inRow {
				continue
			}
			if _, _, ok := values[i].append(buf[:0], binds, nil); !ok {
				return false
			}
		}
	}
	if a.within != nil {
		if _, ok := a.within.keyRange(binds); !ok {
			return false
		}
	}
	if a.list != "" {
		var v accessValues
		return a.values(&v, binds, nil)
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
		if !v.sets[f.sets+i].has(string(key)) {
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
