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
	// writer is held while the newest root is changed, or a new one made from it.
	writer sync.Mutex
	// mu is held while the newest root is changed in place, and shared while one that is not pinned is read.
	mu      sync.RWMutex
	locks   lockTable
	gaps    gaps
	writers writers
	lastTx  atomic.Uint64
	lastID  atomic.Uint64 // table definitions
}

// Root is a version of the whole database. Its schema never changes; its rows do not while it is pinned: a pinned root is
// a snapshot. A commit changes the newest root in place if nobody has pinned it, and else makes a new one that shares the
// nodes of trees it does not change.
type Root struct {
	pins       atomic.Int32
	generation uint64 // tables of this generation are in no other root that was ever pinned

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

// Root returns the newest version, to read its schema.
func (db *DB) Root() *Root { return db.root.Load() }

// pin returns the newest version as a snapshot, until unpin.
func (db *DB) pin() *Root {
	db.mu.RLock()
	defer db.mu.RUnlock()
	r := db.root.Load()
	r.pins.Add(1)
	return r
}

// unpin gives a pin back. One that is forgotten costs the next commit a copy.
func (r *Root) unpin() { r.pins.Add(-1) }

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

// clone returns a root of a generation with the same tables.
func (r *Root) clone(generation uint64) *Root {
	return &Root{
		generation: generation, SchemaVersion: r.SchemaVersion, names: r.names, Meta: r.Meta,
		tables: append([]*Table(nil), r.tables...),
	}
}

// slot returns the position of the table with that definition.
func (r *Root) slot(def *TableDef) (int, error) {
	slot, ok := r.names[strings.ToLower(def.Name)]
	if !ok || r.tables[slot].Def != def {
		return 0, ErrTableChanged
	}
	return slot, nil
}

// Series is which AUTO_INCREMENT values are taken: Offset, Offset + Step, ... An Offset beyond Step does not count.
type Series struct{ Step, Offset uint64 }

// from is the first value of the series that is not below v.
func (s Series) from(v uint64) uint64 {
	if s.Step <= 1 {
		return v
	}
	offset := s.Offset
	if offset > s.Step {
		offset = 0
	}
	if v <= offset {
		return offset
	}
	return v + (s.Step-(v-offset)%s.Step)%s.Step
}

// NextAuto takes the next AUTO_INCREMENT value of a table, and with it those up to the one after it in the series.
func (t *Table) NextAuto(s Series) uint64 {
	for {
		old := t.shared.auto.Load()
		v := s.from(old + 1)
		if t.shared.auto.CompareAndSwap(old, v+max(s.Step, 1)-1) {
			return v
		}
	}
}

// PeekAuto returns the value NextAuto would take of every value.
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
