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
