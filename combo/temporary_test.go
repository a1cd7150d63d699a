package combo_test

import (
	"context"
	"database/sql"
	"io"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// conn is a client's connection whose methods look like a pool's.
type conn struct{ *sql.Conn }

func (c conn) Exec(query string, args ...any) (sql.Result, error) {
	return c.ExecContext(context.Background(), query, args...)
}

func (c conn) Query(query string, args ...any) (*sql.Rows, error) {
	return c.QueryContext(context.Background(), query, args...)
}

func connection(t testing.TB, db *sql.DB) conn {
	t.Helper()
	c, err := db.Conn(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() }) // a test may have closed it
	return conn{c}
}

// TestTemporaryTables has one client's temporary table hide a permanent one, in and out of transactions, until it goes.
func TestTemporaryTables(t *testing.T) {
	_, db := start(t, combo.Config{}, "commerce")
	exec(t, db, "create table note (id int primary key, v varchar(10))")
	exec(t, db, "insert into note values (1, 'all')")
	mine, other := connection(t, db), connection(t, db)

	exec(t, mine, "create temporary table note (id int primary key, v varchar(10))")
	exec(t, mine, "create temporary table extra (id int, w int)")
	exec(t, mine, "insert into note values (7, 'mine'), (8, 'too')")
	exec(t, mine, "insert into extra values (7, 70)")
	require.Equal(t, []string{"7 mine", "8 too"}, rows(t, mine, "select * from note order by id"))
	require.Equal(t, []string{"7 70"}, rows(t, mine, "select n.id, e.w from note n join extra e on e.id = n.id"))
	require.Equal(t, []string{"1 all"}, rows(t, other, "select * from note"))

	exec(t, mine, "begin")
	exec(t, mine, "update note set v = 'tx' where id = 7")
	exec(t, mine, "create temporary table later (id int)")
	exec(t, mine, "insert into later values (5)")
	require.Equal(t, []string{"7 tx", "8 too"}, rows(t, mine, "select * from note order by id"))
	require.Equal(t, []string{"5"}, rows(t, mine, "select * from later"))
	exec(t, mine, "rollback")
	require.Equal(t, []string{"7 mine", "8 too"}, rows(t, mine, "select * from note order by id"))
	require.Empty(t, rows(t, mine, "select * from later"))

	exec(t, mine, "drop temporary table note")
	require.Equal(t, []string{"1 all"}, rows(t, mine, "select * from note"))
	_, err := other.Exec("insert into extra values (1, 1)")
	require.ErrorContains(t, err, "extra")
	_, err = mine.Exec("create temporary table customer.t (id int)")
	require.ErrorContains(t, err, "Temporary table not supported in sharded database customer")
}

// TestWarnShardedOnly warns of what a sharded keyspace would refuse.
func TestWarnShardedOnly(t *testing.T) {
	for _, on := range []bool{false, true} {
		_, db := start(t, combo.Config{WarnShardedOnly: on}, "commerce")
		c := connection(t, db)
		exec(t, c, "create table note (id int primary key)")
		exec(t, c, "create procedure p() begin insert into note values (1); end")
		mysql.RegisterReaderHandler("warned", func() io.Reader { return strings.NewReader("7\n") })
		for feature, query := range map[string]string{
			"temporary table": "create temporary table tmp (id int)",
			"CALL":            "call p()",
			"LOAD":            "load data local infile 'Reader::warned' into table note",
		} {
			exec(t, c, query)
			want := []string{}
			if on {
				want = append(want, "Warning 1235 '"+feature+"' not supported in sharded mode")
			}
			require.Equal(t, want, rows(t, c, "show warnings"), query)
		}
		exec(t, c, "insert into note values (2)")
		require.Empty(t, rows(t, c, "show warnings"))
	}
}

// TestTemporaryTablesBeginInATransaction makes the first one while a transaction is open on the shard.
func TestTemporaryTablesBeginInATransaction(t *testing.T) {
	_, db := start(t, combo.Config{}, "commerce")
	exec(t, db, "create table note (id int primary key)")
	mine := connection(t, db)
	exec(t, mine, "begin")
	exec(t, mine, "insert into note values (1)")
	exec(t, mine, "create temporary table tmp as select id from note")
	require.Equal(t, []string{"1"}, rows(t, mine, "select * from tmp"))
	exec(t, mine, "insert into note select id + 1 from tmp")
	exec(t, mine, "commit")
	require.Equal(t, []string{"1", "2"}, rows(t, db, "select id from note order by id"))
	require.Equal(t, []string{"1"}, rows(t, mine, "select * from tmp"))
}
