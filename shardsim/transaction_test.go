package shardsim

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
)

// ways are the ways a statement runs: straight on the store, and through the engine.
var ways = map[string]map[string]string{
	"straight": nil,
	"engine":   {"sql_select_limit": "1000000"},
}

// openShard returns a shard, and n connections to it whose statements go the given way.
func openShard(t *testing.T, vars map[string]string, n int) (*Tablet, []*Conn) {
	t.Helper()
	tablet, err := New(Config{}).AddShard("ks", "0")
	require.NoError(t, err)
	conns := make([]*Conn, n)
	for i := range conns {
		conns[i] = tablet.Connect()
		require.NoError(t, conns[i].SetSystemVariables(vars))
		t.Cleanup(conns[i].Close)
	}
	return tablet, conns
}

// requireErrno checks MySQL's number of an error.
func requireErrno(t *testing.T, want sqlerror.ErrorCode, err error) {
	t.Helper()
	var e *sqlerror.SQLError
	require.ErrorAs(t, err, &e)
	require.Equal(t, want, e.Num, e.Message)
}

// rows runs a statement and returns its rows as a text.
func rows(t *testing.T, conn *Conn, sql string) string {
	t.Helper()
	return fmt.Sprint(mustExec(t, conn, sql).Rows)
}

func execErr(conn *Conn, sql string) error {
	_, err := conn.Query(context.Background(), sql, nil)
	return err
}

const accountTable = "create table t (id int primary key, v int, u int unique, key (v))"

// TestIsolation has one transaction read before and after another one commits.
func TestIsolation(t *testing.T) {
	const first, second = "[[INT32(1)]]", "[[INT32(2)]]"
	for way, vars := range ways {
		for _, c := range []struct {
			name   string
			opts   TxOptions
			before string // what is read first, before the commit; "" reads nothing
			after  string
		}{
			{"REPEATABLE READ keeps what it read", TxOptions{}, first, first},
			{"REPEATABLE READ takes its snapshot at the first read", TxOptions{}, "", second},
			{"WITH CONSISTENT SNAPSHOT takes it at once", TxOptions{ConsistentSnapshot: true}, "", first},
			{"READ COMMITTED reads what is committed", TxOptions{Isolation: ReadCommitted}, first, second},
			{"READ UNCOMMITTED is READ COMMITTED", TxOptions{Isolation: ReadUncommitted}, first, second},
		} {
			t.Run(way+"/"+c.name, func(t *testing.T) {
				_, conns := openShard(t, vars, 2)
				mustExec(t, conns[0], accountTable)
				mustExec(t, conns[0], "insert into t values (1, 1, 1)")
				require.NoError(t, conns[0].Begin(context.Background(), c.opts))
				if c.before != "" {
					require.Equal(t, c.before, rows(t, conns[0], "select v from t where id = 1"))
				}
				mustExec(t, conns[1], "begin")
				mustExec(t, conns[1], "update t set v = 2 where id = 1")
				if c.before != "" {
					require.Equal(t, first, rows(t, conns[0], "select v from t where id = 1"), "not committed yet")
				}
				mustExec(t, conns[1], "commit")
				for _, sql := range []string{"select v from t where id = 1", "select v from t where v in (1, 2)", "select max(v) from t"} {
					require.Equal(t, c.after, rows(t, conns[0], sql), sql)
				}
				for _, lock := range []string{"for update", "for share", "lock in share mode", "for update nowait", "for share skip locked"} {
					require.Equal(t, second, rows(t, conns[0], "select v from t where id = 1 "+lock), "a locking read is current")
				}
				mustExec(t, conns[0], "update t set v = v + 10 where id = 1")
				require.Equal(t, "[[INT32(12)]]", rows(t, conns[0], "select v from t where id = 1"), "and so is a write")
				mustExec(t, conns[0], "commit")
			})
		}
	}
}

// TestSerializableReadsLock has a SERIALIZABLE read keep a writer waiting.
func TestSerializableReadsLock(t *testing.T) {
	for way, vars := range ways {
		t.Run(way, func(t *testing.T) {
			_, conns := openShard(t, vars, 2)
			mustExec(t, conns[0], accountTable)
			mustExec(t, conns[0], "insert into t values (1, 1, 1), (2, 2, 2)")
			require.NoError(t, conns[0].Begin(context.Background(), TxOptions{Isolation: Serializable}))
			rows(t, conns[0], "select v from t where id = 1")
			mustExec(t, conns[1], "set innodb_lock_wait_timeout = 1")
			mustExec(t, conns[1], "update t set v = 3 where id = 2")
			requireErrno(t, sqlerror.ERLockWaitTimeout, execErr(conns[1], "update t set v = 3 where id = 1"))
			require.Equal(t, "[[INT32(1)]]", rows(t, conns[1], "select v from t where id = 1 for share"))
			mustExec(t, conns[0], "commit")
			mustExec(t, conns[1], "update t set v = 3 where id = 1")
		})
	}
}

// TestLockingReads has one transaction hold locks while another one tries.
func TestLockingReads(t *testing.T) {
	const locked, timeout, none = sqlerror.ErrorCode(3572), sqlerror.ERLockWaitTimeout, sqlerror.ErrorCode(0)
	for _, c := range []struct {
		name, held, tried string
		want              sqlerror.ErrorCode
		rows              string
	}{
		{"update waits for update", "select * from t where id = 1 for update", "update t set v = 9 where id = 1", timeout, ""},
		{"delete waits for share", "select * from t where id = 1 for share", "delete from t where id = 1", timeout, ""},
		{"share beside share", "select * from t where id = 1 for share", "select id from t where id = 1 lock in share mode", none, "[[INT32(1)]]"},
		{"plain reads do not wait", "update t set v = 9 where id = 1", "select v from t where id = 1", none, "[[INT32(10)]]"},
		{"NOWAIT", "update t set v = 9 where id = 1", "select v from t where id = 1 for update nowait", locked, ""},
		{"NOWAIT for share", "update t set v = 9 where id = 1", "select v from t where v > 0 for share nowait", locked, ""},
		{"SKIP LOCKED", "update t set v = 9 where id = 1", "select id from t order by id for update skip locked", none, "[[INT32(2)] [INT32(3)]]"},
		{"SKIP LOCKED by index", "update t set v = 9 where id = 2", "select id from t where v = 20 for update skip locked", none, "[]"},
		{"rows found by index are locked", "select * from t where v = 20 for update", "update t set u = 7 where id = 2", timeout, ""},
		{"other rows are not", "select * from t where v = 20 for update", "update t set u = 7 where id = 3", none, "[]"},
		{"other rows are not, by a list", "select * from t where v in (10, 20) for update", "update t set u = 7 where id = 3", none, "[]"},
		{"rows found by a list are locked", "select * from t where v in (10, 20) for update", "update t set u = 7 where id = 2", timeout, ""},
		{"a write by a list locks its rows alone", "update t set u = u + 100 where v in (10, 20)", "update t set u = 7 where id = 3", none, "[]"},
		{"insert waits for a key that is not committed", "insert into t values (4, 4, 4)", "insert into t values (4, 5, 5)", timeout, ""},
		{"insert waits for a unique key that is not committed", "insert into t values (4, 4, 4)", "insert into t values (5, 5, 4)", timeout, ""},
		{"insert waits for a unique key whose removal is not committed", "delete from t where id = 1", "insert into t values (5, 5, 1)", timeout, ""},
		{"insert waits for a unique key that is given up", "update t set u = 99 where id = 1", "insert into t values (5, 5, 1)", timeout, ""},
		{"update waits for a unique key", "update t set u = 99 where id = 1", "update t set u = 99 where id = 2", timeout, ""},
		{"insert select locks what it reads", "insert into t select id + 10, v, id + 10 from t", "update t set v = 1 where id = 1", timeout, ""},
		{"insert into a range that was read", "select * from t where id > 2 for update", "insert into t values (9, 9, 9)", timeout, ""},
		{"insert where nothing was found", "select * from t where v = 77 for share", "insert into t values (9, 77, 9)", timeout, ""},
		{"insert where a write found nothing", "delete from t where v between 40 and 50", "insert into t values (9, 45, 9)", timeout, ""},
		{"insert into a table that was read whole", "update t set v = 1 where u % 2 = 7", "insert into t values (9, 9, 9)", timeout, ""},
		{"row moves into a range that was read", "select * from t where v > 25 for update", "update t set v = 26 where id = 1", timeout, ""},
		{"row moves elsewhere", "select * from t where v > 25 for update", "update t set v = 11 where id = 1", none, "[]"},
	} {
		for way, vars := range ways {
			t.Run(way+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				tablet, conns := openShard(t, vars, 2)
				mustExec(t, conns[0], accountTable)
				mustExec(t, conns[0], "insert into t values (1, 10, 1), (2, 20, 2), (3, 30, 3)")
				mustExec(t, conns[1], "set innodb_lock_wait_timeout = 1")
				for _, conn := range conns {
					mustExec(t, conn, "begin")
				}
				mustExec(t, conns[0], c.held)
				res, err := conns[1].Query(context.Background(), c.tried, nil)
				if c.want != none {
					requireErrno(t, c.want, err)
				} else {
					require.NoError(t, err)
					require.Equal(t, c.rows, fmt.Sprint(res.Rows))
				}
				require.True(t, conns[1].InTransaction(), "but for a deadlock the transaction goes on")
				for _, conn := range conns {
					mustExec(t, conn, "commit")
				}
				require.NoError(t, tablet.Check())
			})
		}
	}
}

// TestJobQueue has workers take the first free row each, as job queues do.
func TestJobQueue(t *testing.T) {
	_, conns := openShard(t, nil, 3)
	mustExec(t, conns[0], accountTable)
	mustExec(t, conns[0], "insert into t values (1, 1, null), (2, 0, null), (3, 0, 5), (4, 0, null), (5, 0, null)")
	for i, want := range []string{"[[INT32(2)]]", "[[INT32(4)]]", "[[INT32(5)]]"} {
		mustExec(t, conns[i], "begin")
		require.Equal(t, want, rows(t, conns[i], "select id from t where v = 0 and u is null order by id limit 1 for update skip locked"))
	}
	for _, conn := range conns {
		mustExec(t, conn, "rollback")
	}
}

// TestDeadlock has two transactions wait for each other. One is the victim, and the other one goes on.
func TestDeadlock(t *testing.T) {
	for way, vars := range ways {
		t.Run(way, func(t *testing.T) {
			_, conns := openShard(t, vars, 2)
			mustExec(t, conns[0], accountTable)
			mustExec(t, conns[0], "insert into t values (1, 1, 1), (2, 2, 2)")
			for i, conn := range conns {
				mustExec(t, conn, "begin")
				mustExec(t, conn, fmt.Sprintf("update t set v = 7 where id = %d", i+1))
			}
			done := make(chan error, 1)
			go func() { done <- execErr(conns[0], "update t set v = 8 where id = 2") }()
			err := execErr(conns[1], "update t set v = 8 where id = 1")
			other := <-done
			if err == nil {
				err, other = other, err
				conns[0], conns[1] = conns[1], conns[0]
			}
			requireErrno(t, sqlerror.ERLockDeadlock, err)
			require.NoError(t, other)
			require.False(t, conns[1].InTransaction(), "the victim is rolled back")
			mustExec(t, conns[0], "commit")
			require.Equal(t, "[[INT64(15)]]", rows(t, conns[1], "select sum(v) div 1 from t where v > 6"))
		})
	}
}

// TestStatementRollback has a statement fail after it has changed rows.
func TestStatementRollback(t *testing.T) {
	for way, vars := range ways {
		t.Run(way, func(t *testing.T) {
			tablet, conns := openShard(t, vars, 1)
			conn := conns[0]
			mustExec(t, conn, accountTable)
			mustExec(t, conn, "insert into t values (1, 1, 1), (2, 2, 2)")
			mustExec(t, conn, "begin")
			mustExec(t, conn, "insert into t values (3, 3, 3)")
			requireErrno(t, sqlerror.ERDupEntry, execErr(conn, "insert into t values (4, 4, 4), (5, 5, 1)"))
			requireErrno(t, sqlerror.ERDupEntry, execErr(conn, "update t set u = 9"))
			mustExec(t, conn, "savepoint a")
			mustExec(t, conn, "update t set v = 30 where id = 3")
			mustExec(t, conn, "savepoint b")
			mustExec(t, conn, "delete from t where id = 1")
			mustExec(t, conn, "rollback to A")
			requireErrno(t, sqlerror.ErrorCode(1305), execErr(conn, "rollback to b"))
			mustExec(t, conn, "release savepoint a")
			requireErrno(t, sqlerror.ErrorCode(1305), execErr(conn, "rollback to a"))
			mustExec(t, conn, "commit")
			require.Equal(t, "[[INT32(1) INT32(1)] [INT32(2) INT32(2)] [INT32(3) INT32(3)]]", rows(t, conn, "select id, v from t order by id"))
			require.NoError(t, tablet.Check())
		})
	}
}

// TestTriggersRollBack has a trigger fail after others wrote: the statement leaves nothing, the transaction all before it.
func TestTriggersRollBack(t *testing.T) {
	tablet, conns := openShard(t, nil, 1)
	conn := conns[0]
	mustExec(t, conn, accountTable)
	mustExec(t, conn, "create table log (what varchar(10), n int unique)")
	mustExec(t, conn, "create trigger tr after insert on t for each row insert into log values ('insert', new.v)")
	mustExec(t, conn, "begin")
	mustExec(t, conn, "insert into t values (1, 10, 1)")
	mustExec(t, conn, "savepoint a")
	mustExec(t, conn, "insert into t values (2, 20, 2)")
	err := execErr(conn, "insert into t values (3, 30, 3), (4, 10, 4)")
	requireErrno(t, sqlerror.ERDupEntry, err)
	require.Contains(t, err.Error(), "Duplicate entry '10' for key 'log.n'")
	require.Equal(t, "[[INT32(1)] [INT32(2)]]", rows(t, conn, "select id from t order by id"))
	require.Equal(t, "[[INT32(10)] [INT32(20)]]", rows(t, conn, "select n from log order by n"))
	mustExec(t, conn, "rollback to a")
	mustExec(t, conn, "commit")
	require.Equal(t, "[[INT32(1)]]", rows(t, conn, "select id from t order by id"))
	require.Equal(t, "[[INT32(10)]]", rows(t, conn, "select n from log order by n"))
	require.NoError(t, tablet.Check())
}

// TestImplicitCommit has DDL commit what is open.
func TestImplicitCommit(t *testing.T) {
	_, conns := openShard(t, nil, 1)
	conn := conns[0]
	mustExec(t, conn, accountTable)
	for i, ddl := range []string{"create table x (i int)", "alter table x add column j int", "truncate table x", "rename table x to y", "drop table y", "begin"} {
		mustExec(t, conn, "begin")
		mustExec(t, conn, fmt.Sprintf("insert into t values (%d, 1, %d)", i, i))
		mustExec(t, conn, ddl)
		mustExec(t, conn, "rollback")
		require.Equal(t, fmt.Sprintf("[[INT32(%d)]]", i), rows(t, conn, "select max(id) from t"), ddl)
	}
}

// TestReadOnly has a READ ONLY transaction refuse to write.
func TestReadOnly(t *testing.T) {
	_, conns := openShard(t, nil, 1)
	conn := conns[0]
	mustExec(t, conn, accountTable)
	mustExec(t, conn, "insert into t values (1, 1, 1)")
	mustExec(t, conn, "start transaction read only")
	for _, sql := range []string{
		"insert into t values (2, 2, 2)", "update t set v = 1 where id = 1", "update t set v = v", "delete from t", "replace into t values (1, 1, 1)",
		"insert into t select 5, 5, 5", "truncate table t", "create table x (i int)", "drop table t", "alter table t add column w int",
	} {
		requireErrno(t, sqlerror.ErrorCode(1792), execErr(conn, sql))
	}
	require.Equal(t, "[[INT32(1)]]", rows(t, conn, "select v from t where id = 1 for update"))
	mustExec(t, conn, "commit")
	mustExec(t, conn, "insert into t values (2, 2, 2)")
}

// TestAutoIncrementIsNotReused rolls inserts back, and has one fail.
func TestAutoIncrementIsNotReused(t *testing.T) {
	for way, vars := range ways {
		t.Run(way, func(t *testing.T) {
			_, conns := openShard(t, vars, 1)
			conn := conns[0]
			mustExec(t, conn, "create table a (id int primary key auto_increment, u int unique)")
			mustExec(t, conn, "begin")
			require.EqualValues(t, 1, mustExec(t, conn, "insert into a(u) values (1)").InsertID)
			mustExec(t, conn, "rollback")
			require.EqualValues(t, 2, mustExec(t, conn, "insert into a(u) values (1)").InsertID)
			requireErrno(t, sqlerror.ERDupEntry, execErr(conn, "insert into a(u) values (1)"))
			require.EqualValues(t, 4, mustExec(t, conn, "insert into a(u) values (2)").InsertID)
		})
	}
}

// TestCancel has the contexts of statements that take long end: they end at once, and leave nothing behind.
func TestCancel(t *testing.T) {
	tablet, conns := openShard(t, nil, 3)
	conn, holder, other := conns[0], conns[1], conns[2]
	mustExec(t, conn, "create table big (id int primary key, a int, b varchar(20))")
	for from := range 20 {
		sql := "insert into big values "
		for i := range 1000 {
			if i > 0 {
				sql += ", "
			}
			sql += fmt.Sprintf("(%d, %d, 'text %d')", from*1000+i, i, i)
		}
		mustExec(t, conn, sql)
	}
	mustExec(t, holder, "begin")
	mustExec(t, holder, "update big set a = a + 1 where id = 777")
	mustExec(t, holder, "select get_lock('n', 0)")
	for _, sql := range []string{
		"select sleep(20)", "select sleep(20) from big", "select get_lock('n', 20)", "select count(*) from big x, big y where x.a + y.a = 5",
		"select a from big where id = 777 for update", "update big set a = 3 where id = 777", "update big set a = a + 3 where id > 700",
		"select x.b, count(*) from big x join big y on x.a + 0 = y.a + 0 join big z on y.b < z.b group by x.b order by 2",
		"insert into big select x.id + y.id * 20000 + 100000, 1, 'x' from big x, big y",
		"delete from big where id in (select * from (select x.id from big x, big y where x.id + y.id = -1) d)",
	} {
		t.Run(sql, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(30*time.Millisecond, cancel)
			start := time.Now()
			_, err := conn.Query(ctx, sql, nil)
			requireErrno(t, sqlerror.ErrorCode(1317), err)
			require.Less(t, time.Since(start), 3*time.Second)
			require.Equal(t, "[[INT64(20000)]]", rows(t, conn, "select count(*) from big"))
			mustExec(t, other, "update big set b = 'free' where id = 800")
		})
	}
	mustExec(t, holder, "rollback")
	require.NoError(t, tablet.Check())
	// A stream whose reader has enough ends with the reader's error.
	enough := errors.New("enough")
	require.ErrorIs(t, conn.Execute(context.Background(), "select * from big", nil, func(*sqltypes.Result) error { return enough }), enough)
}

// TestNamedLocks has three sessions take each other's locks.
func TestNamedLocks(t *testing.T) {
	_, conns := openShard(t, nil, 3)
	const yes, no, null = "[[INT64(1)]]", "[[INT64(0)]]", "[[NULL]]"
	for _, step := range []struct {
		conn int
		sql  string
		want string
	}{
		{0, "select get_lock('a', 0)", yes},
		{0, "select get_lock('A', 0)", yes},
		{1, "select get_lock('a', 0)", no},
		{1, "select get_lock('a', 0.05)", no},
		{1, "select is_free_lock('a')", no},
		{1, "select is_free_lock('b')", yes},
		{1, "select is_used_lock('b')", null},
		{1, "select is_used_lock('a') > 0", yes},
		{1, "select release_lock('a')", no},
		{1, "select release_lock('b')", null},
		{0, "select release_lock('a')", yes},
		{1, "select get_lock('a', 0)", no},
		{0, "select release_lock('a')", yes},
		{1, "select get_lock('a', 0)", yes},
		{1, "select get_lock('b', -1)", yes},
		{1, "select release_all_locks()", "[[INT64(2)]]"},
		{0, "select get_lock(concat('c', x), 0) from (select 1 as x union all select 2) d", "[[INT64(1)] [INT64(1)]]"},
	} {
		require.Equal(t, step.want, rows(t, conns[step.conn], step.sql), step.sql)
	}
	for _, sql := range []string{"select get_lock('', 0)", "select get_lock(null, 0)", "select get_lock(repeat('x', 65), 0)"} {
		requireErrno(t, 3057, execErr(conns[0], sql))
	}
}
