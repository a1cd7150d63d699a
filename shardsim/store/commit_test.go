package store

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSnapshotsStay commits to several tables, small transactions and large ones, while snapshots come and go, and compares
// each snapshot again and again with what it was when it was taken.
func TestSnapshotsStay(t *testing.T) {
	r := newRand(t)
	db := New(Options{})
	var defs []*TableDef
	for i := range 3 {
		def := &TableDef{Name: fmt.Sprint("t", i), Primary: intKey{0}, Indexes: []IndexDef{{Name: "k", Key: intKey{1}}}}
		require.NoError(t, db.CreateTable(def))
		defs = append(defs, def)
	}
	type snapshot struct {
		tx   *Tx
		want [][][]any
	}
	read := func(tx *Tx) (all [][][]any) {
		for _, def := range defs {
			all = append(all, scan(t, tx, def, Scan{Index: r.Intn(2) - 1}))
		}
		return all
	}
	sum := func(rows [][]any) (n int) {
		for _, row := range rows {
			n += row[0].(int)*7 + row[1].(int)
		}
		return n
	}
	var open []snapshot
	for n := range 600 {
		tx := db.Begin(TxOptions{})
		size := 1 + r.Intn(5)
		if n%100 == 50 {
			size = commitInPlaceMax + 10
		}
		def := defs[r.Intn(len(defs))]
		for range size {
			require.NoError(t, changeRow(tx, def, r.Intn(4000), n))
		}
		require.NoError(t, tx.Commit())
		if r.Intn(10) == 0 {
			s := snapshot{tx: db.Begin(TxOptions{})}
			s.want = read(s.tx)
			open = append(open, s)
		}
		if len(open) > 0 && r.Intn(10) == 0 {
			i := r.Intn(len(open))
			for at, rows := range read(open[i].tx) {
				require.Len(t, rows, len(open[i].want[at]))
				require.Equal(t, sum(open[i].want[at]), sum(rows))
			}
			if r.Intn(2) == 0 {
				open[i].tx.Rollback()
				open = append(open[:i], open[i+1:]...)
			}
		}
	}
	require.NoError(t, db.Check())
	for _, s := range open {
		s.tx.Rollback()
	}
	require.Zero(t, db.Root().pins.Load(), "all pins were given back")
}

// changeRow inserts the row with the given key, or updates or deletes it.
func changeRow(tx *Tx, def *TableDef, id, n int) error {
	rec, err := tx.ReadLocked(ctx, def, string(AppendInt(nil, int64(id))), Exclusive, Wait)
	if err != nil {
		return err
	}
	switch {
	case !rec.Exists():
		return tx.Insert(ctx, def, []any{id, n})
	case n%3 == 0:
		return tx.Delete(ctx, def, rec.Row())
	}
	return tx.Update(ctx, def, rec.Row(), []any{id, n})
}

// TestReadersBesideCommits is for the race detector: short reads, scans and snapshots beside commits in place.
func TestReadersBesideCommits(t *testing.T) {
	db, def := newAccounts(t)
	insert(t, db, def, []any{1, 1, 0}, []any{2, 2, 0})
	var wg sync.WaitGroup
	for client := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range 300 {
				tx := db.Begin(TxOptions{})
				id := 1 + n%2
				if client%2 == 0 {
					if err := tx.Update(ctx, def, []any{id, id, 0}, []any{id, id, client*1000 + n}); err != nil {
						t.Error(err)
					}
				} else if _, err := tx.Read(def, string(AppendInt(nil, int64(id)))); err != nil {
					t.Error(err)
				}
				if it, err := tx.Open(ctx, def, Scan{Index: 1, Current: n%3 == 0}); err != nil {
					t.Error(err)
				} else {
					rec, err := it.Next()
					if err != nil || !rec.Exists() {
						t.Error(rec, err)
					}
					it.Close()
				}
				if err := tx.Commit(); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	require.NoError(t, db.Check())
}
