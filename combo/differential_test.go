package combo_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// The same script must have the same answers on one unsharded keyspace and on any number of shards, as text and prepared,
// with a fresh plan and a cached one.

const differentialDir = "../testdata/differential"

type (
	// scriptLine is one statement of a script.
	scriptLine struct {
		number int
		sql    string
		args   []any
		errno  uint16 // that sharded keyspaces answer, where an unsharded one does otherwise
	}
	// column is what a client is told of one.
	column struct{ name, typ string }
	// answer is all that a client sees of one statement.
	answer struct {
		columns []column
		rows    []string
		write   string
		errno   uint16
		message string
	}
)

var (
	isRead     = regexp.MustCompile(`(?i)^\(*(select|with)\b`)
	isPrepared = regexp.MustCompile(`(?i)^\(*(select|with|insert|update|delete)\b`)
	isOrdered  = regexp.MustCompile(`(?i)\border by\b`)
)

// readDifferential reads a script: a statement per line, # for comments, "# args: a | b" and "# sharded: 1235" for the next one.
func readDifferential(t *testing.T, name string) []scriptLine {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(differentialDir, name))
	require.NoError(t, err)
	var script []scriptLine
	next := scriptLine{}
	for i, line := range strings.Split(string(text), "\n") {
		if args, ok := strings.CutPrefix(line, "# args: "); ok {
			for arg := range strings.SplitSeq(args, " | ") {
				if n, err := strconv.ParseInt(arg, 10, 64); err == nil {
					next.args = append(next.args, n)
				} else {
					next.args = append(next.args, arg)
				}
			}
			continue
		}
		if errno, ok := strings.CutPrefix(line, "# sharded: "); ok {
			n, err := strconv.ParseUint(errno, 10, 16)
			require.NoError(t, err, line)
			next.errno = uint16(n)
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		next.number, next.sql = i+1, line
		script = append(script, next)
		next = scriptLine{}
	}
	return script
}

// shop starts a cluster with the keyspace shop on so many shards; 0 is an unsharded keyspace.
func shop(t *testing.T, shards int) *combo.Cluster {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(differentialDir, "schema", name))
		require.NoError(t, err)
		return string(text)
	}
	keyspace := combo.Keyspace{Name: "shop", Shards: max(shards, 1), Schema: []string{read("shop.sql")}, VSchema: read("shop.sharded.json")}
	if shards == 0 {
		keyspace.VSchema = read("shop.unsharded.json")
	}
	cluster, err := combo.Start(context.Background(), combo.Config{Keyspaces: []combo.Keyspace{
		keyspace, {Name: "counters", Shards: 1, Schema: []string{read("counters.sql")}, VSchema: read("counters.json")},
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, cluster.Close()) })
	return cluster
}

// runScript runs a script on one connection.
func runScript(t *testing.T, cluster *combo.Cluster, script []scriptLine, prepared bool) []answer {
	t.Helper()
	db, err := sql.Open("mysql", cluster.DSN("shop")+"?interpolateParams=true")
	require.NoError(t, err)
	defer db.Close()
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	require.NoError(t, err)
	defer conn.Close()
	var answers []answer
	for _, line := range script {
		first := ask(ctx, conn, line, prepared)
		if isRead.MatchString(line.sql) {
			again := ask(ctx, conn, line, prepared)
			require.True(t, sameAnswer(first, again), "line %d: %s\nfresh plan: %+v\ncached plan: %+v", line.number, line.sql, first, again)
		}
		answers = append(answers, first)
	}
	return answers
}

func ask(ctx context.Context, conn *sql.Conn, line scriptLine, prepared bool) answer {
	query, exec := conn.QueryContext, conn.ExecContext
	if prepared && isPrepared.MatchString(line.sql) {
		stmt, err := conn.PrepareContext(ctx, line.sql)
		if err != nil {
			return failed(err)
		}
		defer stmt.Close()
		query = func(ctx context.Context, _ string, args ...any) (*sql.Rows, error) {
			return stmt.QueryContext(ctx, args...)
		}
		exec = func(ctx context.Context, _ string, args ...any) (sql.Result, error) {
			return stmt.ExecContext(ctx, args...)
		}
	}
	if !isRead.MatchString(line.sql) {
		result, err := exec(ctx, line.sql, line.args...)
		if err != nil {
			return failed(err)
		}
		affected, _ := result.RowsAffected()
		id, _ := result.LastInsertId()
		return answer{write: fmt.Sprintf("%d rows affected, insert id %d", affected, id)}
	}
	rows, err := query(ctx, line.sql, line.args...)
	if err != nil {
		return failed(err)
	}
	defer rows.Close()
	out, err := readAnswer(rows)
	if err != nil {
		return failed(err)
	}
	if !isOrdered.MatchString(line.sql) {
		slices.Sort(out.rows)
	}
	return out
}

func readAnswer(rows *sql.Rows) (answer, error) {
	var out answer
	types, err := rows.ColumnTypes()
	if err != nil {
		return out, err
	}
	for _, typ := range types {
		out.columns = append(out.columns, column{typ.Name(), typ.DatabaseTypeName()})
	}
	for rows.Next() {
		cells, into := make([]any, len(types)), make([]any, len(types))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return out, err
		}
		var texts []string
		for _, cell := range cells {
			switch cell := cell.(type) {
			case nil:
				texts = append(texts, "NULL")
			case []byte:
				texts = append(texts, string(cell))
			default:
				texts = append(texts, fmt.Sprint(cell))
			}
		}
		out.rows = append(out.rows, strings.Join(texts, " | "))
	}
	return out, rows.Err()
}

func failed(err error) answer {
	var my *mysql.MySQLError
	if errors.As(err, &my) {
		return answer{errno: my.Number, message: my.Message}
	}
	return answer{message: err.Error()}
}

// TestShardsAnswerAsOneDatabase runs the scripts everywhere.
func TestShardsAnswerAsOneDatabase(t *testing.T) {
	script := readDifferential(t, "shop.sql")
	want := runScript(t, shop(t, 0), script, false)
	for _, shards := range []int{0, 1, 2, 4, 16} {
		for _, protocol := range []string{"text", "prepared"} {
			t.Run(fmt.Sprintf("%d shards, %s", shards, protocol), func(t *testing.T) {
				got := runScript(t, shop(t, shards), script, protocol == "prepared")
				for i, line := range script {
					compareAnswers(t, line, shards, want[i], got[i])
				}
			})
		}
	}
}

func compareAnswers(t *testing.T, line scriptLine, shards int, want, got answer) {
	t.Helper()
	if line.errno != 0 && shards > 0 {
		want = answer{errno: line.errno}
	}
	if !sameAnswer(want, got) {
		t.Errorf("line %d: %s\nwant %+v\n got %+v", line.number, line.sql, want, got)
	}
}

// sameAnswer compares errors by number: their texts name shards.
func sameAnswer(a, b answer) bool {
	if a.errno != 0 || b.errno != 0 {
		return a.errno == b.errno
	}
	return a.message == b.message && a.write == b.write && slices.EqualFunc(a.columns, b.columns, sameColumn) &&
		slices.EqualFunc(a.rows, b.rows, func(x, y string) bool { return x == y || sameFloats(a.columns, x, y) })
}

// sameFloats compares rows that differ in floating-point columns alone. Their sums depend in the last digits on the order in
// which the rows come, which no query without ORDER BY can tell.
func sameFloats(columns []column, a, b string) bool {
	as, bs := strings.Split(a, " | "), strings.Split(b, " | ")
	if len(as) != len(columns) || len(bs) != len(columns) {
		return false
	}
	for i, col := range columns {
		if as[i] == bs[i] {
			continue
		}
		x, err1 := strconv.ParseFloat(as[i], 64)
		y, err2 := strconv.ParseFloat(bs[i], 64)
		const digits = 1e-13
		if col.typ != "DOUBLE" || err1 != nil || err2 != nil || math.Abs(x-y) > digits*math.Max(math.Abs(x), math.Abs(y)) {
			return false
		}
	}
	return true
}

// sameColumn compares name and type. A NULL that a subquery handed on has no type of its own, as in Vitess.
func sameColumn(a, b column) bool {
	return a == b || a.name == b.name && (a.typ == "NULL" || b.typ == "NULL")
}
