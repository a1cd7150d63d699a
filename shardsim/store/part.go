package store

import (
	"slices"
	"strings"
)

// Part is a share of a transaction that is committed before the rest. Entry tables hold entries that point at rows of other
// tables, perhaps of other databases: an entry must be there as long as its row is.
type Part int

// The parts, in the order they are committed. What is left after them, entries that were removed, is Commit's.
const (
	EntriesMade Part = iota // rows that entry tables have now
	RowsChanged             // all changes of the other tables
)

// CommitPart publishes a part of the transaction's changes. The transaction goes on and keeps its locks, but only further
// parts, Commit and Rollback may follow. On error nothing of the part was changed, and the transaction is rolled back.
func (tx *Tx) CommitPart(part Part, entryTables []string) error {
	var now, later []*overlay
	for _, o := range tx.overlays {
		switch entries := holdsEntries(o.def, entryTables); {
		case entries && part == EntriesMade:
			made, removed := tx.splitEntries(o)
			now, later = append(now, made), append(later, removed)
		case !entries && part == RowsChanged:
			now = append(now, o)
		default:
			later = append(later, o)
		}
	}
	if err := tx.db.publish(now); err != nil {
		tx.end()
		return err
	}
	tx.mu.Lock()
	defer tx.mu.Unlock()
	tx.overlays = later
	return nil
}

func holdsEntries(def *TableDef, entryTables []string) bool {
	return slices.ContainsFunc(entryTables, func(name string) bool { return strings.EqualFold(name, def.Name) })
}

// splitEntries parts the rows there are from those removed. A removed row goes with the others where one of them has taken
// its unique key: the key must never lead to both.
func (tx *Tx) splitEntries(o *overlay) (made, removed *overlay) {
	root := tx.db.pin()
	defer root.unpin()
	t := root.byDef(o.def)
	made = &overlay{def: o.def, indexes: o.indexes}
	removed = &overlay{def: o.def}
	o.rows.Scan(func(pk string, rec Record) bool {
		if rec.Exists() || t != nil && o.hasKeysOf(t, pk) {
			made.rows.Set(pk, rec)
		} else {
			removed.rows.Set(pk, Record{})
		}
		return true
	})
	return made, removed
}

// hasKeysOf reports whether a row of the overlay has a unique key of the table's row.
func (o *overlay) hasKeysOf(t *Table, pk string) bool {
	old, ok := t.rows.Get(pk)
	if !ok {
		return false
	}
	row := old.Row()
	for i := range o.def.Indexes {
		key, unique, err := o.def.Indexes[i].indexKey(row, pk)
		if err != nil || !unique {
			continue // the key was computed before without error
		}
		if _, taken := o.indexes[i].Get(key); taken {
			return true
		}
	}
	return false
}
