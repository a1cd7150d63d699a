package store

import "fmt"

// Check verifies that every index of the newest root has exactly the entries its table asks for, in order.
func (db *DB) Check() error {
	root := db.pin()
	defer root.unpin()
	for _, t := range root.Tables() {
		if err := t.check(); err != nil {
			return fmt.Errorf("table %s: %w", t.Def.Name, err)
		}
	}
	return nil
}

func (t *Table) check() error {
	for i := range t.indexes {
		idx := &t.indexes[i]
		if idx.Len() != t.rows.Len() {
			return fmt.Errorf("index %s has %d entries for %d rows", t.Def.Indexes[i].Name, idx.Len(), t.rows.Len())
		}
	}
	for i := range t.indexes {
		if err := t.indexes[i].check(); err != nil {
			return fmt.Errorf("index %s: %w", t.Def.Indexes[i].Name, err)
		}
	}
	if err := t.rows.check(); err != nil {
		return err
	}
	var failed error
	t.rows.Scan(func(pk string, rec Record) bool {
		failed = t.checkRow(pk, rec)
		return failed == nil
	})
	return failed
}

func (t *Table) checkRow(pk string, rec Record) error {
	row := rec.Row()
	if row == nil {
		return fmt.Errorf("key %x has no row", pk)
	}
	if t.Def.Primary != nil {
		key, err := primaryKey(t.Def, row)
		if err != nil {
			return err
		}
		if key != pk {
			return fmt.Errorf("row %v is filed under %x, not under %x", row, pk, key)
		}
	}
	for i := range t.Def.Indexes {
		key, _, err := t.Def.Indexes[i].indexKey(row, pk)
		if err != nil {
			return err
		}
		if owner, ok := t.indexes[i].Get(key); !ok || owner != pk {
			return fmt.Errorf("index %s: row %v has no entry", t.Def.Indexes[i].Name, row)
		}
	}
	return nil
}

// check verifies that a tree's keys ascend, that each is found by a search, and that they are as many as it says.
func (t *tree[V]) check() error {
	n, last := 0, ""
	var failed error
	t.Scan(func(key string, _ V) bool {
		if _, found := t.Get(key); !found || n > 0 && key <= last {
			failed = fmt.Errorf("key %x is not in its place, behind %x", key, last)
		}
		n, last = n+1, key
		return failed == nil
	})
	if failed == nil && n != t.Len() {
		failed = fmt.Errorf("%d entries, not %d", n, t.Len())
	}
	return failed
}
