package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vitess.io/vitess/go/mysql/sqlerror"
)

// Consistent lookups need no transaction that spans shards, because an entry without a row does no harm:
//
//	begin ── ... ── entries made ── rows ── entries removed
//	                 PRE             main    POST
//
// Each of the three is committed on all shards before the next one. Vitess keeps them in transactions of their own; here
// they are parts of one transaction per shard, which therefore sees what it wrote and never waits for itself. No lock is let
// go of before the rows of all shards are committed: a shard's locks are on rows that exist, so that a statement would not
// wait for an entry another shard has yet to commit, and miss it.

// holdsEntries notes tables in which a consistent lookup has written.
func (st *shardTx) holdsEntries(tables []string) {
	if len(tables) == 0 {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, table := range tables {
		if !slices.Contains(st.entryTables, table) {
			st.entryTables = append(st.entryTables, table)
		}
	}
}

// commitStep is the commit of one part on one shard.
type commitStep struct {
	st   *shardTx
	part Part
}

// theRest is the part that Commit does: entries that were removed, and the locks.
const theRest = RowsChanged + 1

// commitSteps are the steps of a commit: part by part, and shard by shard in the order they joined. Where there are several
// shards all keep their locks until the last has committed its rows: whoever waits for one then sees what the others did.
func (tx *transaction) commitSteps() []commitStep {
	if len(tx.shards) == 1 && len(tx.shards[0].entryTables) == 0 {
		return []commitStep{{tx.shards[0], theRest}}
	}
	steps := make([]commitStep, 0, 2*len(tx.shards))
	for part := EntriesMade; part <= theRest; part++ {
		for _, st := range tx.shards {
			if part != EntriesMade || len(st.entryTables) > 0 {
				steps = append(steps, commitStep{st, part})
			}
		}
	}
	return steps
}

func (step commitStep) run(ctx context.Context) error {
	if step.part == theRest {
		return step.st.conn.Commit(ctx)
	}
	return step.st.conn.CommitPart(ctx, step.part, step.st.entryTables)
}

// commit commits all shards. When one fails what is not committed yet is rolled back; rows of shards before it stay
// committed, which a warning tells. Entries that cannot be removed are orphans and do no harm: the commit succeeds with a
// warning. Once something is committed nothing interrupts the rest.
func (tx *transaction) commit(ctx context.Context) error {
	defer tx.close()
	var withRows []string // the shards whose rows are committed
	for i, step := range tx.commitSteps() {
		if i > 0 {
			ctx = context.WithoutCancel(ctx)
		}
		err := tx.session.shardError(step.st.shard, step.run(ctx))
		switch {
		case err == nil:
			if step.part == RowsChanged {
				withRows = append(withRows, step.st.shard.Name)
			}
		case step.part == theRest && withRows != nil:
			tx.session.warn(Warning{Level: "Warning", Code: 1105, Message: "post-operation transaction had an error: " + err.Error()})
		default:
			if withRows != nil {
				tx.session.warn(committedInPart(withRows))
			}
			return errors.Join(err, tx.undoAll(ctx))
		}
	}
	return nil
}

// committedInPart is Vitess's warning that names the shards that committed, the first of them if there are many.
func committedInPart(shards []string) Warning {
	const shown = 16
	names := shards
	if len(shards) > shown {
		names = append(slices.Clone(shards[:shown]), "...")
	}
	return Warning{Level: "Warning", Code: uint16(sqlerror.ERNonAtomicCommit), Message: fmt.Sprintf(
		"multi-db commit failed after committing to %d shards: %s", len(shards), strings.Join(names, ", "))}
}

// rollback rolls all shards back.
func (tx *transaction) rollback(ctx context.Context) error {
	defer tx.close()
	return tx.undoAll(ctx)
}

// undoAll rolls back what is still open on the shards.
func (tx *transaction) undoAll(ctx context.Context) error {
	var failure error
	for _, st := range tx.shards {
		if !st.conn.InTransaction() {
			continue
		}
		if err := st.conn.Rollback(ctx); err != nil {
			failure = errors.Join(failure, tx.session.shardError(st.shard, err))
		}
	}
	return failure
}

// close gives the connections back.
func (tx *transaction) close() {
	for _, st := range tx.shards {
		st.conn.Close()
	}
	if len(tx.shards) > 0 {
		tx.session.gateway.closed(tx.id)
	}
	tx.shards = nil
}
