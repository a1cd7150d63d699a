package combo_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	process "os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"github.com/vitrodb/vitro/combo"
	"github.com/vitrodb/vitro/combo/wire"
)

// BenchmarkProcessToFirstQuery is from the start of the process to the answer
// of the first query, with 2 keyspaces and 16 shards in all.
func BenchmarkProcessToFirstQuery(b *testing.B) {
	vitro := filepath.Join(b.TempDir(), "vitro")
	out, err := process.Command("go", "build", "-o", vitro, "github.com/vitrodb/vitro").CombinedOutput()
	require.NoError(b, err, "%s", out)
	dir := writeFiles(b, map[string]string{
		"main/a.sql":        "create table m (id int primary key)",
		"user/a.sql":        "create table t (id int primary key)",
		"user/vschema.json": hashedT,
	})
	for b.Loop() {
		cmd := process.Command(vitro, "--schema-dir", dir, "--keyspaces", "main,user", "--num-shards", "1,15", "--mysql-port", "0", "--ready-json")
		stdout, err := cmd.StdoutPipe()
		require.NoError(b, err)
		require.NoError(b, cmd.Start())
		var info combo.ServerInfo
		require.NoError(b, json.NewDecoder(stdout).Decode(&info))
		db, err := sql.Open("mysql", fmt.Sprintf("root@tcp(%s:%d)/user", info.Host, info.MySQLPort))
		require.NoError(b, err)
		require.Equal(b, []string{"0"}, rows(b, db, "select count(*) from t"))
		b.StopTimer()
		require.NoError(b, db.Close())
		require.NoError(b, cmd.Process.Signal(os.Interrupt))
		require.NoError(b, cmd.Wait())
		b.StartTimer()
	}
}

// BenchmarkStartToFirstQuery is the same within a process, as a test fixture.
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

// BenchmarkPointSelect asks for one row by its key, of the demo and of a
// listener that answers from memory, in turns. What lies between the two is
// what Vitro adds; ratio is Vitro's share of the other's throughput.
func BenchmarkPointSelect(b *testing.B) {
	cluster, err := combo.Start(context.Background(), combo.Config{})
	require.NoError(b, err)
	defer cluster.Close()
	fields := sqltypes.MakeTestFields("customer_id|name", "int64|varchar")
	canned, err := wire.Listen(wire.Config{Address: "127.0.0.1:0"}, cannedGateway{sqltypes.MakeTestResult(fields, "1|Alice")})
	require.NoError(b, err)
	defer canned.Close()
	for _, conns := range []int{1, 16} {
		for mode, params := range map[string]string{"text": "?interpolateParams=true", "prepared": ""} {
			b.Run(fmt.Sprintf("%s/%d", mode, conns), func(b *testing.B) {
				askCanned := connect(b, "root@tcp("+canned.Addr().String()+")/"+params, conns)
				askVitro := connect(b, cluster.DSN("customer")+params, conns)
				const turn = 1000
				var inCanned, inVitro time.Duration
				for done := 0; done < b.N; done += turn {
					n := min(turn, b.N-done)
					inCanned += inParallel(b, askCanned, n)
					inVitro += inParallel(b, askVitro, n)
				}
				b.ReportMetric(float64(inCanned)/float64(b.N), "canned-ns/op")
				b.ReportMetric(float64(inVitro)/float64(b.N), "vitro-ns/op")
				b.ReportMetric(float64(inCanned)/float64(inVitro), "ratio")
				b.ReportMetric(0, "ns/op") // of both together, which says nothing
			})
		}
	}
}

// connect opens connections; each function asks one of them for a customer.
func connect(b *testing.B, dsn string, conns int) []func() error {
	const query = "select customer_id, name from customer where customer_id = ?"
	ctx := context.Background()
	db, err := sql.Open("mysql", dsn)
	require.NoError(b, err)
	b.Cleanup(func() { db.Close() })
	asks := make([]func() error, conns)
	for i := range asks {
		conn, err := db.Conn(ctx)
		require.NoError(b, err)
		b.Cleanup(func() { conn.Close() })
		ask := func() *sql.Row { return conn.QueryRowContext(ctx, query, 1) }
		if !strings.Contains(dsn, "interpolateParams") {
			stmt, err := conn.PrepareContext(ctx, query)
			require.NoError(b, err)
			b.Cleanup(func() { stmt.Close() })
			ask = func() *sql.Row { return stmt.QueryRowContext(ctx, 1) }
		}
		asks[i] = func() error {
			var id int
			var name string
			return ask().Scan(&id, &name)
		}
	}
	return asks
}

// inParallel asks n times, over all connections at once.
func inParallel(b *testing.B, asks []func() error, n int) time.Duration {
	var left atomic.Int64
	left.Store(int64(n))
	var group errgroup.Group
	began := time.Now()
	for _, ask := range asks {
		group.Go(func() error {
			for left.Add(-1) >= 0 {
				if err := ask(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(b, group.Wait())
	return time.Since(began)
}

// BenchmarkCrossShardJoin joins 1,000 rows of one keyspace with rows of four shards of another, beside
// reading the 1,000 rows alone.
func BenchmarkCrossShardJoin(b *testing.B) {
	_, db := start(b, combo.Config{Keyspaces: []combo.Keyspace{
		{Name: "main", Schema: []string{"create table m (id int primary key, t_id int)"}},
		{Name: "user", Shards: 4, Schema: []string{"create table t (id int primary key)"}, VSchema: hashedT},
	}}, "main")
	var left, right []string
	for i := range 1000 {
		left, right = append(left, fmt.Sprintf("(%d, %d)", i, 999-i)), append(right, fmt.Sprintf("(%d)", i))
	}
	for _, insert := range []string{"insert into m values " + strings.Join(left, ", "), "insert into user.t values " + strings.Join(right, ", ")} {
		_, err := db.Exec(insert)
		require.NoError(b, err)
	}
	for name, query := range map[string]string{
		"scan": "select id, t_id from m", "join": "select m.id, t.id from m join user.t on t.id = m.t_id",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				require.Len(b, rows(b, db, query), 1000)
			}
		})
	}
}

// BenchmarkWrites are INSERTs through the protocol into four shards: of many rows at a time, and of one with a sequence's id
// and an entry in an owned lookup.
func BenchmarkWrites(b *testing.B) {
	start := func(b *testing.B) *sql.DB {
		_, db := start(b, combo.Config{Keyspaces: []combo.Keyspace{
			{Name: "main", Schema: []string{"create table seq (id int primary key, next_id bigint, cache bigint) comment 'vitess_sequence'", "insert into seq values (0, 1, 1000)"},
				VSchema: `{"tables": {"seq": {"type": "sequence"}}}`},
			{Name: "user", Shards: 4, Schema: []string{
				"create table t (id bigint primary key, name varchar(40), n int)",
				"create table u (id bigint primary key, email varchar(40))",
				"create table entry (email varchar(40) primary key, ksid varbinary(16))",
			}, VSchema: `{"sharded": true,
				"vindexes": {"hash": {"type": "hash"}, "xxhash": {"type": "xxhash"},
					"by_email": {"type": "consistent_lookup_unique", "owner": "u", "params": {"table": "entry", "from": "email", "to": "ksid"}}},
				"tables": {
					"t": {"column_vindexes": [{"column": "id", "name": "hash"}]},
					"u": {"column_vindexes": [{"column": "id", "name": "hash"}, {"column": "email", "name": "by_email"}],
						"auto_increment": {"column": "id", "sequence": "main.seq"}},
					"entry": {"column_vindexes": [{"column": "email", "name": "xxhash"}]}}}`},
		}}, "user")
		return db
	}
	b.Run("rows of one statement", func(b *testing.B) {
		db := start(b)
		const rows = 1000
		next := 0
		for b.Loop() {
			var text strings.Builder
			text.WriteString("insert into t (id, name, n) values ")
			for i := range rows {
				if i > 0 {
					text.WriteByte(',')
				}
				fmt.Fprintf(&text, "(%d, 'name of %d', %d)", next, next, next%100)
				next++
			}
			_, err := db.Exec(text.String())
			require.NoError(b, err)
		}
		b.ReportMetric(float64(next)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("sequence and lookup", func(b *testing.B) {
		db := start(b)
		stmt, err := db.Prepare("insert into u (email) values (?)")
		require.NoError(b, err)
		var next atomic.Int64
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := stmt.Exec(fmt.Sprintf("user%d@example.com", next.Add(1))); err != nil {
					b.Error(err)
				}
			}
		})
		b.ReportMetric(float64(next.Load())/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("loaded", func(b *testing.B) {
		db := start(b)
		conn, err := db.Conn(context.Background())
		require.NoError(b, err)
		defer conn.Close()
		file := &rowsOfFile{rows: b.N}
		affected, err := loadFile(b, conn, file, "LOAD DATA LOCAL INFILE %s INTO TABLE t (id, name, n)")
		require.NoError(b, err)
		b.ReportMetric(float64(affected)/b.Elapsed().Seconds(), "rows/s")
	})
}
