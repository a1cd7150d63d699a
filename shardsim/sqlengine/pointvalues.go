package sqlengine

import (
	"sort"

	"github.com/vitrodb/vitro/shardsim/store"
)

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
		key, none, ok := c.low.value.append(nil, binds)
		if !ok || none {
			return noKeys, ok
		}
		if c.low.open {
			key = append(key, store.KeyMax)
		}
		r.Low = string(key)
	}
	if c.high != nil {
		key, none, ok := c.high.value.append(nil, binds)
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
		key, none, ok := c.value.append(nil, binds)
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
	keys    []string      // primary keys to read, nil if the index is
	ranges  []store.Range // of the index
	filters []keySet      // of the filters' columns
	limit   int           // -1: all
	offset  int
	none    bool // no row can match
}

func (p *pointPlan) values(binds binds) (v pointValues, ok bool) {
	r := &p.read
	if p.key != nil {
		if v.keys, ok = p.keys(binds); !ok {
			return v, false
		}
	} else if v.ranges, ok = p.indexRange(binds); !ok {
		return v, false
	}
	v.none = len(v.keys) == 0 && p.key != nil || len(v.ranges) == 1 && v.ranges[0].Low >= v.ranges[0].High
	for i := range r.filters {
		set, ok := r.filters[i].set(binds)
		if !ok {
			return v, false
		}
		v.none = v.none || set.keys != nil && len(set.keys) == 0 || set.keys == nil && set.all == noKeys
		v.filters = append(v.filters, set)
	}
	if v.limit, ok = limitValue(r.limit, binds, -1); !ok {
		return v, false
	}
	v.offset, ok = limitValue(r.offset, binds, 0)
	return v, ok
}

// indexRange returns the range of the index to read: all of it is nil.
func (p *pointPlan) indexRange(binds binds) ([]store.Range, bool) {
	r := &p.read
	if len(r.prefix) == 0 && r.within == nil {
		return nil, true
	}
	var buf [160]byte
	key := buf[:0]
	for i := range r.prefix {
		var none, ok bool
		if key, none, ok = r.prefix[i].append(key, binds); !ok || none {
			return []store.Range{noKeys}, ok
		}
	}
	prefix := string(key)
	if r.within == nil {
		return []store.Range{{Low: prefix, High: prefix + keyMax}}, true
	}
	within, ok := r.within.keyRange(binds)
	return []store.Range{{Low: prefix + within.Low, High: prefix + within.High}}, ok
}

// keys returns the primary keys to read, in their order and once each.
func (p *pointPlan) keys(binds binds) ([]string, bool) {
	if p.list == "" {
		pk, none, ok := p.primaryKey(binds)
		if !ok || none {
			return []string{}, ok
		}
		return []string{pk}, true
	}
	c := condition{value: p.key[0], list: p.list}
	keys, ok := c.keys(binds)
	if !ok {
		return nil, false
	}
	sort.Strings(keys)
	unique := keys[:0]
	for i, k := range keys {
		if i == 0 || k != keys[i-1] {
			unique = append(unique, k)
		}
	}
	return unique, true
}

// passes reports whether a row meets all filters.
func (p *pointPlan) passes(row []any, v *pointValues) (bool, error) {
	var buf [96]byte
	for i := range p.read.filters {
		c := &p.read.filters[i]
		key := store.AppendNull(buf[:0])
		if row[c.at] != nil {
			var err error
			if key, err = c.keyer.append(buf[:0], row[c.at]); err != nil {
				return false, err
			}
		}
		if !v.filters[i].has(string(key)) {
			return false, nil
		}
	}
	return true, nil
}
