package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// newOrders makes a table of entries (id primary key, unique u, key k) beside one of rows.
func newOrders(t *testing.T) (db *DB, entries, rows *TableDef) {
	db, entries = newAccounts(t)
	rows = &TableDef{Name: "rows", Primary: intKey{0}}
	require.NoError(t, db.CreateTable(rows))
	return db, entries, rows
}

func primaryKeys(t *testing.T, db *DB, def *TableDef) []int {
	tx := db.Begin(TxOptions{})
	defer tx.Rollback()
	found := []int{}
	tx.Snapshot().byDef(def).rows.Scan(func(_ string, rec Record) bool {
		found = append(found, rec.Row()[0].(int))
		return true
	})
	require.NoError(t, db.Check())
	return found
}

func TestPartsCommitOneAfterTheOther(t *testing.T) {
	db, entries, rows := newOrders(t)
	insert(t, db, entries, []any{1, 1, 0}, []any{2, 2, 0}, []any{3, 3, 0})
	insert(t, db, rows, []any{10})
	tx := db.Begin(TxOptions{})
	require.NoError(t, tx.Delete(ctx, entries, []any{1, 1, 0}))
	require.NoError(t, tx.Delete(ctx, entries, []any{2, 2, 0}))
	require.NoError(t, tx.Insert(ctx, entries, []any{4, 4, 0}))
	require.NoError(t, tx.Insert(ctx, entries, []any{5, 2, 0})) // takes the unique key of 2
	require.NoError(t, tx.Delete(ctx, entries, []any{3, 3, 0}))
	require.NoError(t, tx.Insert(ctx, entries, []any{3, 30, 0})) // is there again
	require.NoError(t, tx.Delete(ctx, rows, []any{10}))
	require.NoError(t, tx.Insert(ctx, rows, []any{11}))

	require.NoError(t, tx.CommitPart(EntriesMade, []string{"T"}))
	require.Equal(t, []int{1, 3, 4, 5}, primaryKeys(t, db, entries))
	require.Equal(t, []int{10}, primaryKeys(t, db, rows))
	require.NoError(t, tx.CommitPart(RowsChanged, []string{"t"}))
	require.Equal(t, []int{1, 3, 4, 5}, primaryKeys(t, db, entries))
	require.Equal(t, []int{11}, primaryKeys(t, db, rows))

	// The locks are still held.
	other := db.Begin(TxOptions{})
	_, err := other.ReadLocked(ctx, rows, string(AppendInt(nil, 11)), Exclusive, NoWait)
	require.ErrorIs(t, err, ErrLocked)
	other.Rollback()

	require.NoError(t, tx.Commit())
	require.Equal(t, []int{3, 4, 5}, primaryKeys(t, db, entries))
}

func TestRollbackKeepsThePartsCommitted(t *testing.T) {
	db, entries, rows := newOrders(t)
	insert(t, db, entries, []any{1, 1, 0})
	tx := db.Begin(TxOptions{})
	require.NoError(t, tx.Delete(ctx, entries, []any{1, 1, 0}))
	require.NoError(t, tx.Insert(ctx, entries, []any{2, 2, 0}))
	require.NoError(t, tx.Insert(ctx, rows, []any{10}))
	require.NoError(t, tx.CommitPart(EntriesMade, []string{"t"}))
	tx.Rollback()
	require.Equal(t, []int{1, 2}, primaryKeys(t, db, entries))
	require.Empty(t, primaryKeys(t, db, rows))
	insert(t, db, rows, []any{10}) // nothing is locked
}
