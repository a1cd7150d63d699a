package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// between is the range of the keys of an int column from low to high, both included.
func between(low, high int) Range {
	return Range{Low: string(AppendInt(nil, int64(low))), High: string(AppendInt(nil, int64(high))) + string([]byte{KeyMax})}
}

// readLocked reads at most limit rows of a locking scan.
func readLocked(t *testing.T, tx *Tx, def *TableDef, scan Scan, limit int) (ids []int) {
	t.Helper()
	scan.Lock = Exclusive
	it, err := tx.Open(ctx, def, scan)
	require.NoError(t, err)
	defer it.Close()
	for len(ids) < limit {
		rec, err := it.Next()
		require.NoError(t, err)
		if !rec.Exists() {
			break
		}
		ids = append(ids, rec.Row()[0].(int))
	}
	return ids
}

const all = 1 << 30

// TestGapsKeepRowsAway tries to write beside a locking read, which fails at once where MySQL would wait.
func TestGapsKeepRowsAway(t *testing.T) {
	insertRow := func(row ...any) func(*Tx, *TableDef) error {
		return func(tx *Tx, def *TableDef) error { return tx.Insert(ctx, def, row) }
	}
	updateRow := func(id, u, k int) func(*Tx, *TableDef) error {
		return func(tx *Tx, def *TableDef) error {
			pk := string(AppendInt(nil, int64(id)))
			rec, err := tx.ReadLocked(ctx, def, pk, Exclusive, Wait)
			if err != nil {
				return err
			}
			return tx.UpdateAt(ctx, def, pk, rec, []any{id, u, k})
		}
	}
	primary := func(low, high int) Scan { return Scan{Index: Primary, Ranges: []Range{between(low, high)}} }
	byK := func(low, high int) Scan { return Scan{Index: 1, Ranges: []Range{between(low, high)}} }
	reversed := func(s Scan) Scan {
		s.Reverse = true
		return s
	}
	for name, c := range map[string]struct {
		scan  Scan
		limit int
		fresh bool // READ COMMITTED
		write func(*Tx, *TableDef) error
		waits bool
	}{
		"insert between":                  {primary(10, 50), all, false, insertRow(25, 25, 25), true},
		"insert where no row is":          {primary(60, 90), all, false, insertRow(70, 70, 70), true},
		"insert outside":                  {primary(10, 50), all, false, insertRow(51, 51, 51), false},
		"insert anywhere":                 {Scan{Index: Primary}, all, false, insertRow(99, 99, 99), true},
		"insert, read committed":          {primary(10, 50), all, true, insertRow(25, 25, 25), false},
		"insert, rows alone":              {Scan{Index: Primary, RowsAlone: true}, all, false, insertRow(25, 25, 25), false},
		"insert equal key":                {byK(20, 20), all, false, insertRow(25, 25, 20), true},
		"insert key behind":               {byK(20, 20), all, false, insertRow(25, 25, 21), false},
		"insert behind the last read":     {Scan{Index: Primary}, 2, false, insertRow(35, 35, 35), false},
		"insert before the last read":     {Scan{Index: Primary}, 3, false, insertRow(25, 25, 25), true},
		"insert before the last, reverse": {reversed(Scan{Index: Primary}), 2, false, insertRow(25, 25, 25), false},
		"insert behind the last, reverse": {reversed(Scan{Index: Primary}), 2, false, insertRow(45, 45, 45), true},
		"insert in the second range": {
			Scan{Index: Primary, Ranges: []Range{between(10, 10), between(30, 39)}}, all, false, insertRow(35, 35, 35), true,
		},
		"insert between ranges": {
			Scan{Index: Primary, Ranges: []Range{between(10, 10), between(30, 39)}}, all, false, insertRow(20, 25, 25), false,
		},
		"insert in a range not reached": {
			Scan{Index: Primary, Ranges: []Range{between(10, 10), between(30, 39)}}, 1, false, insertRow(35, 35, 35), false,
		},
		"key moves in":               {byK(15, 25), all, false, updateRow(40, 40, 22), true},
		"key stays out":              {byK(15, 25), all, false, updateRow(40, 40, 41), false},
		"other column changes":       {byK(15, 25), all, false, updateRow(40, 41, 40), false},
		"key within, of another row": {byK(41, 45), all, false, updateRow(40, 41, 40), false},
	} {
		t.Run(name, func(t *testing.T) {
			db, def := newAccounts(t)
			insert(t, db, def, []any{10, 10, 10}, []any{30, 30, 20}, []any{40, 40, 40}, []any{50, 50, 50})
			reader := db.Begin(TxOptions{FreshReads: c.fresh})
			defer reader.Rollback()
			readLocked(t, reader, def, c.scan, c.limit)

			// Its own gaps are no matter to a transaction.
			mark := reader.Mark()
			require.NoError(t, reader.Insert(ctx, def, []any{26, 26, 26}))
			reader.RollbackToMark(mark)

			writer := db.Begin(TxOptions{LockWait: time.Millisecond})
			defer writer.Rollback()
			err := c.write(writer, def)
			if !c.waits {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrLockTimeout)
			reader.Rollback()
			require.NoError(t, c.write(writer, def))
			require.NoError(t, writer.Commit())
			require.NoError(t, db.Check())
			require.Empty(t, db.gaps.of)
		})
	}
}

// TestGapsDeadlock has two transactions that both found nothing, and then insert there.
func TestGapsDeadlock(t *testing.T) {
	db, def := newAccounts(t)
	var txs [2]*Tx
	for i := range txs {
		txs[i] = db.Begin(TxOptions{})
		require.Empty(t, readLocked(t, txs[i], def, Scan{Index: Primary, Ranges: []Range{between(1, 9)}}, all))
	}
	done := make(chan error)
	go func() {
		err := txs[0].Insert(ctx, def, []any{1, 1, 1})
		if err == nil {
			err = txs[0].Commit()
		}
		done <- err
	}()
	require.Eventually(t, func() bool {
		db.locks.mu.Lock()
		defer db.locks.mu.Unlock()
		return len(db.locks.waiting) == 1
	}, 10*time.Second, time.Millisecond)
	require.ErrorIs(t, txs[1].Insert(ctx, def, []any{2, 2, 2}), ErrDeadlock)
	txs[1].Rollback()
	require.NoError(t, <-done)
	require.Empty(t, db.locks.entries)
	require.Empty(t, db.gaps.of)
}

// TestGapsWaitEnds ends the wait for a gap by the reader's LIMIT and by the writer's context.
func TestGapsWaitEnds(t *testing.T) {
	db, def := newAccounts(t)
	insert(t, db, def, []any{10, 10, 10}, []any{20, 20, 20})
	reader := db.Begin(TxOptions{})
	defer reader.Rollback()
	it, err := reader.Open(ctx, def, Scan{Index: Primary, Lock: Shared})
	require.NoError(t, err)
	_, err = it.Next()
	require.NoError(t, err)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	writer := db.Begin(TxOptions{})
	require.ErrorIs(t, writer.Insert(cancelled, def, []any{15, 15, 15}), context.Canceled)
	done := make(chan error)
	go func() { done <- writer.Insert(ctx, def, []any{15, 15, 15}) }()
	it.Close()
	require.NoError(t, <-done)
	require.NoError(t, writer.Commit())
}

// TestNoPhantoms reads a range twice in each of many transactions that then write: both reads find the same rows.
func TestNoPhantoms(t *testing.T) {
	r := newRand(t)
	db, def := newAccounts(t)
	var wg sync.WaitGroup
	for range 4 {
		r := rand.New(rand.NewSource(r.Int63()))
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 300 {
				tx := db.Begin(TxOptions{})
				err := readTwice(tx, def, r)
				if err == nil {
					err = writeAny(tx, def, r)
				}
				if err == nil {
					err = tx.Commit()
				}
				tx.Rollback()
				var duplicate *DuplicateError
				if err != nil && !errors.Is(err, ErrDeadlock) && !errors.As(err, &duplicate) {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	require.NoError(t, db.Check())
	require.Empty(t, db.locks.entries)
	require.Empty(t, db.gaps.of)
}

func readTwice(tx *Tx, def *TableDef, r *rand.Rand) error {
	low := r.Intn(40)
	scan := Scan{
		Index: []int{Primary, 0, 1}[r.Intn(3)], Ranges: []Range{between(low, low+r.Intn(20))}, Reverse: r.Intn(2) == 0, Lock: Shared,
	}
	var found [2][]string
	for i := range found {
		it, err := tx.Open(ctx, def, scan)
		if err != nil {
			return err
		}
		defer it.Close()
		for {
			rec, err := it.Next()
			if err != nil {
				return err
			}
			if !rec.Exists() {
				break
			}
			found[i] = append(found[i], fmt.Sprint(rec.Row()))
		}
		runtime.Gosched()
	}
	if !slices.Equal(found[0], found[1]) {
		return fmt.Errorf("%v, then %v", found[0], found[1])
	}
	return nil
}

func writeAny(tx *Tx, def *TableDef, r *rand.Rand) error {
	id, u, k := r.Intn(50), r.Intn(50), r.Intn(50)
	pk := string(AppendInt(nil, int64(id)))
	rec, err := tx.ReadLocked(ctx, def, pk, Exclusive, Wait)
	switch {
	case err != nil:
		return err
	case !rec.Exists():
		return tx.Insert(ctx, def, []any{id, u, k})
	case r.Intn(3) == 0:
		return tx.DeleteAt(ctx, def, pk, rec)
	}
	return tx.UpdateAt(ctx, def, pk, rec, []any{id, u, k})
}

// TestGapsOutliveTheirRanges uses the memory of a scan's ranges again.
func TestGapsOutliveTheirRanges(t *testing.T) {
	db, def := newAccounts(t)
	reader := db.Begin(TxOptions{})
	defer reader.Rollback()
	ranges := []Range{between(10, 20)}
	readLocked(t, reader, def, Scan{Index: Primary, Ranges: ranges}, all)
	ranges[0] = between(30, 40)
	writer := db.Begin(TxOptions{LockWait: time.Millisecond})
	defer writer.Rollback()
	require.NoError(t, writer.Insert(ctx, def, []any{35, 35, 35}))
	require.ErrorIs(t, writer.Insert(ctx, def, []any{15, 15, 15}), ErrLockTimeout)
}

// TestGapGateHeldAlready has a transaction hold the gate of a gap from a wait that was ended while the gap gave way, and write
// into the gap again: it waits, and its other locks are kept until it ends, and no longer.
func TestGapGateHeldAlready(t *testing.T) {
	db, def := newAccounts(t)
	insert(t, db, def, []any{1, 10, 5})
	reader, writer := db.Begin(TxOptions{}), db.Begin(TxOptions{})
	g := reader.cover(def, Primary, []Range{between(2, 9)})
	require.NoError(t, writer.lock(ctx, g.gate, Shared, Wait))
	row := string(AppendInt(nil, 1))
	_, err := writer.ReadLocked(ctx, def, row, Exclusive, Wait)
	require.NoError(t, err)

	done := make(chan error, 1)
	go func() { done <- writer.Insert(ctx, def, []any{5, 50, 5}) }()
	require.Eventually(t, func() bool {
		db.locks.mu.Lock()
		defer db.locks.mu.Unlock()
		return len(db.locks.waiting) == 1
	}, time.Minute, time.Millisecond)
	reader.Rollback()
	require.NoError(t, <-done)

	require.True(t, writer.holds(lockKey{def.ID, lockRow, row}, Exclusive))
	writer.Rollback()
	require.Empty(t, db.locks.entries)
}
