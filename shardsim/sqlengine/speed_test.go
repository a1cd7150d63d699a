package sqlengine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/sqltypes"
)

// These benchmarks compare a session's way through a statement with go-mysql-server's own, Engine.Query, over the same
// store in the same run: "ratio" is the quotient of their CPU time, garbage collection included. Others report a rate.

const (
	speedRows   = 1_000_000
	engineRuns  = 20_000         // several collections of garbage long
	speedInsert = 10 * speedRows // ids from here on are free
)

var speedTable = sync.OnceValue(func() *Session { return loadSpeed(New(), "speed", speedRows) })

// loadSpeed returns a session on a new shard with a table of n rows, ten for each k.
func loadSpeed(e *Engine, shard string, n int) *Session {
	s := e.NewShard("ks", shard).Session()
	mustRun(s, "create table t (id bigint primary key, k bigint, name varchar(20), key k (k))")
	for from := 0; from < n; from += 1000 {
		mustRun(s, loadText(from, min(from+1000, n)))
	}
	return s
}

func loadText(from, to int) string {
	var b strings.Builder
	b.WriteString("insert into t(id, k, name) values ")
	for i := from; i < to; i++ {
		if i > from {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "(%d, %d, 'name %d')", i, i/10, i)
	}
	return b.String()
}

func mustRun(s *Session, text string) *sqltypes.Result {
	res, err := s.Query(context.Background(), text, nil)
	if err != nil {
		panic(fmt.Sprintf("%.100s: %v", text, err))
	}
	return res
}

// engineQuery runs a text as go-mysql-server does by itself: parse, bind, analyse, execute.
func engineQuery(tb testing.TB, engine *sqle.Engine, s *Session, text string, scan scanMode) (rows int) {
	tx := s.newTx(nil, TxOptions{})
	s.sql.tx, s.sql.stmt = tx, scan
	ctx := sql.NewContext(context.Background(), sql.WithSession(s.sql), sql.WithQuery(text))
	_, iter, _, err := engine.Query(ctx, text)
	for err == nil {
		if _, err = iter.Next(ctx); err == nil {
			rows++
		}
	}
	if !errors.Is(err, io.EOF) {
		tb.Fatalf("%s: %v", text, err)
	}
	if err := iter.Close(ctx); err != nil {
		tb.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		tb.Fatal(err)
	}
	s.sql.tx, s.sql.stmt = nil, scanMode{}
	return rows
}

// cpuTime is what the process has used.
func cpuTime() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// speedCase is one statement: as the gateway sends it, with its bind variables, and as a text.
type speedCase struct {
	name  string
	text  string
	binds func(i int) binds
	plain func(i int) string
	rows  int
}

func speedKey(i int) int { return i * 7919 % speedRows }

var freeID atomic.Int64

func nextID() int { return speedInsert + int(freeID.Add(1)) }

func intBinds(name string, v int) binds {
	return binds{name: sqltypes.Int64BindVariable(int64(v))}
}

var speedCases = []speedCase{
	{
		name: "select by primary key", rows: 1, text: "select id, k, name from t where id = :id",
		binds: func(i int) binds { return intBinds("id", speedKey(i)) },
		plain: func(i int) string { return fmt.Sprintf("select id, k, name from t where id = %d", speedKey(i)) },
	},
	{
		name: "select 10 rows by index", rows: 10, text: "select id, k, name from t where k = :k",
		binds: func(i int) binds { return intBinds("k", speedKey(i)/10) },
		plain: func(i int) string { return fmt.Sprintf("select id, k, name from t where k = %d", speedKey(i)/10) },
	},
	{
		name: "join 10 rows by key", rows: 10, text: "select t.id, u.name from t join t u on u.id = t.k where t.k = :k",
		binds: func(i int) binds { return intBinds("k", speedKey(i)/10) },
		plain: func(i int) string {
			return fmt.Sprintf("select t.id, u.name from t join t u on u.id = t.k where t.k = %d", speedKey(i)/10)
		},
	},
	{
		name: "update by primary key", text: "update t set name = :name where id = :id",
		binds: func(i int) binds {
			return binds{"id": sqltypes.Int64BindVariable(int64(speedKey(i))), "name": sqltypes.StringBindVariable(fmt.Sprint("new ", i))}
		},
		plain: func(i int) string { return fmt.Sprintf("update t set name = 'newer %d' where id = %d", i, speedKey(i)) },
	},
	{
		name: "insert", text: "insert into t(id, k, name) values (:id, :k, 'name')",
		binds: func(i int) binds {
			return binds{"id": sqltypes.Int64BindVariable(int64(nextID())), "k": sqltypes.Int64BindVariable(int64(speedKey(i)))}
		},
		plain: func(i int) string {
			return fmt.Sprintf("insert into t(id, k, name) values (%d, %d, 'name')", nextID(), speedKey(i))
		},
	},
}

func caseOf(name string) speedCase {
	return speedCases[slices.IndexFunc(speedCases, func(c speedCase) bool { return c.name == name })]
}

func BenchmarkAgainstEngine(b *testing.B) {
	s := speedTable()
	engine := sqle.NewDefault(&provider{engine: s.shard.engine})
	for _, c := range speedCases {
		b.Run(strings.ReplaceAll(c.name, " ", "_"), func(b *testing.B) {
			ctx := context.Background()
			b.ReportAllocs()
			runtime.GC()
			b.ResetTimer()
			start := cpuTime()
			for i := range b.N {
				res, err := s.Query(ctx, c.text, c.binds(i))
				if err != nil || len(res.Rows) != c.rows {
					b.Fatalf("got %v, error %v; want %d rows", res, err, c.rows)
				}
			}
			own := float64(cpuTime()-start) / float64(b.N)
			b.StopTimer()
			scan := s.shard.engine.statement(c.text).scan
			runtime.GC()
			start = cpuTime()
			for i := range engineRuns {
				engineQuery(b, engine, s, c.plain(i), scan)
			}
			theirs := float64(cpuTime()-start) / engineRuns
			b.ReportMetric(own, "cpu-ns/op")
			b.ReportMetric(theirs/own, "ratio")
		})
	}
}

// BenchmarkCommit updates rows of tables of two sizes, as many different ones in both: "ratio" is what the larger table
// costs more.
func BenchmarkCommit(b *testing.B) {
	const few = 1000
	large := speedTable()
	small := loadSpeed(large.shard.engine, "small", few)
	var spent [2]time.Duration
	b.ResetTimer()
	for i := range 2 * b.N {
		s, step := large, speedRows/few
		if i%2 == 1 {
			s, step = small, 1
		}
		args := binds{"id": sqltypes.Int64BindVariable(int64(i / 2 % few * step)), "name": sqltypes.StringBindVariable(fmt.Sprint("commit ", i))}
		start := time.Now()
		if _, err := s.Query(context.Background(), "update t set name = :name where id = :id", args); err != nil {
			b.Fatal(err)
		}
		spent[i%2] += time.Since(start)
	}
	b.ReportMetric(float64(spent[0])/float64(spent[1]), "ratio")
}

// BenchmarkLoad loads tables by INSERTs of 1000 rows.
func BenchmarkLoad(b *testing.B) {
	e := New()
	start, cpu := time.Now(), cpuTime()
	for range b.N {
		loadSpeed(e, "load", speedRows)
	}
	b.ReportMetric(float64(b.N*speedRows)/time.Since(start).Seconds(), "rows/s")
	b.ReportMetric(float64(b.N*speedRows)/(cpuTime()-cpu).Seconds(), "rows/cpu-s")
}

// BenchmarkMixed is four reads and a write by primary key, again and again in 8 goroutines.
func BenchmarkMixed(b *testing.B) {
	read, write := caseOf("select by primary key"), caseOf("update by primary key")
	shard := speedTable().shard
	b.ResetTimer()
	start, cpu := time.Now(), cpuTime()
	var turn atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := shard.Session()
			defer s.Close()
			for i := int(turn.Add(1)); i <= b.N; i = int(turn.Add(1)) {
				c := read
				if i%5 == 0 {
					c = write
				}
				if _, err := s.Query(context.Background(), c.text, c.binds(i)); err != nil {
					b.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "ops/s")
	b.ReportMetric(float64(b.N)/(cpuTime()-cpu).Seconds(), "ops/cpu-s")
}

// BenchmarkHeap reports what a row of the table takes, its index entry included.
func BenchmarkHeap(b *testing.B) {
	const rows = 200_000
	e := New()
	for range b.N {
		before := heapInUse()
		s := loadSpeed(e, "heap", rows)
		b.ReportMetric(float64(heapInUse()-before)/rows, "B/row")
		runtime.KeepAlive(s)
	}
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkManyShards starts 256 shards of 50 tables.
func BenchmarkManyShards(b *testing.B) {
	for range b.N {
		before := heapInUse()
		start := time.Now()
		e := New()
		var shards []*Shard
		for i := range 256 {
			shard := e.NewShard("ks", fmt.Sprint(i))
			s := shard.Session()
			for n := range 50 {
				mustRun(s, fmt.Sprintf("create table t%d (id bigint primary key auto_increment, k bigint, name varchar(20) not null, key k (k))", n))
			}
			s.Close()
			shards = append(shards, shard)
		}
		b.ReportMetric(time.Since(start).Seconds(), "s")
		b.ReportMetric(float64(heapInUse()-before)/(1<<20), "MB")
		runtime.KeepAlive(shards)
	}
}
