package store

import (
	"context"
	"encoding/binary"
	"sync"
)

// gaps are the ranges of indexes that locking reads have been to. A row that would come into one waits until the
// transaction that reads there has ended, so that the read finds the same rows again. Gap locks do not exclude each other.
//
//	scan    cover its ranges  ->  read and lock rows  ->  where it stops or waits: what it has read alone
//	write   no gap of others over the row's new keys?  ->  the row goes into the overlay
//	        else wait at the gate of that gap, and look again
//
// A row goes into its overlay under mu, and a scan covers its ranges before it looks into the overlays of others: either the
// write meets the gap, or the scan meets the row.
type gaps struct {
	mu    sync.RWMutex // held shared while a row goes into an overlay
	of    map[gapKey][]*gap
	gates uint64
}

// gapKey is an index of a table, or its primary key.
type gapKey struct {
	table uint64 // TableDef.ID
	index int    // position in TableDef.Indexes, or Primary
}

// gap is the ranges of one scan.
type gap struct {
	tx     *Tx
	key    gapKey
	ranges []Range
	gate   lockKey // what waits for the gap waits for this lock
	shut   bool    // the gate's lock is held; guarded by the lock table's mutex
}

// cover makes the ranges of a locking scan a gap. Under READ COMMITTED there are none, and nil is returned.
func (tx *Tx) cover(def *TableDef, index int, ranges []Range) *gap {
	if tx.opts.FreshReads {
		return nil
	}
	all := &tx.db.gaps
	all.mu.Lock()
	defer all.mu.Unlock()
	all.gates++
	g := &gap{tx: tx, key: gapKey{def.ID, index}, ranges: ranges}
	g.gate = lockKey{def.ID, lockGap, string(binary.BigEndian.AppendUint64(nil, all.gates))}
	all.add(g)
	tx.gaps = append(tx.gaps, g)
	return g
}

func (all *gaps) add(g *gap) {
	if all.of == nil {
		all.of = make(map[gapKey][]*gap)
	}
	all.of[g.key] = append(all.of[g.key], g)
}

func (all *gaps) remove(g *gap) {
	left := all.of[g.key]
	for i := range left {
		if left[i] == g {
			last := len(left) - 1
			left[i] = left[last]
			left[last] = nil
			left = left[:last]
			break
		}
	}
	if len(left) == 0 {
		delete(all.of, g.key)
		return
	}
	all.of[g.key] = left
}

// resize gives a gap other ranges, and lets those who wait for it look again.
func (tx *Tx) resize(g *gap, ranges []Range) {
	all := &tx.db.gaps
	all.mu.Lock()
	g.ranges = ranges
	all.mu.Unlock()
	tx.open(g)
}

// uncover gives all gaps of the transaction back.
func (tx *Tx) uncover() {
	if len(tx.gaps) == 0 {
		return
	}
	all := &tx.db.gaps
	all.mu.Lock()
	for _, g := range tx.gaps {
		all.remove(g)
	}
	all.mu.Unlock()
	for _, g := range tx.gaps {
		tx.open(g)
	}
	tx.gaps = nil
}

// put makes row, which rec is packed, the transaction's version of a row that was old before, none if it is new. It waits for
// those whose gaps it comes into. Errors are those of Lock.
func (tx *Tx) put(ctx context.Context, def *TableDef, pk string, old, rec Record, row []any) error {
	all := &tx.db.gaps
	for {
		all.mu.RLock()
		g, err := all.over(tx, def, pk, old, rec, row)
		if g == nil {
			if err == nil {
				err = tx.set(tx.makeOverlay(def), pk, rec, row)
			}
			all.mu.RUnlock()
			return err
		}
		tx.shut(g)
		all.mu.RUnlock()
		if err := tx.lock(ctx, g.gate, Shared, Wait); err != nil {
			return err
		}
		tx.unlock(g.gate)
	}
}

// over returns a gap of another transaction over a key that the row has and old had not.
func (all *gaps) over(tx *Tx, def *TableDef, pk string, old, rec Record, row []any) (*gap, error) {
	if len(all.of) == 0 {
		return nil, nil
	}
	if !old.Exists() {
		if g := all.at(tx, gapKey{def.ID, Primary}, pk); g != nil {
			return g, nil
		}
	}
	for i := range def.Indexes {
		key := gapKey{def.ID, i}
		if len(all.of[key]) == 0 || def.Indexes[i].sameKey(old, rec) {
			continue
		}
		k, _, err := def.Indexes[i].indexKey(row, pk)
		if err != nil {
			return nil, err
		}
		if old.Exists() && def.Indexes[i].knownKey(old.Row(), pk) == k {
			continue
		}
		if g := all.at(tx, key, k); g != nil {
			return g, nil
		}
	}
	return nil, nil
}

// at returns a gap of another transaction that a key lies in.
func (all *gaps) at(tx *Tx, index gapKey, key string) *gap {
	for _, g := range all.of[index] {
		if g.tx != tx && within(g.ranges, key) {
			return g
		}
	}
	return nil
}

// shut gives the lock of a gap's gate to the gap's transaction, which has not ended: the caller holds gaps.mu.
func (tx *Tx) shut(g *gap) {
	lt := &tx.db.locks
	lt.mu.Lock()
	defer lt.mu.Unlock()
	if g.shut {
		return
	}
	g.shut = true
	lt.entry(g.gate).grant(g.tx, Exclusive)
}

// open gives the lock of a gap's gate back.
func (tx *Tx) open(g *gap) {
	lt := &tx.db.locks
	lt.mu.Lock()
	defer lt.mu.Unlock()
	if g.shut {
		g.shut = false
		lt.release(g.gate, tx)
	}
}
