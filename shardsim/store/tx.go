package store

import (
	"context"
	"strings"
	"sync"
	"time"
)

// TxOptions are the characteristics of a transaction. The zero value is a REPEATABLE READ transaction.
type TxOptions struct {
	// FreshReads makes each statement's consistent reads see the newest commits: READ COMMITTED.
	FreshReads bool
	// LockWait is how long to wait for a lock; 0 is DefaultLockWait.
	LockWait time.Duration
	// Owner is whose transaction it is, if it has parts in other databases; see LockWaits. 0 is nobody's.
	Owner uint64
	// PassBy is a transaction whose locks are none to this one: it holds the tables that a session has locked. nil is none.
	PassBy *Tx
}

// Tx is a transaction. It belongs to one goroutine at a time.
type Tx struct {
	db       *DB
	id       uint64
	opts     TxOptions
	snapshot *Root // what consistent reads see; nil until the first one
	// mu is held while the overlays are changed, and by others while they read them. The transaction reads them without.
	mu       sync.Mutex
	overlays []*overlay
	listed   bool // among the DB's writers
	writer   int  // position there, guarded by their mutex
	undo     []change
	marks    []savepoint
	gaps     []*gap
	held     []lockKey // guarded by the lock table's mutex
	waiting  *waiter   // guarded by the lock table's mutex
	waits    int       // how often it has waited for a lock
}

type savepoint struct {
	name string
	pos  int // length of the undo log
}

// Begin starts a transaction. It must end with Commit or Rollback.
func (db *DB) Begin(opts TxOptions) *Tx { return db.BeginAgain(nil, opts) }

// BeginAgain is Begin in the memory of a transaction that has ended and that nobody else knows; nil is none.
func (db *DB) BeginAgain(tx *Tx, opts TxOptions) *Tx {
	if tx == nil {
		tx = &Tx{}
	}
	if opts.LockWait <= 0 {
		opts.LockWait = DefaultLockWait
	}
	tx.db, tx.id, tx.opts = db, db.lastTx.Add(1), opts
	return tx
}

// FreshReads reports whether the transaction is one of READ COMMITTED.
func (tx *Tx) FreshReads() bool { return tx.opts.FreshReads }

// ID returns a number no other transaction of the DB has.
func (tx *Tx) ID() uint64 { return tx.id }

// DB returns the database the transaction is on.
func (tx *Tx) DB() *DB { return tx.db }

// SetLockWait changes the lock wait timeout.
func (tx *Tx) SetLockWait(d time.Duration) {
	if d > 0 {
		tx.opts.LockWait = d
	}
}

// StatementBegins tells that a new statement starts, which under FreshReads sees a new snapshot.
func (tx *Tx) StatementBegins() {
	if tx.opts.FreshReads {
		tx.dropSnapshot()
	}
}

// Snapshot returns the root that consistent reads see; the first call takes it.
func (tx *Tx) Snapshot() *Root {
	if tx.snapshot == nil {
		tx.snapshot = tx.db.pin()
	}
	return tx.snapshot
}

func (tx *Tx) dropSnapshot() {
	if tx.snapshot != nil {
		tx.snapshot.unpin()
		tx.snapshot = nil
	}
}

// Len returns the number of rows of a table as consistent reads see it. The transaction must not have written.
func (tx *Tx) Len(def *TableDef) (int, error) {
	t := tx.Snapshot().byDef(def)
	if t == nil {
		return 0, ErrTableChanged
	}
	return t.rows.Len(), nil
}

// Wrote reports whether the transaction has uncommitted changes.
func (tx *Tx) Wrote() bool { return len(tx.undo) > 0 }

// Rollback forgets the transaction's changes and releases its locks. After Commit it does nothing.
func (tx *Tx) Rollback() { tx.end() }

func (tx *Tx) end() {
	tx.dropSnapshot()
	if tx.listed {
		tx.db.writers.remove(tx)
		tx.listed = false
	}
	tx.overlays, tx.undo, tx.marks = emptied(tx.overlays), emptied(tx.undo), nil
	tx.uncover()
	tx.releaseAll()
	tx.held = emptied(tx.held)
}

// keptMost is how many elements of each list a transaction that has ended keeps memory for; see BeginAgain.
const keptMost = 64

func emptied[T any](list []T) []T {
	if cap(list) > keptMost {
		return nil
	}
	clear(list)
	return list[:0]
}

// SavepointLevel hides the savepoints until the level ends, and then those that were made in it.
func (tx *Tx) SavepointLevel() (end func()) {
	outer := tx.marks
	tx.marks = nil
	return func() { tx.marks = outer }
}

// Savepoint marks a point RollbackTo can return to. A savepoint of the same name moves here.
func (tx *Tx) Savepoint(name string) {
	tx.forget(name)
	tx.marks = append(tx.marks, savepoint{name, len(tx.undo)})
}

// RollbackTo undoes all changes since the savepoint, which stays. Locks are kept.
func (tx *Tx) RollbackTo(name string) error {
	i := tx.findMark(name)
	if i < 0 {
		return ErrNoSavepoint
	}
	tx.RollbackToMark(tx.marks[i].pos)
	tx.marks = tx.marks[:i+1]
	return nil
}

// Release forgets a savepoint and those after it.
func (tx *Tx) Release(name string) error {
	i := tx.findMark(name)
	if i < 0 {
		return ErrNoSavepoint
	}
	tx.marks = tx.marks[:i]
	return nil
}

func (tx *Tx) findMark(name string) int {
	for i := len(tx.marks) - 1; i >= 0; i-- {
		if strings.EqualFold(tx.marks[i].name, name) {
			return i
		}
	}
	return -1
}

func (tx *Tx) forget(name string) {
	if i := tx.findMark(name); i >= 0 {
		tx.marks = append(tx.marks[:i], tx.marks[i+1:]...)
	}
}

// Mark returns the current point, for RollbackToMark.
func (tx *Tx) Mark() int { return len(tx.undo) }

// RollbackToMark undoes all changes since the mark was taken.
func (tx *Tx) RollbackToMark(mark int) {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	for i := len(tx.undo) - 1; i >= mark; i-- {
		tx.undo[i].revert()
		tx.undo[i] = change{}
	}
	tx.undo = tx.undo[:mark]
}

// touch locks a table for the length of the transaction, for reads that lock rows in a mode, and returns its newest version.
func (tx *Tx) touch(ctx context.Context, def *TableDef, rows LockMode) (*Table, error) {
	for _, o := range tx.overlays {
		if o.def == def {
			if t := tx.db.root.Load().byDef(def); t != nil {
				return t, nil
			}
			return nil, ErrTableChanged
		}
	}
	mode := Writing
	if rows == Shared {
		mode = Shared
	}
	if err := tx.lock(ctx, tableLock(def.Name), mode, Wait); err != nil {
		return nil, err
	}
	if t := tx.db.root.Load().byDef(def); t != nil {
		return t, nil
	}
	return nil, ErrTableChanged
}

// Read returns the row as consistent reads see it, the transaction's own changes included; no row if there is none.
// It is ErrTableChanged if the snapshot has another definition of the table.
func (tx *Tx) Read(def *TableDef, pk string) (Record, error) {
	if o := tx.overlayOf(def); o != nil {
		if rec, ok := o.rows.Get(pk); ok {
			return rec, nil
		}
	}
	t := tx.Snapshot().byDef(def)
	if t == nil {
		return Record{}, ErrTableChanged
	}
	rec, _ := t.rows.Get(pk)
	return rec, nil
}

// ReadLocked locks a row and returns its newest version; no row if there is none.
func (tx *Tx) ReadLocked(ctx context.Context, def *TableDef, pk string, mode LockMode, policy WaitPolicy) (Record, error) {
	if _, err := tx.touch(ctx, def, mode); err != nil {
		return Record{}, err
	}
	if err := tx.lock(ctx, lockKey{def.ID, lockRow, pk}, mode, policy); err != nil {
		return Record{}, err
	}
	return tx.current(def, pk), nil
}

// DeleteAt removes the row with the given primary key, which the transaction has locked, and whose version is rec.
func (tx *Tx) DeleteAt(ctx context.Context, def *TableDef, pk string, rec Record) error {
	if err := tx.lockUniqueKeys(ctx, def, pk, rec.Row()); err != nil {
		return err
	}
	return tx.set(tx.makeOverlay(def), pk, Record{}, nil)
}
