package store

// commitInPlaceMax is how many rows a commit changes at most while it keeps readers waiting. Larger ones copy.
const commitInPlaceMax = 5000

// Commit publishes the transaction's changes and releases its locks. On error nothing was changed, and the transaction
// is rolled back.
func (tx *Tx) Commit() error {
	defer tx.end()
	if len(tx.undo) == 0 {
		return nil
	}
	tx.dropSnapshot()
	return tx.db.publish(tx.overlays)
}

// publish applies overlays to the newest root, all or none.
func (db *DB) publish(overlays []*overlay) error {
	db.writer.Lock()
	defer db.writer.Unlock()
	now := db.root.Load()
	rows := 0
	for _, o := range overlays {
		if _, err := now.slot(o.def); err != nil {
			return err
		}
		rows += o.rows.Len()
	}
	generation := now.generation + 1
	if rows <= commitInPlaceMax {
		db.mu.Lock()
		defer db.mu.Unlock()
		if now.pins.Load() == 0 {
			generation = now.generation
		}
	}
	next := now
	if generation != now.generation || !now.owns(overlays) {
		next = now.clone(generation)
	}
	for _, o := range overlays {
		if o.rows.Len() > 0 {
			next.apply(o)
		}
	}
	db.root.Store(next)
	return nil
}

// owns reports whether all tables the overlays change are the root's alone.
func (r *Root) owns(overlays []*overlay) bool {
	for _, o := range overlays {
		if slot, _ := r.slot(o.def); r.tables[slot].generation != r.generation {
			return false
		}
	}
	return true
}

// apply changes the root's table as the overlay says, a copy of it if it is not the root's own.
func (r *Root) apply(o *overlay) {
	slot, _ := r.slot(o.def)
	t := r.tables[slot]
	if t.generation != r.generation {
		t = t.fork(r.generation)
		r.tables[slot] = t
	}
	// All old index entries go before any new one comes: rows may have swapped unique values.
	o.rows.Scan(func(pk string, rec *Record) bool {
		if old, ok := t.rows.Get(pk); ok {
			t.dropEntries(pk, old, rec)
			if rec == nil {
				t.rows.Delete(pk)
			}
		}
		return true
	})
	for i := range o.indexes {
		o.indexes[i].Scan(func(key, pk string) bool {
			t.indexes[i].Set(key, pk)
			return true
		})
	}
	o.rows.Scan(func(pk string, rec *Record) bool {
		if rec != nil {
			t.rows.Set(pk, rec)
		}
		return true
	})
	t.shared.rows.Store(int64(t.rows.Len()))
}

// dropEntries removes the index entries of old that the new version of the row does not have; nil has none.
func (t *Table) dropEntries(pk string, old, rec *Record) {
	for i := range t.Def.Indexes {
		was := t.Def.Indexes[i].knownKey(old.Row, pk)
		if rec != nil && was == t.Def.Indexes[i].knownKey(rec.Row, pk) {
			continue
		}
		if owner, ok := t.indexes[i].Get(was); ok && owner == pk {
			t.indexes[i].Delete(was)
		}
	}
}

// knownKey is indexKey of a row that is in the store already: its keys were made without error before.
func (d *IndexDef) knownKey(row []any, pk string) string {
	key, _, err := d.indexKey(row, pk)
	if err != nil {
		panic(err)
	}
	return key
}
