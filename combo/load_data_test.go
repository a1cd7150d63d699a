package combo_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"

	"github.com/vitrodb/vitro/combo"
	"github.com/vitrodb/vitro/shardsim/faults"
)

// loadFile runs a LOAD DATA whose %s is the name of a file with a text.
func loadFile(t testing.TB, conn *sql.Conn, text io.Reader, statement string) (affected int64, err error) {
	t.Helper()
	name := strings.ReplaceAll(t.Name(), "/", "_")
	mysql.RegisterReaderHandler(name, func() io.Reader { return text })
	defer mysql.DeregisterReaderHandler(name)
	result, err := conn.ExecContext(context.Background(), fmt.Sprintf(statement, "'Reader::"+name+"'"))
	if err != nil {
		return 0, err
	}
	affected, err = result.RowsAffected()
	require.NoError(t, err)
	return affected, nil
}

func TestLoadData(t *testing.T) {
	const columns = " INTO TABLE event "
	for _, tc := range []struct {
		name, statement, file string
		want                  []string // id, kind, n, weight of event
		info                  string
		warnings              int
	}{
		{name: "tabs", statement: "LOAD DATA LOCAL INFILE %s INTO TABLE event (id, kind, n)", file: "1\ta\t10\n2\tb\t20\n3\tc\t\\N\n",
			want: []string{"1 a 10 NULL", "2 b 20 NULL", "3 c NULL NULL"}, info: "Records: 3  Deleted: 0  Skipped: 0  Warnings: 0"},
		{name: "all columns", statement: "load data low_priority local infile %s into table shop.event character set utf8mb4", file: "1\ta\t10\t1.5\tx\n2\tb\t20\t2.5\t\\N",
			want: []string{"1 a 10 1.5", "2 b 20 2.5"}, info: "Records: 2  Deleted: 0  Skipped: 0  Warnings: 0"},
		{name: "comma separated", statement: `LOAD DATA LOCAL INFILE %s` + columns + `FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' LINES TERMINATED BY '\r\n' IGNORE 1 LINES (id, kind, n)`,
			file: "id,kind,n\r\n1,\"a,b\",10\r\n2,\"say \"\"x\"\"\",NULL\r\n3,\"NULL\",\\N\r\n4,plain,7",
			want: []string{"1 a,b 10 NULL", `2 say "x" NULL NULL`, "3 NULL NULL NULL", "4 plain 7 NULL"}, info: "Records: 4  Deleted: 0  Skipped: 0  Warnings: 0"},
		{name: "escapes", statement: "LOAD DATA LOCAL INFILE %s" + columns + "(id, kind, n)", file: "1\ta\\tb\t1\n2\tline\\\nend\t2\n3\tback\\\\slash\t3\n",
			want: []string{"1 a\tb 1 NULL", "2 line\nend 2 NULL", "3 back\\slash 3 NULL"}},
		{name: "no escapes", statement: "LOAD DATA LOCAL INFILE %s" + columns + "FIELDS TERMINATED BY '|' ESCAPED BY '' (id, kind, n)", file: "1|a\\b|NULL\n",
			want: []string{`1 a\b NULL NULL`}},
		{name: "longer ends and beginnings", statement: "LOAD DATA LOCAL INFILE %s" + columns + "COLUMNS TERMINATED BY '||' LINES STARTING BY '>>' TERMINATED BY '##' (id, kind, n)",
			file: "noise>>1||a|b||1##>>2||c||2##no start##x>>3||d||3##", want: []string{"1 a|b 1 NULL", "2 c 2 NULL", "3 d 3 NULL"}},
		{name: "SET and variables", statement: "LOAD DATA LOCAL INFILE %s" + columns + "FIELDS TERMINATED BY ',' (@n, id, @kind, @unused) SET kind = concat(upper(@kind), '-', id), n = @n * 2, weight = 0.5",
			file: "1,11,a,x\n2,12,b,y\n", want: []string{"11 A-11 2 0.5", "12 B-12 4 0.5"}},
		{name: "a variable places the row", statement: "LOAD DATA LOCAL INFILE %s" + columns + "FIELDS TERMINATED BY ',' (@id, kind) SET id = @id + 100",
			file: "1,a\n2,b\n", want: []string{"101 a NULL NULL", "102 b NULL NULL"}},
		{name: "too few and too many fields", statement: "LOAD DATA LOCAL INFILE %s" + columns + "FIELDS TERMINATED BY ',' (id, kind, n)",
			file: "1,a\n2,b,2,extra\n3,c,3\n", want: []string{"1 a NULL NULL", "2 b 2 NULL", "3 c 3 NULL"}, info: "Records: 3  Deleted: 0  Skipped: 0  Warnings: 2", warnings: 2},
		{name: "rows that are there", statement: "LOAD DATA LOCAL INFILE %s" + columns + "FIELDS TERMINATED BY ',' (id, kind, n)",
			file: "1,a,1\n1,b,2\n2,c,3\n", want: []string{"1 a 1 NULL", "2 c 3 NULL"}, info: "Records: 3  Deleted: 0  Skipped: 1  Warnings: 1", warnings: 1},
		{name: "values that do not fit", statement: "LOAD DATA LOCAL INFILE %s" + columns + "FIELDS TERMINATED BY ',' (id, kind, n)",
			file: "1,a,abc\n2,b,99999999999\n", want: []string{"1 a 0 NULL", "2 b 2147483647 NULL"}, info: "Records: 2  Deleted: 0  Skipped: 0  Warnings: 2", warnings: 2},
		{name: "an empty file", statement: "LOAD DATA LOCAL INFILE %s" + columns, file: "", info: "Records: 0  Deleted: 0  Skipped: 0  Warnings: 0"},
		{name: "nothing but a heading", statement: "LOAD DATA LOCAL INFILE %s" + columns + "IGNORE 2 ROWS", file: "id\tkind\n"},
	} {
		for _, shards := range []int{0, 1, 4} {
			t.Run(fmt.Sprintf("%s, %d shards", tc.name, shards), func(t *testing.T) {
				conn, reader := openRaw(t, shop(t, shards).DSN("shop"))
				_, err := loadFile(t, conn, strings.NewReader(tc.file), tc.statement)
				require.NoError(t, err)
				if tc.info != "" {
					require.Contains(t, string(reader().sent), tc.info)
				}
				require.Equal(t, tc.want, connRows(t, conn, "select id, kind, n, weight from event order by id"))
				require.Len(t, connRows(t, conn, "show warnings"), 0, "of the SELECT")
			})
		}
	}
}

// connRows returns the rows of a query on one connection, columns with blanks between them.
func connRows(t testing.TB, conn *sql.Conn, query string) (all []string) {
	t.Helper()
	rows, err := conn.QueryContext(context.Background(), query)
	require.NoError(t, err)
	defer rows.Close()
	answer, err := readAnswer(rows)
	require.NoError(t, err)
	for _, row := range answer.rows {
		all = append(all, strings.ReplaceAll(row, " | ", " "))
	}
	return all
}

// A file is loaded whole or not at all, and within the client's transaction if there is one.
func TestLoadDataIsAtomic(t *testing.T) {
	rules := faults.New()
	cluster, _ := start(t, combo.Config{Faults: rules, Keyspaces: []combo.Keyspace{
		{Name: "user", Shards: 2, Schema: []string{"create table t (id int primary key)"}, VSchema: hashedT},
	}}, "user")
	conn, _ := openRaw(t, cluster.DSN("user"))
	const statement = "LOAD DATA LOCAL INFILE %s INTO TABLE t"
	file := func() io.Reader {
		var text strings.Builder
		for i := range 2000 {
			fmt.Fprintf(&text, "%d\n", i)
		}
		return strings.NewReader(text.String())
	}
	run := func(query string) {
		t.Helper()
		_, err := conn.ExecContext(context.Background(), query)
		require.NoError(t, err)
	}
	fail := func() {
		t.Helper()
		rule := rules.Add(faults.Rule{Shard: "80-", SQL: "(?i)^insert", After: 2, Times: 1,
			Err: sqlerror.NewSQLError(sqlerror.ERDiskFull, sqlerror.SSUnknownSQLState, "disk full")})
		_, err := loadFile(t, conn, file(), statement)
		require.ErrorContains(t, err, "disk full")
		require.Equal(t, 3, rules.Remove(rule))
	}
	fail()
	require.Equal(t, []string{"0"}, connRows(t, conn, "select count(*) from t"))
	run("begin")
	run("insert into t values (-1), (-2), (-3), (-4)")
	fail()
	require.Equal(t, []string{"4"}, connRows(t, conn, "select count(*) from t"))
	affected, err := loadFile(t, conn, file(), statement)
	require.NoError(t, err)
	require.EqualValues(t, 2000, affected)
	run("rollback")
	require.Equal(t, []string{"0"}, connRows(t, conn, "select count(*) from t"))
}

func TestLoadDataIsRefused(t *testing.T) {
	conn, _ := openRaw(t, shop(t, 2).DSN("shop"))
	for statement, want := range map[string]string{
		"LOAD DATA INFILE %s INTO TABLE event":                                          "1290",
		"LOAD DATA LOCAL INFILE %s INTO event":                                          "1064",
		"LOAD DATA LOCAL INFILE %s INTO TABLE event FIELDS":                             "1064",
		"LOAD DATA LOCAL INFILE %s INTO TABLE event (id) SET":                           "1064",
		"LOAD DATA LOCAL INFILE %s INTO TABLE event FIELDS ENCLOSED BY 'ab'":            "1083",
		"LOAD DATA LOCAL INFILE %s INTO TABLE event FIELDS TERMINATED BY ''":            "VT12001",
		"LOAD DATA LOCAL INFILE %s INTO TABLE event CHARACTER SET latin1":               "VT12001",
		"LOAD DATA LOCAL INFILE %s REPLACE INTO TABLE event (id, kind)":                 "VT12001",
		"LOAD DATA LOCAL INFILE %s INTO TABLE event PARTITION (p0)":                     "VT12001",
		"LOAD DATA LOCAL INFILE %s INTO TABLE event (id, nope)":                         "1054",
		"LOAD DATA LOCAL INFILE %s INTO TABLE event (id) SET kind = nope":               "1054",
		"LOAD DATA LOCAL INFILE %s INTO TABLE event (id, kind) SET n = @@nosuchthing":   "nosuchthing",
		"LOAD DATA LOCAL INFILE %s INTO TABLE nowhere (id, kind) IGNORE 1 LINES":        "1064",
		"LOAD DATA LOCAL INFILE %s INTO TABLE event (id, kind) SET n = 1 WHERE id = 10": "1064",
	} {
		_, err := loadFile(t, conn, strings.NewReader("1\ta\n"), statement)
		require.ErrorContains(t, err, want, statement)
		require.Equal(t, []string{"0"}, connRows(t, conn, "select count(*) from event"), "the connection lives on")
	}
}

// rowsOfFile is a file of rows that is made while it is read.
type rowsOfFile struct {
	rows, made int
	left       []byte
}

func (r *rowsOfFile) Read(p []byte) (int, error) {
	for len(r.left) < len(p) && r.made < r.rows {
		r.left = fmt.Appendf(r.left, "%d\tkind\t%d\n", r.made, r.made%100)
		r.made++
	}
	if len(r.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// 100,000 rows, whose packets' numbers come round, need no more memory than the rows that they become.
func TestLoadDataOfManyRows(t *testing.T) {
	conn, _ := openRaw(t, shop(t, 4).DSN("shop"))
	const rows = 100_000
	file := &rowsOfFile{rows: rows}
	var peak uint64
	watched := io.TeeReader(file, writerFunc(func([]byte) {
		var stats runtime.MemStats
		if file.made%20_000 < 2_000 {
			runtime.ReadMemStats(&stats)
			peak = max(peak, stats.HeapInuse)
		}
	}))
	affected, err := loadFile(t, conn, watched, "LOAD DATA LOCAL INFILE %s INTO TABLE event (id, kind, n)")
	require.NoError(t, err)
	require.EqualValues(t, rows, affected)
	require.Equal(t, []string{fmt.Sprintf("%d %d", rows, rows*99/2)}, connRows(t, conn, "select count(*), sum(n) from event"))
	require.Less(t, peak, uint64(600<<20))
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}
