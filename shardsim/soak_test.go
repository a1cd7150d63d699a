package shardsim

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
)

const (
	soakAccounts = 10
	soakClients  = 16
	soakMoves    = 40
	soakStart    = 1000
)

// TestMoneyIsConserved moves money between accounts in transactions from many clients: with FOR UPDATE and with plain
// updates, over tier 1 and over the engine. The sum must stay, and no update may be lost.
func TestMoneyIsConserved(t *testing.T) {
	c := New(Config{})
	tablet, err := c.AddShard("bank", "0")
	require.NoError(t, err)
	conn := tablet.Connect()
	defer conn.Close()
	mustExec(t, conn, "create table account (id bigint primary key, owner varchar(20) unique, money bigint not null, key (money))")
	mustExec(t, conn, "create table move (id bigint auto_increment primary key, src bigint, dst bigint, amount bigint)")
	for i := range soakAccounts {
		mustExec(t, conn, fmt.Sprintf("insert into account values (%d, 'owner %d', %d)", i, i, soakStart))
	}

	var wg sync.WaitGroup
	for client := range soakClients {
		wg.Add(1)
		go func() {
			defer wg.Done()
			conn := tablet.Connect()
			defer conn.Close()
			r := rand.New(rand.NewSource(int64(client)))
			for range soakMoves {
				for !moveMoney(t, conn, r) {
				}
			}
		}()
	}
	wg.Wait()

	require.NoError(t, tablet.Check())
	sum := mustExec(t, conn, "select sum(money) from account").Rows[0][0].ToString()
	require.Equal(t, fmt.Sprint(soakAccounts*soakStart), sum)
	moves := mustExec(t, conn, "select count(*), count(distinct id) from move")
	require.Equal(t, fmt.Sprintf("[[INT64(%d) INT64(%d)]]", soakClients*soakMoves, soakClients*soakMoves), fmt.Sprint(moves.Rows))
	// What each account has is what it started with, and what was moved.
	wrong := mustExec(t, conn, `select id from account where money <> 1000
		+ (select ifnull(sum(amount), 0) from move where dst = account.id)
		- (select ifnull(sum(amount), 0) from move where src = account.id)`)
	require.Empty(t, wrong.Rows)
}

// moveMoney runs one transaction and reports whether it was no victim of a deadlock.
func moveMoney(t *testing.T, conn *Conn, r *rand.Rand) bool {
	ctx := context.Background()
	b := binds{
		"src": sqltypes.Int64BindVariable(int64(r.Intn(soakAccounts))), "dst": sqltypes.Int64BindVariable(int64(r.Intn(soakAccounts))),
		"amount": sqltypes.Int64BindVariable(int64(r.Intn(50))),
	}
	statements := []string{
		"update account set money = money - :amount where id = :src",
		"update account set money = money + :amount where id = :dst",
	}
	if r.Intn(2) == 0 {
		statements = []string{
			"select money from account where id in (:src, :dst) order by id for update",
			"update account set money = money - :amount + 0 where id = :src",
			"update account set money = money + :amount where owner = concat('owner ', :dst)",
		}
	}
	statements = append(statements, "insert into move(src, dst, amount) values (:src, :dst, :amount)")
	if err := conn.Begin(ctx, TxOptions{}); err != nil {
		t.Error(err)
		return true
	}
	for _, sql := range statements {
		_, err := conn.Query(ctx, sql, b)
		if isDeadlock(err) {
			if conn.InTransaction() {
				t.Error("a deadlock must end the transaction")
			}
			return false
		}
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			return true
		}
	}
	if err := conn.Commit(ctx); err != nil {
		t.Error(err)
	}
	return true
}

func isDeadlock(err error) bool {
	var e *sqlerror.SQLError
	return errors.As(err, &e) && e.Num == sqlerror.ERLockDeadlock
}

// TestManyClustersAtOnce runs two clusters in one process side by side, queries of all kinds on both.
func TestManyClustersAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c := New(Config{})
			defer c.Close()
			for _, shard := range []string{"-80", "80-"} {
				tablet, err := c.AddShard("ks", shard)
				if err != nil {
					t.Error(err)
					return
				}
				conn := tablet.Connect()
				for _, sql := range []string{
					"create table t (id int primary key, name varchar(10) default 'x', check (id > 0))", "insert into t (id) values (1), (2)",
					"select count(*), sum(id) from t where name = 'X' group by name having sum(id) > 1 order by 1",
					"select table_name from information_schema.tables where table_schema = 'ks'", "show tables", "show create table t",
					"select a.id from t a join t b on a.id = b.id where b.name regexp 'x'", "alter table t add column n int", "drop table t",
				} {
					if _, err := conn.Query(context.Background(), sql, nil); err != nil {
						t.Errorf("%s: %v", sql, err)
					}
				}
				conn.Close()
			}
		}()
	}
	wg.Wait()
}
