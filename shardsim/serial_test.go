package shardsim

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

var soak = flag.Duration("soak", 500*time.Millisecond, "how long TestSerialOrder runs transactions")

// The tables of the soak: rows of fixed are there all the time, and their sum stays; those of free come and go.
var serialTables = []string{
	"create table fixed (id int primary key, v int not null, w varchar(20), key (v))",
	"create table free (id int primary key, u int unique, v int, key (v))",
}

const fixedRows = 8

// Statements whose effect depends on what they lock, so that the order of commits explains all. Under READ COMMITTED that
// holds for rows that are always there and, where a statement goes straight to the store, for primary keys.
var (
	freeStatements = []string{
		"insert into free values (:a, :u, :d)", "insert into free values (:a, :u, 1), (:b, :d, 2)", "update free set v = v + :d where id = :a",
		"update free set u = :u where id = :a", "update free set v = :d, u = :u where id = :b", "delete from free where id = :a",
		"select id, u, v from free where id = :a for update", "select id, v from free where id in ::l order by id for share",
	}
	// gapStatements depend on rows that are not there.
	gapStatements = []string{
		"update free set v = v + :d where v between :d and :u", "delete from free where v = :d", "update free set v = 1 where u > :u",
		"select id, v from free where v >= :u order by v, id for share", "select count(*), sum(v) from free where id > :a for update",
		"select id from free where id between :a and :b order by id desc limit 2 for update", "update free set v = v + 1 where v % 3 = 1",
		"insert into free select :a, null, count(*) from free where v > :d", "update fixed set w = (select count(*) from free where v > :d) where id = :fa",
	}
	fixedStatements = []string{
		"update fixed set w = concat(w, :d) where id = :fa and length(w) < 15", "update fixed set w = 'x' where id = :fb",
		"select id, v, w from fixed where id in (:fa, :fb) order by v, id for update", "select v + 1 from fixed where id = :fa lock in share mode",
		"insert into fixed values (:fa, 0, 'y') on duplicate key update w = concat('dup ', values(v))",
	}
	transfer = []string{"update fixed set v = v - :d where id = :fa", "update fixed set v = v + :d where id = :fb"}
)

// step is a statement that ran, and what came of it.
type step struct {
	sql    string
	binds  binds
	result string
}

// commitLog holds the transactions in the order of their commits.
type commitLog struct {
	mu  sync.Mutex
	txs [][]step
}

// TestSerialOrder runs random transactions of many clients, and then those that were committed once more, one after the
// other in the order of their commits, on another shard: each statement must give the same, and the tables must be the same.
func TestSerialOrder(t *testing.T) {
	r := newRand(t)
	c := New(Config{})
	var tablets [2]*Tablet
	for i := range tablets {
		var err error
		tablets[i], err = c.AddShard("ks", fmt.Sprint(i))
		require.NoError(t, err)
		conn := tablets[i].Connect()
		for _, sql := range serialTables {
			mustExec(t, conn, sql)
		}
		for id := range fixedRows {
			mustExec(t, conn, fmt.Sprintf("insert into fixed values (%d, 100, '')", id))
		}
		conn.Close()
	}
	log := &commitLog{}
	ctx, cancel := context.WithTimeout(context.Background(), *soak)
	defer cancel()
	var wg sync.WaitGroup
	for client := range 8 {
		seed := r.Int63()
		wg.Add(1)
		go func() {
			defer wg.Done()
			conn := tablets[0].Connect()
			defer conn.Close()
			if client%2 == 0 {
				// A variable that may change what statements mean makes them all go through the engine.
				if err := conn.SetSystemVariables(map[string]string{"sql_select_limit": "1000000"}); err != nil {
					t.Error(err)
				}
			}
			r := rand.New(rand.NewSource(seed))
			for ctx.Err() == nil && !t.Failed() {
				log.transaction(t, conn, r, client%2 == 0)
			}
		}()
	}
	wg.Wait()
	t.Logf("%d transactions committed", len(log.txs))
	conns := [2]*Conn{tablets[0].Connect(), tablets[1].Connect()}
	replay(t, conns[1], log)
	for i, conn := range conns {
		require.NoError(t, tablets[i].Check())
		defer conn.Close()
	}
	for _, sql := range []string{"select * from fixed order by id", "select * from free order by id", "select id from free where v > 0 order by v, id", "select count(*), sum(v) from free"} {
		require.Equal(t, rows(t, conns[1], sql), rows(t, conns[0], sql), sql)
	}
}

func replay(t *testing.T, conn *Conn, log *commitLog) {
	for n, steps := range log.txs {
		require.NoError(t, conn.Begin(context.Background(), TxOptions{}))
		for _, s := range steps {
			result, err := run(conn, s.sql, s.binds)
			require.NoError(t, err)
			require.Equal(t, s.result, result, "transaction %d: %s %v", n, s.sql, s.binds)
		}
		require.NoError(t, conn.Commit(context.Background()))
	}
}

// run runs a statement and tells what came of it. The error is one that ends the transaction.
func run(conn *Conn, sql string, b binds) (string, error) {
	res, err := conn.Query(context.Background(), sql, b)
	if isDeadlock(err) {
		return "", err
	}
	if err != nil {
		return err.Error(), nil
	}
	return fmt.Sprint(res.RowsAffected, res.Rows), nil
}

// transaction runs a random transaction and logs it if it commits.
func (l *commitLog) transaction(t *testing.T, conn *Conn, r *rand.Rand, engine bool) {
	ctx := context.Background()
	opts := TxOptions{Isolation: []Isolation{RepeatableRead, ReadCommitted, Serializable}[r.Intn(3)]}
	if err := conn.Begin(ctx, opts); err != nil {
		t.Error(err)
	}
	var steps []step
	for _, sql := range randomTransaction(r, opts.Isolation, engine) {
		b := serialBinds(r)
		if len(steps) > 0 && sql == transfer[1] {
			b = steps[len(steps)-1].binds
		}
		result, err := run(conn, sql, b)
		if err != nil {
			if conn.InTransaction() {
				t.Error("a deadlock must end the transaction")
			}
			return
		}
		steps = append(steps, step{sql, b, result})
	}
	if opts.Isolation == RepeatableRead && len(steps) > 0 && steps[0].sql == sumOfFixed && steps[0].result != fmt.Sprintf("0 [[DECIMAL(%d)]]", 100*fixedRows) {
		t.Errorf("a consistent read gave %s", steps[0].result)
	}
	if r.Intn(8) == 0 {
		if err := conn.Rollback(ctx); err != nil {
			t.Error(err)
		}
		return
	}
	if steps[0].sql == sumOfFixed {
		steps = steps[1:] // reads its snapshot: no place in the order of commits
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := conn.Commit(ctx); err != nil {
		t.Error(err)
	}
	l.txs = append(l.txs, steps)
}

const sumOfFixed = "select sum(v) from fixed"

// randomTransaction returns statements.
func randomTransaction(r *rand.Rand, isolation Isolation, engine bool) []string {
	var all []string
	if !engine && isolation != Serializable && r.Intn(3) == 0 {
		all = append(all, sumOfFixed)
	}
	free := freeStatements
	switch {
	case isolation != ReadCommitted:
		free = slices.Concat(gapStatements, freeStatements)
	case engine:
		free = fixedStatements
	}
	saved := false
	for range 1 + r.Intn(4) {
		switch r.Intn(5) {
		case 0:
			all = append(all, transfer...)
		case 1, 2:
			all = append(all, fixedStatements[r.Intn(len(fixedStatements))])
		case 3:
			all = append(all, free[r.Intn(len(free))])
		case 4:
			if saved && len(all) > 0 && all[len(all)-1] != "savepoint s" {
				all = append(all, "rollback to s")
			} else {
				all, saved = append(all, "savepoint s"), true
			}
		}
		all = append(all, free[r.Intn(len(free))])
	}
	return append(all, fixedStatements[r.Intn(len(fixedStatements))])
}

func serialBinds(r *rand.Rand) binds {
	number := func(n int) *querypb.BindVariable { return sqltypes.Int64BindVariable(int64(r.Intn(n))) }
	list := &querypb.BindVariable{Type: querypb.Type_TUPLE}
	for range 3 {
		list.Values = append(list.Values, sqltypes.ValueToProto(sqltypes.NewInt64(int64(r.Intn(12)))))
	}
	return binds{"a": number(12), "b": number(12), "u": number(20), "d": number(9), "l": list, "fa": number(fixedRows), "fb": number(fixedRows)}
}
