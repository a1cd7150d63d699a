package shardsim

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTableLocksAreWaitedFor has sessions wait for tables that another one gives back, each in another way.
func TestTableLocksAreWaitedFor(t *testing.T) {
	for _, tc := range []struct{ name, lock, waits, release string }{
		{"UNLOCK TABLES", "lock tables t write", "select * from t", "unlock tables"},
		{"START TRANSACTION", "lock tables t write", "update t set v = 2", "start transaction"},
		{"other LOCK TABLES", "lock tables t read", "insert into t (v) values (1)", "lock tables log read"},
		{"a reader's end", "lock tables t read", "lock tables t write", "unlock tables"},
		{"a transaction's end", "begin", "lock tables t read", "commit"},
		{"the connection's end", "lock tables t write", "delete from t", ""},
		{"the global lock's end", "flush tables with read lock", "insert into log values ('x', 1)", "unlock tables"},
		{"a commit", "flush tables with read lock", "create table made (id int)", "unlock tables"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			conn := connectTriggers(t, New(Config{}))
			holder := conn.Tablet().Connect()
			mustExec(t, holder, tc.lock)
			if tc.lock == "begin" {
				mustExec(t, holder, "insert into t (v) values (7)")
			}
			done := make(chan error)
			go func() {
				_, err := conn.Query(context.Background(), tc.waits, nil)
				done <- err
			}()
			select {
			case err := <-done:
				t.Fatalf("did not wait: %v", err)
			case <-time.After(50 * time.Millisecond):
			}
			if tc.release == "" {
				holder.Close()
			} else {
				mustExec(t, holder, tc.release)
				defer holder.Close()
			}
			require.NoError(t, <-done)
		})
	}
}

// TestTableLockWaitsStop ends the waits of statements whose contexts end, as KILL QUERY does.
func TestTableLockWaitsStop(t *testing.T) {
	for lock, waits := range map[string]string{
		"lock tables t write":         "select * from t",
		"lock tables t read":          "lock tables t write",
		"flush tables with read lock": "insert into t (v) values (1)",
	} {
		conn := connectTriggers(t, New(Config{}))
		holder := conn.Tablet().Connect()
		defer holder.Close()
		mustExec(t, holder, lock)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() {
			_, err := conn.Query(ctx, waits, nil)
			done <- err
		}()
		cancel()
		require.ErrorContains(t, <-done, "errno 1317", lock)
		mustExec(t, holder, "unlock tables")
		mustExec(t, conn, "insert into t (v) values (1)")
	}
}

// TestCommitWaitsForGlobalLock holds back the commit of what was written before FLUSH TABLES WITH READ LOCK.
func TestCommitWaitsForGlobalLock(t *testing.T) {
	conn := connectTriggers(t, New(Config{}))
	holder := conn.Tablet().Connect()
	defer holder.Close()
	mustExec(t, conn, "begin")
	mustExec(t, conn, "insert into t (v) values (1)")
	mustExec(t, holder, "flush tables with read lock")
	mustExec(t, conn, "set lock_wait_timeout = 1")
	_, err := conn.Query(context.Background(), "commit", nil)
	require.ErrorContains(t, err, "errno 1205")
	mustExec(t, holder, "unlock tables")
	mustExec(t, conn, "commit")
	res, err := holder.Query(context.Background(), "select count(*) from t", nil)
	require.NoError(t, err)
	require.Equal(t, "1", rowText(res.Rows[0]))
}

// TestTableLocksOfManySessions counts under LOCK TABLES, which alone makes reading and then writing safe, beside transactions
// that write. Nobody waits for ever.
func TestTableLocksOfManySessions(t *testing.T) {
	conn := connectTriggers(t, New(Config{}))
	mustExec(t, conn, "insert into t (v) values (0)")
	const sessions, rounds = 4, 15
	var wg sync.WaitGroup
	for n := range sessions {
		wg.Add(1)
		go func() {
			defer wg.Done()
			own := conn.Tablet().Connect()
			defer own.Close()
			run := func(text string) string {
				res, err := own.Query(context.Background(), text, nil)
				if err != nil {
					t.Error(text, err)
					return ""
				}
				if len(res.Rows) == 0 {
					return ""
				}
				return rowText(res.Rows[0])
			}
			for range rounds {
				if n == 0 {
					run("begin")
					run("insert into log values ('x', 1)")
					run("update t set v = v + 1")
					run("commit")
					continue
				}
				run("lock tables log read, t write")
				v := run("select v from t")
				run(fmt.Sprintf("update t set v = %s + 1", v))
				run("unlock tables")
			}
		}()
	}
	wg.Wait()
	res, err := conn.Query(context.Background(), "select v, (select count(*) from log) from t", nil)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(sessions*rounds, " | ", rounds), rowText(res.Rows[0]))
}
