package gateway

import (
	"context"
	"errors"
	"slices"
	"time"

	"vitess.io/vitess/go/mysql/sqlerror"
)

// A shard finds the deadlocks within itself. This file finds those that span shards:
//
//	shard -80:  transaction 7 waits for 9        7 ──▶ 9
//	shard 80-:  transaction 9 waits for 7          ◀──
//
// A statement that has waited for a while asks all tablets who waits for whom, and if its transaction waits, over others,
// for itself, the youngest of the circle gives up with MySQL's error 1213.

// ownedConn is a connection that can tell the shard which transaction of the gateway it works for.
type ownedConn interface {
	SetOwner(owner uint64)
}

// lockWaiter is a tablet that can tell which owners wait for which: pairs of waiter and holder.
type lockWaiter interface {
	LockWaits() [][2]uint64
}

const (
	deadlockCheckFirst = 20 * time.Millisecond
	deadlockCheckMax   = 500 * time.Millisecond
)

// errDeadlock is MySQL's error; the whole transaction is rolled back.
func errDeadlock() error {
	return sqlerror.NewSQLError(sqlerror.ERLockDeadlock, sqlerror.SSLockDeadlock,
		"Deadlock found when trying to get lock; try restarting transaction")
}

// watch ends the context it returns, with errDeadlock as its cause, when a transaction is the one to give up. stop must be
// called when the statement is done.
func (g *Gateway) watch(ctx context.Context, id uint64) (watched context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	pause := deadlockCheckFirst
	var timer *time.Timer
	timer = time.AfterFunc(time.Hour, func() {
		switch {
		case ctx.Err() != nil:
		case g.givesUp(id):
			cancel(errDeadlock())
		default:
			pause = min(2*pause, deadlockCheckMax)
			timer.Reset(pause)
		}
	})
	timer.Reset(pause) // only now may it fire: it reads the variable timer
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}

// deadlockOf returns the deadlock that ended a context of watch, nil if none did.
func deadlockOf(watched context.Context) error {
	var mysqlErr *sqlerror.SQLError
	if cause := context.Cause(watched); errors.As(cause, &mysqlErr) && mysqlErr.Num == sqlerror.ERLockDeadlock {
		return cause
	}
	return nil
}

// givesUp reports whether a transaction is in a circle of waits and the youngest in it.
func (g *Gateway) givesUp(id uint64) bool {
	waits := map[uint64][]uint64{}
	for _, keyspace := range g.cfg.Topology.Keyspaces() {
		shards, err := g.cfg.Topology.Shards(keyspace)
		if err != nil {
			continue // a keyspace that went away holds nobody up
		}
		for _, shard := range shards {
			tablet, err := g.cfg.Topology.Tablet(keyspace, shard.Name, primaryType)
			if err != nil {
				continue
			}
			if waiter, ok := tablet.(lockWaiter); ok {
				for _, pair := range waiter.LockWaits() {
					waits[pair[0]] = append(waits[pair[0]], pair[1])
				}
			}
		}
	}
	circle := findCircle(waits, id)
	return circle != nil && slices.Max(circle) == id
}

// findCircle returns the transactions of a circle of waits through id, nil if there is none.
func findCircle(waits map[uint64][]uint64, id uint64) []uint64 {
	seen := map[uint64]bool{}
	var path []uint64
	var reaches func(from uint64) bool
	reaches = func(from uint64) bool {
		path = append(path, from)
		for _, to := range waits[from] {
			if to == id {
				return true
			}
			if !seen[to] {
				seen[to] = true
				if reaches(to) {
					return true
				}
			}
		}
		path = path[:len(path)-1]
		return false
	}
	if reaches(id) {
		return path
	}
	return nil
}
