package shardsim

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

var seed = flag.Int64("seed", 0, "seed of the random tests, 0 for a new one")

func newRand(t *testing.T) *rand.Rand {
	s := *seed
	if s == 0 {
		s = time.Now().UnixNano()
	}
	t.Logf("-seed %d", s)
	return rand.New(rand.NewSource(s))
}

// tierTables have what statements by primary key must get right: types, defaults, unique keys, collations.
var tierTables = []string{
	`create table a (id int primary key auto_increment, name varchar(6) unique, n smallint default 7, d decimal(8,2), ts datetime,
		e enum('x','y'), u bigint unsigned, b varbinary(4), tm time, key (n))`,
	`create table b (k varchar(5), id bigint, v int not null default 3, primary key (k, id))`,
}

var tierStatements = []string{
	"select * from a where id = :i", "select name, n as m, a.id from a where :i = a.id", "select id from a where a.id = :i and id = :j",
	"select id, name, d, ts, e, u, b, tm from a where id in ::l", "select id from a where id = :i for update",
	"select id from a where id = :i limit 1", "select v, k from b where k = :s and id = :i", "select * from b where id = :i and k = :s",
	"select id, n from a where n = :i", "select id, n from a where n = :i and name = :s", "select name from a where name = :s",
	"select n from a where n in ::l and id = :i", "select id from a where u = :i and n = :j order by name desc, id",
	"select id as n, name from a where n = :i order by a.n, id limit 2", "select v from b where k = :s order by id desc limit :lim",
	"select v from b where k = :s limit :lim offset 1", "select count(*) from a", "select id, n from a order by id limit :lim",
	"select id from a order by id desc limit 3 offset :lim", "select name from a order by name limit 3", "select id, n from a order by n, id limit 4",
	"select n, id from a where n = :i order by id desc limit 2", "select * from b order by k desc, id desc limit 2", "select count(*) as c from b where k = :s",
	"select id from a where name = :s for update", "select * from a where id = :i and name = :s", "select k, id from b where v = :i and k = :s",
	"select id, n from a where id > :i", "select id, n from a where id between :i and :j order by n desc, id", "select * from a where n < :i and id >= :j",
	"select id from a where :i <= n and n < :j", "select id, name from a where name >= :s and name < :x order by name, id", "select id from a where n > :i limit 0",
	"select id, name from a where d is null and name is null order by id", "select id from a where u is null and n = :i", "select id from a where n is null or id = :i",
	"select id, e, tm from a where name > :s order by e, tm desc, id limit :lim", "select id, ts, d from a order by ts desc, d, id limit :lim offset 1",
	"select k, id, v from b where k = :s and id > :i order by id desc", "select v from b where k between :s and :x and v = :j order by k, id",
	"select count(*), count(n), sum(n), min(n), max(n) from a where id > :i", "select sum(id), sum(u), sum(d), max(d), min(name), max(ts) from a",
	"select n, count(*) from a group by n order by n", "select n, count(*) as c, sum(u) from a where id < :i group by n order by a.n desc limit :lim",
	"select name, n, min(id) from a where n >= :i group by name, n order by name, n", "select distinct n from a order by n", "select distinct name, n from a where id > :i order by n, name",
	"select max(name), count(d) from a where n in ::l", "select e, max(b), count(*) from a group by e order by e desc", "select k, sum(v), count(*) from b group by k order by k",
	"select v from b group by v order by v limit 1", "select n, count(*) from a group by n order by count(*) desc, n limit :lim",
	"select n, sum(u) as s, max(name) from a where id > :i group by n order by s desc, n", "select e, min(d) from a group by e order by min(d), e", "select name, count(d) as n from a group by name order by n, name",
	"select n, max(name) as m from a group by n order by m desc, n", "select count(*), n from a group by n order by n desc, count(*) limit 3", "select min(k), max(id) from b where v = :j", "select count(*) from a where name = :s and id > :i",
	"select n as name, name as n from a order by n, id", "select n, count(*) as id from a group by n order by id, n", "select id from a where n > :i and n < :j and n > 1 order by id",
	"select id, name from a where id > :i order by id limit :lim for update", "select id from a where n = :i and u is null order by id limit 1 for update skip locked",
	"select a.id, b.v from a join b on b.id = a.id where a.id = :i", "select a.name, b.* from a, b where b.k = :s and a.id = b.id and a.n > :j",
	"select a.id, b.v from a left join b on b.k = a.name and b.id = :i order by a.id, b.v limit :lim", "select a.id from a left join b on b.k = a.name and b.id = a.id where b.id is null",
	"select count(*), sum(b.v) from b join a on a.name = b.k where a.n = :i", "select x.id, y.id as other from a x join a y on y.n = x.id where x.id in ::l order by x.id, y.id",
	"select b.k, count(*) from a join b on b.k = a.name and b.id = a.id where b.v >= :j group by b.k order by b.k",
	"select * from a join b on a.id = b.id and a.n = b.v where a.name = :s and b.k = :x", "select a.id from a join b on a.u = b.id where a.id = :i", "select x.id from a x join a y on y.id = x.n join b on b.k = y.name where x.u = :j",
	"select id from a where d > :j order by id", "select id from a where d = :s", "select id, ts from a where ts >= :t and n < :i", "select id from a where ts = :i or id = :j",
	"select id from a where name like :s", "select id, name from a where name not like :s and n <> :i", "select n + :i as x, id from a order by id", "select concat(name, :s) as y from a where id > :j order by y",
	"select id from a where n = :i or name = :s or u is null", "select id from a where id not in (:i, :j) order by n + 1, id", "select coalesce(n, :i) as c, count(*) from a group by c order by c",
	"select case when n > :i then :s else name end as z from a order by id limit :lim", "select id from a where if(n > :j, u, d) = :i", "select id from a where n - :i > :j", "select sum(n * :i) from a where name is not null",
	"select lower(name) as l, max(id) from a where e = :x group by l order by l", "select id from a where e > :i", "select date(ts) as day, count(*) from a where ts < :t group by day", "select id from a where tm > :t",
	"select a.id, b.v + :i as w from a join b on b.k = a.name and b.id = a.id where b.v <> :j order by a.id, w", "select id from a where b = :s or b > :x", "select id from a where u - :j > :i", "select id from a where n between :i and :j or name between :s and :x",
	"select id from a where name = :i", "select id from a where n = :s or n = 3", "select upper(:s) as up, id from a where id < 4", "select distinct n > :i as more from a", "select id from a where not (n = :i) and nullif(n, :j) is null",
	"insert into a(id, name, n) values (:i, :s, :j)", "insert into a(name, d, ts, e) values (:s, :j, :t, :x)",
	"insert into a(name, u, b, tm) values (:s, :j, :s, :t), (null, :i, :s, '12:30')", "insert into a(id, n) values (null, 1), (0, :j)",
	"insert into a values (:i, :s, :j, 1.5, :t, 'x', 1, 'b', null)", "insert into b values (:s, :i, 4)",
	"insert into b(k, id) values (:s, :i)", "insert into b(k, id, v) values (:s, :i, :j)", "insert into b(id) values (:i)",
	"update a set name = :s where id = :i", "update a set n = n + :j where id = :i", "update a set n = n - :j, d = :j where id = :i",
	"update a set u = u - :j where id = :i", "update a set e = :x, ts = :t where id = :i", "update a set tm = :t, b = :s where id = :i",
	"update b set v = :j where k = :s and id = :i", "delete from a where id = :i", "delete from b where k = :s and id = :i",
	"update a set n = n + 1, d = :j where n = :i", "update a set u = :j where id in ::l", "update a set name = :s where n between :i and :j",
	"update a set e = :x where name = :s and u is null", "update a set n = n - :j where id > :i and n < 5", "update b set v = v + :j where id >= :i", "update b set v = :i where k = :s",
	"delete from a where n = :i and id > :j", "delete from a where id in ::l and n > 3", "delete from b where v > :i and k <= :s", "delete from b where id = :i",
}

// openPair connects to two shards with the same tables, the second of which takes no statement the short way: a session
// variable that may change what statements mean makes all of them go through the engine.
func openPair(t *testing.T, tables ...string) (conns [2]*Conn) {
	c := New(Config{})
	for i := range conns {
		tablet, err := c.AddShard("ks", fmt.Sprint(i))
		require.NoError(t, err)
		conns[i] = tablet.Connect()
		t.Cleanup(conns[i].Close)
		for _, sql := range tables {
			mustExec(t, conns[i], sql)
		}
	}
	require.NoError(t, conns[1].SetSystemVariables(map[string]string{"sql_select_limit": "1000000"}))
	return conns
}

// TestTiersAgree runs random statements on two shards, one of which never takes the short way, and compares everything:
// results, fields, insert ids, errors, and the tables at the end.
func TestTiersAgree(t *testing.T) {
	r := newRand(t)
	conns := openPair(t, tierTables...)
	ctx := context.Background()
	for n := range 3000 {
		if n%50 == 0 {
			for _, conn := range conns {
				require.NoError(t, conn.Commit(ctx))
				if n%100 == 0 {
					require.NoError(t, conn.Begin(ctx, TxOptions{}))
				}
			}
		}
		sql := tierStatements[r.Intn(len(tierStatements))]
		b := randomBinds(r)
		short, shortErr := conns[0].Query(ctx, sql, b)
		long, longErr := conns[1].Query(ctx, sql, b)
		require.Equal(t, errText(longErr), errText(shortErr), "%s %v", sql, b)
		if longErr != nil {
			continue
		}
		if !strings.Contains(sql, "order by") && !strings.Contains(sql, "limit") {
			require.ElementsMatch(t, long.Rows, short.Rows, "%s %v", sql, b)
		} else {
			require.Equal(t, fmt.Sprint(long.Rows), fmt.Sprint(short.Rows), "%s %v", sql, b)
		}
		require.Equal(t, fmt.Sprint(long.Fields), fmt.Sprint(short.Fields), sql)
		require.Equal(t, long.RowsAffected, short.RowsAffected, "%s %v", sql, b)
		require.Equal(t, long.InsertID, short.InsertID, "%s %v", sql, b)
		require.Equal(t, long.Info, short.Info, "%s %v", sql, b)
	}
	for _, sql := range []string{"select * from a order by id", "select * from b order by k, id"} {
		require.Equal(t, fmt.Sprint(mustExec(t, conns[1], sql).Rows), fmt.Sprint(mustExec(t, conns[0], sql).Rows))
	}
	for _, conn := range conns {
		require.NoError(t, conn.Commit(ctx))
		require.NoError(t, conn.Tablet().Check())
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// randomBinds gives values that mostly fit, and some of another kind, NULL, or out of range.
func randomBinds(r *rand.Rand) binds {
	number := func() *querypb.BindVariable {
		switch r.Intn(20) {
		case 0:
			return sqltypes.NullBindVariable
		case 1:
			return sqltypes.StringBindVariable(fmt.Sprint(r.Intn(12)))
		case 2:
			return sqltypes.Int64BindVariable(r.Int63())
		case 3:
			return sqltypes.Uint64BindVariable(uint64(r.Intn(12)))
		case 4:
			return &querypb.BindVariable{Type: querypb.Type_DECIMAL, Value: []byte(fmt.Sprintf("%d.5", r.Intn(5)))}
		case 5:
			return sqltypes.Int64BindVariable(int64(-r.Intn(5)))
		}
		return sqltypes.Int64BindVariable(int64(r.Intn(12)))
	}
	pick := func(words ...string) *querypb.BindVariable {
		if r.Intn(15) == 0 {
			return sqltypes.NullBindVariable
		}
		return sqltypes.StringBindVariable(words[r.Intn(len(words))])
	}
	list := &querypb.BindVariable{Type: querypb.Type_TUPLE}
	for range 1 + r.Intn(5) {
		v := number()
		list.Values = append(list.Values, &querypb.Value{Type: v.Type, Value: v.Value})
	}
	return binds{
		"i": number(), "j": number(), "l": list, "lim": sqltypes.Int64BindVariable(int64(r.Intn(4))),
		"s": pick("a", "A", "b", "bb", "é", "toolong", "", "x ", "12"), "x": pick("x", "Y", "z", "1"),
		"t": pick("2024-02-29 12:00:00", "2024-02-30", "12:34:56", "x", "2024-01-01"),
	}
}
