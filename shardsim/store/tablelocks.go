package store

import (
	"context"
	"time"
)

// Tables are locked by name, also those that are not there: by transactions that read them with locks or write to them, by DDL,
// and by sessions that want them for a while.
//
//	Shared     locking reads
//	Writing    writes
//	Frozen     nobody else may write
//	Exclusive  nobody else may read with locks or write

// AllTables is a name that is no table's. It is locked as one, by whoever is about all of them.
const AllTables = ""

// LockTable locks a table until the transaction ends. It waits for others as long as wait says, and returns ErrLockTimeout,
// ErrDeadlock or the context's error.
func (tx *Tx) LockTable(ctx context.Context, name string, mode LockMode, wait time.Duration) error {
	before := tx.opts.LockWait
	tx.opts.LockWait = wait
	defer func() { tx.opts.LockWait = before }()
	return tx.lock(ctx, tableLock(name), mode, Wait)
}

type passByKey struct{}

// PassingBy has DDL pass by the locks of a transaction, see TxOptions.PassBy.
func PassingBy(ctx context.Context, tx *Tx) context.Context {
	return context.WithValue(ctx, passByKey{}, tx)
}

func passedBy(ctx context.Context) *Tx {
	tx, _ := ctx.Value(passByKey{}).(*Tx)
	return tx
}
