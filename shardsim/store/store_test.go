package store

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"sort"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/collations/colldata"
)

var seed = flag.Int64("seed", 0, "seed of the property tests, 0 for a new one")

func newRand(t *testing.T) *rand.Rand {
	s := *seed
	if s == 0 {
		s = time.Now().UnixNano()
	}
	t.Logf("-seed %d", s)
	return rand.New(rand.NewSource(s))
}

// intKey keys rows by int64 columns.
type intKey []int

func (k intKey) Columns() []int { return k }

func (k intKey) AppendKey(dst []byte, row []any) ([]byte, bool, error) {
	null := false
	for _, at := range k {
		if row[at] == nil {
			null = true
			dst = AppendNull(dst)
			continue
		}
		dst = AppendInt(dst, int64(row[at].(int)))
	}
	return dst, null, nil
}

var ctx = context.Background()

// newAccounts makes a table (id primary key, unique u, key k).
func newAccounts(t *testing.T) (*DB, *TableDef) {
	db := New(Options{})
	def := &TableDef{Name: "t", Primary: intKey{0}, Indexes: []IndexDef{
		{Name: "u", Unique: true, Key: intKey{1}}, {Name: "k", Key: intKey{2}},
	}}
	require.NoError(t, db.CreateTable(def))
	return db, def
}

func insert(t *testing.T, db *DB, def *TableDef, rows ...[]any) {
	tx := db.Begin(TxOptions{})
	for _, row := range rows {
		require.NoError(t, tx.Insert(ctx, def, row))
	}
	require.NoError(t, tx.Commit())
}

func scan(t *testing.T, tx *Tx, def *TableDef, s Scan) (rows [][]any) {
	it, err := tx.Open(ctx, def, s)
	require.NoError(t, err)
	for {
		rec, err := it.Next()
		require.NoError(t, err)
		if !rec.Exists() {
			return rows
		}
		rows = append(rows, rec.Row())
	}
}

func TestSnapshotAndOwnWrites(t *testing.T) {
	db, def := newAccounts(t)
	insert(t, db, def, []any{1, 10, 5}, []any{2, 20, 5})

	reader := db.Begin(TxOptions{})
	require.Len(t, scan(t, reader, def, Scan{Index: Primary}), 2)
	insert(t, db, def, []any{3, 30, 5})
	require.Len(t, scan(t, reader, def, Scan{Index: Primary}), 2, "a snapshot does not see later commits")
	require.NoError(t, reader.Insert(ctx, def, []any{4, 40, 5}))
	require.Equal(t, [][]any{{1, 10, 5}, {2, 20, 5}, {4, 40, 5}}, scan(t, reader, def, Scan{Index: 1}), "but its own rows, by index too")
	require.Len(t, scan(t, reader, def, Scan{Index: Primary, Current: true}), 4)
	require.NoError(t, reader.Commit())
	require.NoError(t, db.Check())

	fresh := db.Begin(TxOptions{FreshReads: true})
	require.Len(t, scan(t, fresh, def, Scan{Index: Primary}), 4)
	insert(t, db, def, []any{5, 50, 5})
	fresh.StatementBegins()
	require.Len(t, scan(t, fresh, def, Scan{Index: Primary}), 5, "READ COMMITTED sees them with the next statement")
	fresh.Rollback()
}

func TestDuplicateKeys(t *testing.T) {
	db, def := newAccounts(t)
	insert(t, db, def, []any{1, 10, 0}, []any{2, nil, 0}, []any{3, nil, 0})
	tx := db.Begin(TxOptions{})
	defer tx.Rollback()

	var dup *DuplicateError
	require.ErrorAs(t, tx.Insert(ctx, def, []any{1, 11, 0}), &dup)
	require.Equal(t, "PRIMARY", dup.Index)
	require.ErrorAs(t, tx.Insert(ctx, def, []any{4, 10, 0}), &dup)
	require.Equal(t, "u", dup.Index)
	require.Equal(t, []any{1, 10, 0}, dup.Existing)
	require.NoError(t, tx.Insert(ctx, def, []any{4, nil, 0}), "NULLs are not equal")
	require.NoError(t, tx.Delete(ctx, def, []any{1, 10, 0}))
	require.NoError(t, tx.Insert(ctx, def, []any{5, 10, 0}), "a key is free when its row is gone")
	require.ErrorAs(t, tx.Update(ctx, def, []any{2, nil, 0}, []any{5, nil, 0}), &dup)
	require.Len(t, scan(t, tx, def, Scan{Index: Primary}), 4)
}

// TestSwapUniqueValues changes two rows' unique values for each other's in one transaction.
func TestSwapUniqueValues(t *testing.T) {
	db, def := newAccounts(t)
	insert(t, db, def, []any{1, 10, 0}, []any{2, 20, 0})
	tx := db.Begin(TxOptions{})
	require.NoError(t, tx.Update(ctx, def, []any{1, 10, 0}, []any{1, 99, 0}))
	require.NoError(t, tx.Update(ctx, def, []any{2, 20, 0}, []any{2, 10, 0}))
	require.NoError(t, tx.Update(ctx, def, []any{1, 99, 0}, []any{1, 20, 0}))
	require.NoError(t, tx.Commit())
	require.NoError(t, db.Check())
	require.Equal(t, [][]any{{2, 10, 0}, {1, 20, 0}}, scan(t, db.Begin(TxOptions{}), def, Scan{Index: 0}))
}

func TestSavepoints(t *testing.T) {
	db, def := newAccounts(t)
	insert(t, db, def, []any{1, 10, 0})
	tx := db.Begin(TxOptions{})
	require.NoError(t, tx.Update(ctx, def, []any{1, 10, 0}, []any{1, 11, 0}))
	tx.Savepoint("A")
	require.NoError(t, tx.Delete(ctx, def, []any{1, 11, 0}))
	require.NoError(t, tx.Insert(ctx, def, []any{2, 11, 0}))
	tx.Savepoint("b")
	require.NoError(t, tx.Insert(ctx, def, []any{3, 30, 0}))
	require.NoError(t, tx.RollbackTo("a"), "names are case-insensitive")
	require.Equal(t, [][]any{{1, 11, 0}}, scan(t, tx, def, Scan{Index: 0}))
	require.ErrorIs(t, tx.RollbackTo("b"), ErrNoSavepoint)
	require.NoError(t, tx.Release("a"))
	require.ErrorIs(t, tx.RollbackTo("a"), ErrNoSavepoint)
	require.NoError(t, tx.Commit())
	require.NoError(t, db.Check())
}

// manualTimer gives timers that end when the test says so.
type manualTimer struct{ fire chan time.Time }

func (m *manualTimer) after(time.Duration) (<-chan time.Time, func()) { return m.fire, func() {} }

func TestLockWaits(t *testing.T) {
	timer := &manualTimer{fire: make(chan time.Time)}
	db := New(Options{After: timer.after})
	def := &TableDef{Name: "t", Primary: intKey{0}}
	require.NoError(t, db.CreateTable(def))
	insert(t, db, def, []any{1}, []any{2}, []any{3})

	a, b := db.Begin(TxOptions{}), db.Begin(TxOptions{})
	key := func(n int) string { return string(AppendInt(nil, int64(n))) }
	_, err := a.Lock(ctx, def, key(1), Exclusive, Wait)
	require.NoError(t, err)
	_, err = b.Lock(ctx, def, key(1), Shared, NoWait)
	require.ErrorIs(t, err, ErrLocked)
	require.Equal(t, [][]any{{2}, {3}}, scan(t, b, def, Scan{Index: Primary, Lock: Exclusive, Policy: SkipLocked}))

	result := make(chan error)
	go func() {
		_, err := b.Lock(ctx, def, key(1), Exclusive, Wait)
		result <- err
	}()
	timer.fire <- time.Time{}
	require.ErrorIs(t, <-result, ErrLockTimeout)

	canceled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = b.Lock(canceled, def, key(1), Exclusive, Wait)
	require.ErrorIs(t, err, context.Canceled)

	// a waits for b's row 2, so b must not wait for a's row 1.
	go func() {
		_, err := a.Lock(ctx, def, key(2), Exclusive, Wait)
		result <- err
	}()
	waitUntilWaiting(t, a)
	_, err = b.Lock(ctx, def, key(1), Exclusive, Wait)
	require.ErrorIs(t, err, ErrDeadlock)
	b.Rollback()
	require.NoError(t, <-result)
	a.Rollback()
	require.Empty(t, db.locks.entries, "no lock is left behind")
}

func waitUntilWaiting(t *testing.T, tx *Tx) {
	require.Eventually(t, func() bool {
		tx.db.locks.mu.Lock()
		defer tx.db.locks.mu.Unlock()
		return tx.waiting != nil
	}, 10*time.Second, time.Millisecond)
}

// TestDuplicateWaits inserts a key that another transaction has not committed yet: the outcome depends on that one.
func TestDuplicateWaits(t *testing.T) {
	for _, commit := range []bool{true, false} {
		db, def := newAccounts(t)
		first, second := db.Begin(TxOptions{}), db.Begin(TxOptions{})
		require.NoError(t, first.Insert(ctx, def, []any{1, 10, 0}))
		result := make(chan error)
		go func() { result <- second.Insert(ctx, def, []any{2, 10, 0}) }()
		waitUntilWaiting(t, second)
		if commit {
			require.NoError(t, first.Commit())
			var dup *DuplicateError
			require.ErrorAs(t, <-result, &dup)
		} else {
			first.Rollback()
			require.NoError(t, <-result)
		}
		second.Rollback()
	}
}

// TestScanMergesOverlay compares scans over a snapshot with random own changes to a sorted list, both ways and in ranges.
func TestScanMergesOverlay(t *testing.T) {
	r := newRand(t)
	for range 200 {
		db, def := newAccounts(t)
		want := map[int][]any{}
		tx := db.Begin(TxOptions{})
		change := func() {
			id := r.Intn(30)
			row := []any{id, 100 + id, r.Intn(5)}
			old, there := want[id]
			switch {
			case !there:
				require.NoError(t, tx.Insert(ctx, def, row))
				want[id] = row
			case r.Intn(2) == 0:
				require.NoError(t, tx.Update(ctx, def, old, row))
				want[id] = row
			default:
				require.NoError(t, tx.Delete(ctx, def, old))
				delete(want, id)
			}
		}
		for range r.Intn(40) {
			change()
		}
		require.NoError(t, tx.Commit())
		require.NoError(t, db.Check())
		tx = db.Begin(TxOptions{})
		for range r.Intn(20) {
			change()
		}
		for index := Primary; index < 2; index++ {
			at := index + 1
			low, high := r.Intn(30), r.Intn(130)
			rows := [][]any{}
			for _, row := range want {
				if v := row[at].(int); v >= low && v < high {
					rows = append(rows, row)
				}
			}
			sort.Slice(rows, func(i, j int) bool {
				if rows[i][at] != rows[j][at] {
					return rows[i][at].(int) < rows[j][at].(int)
				}
				return rows[i][0].(int) < rows[j][0].(int)
			})
			ranges := []Range{{Low: string(AppendInt(nil, int64(low))), High: string(AppendInt(nil, int64(high)))}}
			require.Equal(t, rows, append([][]any{}, scan(t, tx, def, Scan{Index: index, Ranges: ranges})...))
			got := append([][]any{}, scan(t, tx, def, Scan{Index: index, Ranges: ranges, Reverse: true})...)
			for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
				rows[i], rows[j] = rows[j], rows[i]
			}
			require.Equal(t, rows, got)
		}
		tx.Rollback()
	}
}

// TestNoLostUpdate counts up rows from several goroutines, with deadlocks on the way.
func TestNoLostUpdate(t *testing.T) {
	db, def := newAccounts(t)
	insert(t, db, def, []any{1, 1, 0}, []any{2, 2, 0}, []any{3, 3, 0})
	const workers, rounds = 8, 100
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewSource(int64(w)))
			for range rounds {
				for !countUp(t, db, def, 1+r.Intn(3), 1+r.Intn(3)) {
				}
			}
		}()
	}
	wg.Wait()
	sum := 0
	for _, row := range scan(t, db.Begin(TxOptions{}), def, Scan{Index: Primary}) {
		sum += row[2].(int)
	}
	require.Equal(t, workers*rounds*2, sum)
	require.NoError(t, db.Check())
}

// countUp adds one to two rows in a transaction and reports whether it was no victim of a deadlock.
func countUp(t *testing.T, db *DB, def *TableDef, ids ...int) bool {
	tx := db.Begin(TxOptions{})
	defer tx.Rollback()
	for _, id := range ids {
		rec, err := tx.ReadLocked(ctx, def, string(AppendInt(nil, int64(id))), Exclusive, Wait)
		if errors.Is(err, ErrDeadlock) {
			return false
		}
		row := rec.Row()
		if err := tx.Update(ctx, def, row, []any{row[0], row[1], row[2].(int) + 1}); err != nil {
			t.Error(err)
			return true
		}
	}
	if err := tx.Commit(); err != nil {
		t.Error(err)
	}
	return true
}

func TestDDLWaitsForWriters(t *testing.T) {
	db, def := newAccounts(t)
	writer := db.Begin(TxOptions{})
	require.NoError(t, writer.Insert(ctx, def, []any{1, 10, 0}))
	done := make(chan error)
	go func() { done <- db.Truncate(ctx, "T", time.Minute) }()
	require.Eventually(t, func() bool {
		db.locks.mu.Lock()
		defer db.locks.mu.Unlock()
		return len(db.locks.entries[tableLock("t")].queue) > 0
	}, 10*time.Second, time.Millisecond)
	require.NoError(t, writer.Commit())
	require.NoError(t, <-done)
	require.Zero(t, db.Root().Table("t").RowCount())

	stale := db.Begin(TxOptions{})
	require.ErrorIs(t, stale.Insert(ctx, def, []any{2, 20, 0}), ErrTableChanged)
	stale.Rollback()
	require.NoError(t, db.DropTable(ctx, "t", time.Minute))
	require.ErrorIs(t, db.DropTable(ctx, "t", time.Minute), ErrNoTable)
}

func TestTableWithoutPrimaryKey(t *testing.T) {
	db := New(Options{})
	def := &TableDef{Name: "t", Indexes: []IndexDef{{Key: intKey{0, 1}}}}
	require.NoError(t, db.CreateTable(def))
	insert(t, db, def, []any{2, 1}, []any{1, 1}, []any{2, 1})
	tx := db.Begin(TxOptions{})
	require.Equal(t, [][]any{{2, 1}, {1, 1}, {2, 1}}, scan(t, tx, def, Scan{Index: Primary}), "rows keep the order they came in")
	require.NoError(t, tx.Update(ctx, def, []any{2, 1}, []any{3, 1}))
	require.NoError(t, tx.Delete(ctx, def, []any{2, 1}))
	require.ErrorIs(t, tx.Delete(ctx, def, []any{2, 1}), ErrRowGone)
	require.NoError(t, tx.Commit())
	require.Equal(t, [][]any{{3, 1}, {1, 1}}, scan(t, db.Begin(TxOptions{}), def, Scan{Index: Primary}))
	require.NoError(t, db.Check())
}

func TestRebuildChecksNewKeys(t *testing.T) {
	db, def := newAccounts(t)
	insert(t, db, def, []any{1, 10, 7}, []any{2, 20, 7})
	unique := &TableDef{Name: "t", Primary: intKey{0}, Indexes: []IndexDef{{Name: "k", Unique: true, Key: intKey{2}}}}
	var dup *DuplicateError
	require.ErrorAs(t, db.Rebuild(ctx, "t", unique, nil, time.Minute), &dup)
	require.Same(t, def, db.Root().Table("t").Def, "a failed ALTER TABLE changes nothing")
	renamed := &TableDef{Name: "t2", Primary: intKey{0}}
	require.NoError(t, db.Rebuild(ctx, "t", renamed, func(row []any) ([]any, error) { return row[:1], nil }, time.Minute))
	require.Nil(t, db.Root().Table("t"))
	require.Equal(t, [][]any{{1}, {2}}, scan(t, db.Begin(TxOptions{}), renamed, Scan{Index: Primary}))
}

func TestKeysSortAsValues(t *testing.T) {
	r := newRand(t)
	coll := colldata.Lookup(collations.MySQL8().LookupByName("utf8mb4_0900_ai_ci"))
	alphabet := []rune("aAbBéß0 _zZ\x00")
	for range 20000 {
		a, b := r.Int63()-r.Int63(), r.Int63()-r.Int63()
		require.Equal(t, a < b, string(AppendInt(nil, a)) < string(AppendInt(nil, b)))
		fa, fb := r.NormFloat64(), r.NormFloat64()
		require.Equal(t, fa < fb, string(AppendFloat(nil, fa)) < string(AppendFloat(nil, fb)))
		sa, sb := randText(r, alphabet), randText(r, alphabet)
		ka, kb := string(AppendText(nil, coll, false, sa)), string(AppendText(nil, coll, false, sb))
		require.Equal(t, coll.Collate([]byte(sa), []byte(sb), false) < 0, ka < kb, "%q %q", sa, sb)
		require.Equal(t, coll.Collate([]byte(sa), []byte(sb), false) == 0, ka == kb, "%q %q", sa, sb)
		require.Equal(t, sa < sb, string(AppendBytes(nil, []byte(sa))) < string(AppendBytes(nil, []byte(sb))))
	}
	decimals := []string{"-100", "-1.5", "-1.25", "0", "0.001", "1.25", "1.5", "2", "10", "100.01"}
	var last string
	for _, d := range decimals {
		key := decimalKey(d)
		require.Greater(t, key, last, d)
		last = key
	}
	require.Equal(t, decimalKey("1.50"), decimalKey("1.5"))
	require.Equal(t, string(AppendText(nil, coll, true, "a  ")), string(AppendText(nil, coll, true, "A")), "PAD SPACE")
}

func randText(r *rand.Rand, alphabet []rune) string {
	text := make([]rune, r.Intn(6))
	for i := range text {
		text[i] = alphabet[r.Intn(len(alphabet))]
	}
	return string(text)
}

func decimalKey(s string) string {
	negative := s[0] == '-'
	if negative {
		s = s[1:]
	}
	var digits string
	point := len(s)
	for i, c := range s {
		if c == '.' {
			point = i
			continue
		}
		digits += string(c)
	}
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
		point--
	}
	return string(AppendDecimal(nil, negative, digits, point))
}

func BenchmarkCommitOneRow(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db := New(Options{})
			def := &TableDef{Name: "t", Primary: intKey{0}, Indexes: []IndexDef{{Name: "k", Key: intKey{1}}}}
			if err := db.CreateTable(def); err != nil {
				b.Fatal(err)
			}
			tx := db.Begin(TxOptions{})
			for i := range n {
				_ = tx.Insert(ctx, def, []any{i, i})
			}
			_ = tx.Commit()
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				tx := db.Begin(TxOptions{})
				_ = tx.Insert(ctx, def, []any{n + i, i})
				_ = tx.Commit()
			}
		})
	}
}
