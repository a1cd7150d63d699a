package combo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// TestProcedures has a client make and call procedures with handlers. OUT parameters are refused, as in Vitess: variables of the
// client are values to a shard.
func TestProcedures(t *testing.T) {
	_, db := start(t, combo.Config{}, "commerce")
	c := connection(t, db)
	exec(t, c, "create table note (id int primary key, v varchar(20))")
	exec(t, c, `create procedure keep(in n int, in s varchar(20)) begin
		declare exit handler for 1062 update note set v = concat(v, '+', s) where id = n;
		insert into note values (n, s);
	end`)
	for range 2 {
		exec(t, c, "call keep(1, 'a')")
	}
	require.Equal(t, []string{"1 a+a"}, rows(t, c, "select * from note"))

	exec(t, c, "begin")
	exec(t, c, "call keep(2, 'b')")
	exec(t, c, "rollback")
	require.Equal(t, []string{"1 a+a"}, rows(t, c, "select * from note"))

	exec(t, c, "create procedure give(out n int) begin set n = 3; end")
	exec(t, c, "create procedure bump(inout n int) begin set n = n + 1; end")
	exec(t, c, "create procedure inner_give() begin declare n int; call give(n); call bump(n); insert into note values (n, 'given'); end")
	exec(t, c, "set @x = 1")
	for _, call := range []string{"call give(@x)", "call bump(@x)", "call give(5)"} {
		for _, begin := range []string{"rollback", "begin"} {
			exec(t, c, begin)
			_, err := c.Exec(call)
			requireErrno(t, 1235, err, call)
			require.ErrorContains(t, err, "OUT and INOUT parameters are not supported")
		}
		exec(t, c, "rollback")
	}
	require.Equal(t, []string{"1"}, rows(t, c, "select @x"))
	exec(t, c, "call inner_give()")
	require.Equal(t, []string{"4 given"}, rows(t, c, "select * from note where v = 'given'"))
}

// TestProceduresGiveNoRows refuses result sets of procedures, after which all they wrote is there, as in Vitess. The workload
// OLAP may have one.
func TestProceduresGiveNoRows(t *testing.T) {
	_, db := start(t, combo.Config{}, "commerce")
	c := connection(t, db)
	exec(t, c, "create table note (id int primary key)")
	exec(t, c, "create procedure one(n int) begin insert into note values (n); select id from note where id = n; update note set id = id + 1 where id = n; end")
	exec(t, c, "create procedure fails(n int) begin call one(n); insert into note values (null); end")
	exec(t, c, "create procedure silent(n int) begin select count(*) into @n from note; insert into note values (n + @n); end")
	refused := func(call string, args ...any) {
		t.Helper()
		_, err := c.Exec(call, args...)
		requireErrno(t, 1235, err, call)
		require.ErrorContains(t, err, "Multi-Resultset not supported in stored procedure")
	}
	refused("call one(1)")
	refused("call one(?)", 3)
	refused("call fails(5)")
	exec(t, c, "begin")
	refused("call one(7)")
	require.Equal(t, []string{"2", "4", "6", "8"}, rows(t, c, "select id from note order by id"))
	exec(t, c, "rollback")
	exec(t, c, "call silent(7)")
	require.Equal(t, []string{"2", "4", "6", "10"}, rows(t, c, "select id from note order by id"))

	exec(t, c, "set workload = olap")
	require.Equal(t, []string{"20"}, rows(t, c, "call one(20)"))
	exec(t, c, "begin")
	require.Equal(t, []string{"30"}, rows(t, c, "call one(30)"))
	exec(t, c, "commit")
	exec(t, c, "create procedure two_sets(n int) begin call one(n); call one(n + 10); end")
	refused("call two_sets(40)")
	require.Equal(t, []string{"2", "4", "6", "10", "21", "31", "41", "51"}, rows(t, c, "select id from note order by id"))
}

// TestProceduresKeepTransactions has procedures end and begin transactions: a session's own they may not, as in Vitess.
func TestProceduresKeepTransactions(t *testing.T) {
	_, db := start(t, combo.Config{}, "commerce")
	c := connection(t, db)
	exec(t, c, "create table note (id int primary key)")
	exec(t, c, "create procedure whole() begin start transaction; insert into note values (1); commit; end")
	exec(t, c, "create procedure open_end() begin start transaction; insert into note values (2); end")
	exec(t, c, "create procedure ends() begin insert into note values (3); commit; end")
	exec(t, c, "create procedure again() begin insert into note values (4); commit; start transaction; end")
	exec(t, c, "call whole()")
	require.Equal(t, []string{"1"}, rows(t, c, "select id from note"))

	_, err := c.Exec("call open_end()")
	require.ErrorContains(t, err, "Transaction not concluded inside the stored procedure, leaking transaction from stored procedure is not allowed")
	require.Equal(t, []string{"1"}, rows(t, c, "select id from note"))

	exec(t, c, "begin")
	_, err = c.Exec("call ends()")
	require.ErrorContains(t, err, "Transaction state change inside the stored procedure is not allowed")
	exec(t, c, "rollback")
	require.Equal(t, []string{"1", "3"}, rows(t, c, "select id from note order by id"))

	exec(t, c, "begin")
	exec(t, c, "call again()")
	exec(t, c, "rollback")
	require.Equal(t, []string{"1", "3", "4"}, rows(t, c, "select id from note order by id"))
}
