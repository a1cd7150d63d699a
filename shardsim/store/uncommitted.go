package store

import "sync"

// writers are the transactions that have overlays. A commit publishes them before it leaves, so that a key is always either
// here or in the newest root.
type writers struct {
	mu  sync.RWMutex
	all []*Tx // at Tx.writer
}

func (w *writers) add(tx *Tx) {
	w.mu.Lock()
	defer w.mu.Unlock()
	tx.writer = len(w.all)
	w.all = append(w.all, tx)
}

func (w *writers) remove(tx *Tx) {
	w.mu.Lock()
	defer w.mu.Unlock()
	last := len(w.all) - 1
	w.all[tx.writer] = w.all[last]
	w.all[tx.writer].writer = tx.writer
	w.all[last] = nil
	w.all = w.all[:last]
}

// uncommitted returns the entries other transactions have made in the ranges of an index, or of the primary key, and may
// still take back, or have taken back and may bring back: key -> primary key. Their rows are locked.
func (tx *Tx) uncommitted(def *TableDef, index int, ranges []Range) *tree[string] {
	found := &tree[string]{}
	w := &tx.db.writers
	w.mu.RLock()
	defer w.mu.RUnlock()
	for _, other := range w.all {
		if other != tx {
			other.copyEntries(found, def, index, ranges)
		}
	}
	return found
}

func (tx *Tx) copyEntries(to *tree[string], def *TableDef, index int, ranges []Range) {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	o := tx.overlayOf(def)
	if o == nil {
		return
	}
	o.copyRanges(to, o.indexes, index, ranges)
	if o.former != nil && index != Primary {
		o.copyRanges(to, o.former, index, ranges)
	}
}

func (o *overlay) copyRanges(to *tree[string], indexes []tree[string], index int, ranges []Range) {
	var c cursor
	c.open(&o.rows, indexes, index)
	for _, r := range ranges {
		for c.start(r, false); c.ok; c.advance(r, false) {
			to.Set(c.key, c.pk())
		}
	}
}
