package store

// LockWaits returns who waits for whom, as pairs of the owners of a waiting transaction and of one that it waits for: one
// that holds the lock, or is before it in the queue. A transaction without owner stands for those it waits for itself.
// What spans databases finds its deadlocks so; those within one database end by themselves.
func (db *DB) LockWaits() [][2]uint64 {
	lt := &db.locks
	lt.mu.Lock()
	defer lt.mu.Unlock()
	pairs := [][2]uint64{}
	for w := range lt.waiting {
		if w.tx.opts.Owner == 0 {
			continue
		}
		seen := map[*Tx]bool{w.tx: true}
		var visit func(b *Tx) bool
		visit = func(b *Tx) bool {
			switch {
			case seen[b]:
			case b.opts.Owner != 0:
				pairs = append(pairs, [2]uint64{w.tx.opts.Owner, b.opts.Owner})
			case b.waiting != nil:
				b.waiting.eachBlocker(visit)
			}
			seen[b] = true
			return true
		}
		w.eachBlocker(visit)
	}
	return pairs
}

// eachBlocker calls f with the transactions a waiter waits for, until f returns false. It reports whether f never did.
// The caller holds the lock table's mutex.
func (w *waiter) eachBlocker(f func(*Tx) bool) bool {
	for _, h := range w.entry.holders {
		if h.tx != w.tx && h.tx != w.tx.opts.PassBy && conflict(h.mode, w.mode) && !f(h.tx) {
			return false
		}
	}
	for _, q := range w.entry.queue {
		if q == w {
			break
		}
		if q.tx != w.tx && conflict(q.mode, w.mode) && !f(q.tx) {
			return false
		}
	}
	return true
}

func (lt *lockTable) startWaiting(w *waiter) {
	w.tx.waiting = w
	if lt.waiting == nil {
		lt.waiting = make(map[*waiter]bool)
	}
	lt.waiting[w] = true
}

func (lt *lockTable) stopWaiting(w *waiter) {
	w.tx.waiting = nil
	delete(lt.waiting, w)
}
