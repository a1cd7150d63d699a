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
	inserts := false
	o.rows.Scan(func(pk string, rec Record) bool {
		old, ok := t.rows.Get(pk)
		inserts = inserts || !ok
		if ok {
			t.dropEntries(pk, old, rec)
			if !rec.Exists() {
				t.rows.Delete(pk)
			}
		}
		return true
	})
	if !inserts && o.rows.Len() <= fewRows {
		t.addChanged(o)
	} else {
		for i := range o.indexes {
			o.indexes[i].Scan(func(key, pk string) bool {
				t.indexes[i].Set(key, pk)
				return true
			})
		}
	}
	o.rows.Scan(func(pk string, rec Record) bool {
		if rec.Exists() {
			t.rows.Set(pk, rec)
		}
		return true
	})
	t.shared.rows.Store(int64(t.rows.Len()))
}

// fewRows is up to how many changed rows the index entries that change are made anew. Those of more, and of rows that are
// inserted, are there already, in order and in one string with the primary key.
const fewRows = 8

// addChanged sets the index entries of rows that change, those that become others.
func (t *Table) addChanged(o *overlay) {
	o.rows.Scan(func(pk string, rec Record) bool {
		old, ok := t.rows.Get(pk)
		if !ok {
			return true // deleted
		}
		for i := range t.Def.Indexes {
			if t.Def.Indexes[i].sameKey(old, rec) {
				continue
			}
			key, at := t.Def.Indexes[i].entry(rec.Row(), pk)
			t.indexes[i].Set(key, at)
		}
		return true
	})
}

// dropEntries removes the index entries of old that the new version of the row does not have.
func (t *Table) dropEntries(pk string, old, rec Record) {
	for i := range t.Def.Indexes {
		if t.Def.Indexes[i].sameKey(old, rec) {
			continue
		}
		was := t.Def.Indexes[i].knownKey(old.Row(), pk)
		if rec.Exists() && was == t.Def.Indexes[i].knownKey(rec.Row(), pk) {
			continue
		}
		if owner, ok := t.indexes[i].Get(was); ok && owner == pk {
			t.indexes[i].Delete(was)
		}
	}
}

// entry is the index entry of a row that is in the store already: its key and the primary key.
func (d *IndexDef) entry(row []any, pk string) (key, at string) {
	key, unique, err := d.indexKey(row, pk)
	if err != nil {
		panic(err)
	}
	if !unique {
		// The key ends with the primary key: one string in memory does for both.
		pk = key[len(key)-len(pk):]
	}
	return key, pk
}

// knownKey is indexKey of a row that is in the store already: its keys were made without error before.
func (d *IndexDef) knownKey(row []any, pk string) string {
	key, _ := d.entry(row, pk)
	return key
}
