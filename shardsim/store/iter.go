package store

import (
	"context"
	"errors"

	"github.com/tidwall/btree"
)

// Range is a range of keys: Low <= key < High. An empty High has no upper bound.
type Range struct {
	Low, High string
}

func (r Range) contains(key string) bool {
	return key >= r.Low && (r.High == "" || key < r.High)
}

// Primary is the position of the primary key, where an index's position in TableDef.Indexes is wanted.
const Primary = -1

// Scan says what to read of a table.
type Scan struct {
	Index   int     // position in TableDef.Indexes, or Primary
	Ranges  []Range // read in this order; nil is everything
	Reverse bool    // each range downwards
	Lock    LockMode
	Policy  WaitPolicy
	Current bool // without lock, but of the newest commits
}

// Iter returns the rows of a scan, one after the other. Rows are shared: they must not be changed.
//
// A scan sees the database, and the transaction's own changes, as they were when it began. With a lock, each row is
// locked and then given in its newest version, if that is still in the ranges.
type Iter struct {
	tx     *Tx
	ctx    context.Context
	def    *TableDef
	scan   Scan
	lockAt *Root // root the scan was begun on; newer ones have newer rows
	rangeIter
}

// Open begins a scan of the table with definition def.
func (tx *Tx) Open(ctx context.Context, def *TableDef, scan Scan) (*Iter, error) {
	var root *Root
	if scan.Lock != NoLock {
		if _, err := tx.touch(ctx, def); err != nil {
			return nil, err
		}
	}
	if scan.Lock != NoLock || scan.Current {
		root = tx.db.root.Load()
	} else {
		root = tx.Snapshot()
	}
	t := root.byDef(def)
	if t == nil {
		return nil, ErrTableChanged
	}
	it := &Iter{tx: tx, ctx: ctx, def: def, scan: scan, lockAt: root}
	it.rangeIter = newIter(tx, t, tx.overlayOf(def).frozen(), scan.Index, scan.Ranges, scan.Reverse)
	return it, nil
}

// Next returns the next row, or nil at the end. Errors are those of Tx.Lock.
func (it *Iter) Next() ([]any, error) {
	for n := 0; it.step(); n++ {
		if it.scan.Lock == NoLock {
			return it.rec.Row, nil
		}
		rec, err := it.lockRow()
		if err != nil {
			if errors.Is(err, ErrRowGone) || it.scan.Policy == SkipLocked && errors.Is(err, ErrLocked) {
				continue
			}
			return nil, err
		}
		if rec != nil {
			return rec.Row, nil
		}
	}
	return nil, nil
}

// PK returns the primary key of the row Next returned.
func (it *Iter) PK() string { return it.pk }

// lockRow locks the row the scan is at and returns its newest version, nil if that left the ranges.
func (it *Iter) lockRow() (*Record, error) {
	if err := it.tx.lock(it.ctx, lockKey{it.def.ID, lockRow, it.pk}, it.scan.Lock, it.scan.Policy); err != nil {
		return nil, err
	}
	if it.own {
		return it.rec, nil
	}
	root := it.tx.db.root.Load()
	if root == it.lockAt {
		return it.rec, nil
	}
	t := root.byDef(it.def)
	if t == nil {
		return nil, ErrTableChanged
	}
	rec, ok := t.rows.Get(it.pk)
	if !ok {
		return nil, ErrRowGone
	}
	if rec == it.rec || it.scan.Index == Primary {
		return rec, nil
	}
	key, _, err := it.def.Indexes[it.scan.Index].indexKey(rec.Row, it.pk)
	if err != nil {
		return nil, err
	}
	if it.scan.Ranges == nil {
		return rec, nil
	}
	for _, r := range it.scan.Ranges {
		if r.contains(key) {
			return rec, nil
		}
	}
	return nil, nil
}

// rangeIter walks the ranges over a table version with an overlay.
type rangeIter struct {
	table   *Table
	over    *overlay
	index   int
	ranges  []Range
	reverse bool
	at      int // range
	inRange bool

	base, mine cursor

	pk  string
	rec *Record
	own bool // the row is the overlay's
}

var everything = []Range{{}}

func newIter(tx *Tx, t *Table, over *overlay, index int, ranges []Range, reverse bool) rangeIter {
	if ranges == nil {
		ranges = everything
	}
	it := rangeIter{table: t, over: over, index: index, ranges: ranges, reverse: reverse}
	if index == Primary {
		it.base.rows = t.rows.Iter()
		it.base.primary = true
	} else {
		it.base.keys = t.indexes[index].Iter()
	}
	if over != nil {
		if index == Primary {
			it.mine.rows = over.rows.Iter()
			it.mine.primary = true
		} else {
			it.mine.keys = over.indexes[index].Iter()
		}
	}
	return it
}

// step moves to the next row and reports whether there is one.
func (it *rangeIter) step() bool {
	for it.at < len(it.ranges) {
		if !it.inRange {
			r := it.ranges[it.at]
			it.base.start(r, it.reverse)
			if it.over != nil {
				it.mine.start(r, it.reverse)
			}
			it.inRange = true
		}
		if it.over == nil {
			if it.base.ok {
				it.take(&it.base, false)
				return true
			}
		} else if it.stepMerged() {
			return true
		}
		it.at++
		it.inRange = false
	}
	return false
}

// stepMerged takes the lower of both cursors. What the overlay knows by primary key hides the table's version.
func (it *rangeIter) stepMerged() bool {
	for it.base.ok || it.mine.ok {
		mine := !it.base.ok || it.mine.ok && (it.mine.key == it.base.key || it.mine.key < it.base.key != it.reverse)
		if !mine {
			if _, hidden := it.over.rows.Get(it.base.pk()); hidden {
				it.base.advance(it.ranges[it.at], it.reverse)
				continue
			}
			it.take(&it.base, false)
			return true
		}
		it.take(&it.mine, true)
		if it.rec != nil {
			return true
		}
	}
	return false
}

func (it *rangeIter) take(c *cursor, own bool) {
	it.pk, it.own = c.pk(), own
	switch {
	case c.primary:
		it.rec = c.rows.Value()
	case own:
		it.rec, _ = it.over.rows.Get(it.pk)
	default:
		it.rec, _ = it.table.rows.Get(it.pk)
	}
	c.advance(it.ranges[it.at], it.reverse)
}

// cursor walks one tree.
type cursor struct {
	primary bool
	rows    btree.MapIter[string, *Record]
	keys    btree.MapIter[string, string]
	key     string
	ok      bool
}

func (c *cursor) pk() string {
	if c.primary {
		return c.key
	}
	return c.keys.Value()
}

// start moves to the first key of the range, or its last one if reverse.
func (c *cursor) start(r Range, reverse bool) {
	if c.primary {
		c.ok = startIter(&c.rows, r, reverse)
	} else {
		c.ok = startIter(&c.keys, r, reverse)
	}
	c.check(r)
}

func startIter[V any](it *btree.MapIter[string, V], r Range, reverse bool) bool {
	if !reverse {
		if r.Low == "" {
			return it.First()
		}
		return it.Seek(r.Low)
	}
	if r.High != "" && it.Seek(r.High) {
		return it.Prev()
	}
	return it.Last()
}

func (c *cursor) advance(r Range, reverse bool) {
	switch {
	case c.primary && reverse:
		c.ok = c.rows.Prev()
	case c.primary:
		c.ok = c.rows.Next()
	case reverse:
		c.ok = c.keys.Prev()
	default:
		c.ok = c.keys.Next()
	}
	c.check(r)
}

func (c *cursor) check(r Range) {
	if !c.ok {
		return
	}
	if c.primary {
		c.key = c.rows.Key()
	} else {
		c.key = c.keys.Key()
	}
	c.ok = r.contains(c.key)
}
