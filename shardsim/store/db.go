package store

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options configure a DB. The zero value works.
type Options struct {
	// After starts a timer: it returns a channel that is ready after d, and a function that stops the timer.
	// The default is the time package's.
	After func(d time.Duration) (<-chan time.Time, func())
}

// DB is one shard's storage. It is safe for concurrent use.
type DB struct {
	opts Options
	root atomic.Pointer[Root]
	// mu is held while a new root is made from the newest one and published.
	mu     sync.Mutex
	locks  lockTable
	lastTx atomic.Uint64
	lastID atomic.Uint64 // table definitions
}

// Root is an immutable version of the whole database: holding one is holding a snapshot.
type Root struct {
	Version       uint64         // grows with each commit
	SchemaVersion uint64         // grows with each DDL
	names         map[string]int // lower-case table name -> position in tables; shared between versions of one schema
	tables        []*Table       // nil where a table was dropped
	Meta          any            // the SQL layer's own data, views for example
}

// New returns an empty database.
func New(opts Options) *DB {
	if opts.After == nil {
		opts.After = timerAfter
	}
	db := &DB{opts: opts}
	db.locks.entries = make(map[lockKey]*lockEntry)
	db.root.Store(&Root{SchemaVersion: 1, names: map[string]int{}})
	return db
}

func timerAfter(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// Root returns the newest committed version.
func (db *DB) Root() *Root { return db.root.Load() }

// Table returns the table of that name, in any case, or nil.
func (r *Root) Table(name string) *Table {
	if i, ok := r.names[name]; ok {
		return r.tables[i]
	}
	if i, ok := r.names[strings.ToLower(name)]; ok {
		return r.tables[i]
	}
	return nil
}

// Tables returns all tables, in the order of their creation.
func (r *Root) Tables() []*Table {
	all := make([]*Table, 0, len(r.tables))
	for _, t := range r.tables {
		if t != nil {
			all = append(all, t)
		}
	}
	return all
}

// byDef returns the table with that definition: nil if it was dropped or altered.
func (r *Root) byDef(def *TableDef) *Table {
	t := r.Table(def.Name)
	if t == nil || t.Def != def {
		return nil
	}
	return t
}

// clone returns a copy with its own table list.
func (r *Root) clone() *Root {
	c := *r
	c.Version++
	c.tables = append([]*Table(nil), r.tables...)
	return &c
}

// NextAuto takes the next AUTO_INCREMENT value of a table.
func (t *Table) NextAuto() uint64 { return t.shared.auto.Add(1) }

// PeekAuto returns the value NextAuto would take.
func (t *Table) PeekAuto() uint64 { return t.shared.auto.Load() + 1 }

// BumpAuto makes NextAuto return more than v.
func (t *Table) BumpAuto(v uint64) {
	for {
		old := t.shared.auto.Load()
		if v <= old || t.shared.auto.CompareAndSwap(old, v) {
			return
		}
	}
}

// SetAuto makes NextAuto return next, whatever it was before.
func (t *Table) SetAuto(next uint64) {
	if next > 0 {
		t.shared.auto.Store(next - 1)
	}
}
