package store

import (
	"context"
	"errors"
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
	tx   *Tx
	ctx  context.Context
	def  *TableDef
	scan Scan
	root *Root // pinned: the one the scan was begun on; newer ones have newer rows. nil when closed
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
		root = tx.db.pin()
	} else {
		root = tx.Snapshot()
		root.pins.Add(1)
	}
	t := root.byDef(def)
	if t == nil {
		root.unpin()
		return nil, ErrTableChanged
	}
	it := &Iter{tx: tx, ctx: ctx, def: def, scan: scan, root: root}
	it.rangeIter = newIter(t, tx.overlayOf(def).frozen(), scan.Index, scan.Ranges, scan.Reverse)
	return it, nil
}

// Close ends the scan. It may be called again.
func (it *Iter) Close() {
	if it.root != nil {
		it.root.unpin()
		it.root = nil
	}
}

// cancelCheck is after how many rows a scan looks whether its context has ended.
const cancelCheck = 256

// Next returns the next row, or nil at the end. Errors are those of Tx.Lock, and the context's.
func (it *Iter) Next() ([]any, error) {
	if it.root == nil {
		return nil, nil
	}
	for it.step() {
		if it.seen++; it.seen%cancelCheck == 0 && it.ctx.Err() != nil {
			return nil, context.Cause(it.ctx)
		}
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
	it.Close()
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
	if it.tx.db.root.Load() == it.root {
		return it.rec, nil
	}
	rec := it.tx.db.committed(it.def, it.pk)
	if rec == nil {
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
	seen    int

	base, mine cursor
	rows       treeCursor[*Record] // where the last row of an index was found

	pk  string
	rec *Record
	own bool // the row is the overlay's
}

var everything = []Range{{}}

func newIter(t *Table, over *overlay, index int, ranges []Range, reverse bool) rangeIter {
	if ranges == nil {
		ranges = everything
	}
	it := rangeIter{table: t, over: over, index: index, ranges: ranges, reverse: reverse}
	it.base.open(&t.rows, t.indexes, index)
	if over != nil {
		it.mine.open(&over.rows, over.indexes, index)
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
	case c.keyTree == nil:
		it.rec = c.rows.value()
	case own:
		it.rec, _ = it.over.rows.Get(it.pk)
	default:
		it.rec, _ = it.rows.near(&it.table.rows, it.pk)
	}
	c.advance(it.ranges[it.at], it.reverse)
}

// cursor walks the rows or an index.
type cursor struct {
	rowTree *tree[*Record]
	keyTree *tree[string] // nil: the rows
	rows    treeCursor[*Record]
	keys    treeCursor[string]
	key     string
	ok      bool
}

func (c *cursor) open(rows *tree[*Record], indexes []tree[string], index int) {
	c.rowTree = rows
	if index != Primary {
		c.keyTree = &indexes[index]
	}
}

func (c *cursor) pk() string {
	if c.keyTree == nil {
		return c.key
	}
	return c.keys.value()
}

// start moves to the first key of the range, or its last one if reverse.
func (c *cursor) start(r Range, reverse bool) {
	switch {
	case c.keyTree == nil && reverse:
		c.ok = c.rows.seekBelow(c.rowTree, r.High)
	case c.keyTree == nil:
		c.ok = c.rows.seek(c.rowTree, r.Low)
	case reverse:
		c.ok = c.keys.seekBelow(c.keyTree, r.High)
	default:
		c.ok = c.keys.seek(c.keyTree, r.Low)
	}
	c.check(r)
}

func (c *cursor) advance(r Range, reverse bool) {
	switch {
	case c.keyTree == nil && reverse:
		c.ok = c.rows.prev()
	case c.keyTree == nil:
		c.ok = c.rows.next()
	case reverse:
		c.ok = c.keys.prev()
	default:
		c.ok = c.keys.next()
	}
	c.check(r)
}

func (c *cursor) check(r Range) {
	if !c.ok {
		return
	}
	if c.keyTree == nil {
		c.key = c.rows.key()
	} else {
		c.key = c.keys.key()
	}
	c.ok = r.contains(c.key)
}
