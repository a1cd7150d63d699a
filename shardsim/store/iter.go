package store

import (
	"context"
	"errors"
	"slices"
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
	// RowsAlone locks rows, and lets others come between them.
	RowsAlone bool
}

// Iter returns the rows of a scan, one after the other.
//
// A scan sees the database, and the transaction's own changes, as they were when it began. With a lock, it also comes to
// rows that others have not committed. Each row is locked; where that took a wait, or the row has changed meanwhile, the
// scan goes on from there with the newest commits.
type Iter struct {
	tx   *Tx
	ctx  context.Context
	def  *TableDef
	scan Scan
	over *overlay // the transaction's own changes before the scan
	gap  *gap     // that the scan covers; nil: none, or all of it was read
	came string   // the last key whose row was locked; empty: none
	root *Root    // pinned: the one the scan sees. nil when closed
	seen int
	rangeIter
}

// Open begins a scan of the table with definition def.
func (tx *Tx) Open(ctx context.Context, def *TableDef, scan Scan) (*Iter, error) {
	if scan.Lock != NoLock {
		if _, err := tx.touch(ctx, def, scan.Lock); err != nil {
			return nil, err
		}
	}
	if scan.Ranges == nil {
		scan.Ranges = everything
	}
	covers := scan.Lock != NoLock && !scan.RowsAlone
	if covers {
		scan.Ranges = slices.Clone(scan.Ranges) // the gap stays longer than the caller's
	}
	it := &Iter{tx: tx, ctx: ctx, def: def, scan: scan, over: tx.frozen(def)}
	if covers {
		it.gap = tx.cover(def, scan.Index, scan.Ranges)
	}
	if err := it.begin(scan.Ranges); err != nil {
		return nil, err
	}
	return it, nil
}

// begin starts to read the ranges.
func (it *Iter) begin(ranges []Range) error {
	var root *Root
	var theirs *tree[string]
	if it.scan.Lock != NoLock {
		// Before the root: what is committed in between is in both, not in none.
		theirs = it.tx.uncommitted(it.def, it.scan.Index, ranges)
	}
	if it.scan.Lock != NoLock || it.scan.Current {
		root = it.tx.db.pin()
	} else {
		root = it.tx.Snapshot()
		root.pins.Add(1)
	}
	it.unpin()
	t := root.byDef(it.def)
	if t == nil {
		root.unpin()
		return ErrTableChanged
	}
	it.root = root
	it.rangeIter = newIter(t, it.over, theirs, it.scan.Index, ranges, it.scan.Reverse)
	return nil
}

// Close ends the scan. It may be called again.
func (it *Iter) Close() {
	if it.gap != nil && it.came != "" {
		it.tx.resize(it.gap, it.behind())
	}
	it.gap = nil
	it.unpin()
}

func (it *Iter) unpin() {
	if it.root != nil {
		it.root.unpin()
		it.root = nil
	}
}

// behind returns the ranges up to where the scan came.
func (it *Iter) behind() []Range {
	var been []Range
	for _, r := range it.scan.Ranges {
		if !r.contains(it.came) {
			been = append(been, r)
			continue
		}
		if it.scan.Reverse {
			r.Low = it.came
		} else {
			r.High = it.came + "\x00"
		}
		return append(been, r)
	}
	return been
}

// cancelCheck is after how many rows a scan looks whether its context has ended.
const cancelCheck = 256

// Next returns the next row, or no row at the end. Errors are those of Tx.Lock, and the context's.
func (it *Iter) Next() (Record, error) {
	if it.root == nil {
		return Record{}, nil
	}
	for it.step() {
		if it.seen++; it.seen%cancelCheck == 0 && it.ctx.Err() != nil {
			return Record{}, context.Cause(it.ctx)
		}
		if it.scan.Lock == NoLock {
			return it.rec, nil
		}
		it.came = it.key
		rec, err := it.lockRow()
		if err != nil && (it.scan.Policy != SkipLocked || !errors.Is(err, ErrLocked)) {
			return Record{}, err
		}
		if rec.Exists() {
			return rec, nil
		}
	}
	it.gap = nil
	it.Close()
	return Record{}, nil
}

// PK returns the primary key of the row Next returned.
func (it *Iter) PK() string { return it.pk }

// lockRow locks the row the scan is at and returns its newest version; none if the scan is to go on, perhaps from here again.
func (it *Iter) lockRow() (Record, error) {
	waits := it.tx.waits
	if err := it.lockKey(); err != nil {
		return Record{}, err
	}
	waited := it.tx.waits != waits
	if it.own || !waited && it.tx.db.root.Load() == it.root {
		return it.rec, nil
	}
	rec := it.tx.db.committed(it.def, it.pk)
	if !waited && rec == it.rec {
		return rec, nil
	}
	ahead := it.ahead()
	if rec.Exists() && it.scan.Index != Primary {
		key := it.def.Indexes[it.scan.Index].knownKey(rec.Row(), it.pk)
		if within(it.scan.Ranges, key) && !within(ahead, key) {
			return rec, it.begin(ahead) // it went where the scan had been already
		}
	}
	return Record{}, it.begin(ahead)
}

// lockKey locks the row the scan is at. While it waits, rows may come ahead of it.
func (it *Iter) lockKey() error {
	key, policy := lockKey{it.def.ID, lockRow, it.pk}, it.scan.Policy
	if it.gap != nil && policy == Wait {
		policy = NoWait
	}
	err := it.tx.lock(it.ctx, key, it.scan.Lock, policy)
	if policy == it.scan.Policy || !errors.Is(err, ErrLocked) {
		return err
	}
	it.tx.resize(it.gap, it.behind())
	err = it.tx.lock(it.ctx, key, it.scan.Lock, Wait)
	it.tx.resize(it.gap, it.scan.Ranges)
	return err
}

func within(ranges []Range, key string) bool {
	return slices.ContainsFunc(ranges, func(r Range) bool { return r.contains(key) })
}

// rangeIter walks the ranges over a table version with an overlay, and over what others have not committed.
type rangeIter struct {
	table   *Table
	over    *overlay
	ranges  []Range
	reverse bool
	at      int // range
	inRange bool

	base, mine, theirs cursor
	rows               treeCursor[Record] // where the last row of an index was found

	key string // of the entry
	pk  string
	rec Record // none: nobody has committed it
	own bool   // the row is the overlay's
}

var everything = []Range{{}}

// newIter returns an iterator before the first row. over and theirs, index keys with primary keys, may be nil.
func newIter(t *Table, over *overlay, theirs *tree[string], index int, ranges []Range, reverse bool) rangeIter {
	it := rangeIter{table: t, over: over, ranges: ranges, reverse: reverse}
	it.base.open(&t.rows, t.indexes, index)
	if over != nil {
		it.mine.open(&over.rows, over.indexes, index)
	}
	if theirs != nil && theirs.Len() > 0 {
		it.theirs.keyTree = theirs
	}
	return it
}

// ahead returns the ranges from the entry the iterator is at on.
func (it *rangeIter) ahead() []Range {
	ranges := slices.Clone(it.ranges[it.at:])
	if it.reverse {
		ranges[0].High = it.key + "\x00"
	} else {
		ranges[0].Low = it.key
	}
	return ranges
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
			if it.theirs.keyTree != nil {
				it.theirs.start(r, it.reverse)
			}
			it.inRange = true
		}
		if it.over == nil && it.theirs.keyTree == nil {
			if it.base.ok {
				it.take(&it.base)
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

// stepMerged takes the first of the cursors. What the overlay knows by primary key hides the table's version. An entry of
// others is passed over where there is one with its key: that one's row is locked by them too.
func (it *rangeIter) stepMerged() bool {
	for {
		c := &it.mine
		if it.before(&it.base, c) {
			c = &it.base
		}
		if it.before(&it.theirs, c) {
			c = &it.theirs
		}
		if !c.ok {
			return false
		}
		if c != &it.theirs && it.theirs.ok && it.theirs.key == c.key {
			it.theirs.advance(it.ranges[it.at], it.reverse)
		}
		if c == &it.base && it.over != nil {
			if _, hidden := it.over.rows.Get(c.pk()); hidden {
				c.advance(it.ranges[it.at], it.reverse)
				continue
			}
		}
		it.take(c)
		if it.rec.Exists() || !it.own {
			return true
		}
	}
}

// before reports whether a's entry comes before b's.
func (it *rangeIter) before(a, b *cursor) bool {
	return a.ok && (!b.ok || a.key != b.key && a.key < b.key != it.reverse)
}

func (it *rangeIter) take(c *cursor) {
	it.key, it.pk, it.own = c.key, c.pk(), c == &it.mine
	switch {
	case c == &it.theirs:
		it.rec = Record{}
	case c.keyTree == nil:
		it.rec = c.rows.value()
	case it.own:
		it.rec, _ = it.over.rows.Get(it.pk)
	default:
		it.rec, _ = it.rows.near(&it.table.rows, it.pk)
	}
	c.advance(it.ranges[it.at], it.reverse)
}
