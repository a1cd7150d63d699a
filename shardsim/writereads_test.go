package shardsim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
)

// TestTablesReadByWrites has writes read another table that changed after their transaction's snapshot: they see its newest
// rows and lock them, under READ COMMITTED without lock. Queries see the snapshot but for the tables their lock clause is for.
func TestTablesReadByWrites(t *testing.T) {
	const waits, passes = true, false
	for _, c := range []struct {
		name, sql string
		isolation Isolation
		want      string // of SELECT a FROM t, or of the query
		blocks    bool   // another transaction that writes to u
	}{
		{"INSERT ... SELECT", "insert into t select b from u", RepeatableRead, "[1 7 8]:", waits},
		{"INSERT ... SELECT, READ COMMITTED", "insert into t select b from u", ReadCommitted, "[1 7 8]:", passes},
		{"REPLACE ... SELECT", "replace into t select b from u where b > 7", RepeatableRead, "[1 8]:", waits},
		{"value of INSERT", "insert into t values ((select max(b) from u))", RepeatableRead, "[1 8]:", waits},
		{"UPDATE", "update t set a = (select max(b) from u)", RepeatableRead, "[8]:", waits},
		{"DELETE", "delete from t where a < (select count(*) from u)", RepeatableRead, "[]:", waits},
		{"UPDATE of a join", "update t join u on u.b = t.a + 7 set t.a = u.b", RepeatableRead, "[8]:", waits},
		{"query", "select b from u order by b", RepeatableRead, "[7]:", passes},
		{"FOR SHARE", "select b from u order by b for share", RepeatableRead, "[7 8]:", waits},
		{"subquery of FOR UPDATE", "select (select max(b) from u) from t for update", RepeatableRead, "[7]:", passes},
		{"subquery FOR UPDATE", "select (select max(b) from u for update) from t", RepeatableRead, "[8]:", waits},
		{"derived table of FOR UPDATE", "select d.b from t, (select max(b) as b from u) d for update", RepeatableRead, "[7]:", passes},
	} {
		for way, vars := range ways {
			t.Run(way+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				_, conns := openShard(t, vars, 2)
				for _, sql := range []string{
					"create table t (a int primary key)", "create table u (b int primary key)", "insert into t values (1)", "insert into u values (7)",
				} {
					mustExec(t, conns[0], sql)
				}
				ctx := context.Background()
				require.NoError(t, conns[0].Begin(ctx, TxOptions{Isolation: c.isolation}))
				rows(t, conns[0], "select * from u") // the snapshot
				mustExec(t, conns[1], "insert into u values (8)")
				res, err := conns[0].Query(ctx, c.sql, nil)
				require.NoError(t, err)
				if res.Fields == nil {
					res, err = conns[0].Query(ctx, "select a from t order by a", nil)
					require.NoError(t, err)
				}
				require.Equal(t, c.want, answer(res))
				mustExec(t, conns[1], "set innodb_lock_wait_timeout = 1")
				_, err = conns[1].Query(ctx, "update u set b = 9 where b = 8", nil)
				if !c.blocks {
					require.NoError(t, err)
					return
				}
				requireErrno(t, sqlerror.ERLockWaitTimeout, err)
			})
		}
	}
}
