package store

import (
	"sync/atomic"

	"github.com/tidwall/btree"
)

// treeDegree is the B-trees' branching: low enough that a commit copies little, high enough that lookups stay flat.
const treeDegree = 12

// Record is one version of a row. It is immutable; a pointer to it is what the trees hold, as they deep-copy values that
// have a Copy method.
type Record struct {
	Row []any
}

// TableDef is the store's view of a table's definition. It is immutable: DDL makes a new one.
type TableDef struct {
	ID      uint64 // set by the DB, differs for each definition a table ever had
	Name    string
	Primary Keyer // nil: rows are keyed by a hidden row id, and Locator finds them
	Indexes []IndexDef
	Locator int // index over all columns that finds the rows of a table without primary key
	Meta    any // the SQL layer's own description
}

// IndexDef is a secondary index.
type IndexDef struct {
	Name   string
	Unique bool
	Key    Keyer
}

// Table is one immutable version of a table's rows and indexes, part of a Root.
type Table struct {
	Def     *TableDef
	shared  *counters
	rows    *btree.Map[string, *Record]
	indexes []*btree.Map[string, string] // index key -> primary key; see indexKey
}

// counters are a table's sequences. They are outside of transactions: what was taken is not given back.
type counters struct {
	auto  atomic.Uint64 // the last AUTO_INCREMENT value given out
	rowID atomic.Uint64
}

func newTable(def *TableDef, shared *counters) *Table {
	t := &Table{Def: def, shared: shared, rows: btree.NewMap[string, *Record](treeDegree)}
	t.indexes = make([]*btree.Map[string, string], len(def.Indexes))
	for i := range t.indexes {
		t.indexes[i] = btree.NewMap[string, string](treeDegree)
	}
	return t
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.rows.Len() }

// Get returns the row with the given primary key.
func (t *Table) Get(pk string) (*Record, bool) { return t.rows.Get(pk) }

// copyTable returns a copy that may be changed. The trees' Copy writes to their source: only under DB.mu.
func (t *Table) copyTable() *Table {
	c := &Table{Def: t.Def, shared: t.shared, rows: t.rows.Copy(), indexes: make([]*btree.Map[string, string], len(t.indexes))}
	for i, idx := range t.indexes {
		c.indexes[i] = idx.Copy()
	}
	return c
}

// indexKey returns the key of a row in an index: the columns' key for a unique index without NULLs, else followed by the
// primary key, so that equal keys can stand side by side.
func (d *IndexDef) indexKey(row []any, pk string) (key string, unique bool, err error) {
	var buf [160]byte
	k, null, err := d.Key.AppendKey(buf[:0], row)
	if err != nil {
		return "", false, err
	}
	if d.Unique && !null {
		return string(k), true, nil
	}
	return string(append(k, pk...)), false, nil
}

// put adds a row that is not there.
func (t *Table) put(pk string, rec *Record) error {
	for i := range t.Def.Indexes {
		key, _, err := t.Def.Indexes[i].indexKey(rec.Row, pk)
		if err != nil {
			return err
		}
		t.indexes[i].Set(key, pk)
	}
	t.rows.Set(pk, rec)
	return nil
}

// dropEntries removes a row's index entries.
func (t *Table) dropEntries(pk string, rec *Record) error {
	for i := range t.Def.Indexes {
		key, _, err := t.Def.Indexes[i].indexKey(rec.Row, pk)
		if err != nil {
			return err
		}
		if owner, ok := t.indexes[i].Get(key); ok && owner == pk {
			t.indexes[i].Delete(key)
		}
	}
	return nil
}
