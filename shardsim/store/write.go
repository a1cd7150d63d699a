package store

import (
	"context"
	"encoding/binary"
	"errors"
	"reflect"
)

const rowIDLen = 8

// nextRowID takes a hidden primary key.
func (t *Table) nextRowID() string {
	var b [rowIDLen]byte
	binary.BigEndian.PutUint64(b[:], t.shared.rowID.Add(1))
	return string(b[:])
}

// Insert adds a row, which the store keeps: it must not be changed afterwards. A row with the same primary or unique key,
// committed or the transaction's own, is a *DuplicateError; one that another transaction has not committed yet is waited for.
func (tx *Tx) Insert(ctx context.Context, def *TableDef, row []any) error {
	t, err := tx.touch(ctx, def, Exclusive)
	if err != nil {
		return err
	}
	pk := ""
	if def.Primary == nil {
		pk = t.nextRowID()
	} else if pk, err = primaryKey(def, row); err != nil {
		return err
	}
	return tx.insert(ctx, def, pk, row)
}

func (tx *Tx) insert(ctx context.Context, def *TableDef, pk string, row []any) error {
	key, held := lockKey{def.ID, lockRow, pk}, len(tx.held)
	if err := tx.lock(ctx, key, Exclusive, Wait); err != nil {
		return err
	}
	if there := tx.current(def, pk); there.Exists() {
		tx.downgrade(key, held)
		return duplicate(def, Primary, row, there.Row())
	}
	for i := range def.Indexes {
		if err := tx.claim(ctx, def, i, pk, row); err != nil {
			return err
		}
	}
	return tx.put(ctx, def, pk, Record{}, NewRecord(row), row)
}

// claim locks the row's key in a unique index and checks that no other row has it.
func (tx *Tx) claim(ctx context.Context, def *TableDef, i int, pk string, row []any) error {
	idx := &def.Indexes[i]
	ukey, unique, err := idx.indexKey(row, pk)
	if err != nil || !unique {
		return err
	}
	key, held := lockKey{def.ID, i, ukey}, len(tx.held)
	if err := tx.lock(ctx, key, Exclusive, Wait); err != nil {
		return err
	}
	owner, there := tx.owner(def, i, ukey)
	if !there.Exists() || owner == pk {
		return nil
	}
	tx.downgrade(key, held)
	return duplicate(def, i, row, there.Row())
}

// current returns the row as the transaction would change it: its own version, else the newest committed one.
func (tx *Tx) current(def *TableDef, pk string) Record {
	if o := tx.overlayOf(def); o != nil {
		if rec, ok := o.rows.Get(pk); ok {
			return rec
		}
	}
	return tx.db.committed(def, pk)
}

// committed returns the newest committed version of a row.
func (db *DB) committed(def *TableDef, pk string) Record {
	db.mu.RLock()
	defer db.mu.RUnlock()
	t := db.root.Load().byDef(def)
	if t == nil {
		return Record{}
	}
	rec, _ := t.rows.Get(pk)
	return rec
}

// owner returns the row that has a key in a unique index, in the sense of current.
func (tx *Tx) owner(def *TableDef, i int, ukey string) (string, Record) {
	o := tx.overlayOf(def)
	if o != nil {
		if pk, ok := o.indexes[i].Get(ukey); ok {
			rec, _ := o.rows.Get(pk)
			return pk, rec
		}
	}
	tx.db.mu.RLock()
	defer tx.db.mu.RUnlock()
	t := tx.db.root.Load().byDef(def)
	if t == nil {
		return "", Record{}
	}
	pk, ok := t.indexes[i].Get(ukey)
	if !ok {
		return "", Record{}
	}
	if o != nil {
		if _, changed := o.rows.Get(pk); changed {
			return "", Record{}
		}
	}
	rec, _ := t.rows.Get(pk)
	return pk, rec
}

// Delete removes the row. It is ErrRowGone if there is none.
func (tx *Tx) Delete(ctx context.Context, def *TableDef, row []any) error {
	if _, err := tx.touch(ctx, def, Exclusive); err != nil {
		return err
	}
	pk, old, err := tx.locate(ctx, def, row)
	if err != nil {
		return err
	}
	if err := tx.lockUniqueKeys(ctx, def, pk, old.Row()); err != nil {
		return err
	}
	return tx.set(tx.makeOverlay(def), pk, Record{}, nil)
}

// lockUniqueKeys keeps others from taking the row's unique keys until the transaction ends: a rollback brings it back.
func (tx *Tx) lockUniqueKeys(ctx context.Context, def *TableDef, pk string, row []any) error {
	for i := range def.Indexes {
		ukey, unique, err := def.Indexes[i].indexKey(row, pk)
		if err != nil {
			return err
		}
		if !unique {
			continue
		}
		if err := tx.lock(ctx, lockKey{def.ID, i, ukey}, Exclusive, Wait); err != nil {
			return err
		}
	}
	return nil
}

// Update replaces a row by another one, which the store keeps. It returns ErrRowGone and *DuplicateError.
func (tx *Tx) Update(ctx context.Context, def *TableDef, old, row []any) error {
	if _, err := tx.touch(ctx, def, Exclusive); err != nil {
		return err
	}
	pk, rec, err := tx.locate(ctx, def, old)
	if err != nil {
		return err
	}
	return tx.UpdateAt(ctx, def, pk, rec, row)
}

// UpdateAt replaces the row with the given primary key, which the transaction has locked, and whose version is old.
func (tx *Tx) UpdateAt(ctx context.Context, def *TableDef, pk string, old Record, row []any) error {
	rec := NewRecord(row)
	if def.Primary != nil && !sameColumns(old, rec, def.Primary.Columns()) {
		to, err := primaryKey(def, row)
		if err != nil {
			return err
		}
		if to != pk {
			return tx.move(ctx, def, pk, old, to, row)
		}
	}
	for i := range def.Indexes {
		if !def.Indexes[i].Unique || def.Indexes[i].sameKey(old, rec) {
			continue
		}
		was, unique, err := def.Indexes[i].indexKey(old.Row(), pk)
		if err != nil {
			return err
		}
		is, _, err := def.Indexes[i].indexKey(row, pk)
		if err != nil {
			return err
		}
		if was == is {
			continue
		}
		if unique {
			if err := tx.lock(ctx, lockKey{def.ID, i, was}, Exclusive, Wait); err != nil {
				return err
			}
		}
		if err := tx.claim(ctx, def, i, pk, row); err != nil {
			return err
		}
	}
	return tx.put(ctx, def, pk, old, rec, row)
}

// move changes a row's primary key.
func (tx *Tx) move(ctx context.Context, def *TableDef, pk string, rec Record, to string, row []any) error {
	if err := tx.lockUniqueKeys(ctx, def, pk, rec.Row()); err != nil {
		return err
	}
	mark := tx.Mark()
	if err := tx.set(tx.makeOverlay(def), pk, Record{}, nil); err != nil {
		return err
	}
	if err := tx.insert(ctx, def, to, row); err != nil {
		tx.RollbackToMark(mark)
		return err
	}
	return nil
}

// locate finds and locks the row that has row's primary key or, in a table without one, row's values.
func (tx *Tx) locate(ctx context.Context, def *TableDef, row []any) (string, Record, error) {
	if def.Primary != nil {
		pk, err := primaryKey(def, row)
		if err != nil {
			return "", Record{}, err
		}
		rec, err := tx.Lock(ctx, def, pk, Exclusive, Wait)
		return pk, rec, err
	}
	return tx.locateByValue(ctx, def, row)
}

// Lock locks a row and returns its newest version, or ErrRowGone.
func (tx *Tx) Lock(ctx context.Context, def *TableDef, pk string, mode LockMode, policy WaitPolicy) (Record, error) {
	if err := tx.lock(ctx, lockKey{def.ID, lockRow, pk}, mode, policy); err != nil {
		return Record{}, err
	}
	if rec := tx.current(def, pk); rec.Exists() {
		return rec, nil
	}
	return Record{}, ErrRowGone
}

// locateByValue prefers a row the transaction has locked: the one its scan stopped at.
func (tx *Tx) locateByValue(ctx context.Context, def *TableDef, row []any) (string, Record, error) {
	prefix, _, err := def.Indexes[def.Locator].Key.AppendKey(nil, row)
	if err != nil {
		return "", Record{}, err
	}
	root := tx.db.pin()
	defer root.unpin()
	t := root.byDef(def)
	if t == nil {
		return "", Record{}, ErrTableChanged
	}
	ranges := []Range{{Low: string(prefix), High: string(append(prefix, KeyMax))}}
	var other string
	found := false
	it := newIter(t, tx.overlayOf(def), nil, def.Locator, ranges, false)
	for it.step() {
		if tx.holds(lockKey{def.ID, lockRow, it.pk}, Exclusive) {
			return it.pk, it.rec, nil
		}
		if !found && reflect.DeepEqual(it.rec.Row(), row) {
			other, found = it.pk, true
		}
	}
	if !found {
		return "", Record{}, ErrRowGone
	}
	rec, err := tx.Lock(ctx, def, other, Exclusive, Wait)
	if errors.Is(err, ErrRowGone) {
		return tx.locateByValue(ctx, def, row)
	}
	return other, rec, err
}
