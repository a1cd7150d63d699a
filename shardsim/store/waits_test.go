package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOwnersWait has owner 7 wait for 5, 9 for both, and 11 for 7 by way of a transaction that is nobody's.
func TestOwnersWait(t *testing.T) {
	db, def := newAccounts(t)
	insert(t, db, def, []any{1, 1, 1}, []any{2, 2, 2}, []any{3, 3, 3})
	key := func(n int) string { return string(AppendInt(nil, int64(n))) }
	five, seven, nine := db.Begin(TxOptions{Owner: 5}), db.Begin(TxOptions{Owner: 7}), db.Begin(TxOptions{Owner: 9})
	nobody, eleven := db.Begin(TxOptions{}), db.Begin(TxOptions{Owner: 11})
	lock := func(tx *Tx, n int) {
		_, err := tx.Lock(ctx, def, key(n), Exclusive, Wait)
		require.NoError(t, err)
	}
	require.Empty(t, db.LockWaits())
	lock(five, 1)
	lock(seven, 2)
	lock(nobody, 3)
	done := make(chan error)
	wait := func(tx *Tx, n int) {
		go func() {
			_, err := tx.Lock(ctx, def, key(n), Exclusive, Wait)
			done <- err
		}()
		waitUntilWaiting(t, tx)
	}
	wait(seven, 1)
	wait(nine, 1)
	wait(nobody, 2)
	wait(eleven, 3)
	require.ElementsMatch(t, [][2]uint64{{7, 5}, {9, 5}, {9, 7}, {11, 7}}, db.LockWaits())
	for _, tx := range []*Tx{five, seven} {
		tx.Rollback()
		require.NoError(t, <-done)
	}
	// Of nine and nobody, each has what it waited for.
	require.NoError(t, <-done)
	nine.Rollback()
	nobody.Rollback()
	require.NoError(t, <-done)
	require.Empty(t, db.LockWaits())
	eleven.Rollback()
}
