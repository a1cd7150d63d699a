package store

import (
	"sync"
	"sync/atomic"
)

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

// Table is a table's rows and indexes, part of a Root.
type Table struct {
	Def        *TableDef
	shared     *counters
	generation uint64 // of the root it was made for
	rows       tree[Record]
	indexes    []tree[string] // index key -> primary key; see indexKey
}

// counters are a table's sequences. They are outside of transactions: what was taken is not given back.
type counters struct {
	auto  atomic.Uint64 // the last AUTO_INCREMENT value given out
	rowID atomic.Uint64
	rows  atomic.Int64 // as of the last commit
}

func newTable(def *TableDef, shared *counters, generation uint64) *Table {
	return &Table{Def: def, shared: shared, generation: generation, indexes: make([]tree[string], len(def.Indexes))}
}

// RowCount returns the number of rows as of the last commit.
func (t *Table) RowCount() int { return int(t.shared.rows.Load()) }

// fork returns a copy that may be changed. The receiver must not be, afterwards.
func (t *Table) fork(generation uint64) *Table {
	c := newTable(t.Def, t.shared, generation)
	c.rows = t.rows.fork()
	for i := range t.indexes {
		c.indexes[i] = t.indexes[i].fork()
	}
	return c
}

// keyRooms are where keys and weights are made: as far as the compiler knows, what an interface is given outlives the call.
var keyRooms = sync.Pool{New: func() any { return new([]byte) }}

// primaryKey returns the primary key of a row.
func primaryKey(def *TableDef, row []any) (string, error) {
	room := keyRooms.Get().(*[]byte)
	defer keyRooms.Put(room)
	k, _, err := def.Primary.AppendKey((*room)[:0], row)
	if err != nil {
		return "", err
	}
	*room = k
	return string(k), nil
}

// sameKey reports whether two rows have the same key. It may say that they have not where telling is dear.
func (d *IndexDef) sameKey(a, b Record) bool { return sameColumns(a, b, d.Key.Columns()) }

// indexKey returns the key of a row in an index: the columns' key for a unique index without NULLs, else followed by the
// primary key, so that equal keys can stand side by side.
func (d *IndexDef) indexKey(row []any, pk string) (key string, unique bool, err error) {
	room := keyRooms.Get().(*[]byte)
	defer keyRooms.Put(room)
	k, null, err := d.Key.AppendKey((*room)[:0], row)
	if err != nil {
		return "", false, err
	}
	if unique = d.Unique && !null; !unique {
		k = append(k, pk...)
	}
	*room = k
	return string(k), unique, nil
}
