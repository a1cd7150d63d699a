package shardsim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
)

// waitTable has committed rows around 'x', which the tests insert, remove and move.
const waitTable = "create table t (a varchar(10) primary key, k varbinary(8), v int, u int unique, key (v))"

const waitRows = "insert into t values ('b', 'k', 10, 1), ('z', 'k', 90, 9)"

// uncommittedCase is what one transaction has done, and what another one does before it ends.
type uncommittedCase struct {
	name, held, tried string
	// What the statement answers after a COMMIT and a ROLLBACK, rows or the number of rows affected, and the keys left.
	commit, rollback string
}

var uncommittedCases = []uncommittedCase{
	{"delete by key and filter", insertX, "delete from t where a = 'x' and k = 'k'", "1: b z", "0: b z"},
	{"delete by key", insertX, "delete from t where a = 'x'", "1: b z", "0: b z"},
	{"delete by list of keys", insertX, "delete from t where a in ('w', 'x')", "1: b z", "0: b z"},
	{"delete all", insertX, "delete from t", "3:", "2:"},
	{"delete by filter", insertX, "delete from t where k = 'k'", "3:", "2:"},
	{"delete by index", insertX, "delete from t where v = 50", "1: b z", "0: b z"},
	{"delete by unique index", insertX, "delete from t where u = 5", "1: b z", "0: b z"},
	{"delete the first by index", insertX, "delete from t where v > 20 order by v limit 1", "1: b z", "1: b"},
	{"delete the last by index", insertX, "delete from t where v < 80 order by v desc limit 1", "1: b z", "1: z"},
	{"delete joined", insertX, "delete t from t join (select 'x' as a) d on t.a = d.a", "1: b z", "0: b z"},
	{"update range", insertX, "update t set v = 51 where a between 'w' and 'y'", "1: b x z", "0: b z"},
	{"update by index", insertX, "update t set k = 'new' where v > 20 and v < 80", "1: b x z", "0: b z"},
	{"update the index's column", insertX, "update t set v = v + 1 where v > 0", "3: b x z", "2: b z"},
	{"update the key", insertX, "update t set a = concat(a, a) where v between 20 and 80", "1: b xx z", "0: b z"},
	{"read key", insertX, "select a from t where a = 'x' for update", "[x]: b x z", "[]: b z"},
	{"read for share", insertX, "select a from t where a > 'c' order by a for share", "[x z]: b x z", "[z]: b z"},
	{"read downwards", insertX, "select a from t order by a desc for update", "[z x b]: b x z", "[z b]: b z"},
	{"read index downwards", insertX, "select a from t where v > 0 order by v desc for update", "[z x b]: b x z", "[z b]: b z"},
	{"read ranges", insertX, "select a from t where a < 'c' or a > 'w' order by a for update", "[b x z]: b x z", "[b z]: b z"},
	{"count", insertX, "select count(*) from t for share", "[3]: b x z", "[2]: b z"},
	{"several rows", "insert into t values ('x', 'k', 50, 5), ('y', 'k', 60, 6), ('a', 'k', 70, 7)", "delete from t where v >= 50", "4: b", "1: b"},
	{"replaced row", "replace into t values ('x', 'k', 50, 9)", "select a from t where u = 9 for update", "[x]: b x", "[z]: b z"},
	{"removed row", "delete from t where a = 'z'", "select a from t where v > 0 order by v for update", "[b]: b", "[b z]: b z"},
	{"moved row", "update t set a = 'x' where a = 'b'", "delete from t where a > 'c'", "2:", "1: b"},
	{"moved row, from the old key", "update t set a = 'x' where a = 'b'", "delete from t where a <= 'b'", "0: x z", "1: z"},
	{"moved row, all", "update t set a = 'x' where a = 'b'", "update t set v = v + 1", "2: x z", "2: b z"},
	{"row new in a range of the index", "update t set v = 50 where a = 'b'", "select a from t where v between 40 and 60 for update", "[b]: b z", "[]: b z"},
	{"row moved ahead in the index", "update t set v = 95 where a = 'b'", "select a from t where v > 0 order by v for update", "[z b]: b z", "[b z]: b z"},
	{"row moved back in the index", "update t set v = 5 where a = 'z'", "select a from t where v > 0 order by v for update", "[z b]: b z", "[b z]: b z"},
}

const insertX = "insert into t values ('x', 'k', 50, 5)"

// TestUncommittedRowsAreWaitedFor has current reads and writes come to rows whose transaction is open.
func TestUncommittedRowsAreWaitedFor(t *testing.T) {
	for _, c := range uncommittedCases {
		for way, vars := range ways {
			for end, want := range map[string]string{"commit": c.commit, "rollback": c.rollback} {
				t.Run(way+"/"+c.name+"/"+end, func(t *testing.T) {
					t.Parallel()
					tablet, conns := openShard(t, vars, 2)
					beginTwo(t, tablet, conns)
					mustExec(t, conns[0], c.held)
					done := start(context.Background(), conns[1], c.tried)
					waitForWait(t, tablet, done)
					mustExec(t, conns[0], end)
					res := <-done
					require.NoError(t, res.err)
					mustExec(t, conns[1], "commit")
					require.Equal(t, want, answer(res.Result)+keysLeft(t, conns[0]))
					require.NoError(t, tablet.Check())
				})
			}
		}
	}
}

// TestUncommittedRowsEndWaits has such waits end before the other transaction does.
func TestUncommittedRowsEndWaits(t *testing.T) {
	const none = sqlerror.ErrorCode(0)
	for _, c := range []struct {
		name, tried string
		want        sqlerror.ErrorCode
		answer      string
	}{
		{"timeout", "delete from t where a > 'c'", sqlerror.ERLockWaitTimeout, ""},
		{"timeout by index", "update t set k = 'new' where v = 50", sqlerror.ERLockWaitTimeout, ""},
		{"NOWAIT", "select a from t where a > 'c' for update nowait", 3572, ""},
		{"NOWAIT by index", "select a from t where u = 5 for share nowait", 3572, ""},
		{"SKIP LOCKED", "select a from t order by a for update skip locked", none, "[b z]:"},
		{"SKIP LOCKED by index", "select a from t where v >= 50 for share skip locked", none, "[z]:"},
		{"other ranges", "delete from t where a < 'c'", none, "1:"},
		{"other ranges of the index", "delete from t where v > 60", none, "1:"},
		{"plain read", "select a from t order by a", none, "[b z]:"},
		{"plain read by index", "select a from t where v = 50", none, "[]:"},
		{"read of a write", "insert into t select concat(a, a), k, v, null from t", sqlerror.ERLockWaitTimeout, ""},
	} {
		for way, vars := range ways {
			t.Run(way+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				tablet, conns := openShard(t, vars, 2)
				beginTwo(t, tablet, conns)
				mustExec(t, conns[1], "set innodb_lock_wait_timeout = 1")
				mustExec(t, conns[0], insertX)
				res := <-start(context.Background(), conns[1], c.tried)
				if c.want != none {
					requireErrno(t, c.want, res.err)
				} else {
					require.NoError(t, res.err)
					require.Equal(t, c.answer, answer(res.Result))
				}
			})
		}
	}
}

// TestUncommittedRowsDeadlock has two transactions come to each other's new rows, and a statement that waits be stopped.
func TestUncommittedRowsDeadlock(t *testing.T) {
	for way, vars := range ways {
		t.Run(way, func(t *testing.T) {
			tablet, conns := openShard(t, vars, 2)
			beginTwo(t, tablet, conns)
			mustExec(t, conns[0], insertX)
			ctx, cancel := context.WithCancel(context.Background())
			stopped := start(ctx, conns[1], "delete from t where v > 40")
			waitForWait(t, tablet, stopped)
			cancel()
			requireErrno(t, 1317, (<-stopped).err)

			mustExec(t, conns[1], "insert into t values ('y', 'k', 60, 6)")
			first := start(context.Background(), conns[0], "select a from t where a > 'x' for update")
			waitForWait(t, tablet, first)
			requireErrno(t, sqlerror.ERLockDeadlock, (<-start(context.Background(), conns[1], "update t set k = 'new' where v between 40 and 70")).err)
			res := <-first
			require.NoError(t, res.err)
			require.Equal(t, "[z]:", answer(res.Result))
		})
	}
}

// TestWaitSeesNewRows has a row come, ahead of a statement, while it waits; behind it none may.
func TestWaitSeesNewRows(t *testing.T) {
	for way, vars := range ways {
		t.Run(way, func(t *testing.T) {
			tablet, conns := openShard(t, vars, 3)
			beginTwo(t, tablet, conns)
			rows(t, conns[0], "select * from t where a = 'b' for update")
			done := start(context.Background(), conns[1], "delete from t")
			waitForWait(t, tablet, done)
			mustExec(t, conns[2], "insert into t values ('c', 'k', 1, 3)")
			mustExec(t, conns[2], "set innodb_lock_wait_timeout = 1")
			requireErrno(t, sqlerror.ERLockWaitTimeout, (<-start(context.Background(), conns[2], "insert into t values ('a', 'k', 1, 2)")).err)
			mustExec(t, conns[0], "commit")
			res := <-done
			require.NoError(t, res.err)
			mustExec(t, conns[1], "commit")
			mustExec(t, conns[2], "insert into t values ('a', 'k', 1, 2)")
			require.Equal(t, "3: a", answer(res.Result)+keysLeft(t, conns[0]))
		})
	}
}

// beginTwo makes the table, and begins a transaction on each of the first two connections, which LockWaits knows.
func beginTwo(t *testing.T, tablet *Tablet, conns []*Conn) {
	mustExec(t, conns[0], waitTable)
	mustExec(t, conns[0], waitRows)
	for i, conn := range conns[:2] {
		conn.SetOwner(uint64(i + 1))
		mustExec(t, conn, "begin")
	}
	require.Empty(t, tablet.LockWaits())
}

type outcome struct {
	*sqltypes.Result
	err error
}

func start(ctx context.Context, conn *Conn, sql string) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		res, err := conn.Query(ctx, sql, nil)
		done <- outcome{res, err}
	}()
	return done
}

// waitForWait returns when a transaction waits for a lock. A statement that ends instead fails the test.
func waitForWait(t *testing.T, tablet *Tablet, done <-chan outcome) {
	t.Helper()
	for len(tablet.LockWaits()) == 0 {
		select {
		case res := <-done:
			require.NoError(t, errors.Join(errors.New("it does not wait"), res.err))
		case <-time.After(time.Millisecond):
		}
	}
}

// answer is the first column of the rows, or how many rows were affected.
func answer(res *sqltypes.Result) string {
	if res.Fields == nil {
		return fmt.Sprint(res.RowsAffected, ":")
	}
	var first []string
	for _, row := range res.Rows {
		first = append(first, row[0].ToString())
	}
	return "[" + strings.Join(first, " ") + "]:"
}

func keysLeft(t *testing.T, conn *Conn) string {
	left := ""
	for _, row := range mustExec(t, conn, "select a from t order by a").Rows {
		left += " " + row[0].ToString()
	}
	return left
}
