package combo_test

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"github.com/vitrodb/vitro/combo"
	"github.com/vitrodb/vitro/combo/wire"
)

// BenchmarkStartToFirstQuery starts 2 keyspaces with 16 shards in all and runs
// one query.
func BenchmarkStartToFirstQuery(b *testing.B) {
	cfg := combo.Config{Keyspaces: []combo.Keyspace{
		{Name: "main", Schema: []string{"create table m (id int primary key)"}},
		{Name: "user", Shards: 15, Schema: []string{"create table t (id int primary key)"}, VSchema: hashedT},
	}}
	for b.Loop() {
		cluster, err := combo.Start(context.Background(), cfg)
		require.NoError(b, err)
		db := open(b, cluster, "user")
		require.Equal(b, []string{"0"}, rows(b, db, "select count(*) from t"))
		b.StopTimer()
		require.NoError(b, db.Close())
		require.NoError(b, cluster.Close())
		b.StartTimer()
	}
}

// BenchmarkMemoryOf16EmptyShards reports the heap that they take.
func BenchmarkMemoryOf16EmptyShards(b *testing.B) {
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		cluster, err := combo.Start(context.Background(), combo.Config{Keyspaces: []combo.Keyspace{{Name: "user", Shards: 16}}})
		require.NoError(b, err)
		runtime.GC()
		runtime.ReadMemStats(&after)
		require.NoError(b, cluster.Close())
	}
	b.ReportMetric(float64(after.HeapAlloc)-float64(before.HeapAlloc), "heap-B")
}

// cannedGateway answers everything with one row.
type cannedGateway struct{ result *sqltypes.Result }

func (g cannedGateway) Connect(context.Context, wire.ConnInfo) (wire.Session, error) { return g, nil }
func (g cannedGateway) Execute(_ context.Context, _ string, _ map[string]*querypb.BindVariable, emit func(*sqltypes.Result) error) error {
	return emit(g.result)
}
func (g cannedGateway) Prepare(context.Context, string) ([]*querypb.Field, int, error) {
	return g.result.Fields, 1, nil
}
func (cannedGateway) Status() wire.Status         { return wire.Status{Autocommit: true} }
func (cannedGateway) Reset(context.Context) error { return nil }
func (cannedGateway) Close()                      {}

// BenchmarkPointSelect compares a point select with a listener that answers
// from memory: what is between them is all that Vitro adds.
func BenchmarkPointSelect(b *testing.B) {
	cluster, err := combo.Start(context.Background(), combo.Config{})
	require.NoError(b, err)
	defer cluster.Close()
	fields := sqltypes.MakeTestFields("customer_id|name", "int64|varchar")
	canned, err := wire.Listen(wire.Config{Address: "127.0.0.1:0"}, cannedGateway{sqltypes.MakeTestResult(fields, "1|Alice")})
	require.NoError(b, err)
	defer canned.Close()
	for _, conns := range []int{1, 16} {
		for _, server := range []struct{ name, dsn string }{
			{"canned", "root@tcp(" + canned.Addr().String() + ")/"}, {"vitro", cluster.DSN("customer")},
		} {
			for _, mode := range []string{"text", "prepared"} {
				b.Run(fmt.Sprintf("%s/%s/%d", mode, server.name, conns), func(b *testing.B) {
					pointSelects(b, server.dsn, mode == "text", conns)
				})
			}
		}
	}
}

func pointSelects(b *testing.B, dsn string, text bool, conns int) {
	if text {
		dsn += "?interpolateParams=true"
	}
	db, err := sql.Open("mysql", dsn)
	require.NoError(b, err)
	defer db.Close()
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	const query = "select customer_id, name from customer where customer_id = ?"
	stmt, err := db.Prepare(query)
	require.NoError(b, err)
	defer stmt.Close()
	work := make(chan struct{}, conns)
	done := make(chan error, conns)
	for range conns {
		go func() {
			var failed error
			for range work {
				var id int
				var name string
				ask := stmt.QueryRow
				if text {
					ask = func(args ...any) *sql.Row { return db.QueryRow(query, args...) }
				}
				if err := ask(1).Scan(&id, &name); err != nil {
					failed = err
				}
			}
			done <- failed
		}()
	}
	for b.Loop() {
		work <- struct{}{}
	}
	close(work)
	for range conns {
		require.NoError(b, <-done)
	}
}
