package combo_test

import (
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// TestProcedures has a client make and call procedures with handlers. Variables of the client are values to a shard, as in
// Vitess, so that OUT parameters have no place for what they give.
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
	exec(t, c, "set @x = 1")
	_, err := c.Exec("call give(@x)")
	var refused *mysql.MySQLError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, uint16(1414), refused.Number)
	require.Equal(t, []string{"1"}, rows(t, c, "select @x"))
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
