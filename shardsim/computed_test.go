package shardsim

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"vitess.io/vitess/go/sqltypes"
)

// TestComputedColumnsAtOnce runs statements with computed columns in sessions of one shard at once, each with bind variables of
// its own: they share the plans.
func TestComputedColumnsAtOnce(t *testing.T) {
	_, conns := openShard(t, nil, 4)
	mustExec(t, conns[0], "create table g (id int primary key, name varchar(10), d decimal(8,2), ts datetime)")
	for i := range 20 {
		mustExec(t, conns[0], fmt.Sprintf("insert into g values (%d, 'n%d', %d.5, '2024-01-%02d')", i, i, i, i+1))
	}
	statements := []string{
		"select id from g where id = :i and (name like 'n%' or name like concat('%', :s))", "select id from g where id + 0 = :i and d > 0.1 and lower(name) = :s",
		"select max(id + 0) as id from g where name in ('x', :s) or d * 2 = :i * 2 + 1", "select id + :i - :i as id from g where ts >= :day and ts < :day + interval 1 day",
		"select case when name regexp '^n' then id end as id from g where concat(name, 'x') = concat(:s, 'x')", "select id from g where date_format(ts, '%Y-%m-%d') = :day and not (name <> :s)",
	}
	var group errgroup.Group
	for n, conn := range conns {
		group.Go(func() error {
			for i := range 200 {
				id := (i*7 + n) % 20
				vars := binds{
					"i": sqltypes.Int64BindVariable(int64(id)), "s": sqltypes.StringBindVariable(fmt.Sprint("n", id)),
					"day": sqltypes.StringBindVariable(fmt.Sprintf("2024-01-%02d", id+1)),
				}
				sql := statements[i%len(statements)]
				res, err := conn.Query(context.Background(), sql, vars)
				if err != nil {
					return fmt.Errorf("%s: %w", sql, err)
				}
				if len(res.Rows) != 1 || res.Rows[0][0].ToString() != fmt.Sprint(id) {
					return fmt.Errorf("%s of %d: %v", sql, id, res.Rows)
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
}

// TestStatementsWithinAReader runs statements while the rows of another one are read on the same connection.
func TestStatementsWithinAReader(t *testing.T) {
	_, conns := openShard(t, nil, 1)
	conn := conns[0]
	mustExec(t, conn, "create table g (id int primary key, n int)")
	for i := range 2500 {
		mustExec(t, conn, fmt.Sprintf("insert into g values (%d, %d)", i, i+1))
	}
	seen := 0
	err := conn.Execute(context.Background(), "select id, n from g where n > 0 order by id", nil, func(piece *sqltypes.Result) error {
		for i, row := range piece.Rows {
			require.Equal(t, fmt.Sprint(seen), row[0].ToString())
			if seen++; i%500 == 0 {
				require.Equal(t, "[[INT32(8)]]", rows(t, conn, "select y.n from g x join g y on y.id = x.n where x.id = 6"))
				require.Equal(t, "[[INT32(9)]]", rows(t, conn, "select id from g where id = 9"))
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 2500, seen)
}
