package combo_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// requireErrno requires an error of MySQL's with a number.
func requireErrno(t testing.TB, want uint16, err error, query string) {
	t.Helper()
	var refused *mysql.MySQLError
	require.ErrorAs(t, err, &refused, query)
	require.Equal(t, want, refused.Number, "%s: %v", query, err)
}

const flushCustomer = "flush tables customer.customer, commerce.product with read lock"

// TestFlushTablesLock has one client lock tables of two keyspaces. Others read them and wait to write to them or to lock their
// rows, on each shard, until the first gives them back: in a statement, or with its connection or what that had.
func TestFlushTablesLock(t *testing.T) {
	for _, tc := range []struct {
		name, lock, waits string
		release           string // a statement of the holder, KILL of another client, or empty
	}{
		{"UNLOCK TABLES", flushCustomer, "select * from customer for update", "unlock tables"},
		{"the connection's end", flushCustomer, "update customer set name = 'x' where customer_id = 8", ""},
		{"KILL", flushCustomer, "update commerce.product set price = 1", "kill"},
		{"the global lock", "flush tables with read lock", "insert into corder (order_id, customer_id, sku, price) values (77, 1, 'a', 5)", "unlock tables"},
		{"a schema change", flushCustomer, "alter table customer add column more int", "unlock tables"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cluster, db := start(t, combo.Config{}, "customer")
			own := open(t, cluster, "customer")
			own.SetMaxIdleConns(0) // closing a connection ends it
			holder, other := connection(t, own), connection(t, db)
			id := rows(t, holder, "select connection_id()")[0]
			exec(t, holder, tc.lock)
			require.Equal(t, []string{"12"}, rows(t, other, "select count(*) from customer"))
			exec(t, other, "set lock_wait_timeout = 1")
			_, err := other.Exec(tc.waits)
			requireErrno(t, 1205, err, tc.waits)
			exec(t, other, "set lock_wait_timeout = default")
			done := make(chan error)
			go func() {
				_, err := other.Exec(tc.waits)
				done <- err
			}()
			select {
			case err := <-done:
				t.Fatalf("did not wait: %v", err)
			case <-time.After(50 * time.Millisecond):
			}
			switch tc.release {
			case "":
				require.NoError(t, holder.Close())
			case "kill":
				exec(t, db, "kill "+id)
			default:
				exec(t, holder, tc.release)
			}
			require.NoError(t, <-done)
		})
	}
}

// TestFlushTablesLockOfTheSession shows what a client may do that has locks itself.
func TestFlushTablesLockOfTheSession(t *testing.T) {
	_, db := start(t, combo.Config{}, "customer")
	c := connection(t, db)
	refused := func(errno uint16, query string) {
		t.Helper()
		_, err := c.Exec(query)
		requireErrno(t, errno, err, query)
	}
	exec(t, c, "unlock tables")
	exec(t, c, "begin")
	exec(t, c, "update customer set name = 'x' where customer_id in (1, 8)")
	exec(t, c, "flush tables customer with read lock") // which commits
	exec(t, c, "rollback")
	require.Equal(t, []string{"1 x", "8 x"}, rows(t, c, "select customer_id, name from customer where customer_id in (1, 8) order by customer_id"))
	refused(1099, "update customer set name = 'y' where customer_id = 1")
	refused(1099, "alter table customer add column more int")
	refused(1100, "select * from corder")
	refused(1192, "flush tables corder with read lock")
	require.Equal(t, []string{"2"}, rows(t, c, "select count(*) from customer where name = 'x'"))
	exec(t, c, "unlock tables")
	exec(t, c, "update customer set name = 'y' where customer_id = 1")

	exec(t, c, "flush tables with read lock")
	refused(1223, "update customer set name = 'z' where customer_id = 1")
	refused(1223, "flush tables customer with read lock")
	exec(t, c, "begin")
	require.Equal(t, []string{"12"}, rows(t, c, "select count(*) from customer"))
	exec(t, c, "unlock tables")
	exec(t, c, "update customer set name = 'z' where customer_id = 1")
	exec(t, c, "rollback")
	require.Equal(t, []string{"y"}, rows(t, c, "select name from customer where customer_id = 1"))

	refused(1235, "flush tables customer for export")
	exec(t, c, "use @replica")
	refused(1235, "flush local tables customer.customer with read lock")
	refused(1105, "flush tables customer.customer with read lock")
	exec(t, c, "use customer")
	exec(t, c, "flush tables customer with read lock")
	exec(t, c, "begin") // frees what is locked on the shards that it reaches
	exec(t, c, "update customer set name = 'w' where customer_id = 1")
	exec(t, c, "commit")
}

// TestFlushTablesLockLeavesNothing ends a FLUSH that has locked some shards, as another client writes on the next: by its
// time, by KILL and by a deadlock.
func TestFlushTablesLockLeavesNothing(t *testing.T) {
	for _, end := range []string{"time", "kill", "deadlock"} {
		t.Run(end, func(t *testing.T) {
			_, db := start(t, combo.Config{}, "customer")
			locker, writer, third := connection(t, db), connection(t, db), connection(t, db)
			exec(t, writer, "begin")
			exec(t, writer, "update customer set name = 'w' where customer_id = 1") // on 80-, which is locked last
			exec(t, locker, "set lock_wait_timeout = "+map[bool]string{true: "1", false: "50"}[end == "time"])
			id := rows(t, locker, "select connection_id()")[0]
			done := make(chan error)
			go func() {
				_, err := locker.Exec("flush tables customer with read lock")
				done <- err
			}()
			switch end {
			case "time":
				requireErrno(t, 1205, <-done, "flush")
			case "kill":
				awaitStatement(t, third, "flush tables")
				exec(t, third, "kill query "+id)
				requireErrno(t, 1317, <-done, "flush")
			case "deadlock":
				exec(t, third, "set lock_wait_timeout = 1")
				require.Eventually(t, func() bool {
					_, err := third.Exec("update customer set name = 'v' where customer_id = 10")
					return err != nil // it is locked now
				}, time.Minute, time.Millisecond)
				exec(t, third, "set lock_wait_timeout = default")
				exec(t, writer, "update customer set name = 'w' where customer_id = 8")
				requireErrno(t, 1213, <-done, "flush")
				exec(t, writer, "rollback")
			}
			exec(t, third, "update customer set name = 'v' where customer_id in (8, 10)") // on -80
			exec(t, writer, "rollback")
			exec(t, locker, "update customer set name = 'u' where customer_id in (1, 8)")
		})
	}
}

// awaitStatement waits until a client runs a statement that begins so.
func awaitStatement(t testing.TB, c conn, beginning string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return strings.Contains(strings.Join(rows(t, c, "show processlist"), "\n"), " "+beginning)
	}, time.Minute, time.Millisecond)
}
