package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDuplicatesAndLocks has an INSERT find a row that is there: it stays locked, not less than it was.
func TestDuplicatesAndLocks(t *testing.T) {
	for name, c := range map[string]struct {
		before func(*testing.T, *Tx, *TableDef)
		shared error // what others get who want to read the row
	}{
		"not locked": {func(*testing.T, *Tx, *TableDef) {}, nil},
		"locked": {func(t *testing.T, tx *Tx, def *TableDef) {
			_, err := tx.ReadLocked(ctx, def, string(AppendInt(nil, 1)), Exclusive, Wait)
			require.NoError(t, err)
		}, ErrLocked},
		"changed": {func(t *testing.T, tx *Tx, def *TableDef) {
			require.NoError(t, tx.Update(ctx, def, []any{1, 10, 5}, []any{1, 10, 6}))
		}, ErrLocked},
	} {
		t.Run(name, func(t *testing.T) {
			db, def := newAccounts(t)
			insert(t, db, def, []any{1, 10, 5})
			tx, other := db.Begin(TxOptions{}), db.Begin(TxOptions{})
			c.before(t, tx, def)
			var dup *DuplicateError
			require.ErrorAs(t, tx.Insert(ctx, def, []any{1, 11, 7}), &dup)
			_, err := other.ReadLocked(ctx, def, string(AppendInt(nil, 1)), Shared, NoWait)
			require.ErrorIs(t, err, c.shared)
			_, err = other.ReadLocked(ctx, def, string(AppendInt(nil, 1)), Exclusive, NoWait)
			require.ErrorIs(t, err, ErrLocked)
			other.Rollback()
			tx.Rollback()
		})
	}
}
