package shardsim

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

type binds = map[string]*querypb.BindVariable

// loaded returns a connection to a shard with a table of n rows: t (id, k, name), with an index on k.
func loaded(tb testing.TB, n int) *Conn {
	tb.Helper()
	c := New(Config{})
	tablet, err := c.AddShard("ks", "-80")
	if err != nil {
		tb.Fatal(err)
	}
	conn := tablet.Connect()
	tb.Cleanup(conn.Close)
	mustExec(tb, conn, "create table t (id bigint primary key, k bigint, name varchar(20), key k (k))")
	for from := 0; from < n; from += 1000 {
		var b strings.Builder
		b.WriteString("insert into t(id, k, name) values ")
		for i := from; i < min(from+1000, n); i++ {
			if i > from {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "(%d, %d, 'name %d')", i, i/10, i)
		}
		mustExec(tb, conn, b.String())
	}
	return conn
}

func mustExec(tb testing.TB, conn *Conn, sql string) *sqltypes.Result {
	tb.Helper()
	res, err := conn.Query(context.Background(), sql, nil)
	if err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
	return res
}

const benchRows = 10_000

func benchQuery(b *testing.B, sql string, rows int, bind func(i int) binds) {
	conn := loaded(b, benchRows)
	ctx := context.Background()
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		res, err := conn.Query(ctx, sql, bind(i))
		if err != nil {
			b.Fatal(err)
		}
		if len(res.Rows) != rows {
			b.Fatalf("got %d rows, want %d", len(res.Rows), rows)
		}
	}
}

func BenchmarkSelectByPrimaryKey(b *testing.B) {
	benchQuery(b, "select id, k, name from t where id = :id", 1, func(i int) binds {
		return binds{"id": sqltypes.Int64BindVariable(int64(i % benchRows))}
	})
}

func BenchmarkSelectByIndex(b *testing.B) {
	benchQuery(b, "select id, k, name from t where k = :k", 10, func(i int) binds {
		return binds{"k": sqltypes.Int64BindVariable(int64(i % (benchRows / 10)))}
	})
}

func BenchmarkSelectTen(b *testing.B) {
	benchQuery(b, "select id, k, name from t where id in ::ids", 10, func(i int) binds {
		ids := make([]*querypb.Value, 10)
		for j := range ids {
			ids[j] = sqltypes.ValueToProto(sqltypes.NewInt64(int64((i*17 + j*991) % benchRows)))
		}
		return binds{"ids": {Type: querypb.Type_TUPLE, Values: ids}}
	})
}

func BenchmarkUpdateByPrimaryKey(b *testing.B) {
	benchQuery(b, "update t set name = :name where id = :id", 0, func(i int) binds {
		return binds{"id": sqltypes.Int64BindVariable(int64(i % benchRows)), "name": sqltypes.StringBindVariable(fmt.Sprint("new ", i))}
	})
}

func BenchmarkInsert(b *testing.B) {
	benchQuery(b, "insert into t(id, k, name) values (:id, :k, :name)", 0, func(i int) binds {
		return binds{
			"id": sqltypes.Int64BindVariable(int64(benchRows + i)), "k": sqltypes.Int64BindVariable(int64(i / 10)),
			"name": sqltypes.StringBindVariable("name"),
		}
	})
}

func BenchmarkBulkLoad10k(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		loaded(b, benchRows)
	}
}
