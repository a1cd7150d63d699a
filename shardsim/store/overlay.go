package store

// overlay holds a transaction's own version of the rows it changed in one table. Read over a root, it hides the root's
// rows with the same primary keys, and their index entries.
type overlay struct {
	def     *TableDef
	rows    tree[Record] // the zero Record: deleted
	indexes []tree[string]
	// former are index entries that rows of the overlay had before: a savepoint may bring them back.
	former []tree[string]
}

// change is one entry of the undo log: the state of a key in the overlay before the change.
type change struct {
	o     *overlay
	pk    string
	known bool   // the overlay had the key
	rec   Record // what it had
}

// overlayOf returns the overlay of a table, nil if the transaction has not written to it.
func (tx *Tx) overlayOf(def *TableDef) *overlay {
	for _, o := range tx.overlays {
		if o.def == def {
			return o
		}
	}
	return nil
}

func (tx *Tx) makeOverlay(def *TableDef) *overlay {
	if o := tx.overlayOf(def); o != nil {
		return o
	}
	o := &overlay{def: def, indexes: make([]tree[string], len(def.Indexes))}
	tx.mu.Lock()
	tx.overlays = append(tx.overlays, o)
	tx.mu.Unlock()
	if !tx.listed {
		tx.listed = true
		tx.db.writers.add(tx)
	}
	return o
}

// frozen returns the overlay of a table as it is now: a scan must not see what its own statement writes. It is nil if the
// transaction has changed nothing there.
func (tx *Tx) frozen(def *TableDef) *overlay {
	o := tx.overlayOf(def)
	if o == nil || o.rows.Len() == 0 {
		return nil
	}
	tx.mu.Lock()
	defer tx.mu.Unlock()
	c := &overlay{def: o.def, rows: o.rows, indexes: append([]tree[string](nil), o.indexes...)}
	o.rows = o.rows.fork()
	for i := range o.indexes {
		o.indexes[i] = o.indexes[i].fork()
	}
	return c
}

// set makes rec, which is row unpacked, the transaction's version of a row, none deletes it, and logs the undo.
func (tx *Tx) set(o *overlay, pk string, rec Record, row []any) error {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	old, known := o.rows.Get(pk)
	if err := o.put(pk, old, rec, row); err != nil {
		return err
	}
	tx.undo = append(tx.undo, change{o: o, pk: pk, known: known, rec: old})
	return nil
}

// put replaces the overlay's version of a row, which is row as values, and its index entries. Keys were computed without
// error before.
func (o *overlay) put(pk string, old, rec Record, row []any) error {
	was := old.Row()
	for i := range o.def.Indexes {
		def := &o.def.Indexes[i]
		if was != nil {
			key, _, err := def.indexKey(was, pk)
			if err != nil {
				return err
			}
			if owner, ok := o.indexes[i].Get(key); ok && owner == pk {
				o.indexes[i].Delete(key)
				o.keepFormer(i, key, pk)
			}
		}
		if row != nil {
			key, unique, err := def.indexKey(row, pk)
			if err != nil {
				return err
			}
			if !unique {
				// The key ends with the primary key: one string in memory does for both.
				pk = key[len(key)-len(pk):]
			}
			o.indexes[i].Set(key, pk)
		}
	}
	o.rows.Set(pk, rec)
	return nil
}

func (o *overlay) keepFormer(index int, key, pk string) {
	if o.former == nil {
		o.former = make([]tree[string], len(o.indexes))
	}
	o.former[index].Set(key, pk)
}

// revert puts the old state back.
func (c *change) revert() {
	now, _ := c.o.rows.Get(c.pk)
	// The keys of both versions were computed before, so this cannot fail.
	_ = c.o.put(c.pk, now, c.rec, c.rec.Row())
	if !c.known {
		c.o.rows.Delete(c.pk)
	}
}
