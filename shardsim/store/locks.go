package store

import (
	"context"
	"strings"
	"sync"
	"time"
)

// LockMode is the strength of a lock.
type LockMode uint8

// Lock modes. NoLock is a read without lock. Writing and Frozen are for tables: transactions that write to one share it, and do
// not go together with those that keep it as it is.
const (
	NoLock LockMode = iota
	Shared
	Writing
	Frozen
	Exclusive
)

// conflict reports whether two transactions cannot hold a lock in these modes at once.
func conflict(a, b LockMode) bool {
	return a == Exclusive || b == Exclusive || a == Writing && b == Frozen || a == Frozen && b == Writing
}

// WaitPolicy says what to do when a lock is held by another transaction.
type WaitPolicy uint8

// Wait policies.
const (
	Wait       WaitPolicy = iota // up to the lock wait timeout
	NoWait                       // ErrLocked at once
	SkipLocked                   // ErrLocked at once, and the scan goes on with the next row
)

// What a lock is on. Positions 0.. are unique indexes.
const (
	lockGap      = -3 // key: number of the gap
	lockTableDef = -2 // key: lower-case table name
	lockRow      = -1 // key: primary key
)

type lockKey struct {
	table uint64
	index int
	key   string
}

func tableLock(name string) lockKey { return lockKey{index: lockTableDef, key: strings.ToLower(name)} }

type holder struct {
	tx   *Tx
	mode LockMode
}

// waiter is a transaction that waits for a lock. granted is closed when it has it.
type waiter struct {
	holder
	entry   *lockEntry
	granted chan struct{}
}

type lockEntry struct {
	holders []holder
	queue   []*waiter // first come, first served, but for upgrades, which come first
}

// lockTable holds all locks of a DB. One mutex guards it, tx.held and tx.waiting of all transactions.
type lockTable struct {
	mu      sync.Mutex
	entries map[lockKey]*lockEntry
	waiting map[*waiter]bool
	free    []*lockEntry
}

// heldBy returns the mode in which tx holds the entry.
func (e *lockEntry) heldBy(tx *Tx) LockMode {
	for _, h := range e.holders {
		if h.tx == tx {
			return h.mode
		}
	}
	return NoLock
}

// grantable reports whether tx can hold the entry in mode beside the other holders.
func (e *lockEntry) grantable(tx *Tx, mode LockMode) bool {
	for _, h := range e.holders {
		if h.tx != tx && h.tx != tx.opts.PassBy && conflict(mode, h.mode) {
			return false
		}
	}
	return true
}

// grant records tx as a holder and reports whether it was none before.
func (e *lockEntry) grant(tx *Tx, mode LockMode) bool {
	for i := range e.holders {
		if e.holders[i].tx == tx {
			e.holders[i].mode = max(e.holders[i].mode, mode)
			return false
		}
	}
	e.holders = append(e.holders, holder{tx, mode})
	return true
}

// lock takes a lock for tx or waits for it. It returns ErrLocked, ErrLockTimeout, ErrDeadlock, or the context's error.
func (tx *Tx) lock(ctx context.Context, key lockKey, mode LockMode, policy WaitPolicy) error {
	lt := &tx.db.locks
	lt.mu.Lock()
	e := lt.entry(key)
	held := e.heldBy(tx)
	if held >= mode {
		lt.mu.Unlock()
		return nil
	}
	// Those that wait for locks the transaction passes by would wait for it, too.
	first := held != NoLock || tx.opts.PassBy != nil && e.heldBy(tx.opts.PassBy) != NoLock
	if e.grantable(tx, mode) && (first || len(e.queue) == 0) {
		if e.grant(tx, mode) {
			if tx.held == nil {
				tx.held = make([]lockKey, 0, 4) // a small write has two
			}
			tx.held = append(tx.held, key)
		}
		lt.mu.Unlock()
		return nil
	}
	if policy != Wait {
		lt.mu.Unlock()
		return ErrLocked
	}
	w := &waiter{holder: holder{tx, mode}, entry: e, granted: make(chan struct{})}
	if first {
		e.queue = append([]*waiter{w}, e.queue...)
	} else {
		e.queue = append(e.queue, w)
	}
	lt.startWaiting(w)
	if deadlocked(tx) {
		lt.abandon(key, w)
		lt.mu.Unlock()
		return ErrDeadlock
	}
	lt.mu.Unlock()
	return tx.await(ctx, key, w)
}

func (tx *Tx) await(ctx context.Context, key lockKey, w *waiter) error {
	tx.waits++
	timeout, stop := tx.db.opts.After(tx.opts.LockWait)
	defer stop()
	var err error
	select {
	case <-w.granted:
		return nil
	case <-timeout:
		err = ErrLockTimeout
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	lt := &tx.db.locks
	lt.mu.Lock()
	defer lt.mu.Unlock()
	select {
	case <-w.granted:
		// Granted between the timeout and here: it is held, and released with the transaction.
		if ctx.Err() == nil {
			return nil
		}
		return err
	default:
	}
	lt.abandon(key, w)
	return err
}

// abandon takes a waiter out of its queue. Those behind it may have waited for it alone.
func (lt *lockTable) abandon(key lockKey, w *waiter) {
	e := w.entry
	for i, q := range e.queue {
		if q == w {
			e.queue = append(e.queue[:i], e.queue[i+1:]...)
			break
		}
	}
	lt.stopWaiting(w)
	lt.promote(key, e)
}

// promote grants the lock to those at the head of the queue that can have it, and drops an entry nobody needs.
func (lt *lockTable) promote(key lockKey, e *lockEntry) {
	for len(e.queue) > 0 {
		w := e.queue[0]
		if !e.grantable(w.tx, w.mode) {
			return
		}
		e.queue = e.queue[1:]
		if e.grant(w.tx, w.mode) {
			w.tx.held = append(w.tx.held, key)
		}
		lt.stopWaiting(w)
		close(w.granted)
	}
	if len(e.holders) == 0 {
		delete(lt.entries, key)
		lt.recycle(e)
	}
}

// deadlocked reports whether tx waits, over others, for itself. The caller holds lt.mu.
func deadlocked(tx *Tx) bool {
	seen := map[*Tx]bool{}
	var reaches func(t *Tx) bool
	reaches = func(t *Tx) bool {
		w := t.waiting
		if w == nil || seen[t] {
			return false
		}
		seen[t] = true
		return !w.eachBlocker(func(b *Tx) bool { return b != tx && !reaches(b) })
	}
	return reaches(tx)
}

// downgrade makes an exclusive lock a shared one: a duplicate key stays locked so that it stays a duplicate. A lock that was
// among the first held ones, before the key was looked at, stays as it is.
func (tx *Tx) downgrade(key lockKey, held int) {
	if len(tx.held) == held {
		return
	}
	lt := &tx.db.locks
	lt.mu.Lock()
	defer lt.mu.Unlock()
	e := lt.entries[key]
	if e == nil {
		return
	}
	for i := range e.holders {
		if e.holders[i].tx == tx {
			e.holders[i].mode = Shared
		}
	}
	lt.promote(key, e)
}

// holds reports whether tx holds the lock in mode or stronger.
func (tx *Tx) holds(key lockKey, mode LockMode) bool {
	lt := &tx.db.locks
	lt.mu.Lock()
	defer lt.mu.Unlock()
	e := lt.entries[key]
	return e != nil && e.heldBy(tx) >= mode
}

// releaseAll gives all locks of a transaction back.
func (tx *Tx) releaseAll() {
	if len(tx.held) == 0 {
		return
	}
	lt := &tx.db.locks
	lt.mu.Lock()
	defer lt.mu.Unlock()
	for _, key := range tx.held {
		lt.release(key, tx)
	}
}

// unlock gives a lock back that tx holds. It need not be the last one: a wait that ended as the lock was granted leaves it held.
func (tx *Tx) unlock(key lockKey) {
	lt := &tx.db.locks
	lt.mu.Lock()
	defer lt.mu.Unlock()
	for i := len(tx.held) - 1; i >= 0; i-- {
		if tx.held[i] == key {
			tx.held = append(tx.held[:i], tx.held[i+1:]...)
			break
		}
	}
	lt.release(key, tx)
}

// release gives one lock back.
func (lt *lockTable) release(key lockKey, tx *Tx) {
	e := lt.entries[key]
	for i := range e.holders {
		if e.holders[i].tx == tx {
			last := len(e.holders) - 1
			e.holders[i] = e.holders[last]
			e.holders[last] = holder{}
			e.holders = e.holders[:last]
			break
		}
	}
	lt.promote(key, e)
}

const freeEntriesMax = 1024

// entry returns the entry of a key, a new one if nobody has its lock.
func (lt *lockTable) entry(key lockKey) *lockEntry {
	e := lt.entries[key]
	switch n := len(lt.free); {
	case e != nil:
		return e
	case n > 0:
		e = lt.free[n-1]
		lt.free = lt.free[:n-1]
	default:
		e = &lockEntry{}
	}
	lt.entries[key] = e
	return e
}

func (lt *lockTable) recycle(e *lockEntry) {
	if len(lt.free) < freeEntriesMax {
		e.queue = nil
		lt.free = append(lt.free, e)
	}
}

// DefaultLockWait is the lock wait timeout if TxOptions has none, as innodb_lock_wait_timeout.
const DefaultLockWait = 50 * time.Second
