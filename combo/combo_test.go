package combo_test

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// start starts a cluster for a test and opens a pool to one of its keyspaces.
func start(t testing.TB, cfg combo.Config, keyspace string) (*combo.Cluster, *sql.DB) {
	t.Helper()
	cluster, err := combo.Start(context.Background(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, cluster.Close()) })
	return cluster, open(t, cluster, keyspace)
}

func open(t testing.TB, cluster *combo.Cluster, keyspace string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", cluster.DSN(keyspace))
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// rows runs a query and gives its rows, cells separated by blanks.
func rows(t testing.TB, db interface {
	Query(string, ...any) (*sql.Rows, error)
}, query string, args ...any) []string {
	t.Helper()
	result, err := db.Query(query, args...)
	require.NoError(t, err, query)
	defer result.Close()
	columns, err := result.Columns()
	require.NoError(t, err)
	all := []string{}
	for result.Next() {
		cells := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		require.NoError(t, result.Scan(into...))
		texts := make([]string, len(cells))
		for i, cell := range cells {
			texts[i] = cell.String
			if !cell.Valid {
				texts[i] = "NULL"
			}
		}
		all = append(all, strings.Join(texts, " "))
	}
	require.NoError(t, result.Err(), query)
	return all
}

func exec(t testing.TB, db interface {
	Exec(string, ...any) (sql.Result, error)
}, query string, args ...any) sql.Result {
	t.Helper()
	result, err := db.Exec(query, args...)
	require.NoError(t, err, query)
	return result
}

func TestDemo(t *testing.T) {
	cluster, db := start(t, combo.Config{}, "customer")
	require.Equal(t, []combo.KeyspaceInfo{
		{Name: "commerce", Shards: []string{"0"}}, {Name: "customer", Sharded: true, Shards: []string{"-80", "80-"}},
	}, cluster.Info().Keyspaces)

	require.Equal(t, []string{"1 alice@example.com", "2 bob@example.com", "3 charlie@example.com"},
		rows(t, db, "select customer_id, email from customer order by customer_id limit 3"))
	result := exec(t, db, "insert into customer (email, name) values ('mia@example.com', 'Mia'), ('ned@example.com', 'Ned')")
	id, err := result.LastInsertId()
	require.NoError(t, err)
	require.Equal(t, int64(13), id)

	left := rows(t, open(t, cluster, "customer:-80"), "select customer_id from customer order by customer_id")
	right := rows(t, open(t, cluster, "customer:80-"), "select customer_id from customer order by customer_id")
	require.Contains(t, left, "8")
	require.Contains(t, right, "1")
	require.Len(t, append(left, right...), 14)

	require.Equal(t, []string{"14"}, rows(t, db, "select count(*) from customer"))
	require.Equal(t, []string{"Alice 2 112"},
		rows(t, db, "select c.name, count(*), sum(o.price) from customer c join corder o on o.customer_id = c.customer_id where c.customer_id = ? group by c.name", 1))
	require.Equal(t, []string{"7", "8"}, rows(t, db, "select customer_id from customer order by customer_id limit 2 offset 6"))
	require.Equal(t, []string{"SKU-1001 3", "SKU-1002 3", "SKU-1003 3"},
		rows(t, db, "select sku, count(*) from corder group by sku order by sku"))
	require.Equal(t, []string{"Heidi Monitor", "Heidi Mouse"},
		rows(t, db, "select c.name, p.description from customer c join corder o on o.customer_id = c.customer_id join commerce.product p on p.sku = o.sku where c.customer_id = 8 order by p.description"))

	tx, err := db.Begin()
	require.NoError(t, err)
	exec(t, tx, "update customer set name = 'x'")
	exec(t, tx, "delete from corder")
	require.NoError(t, tx.Rollback())
	require.Equal(t, []string{"9"}, rows(t, db, "select count(*) from corder"))
	require.Empty(t, rows(t, db, "select 1 from customer where name = 'x'"))
}

func TestManyClustersAtOnce(t *testing.T) {
	var dbs []*sql.DB
	for range 4 {
		_, db := start(t, combo.Config{}, "customer")
		dbs = append(dbs, db)
	}
	for i, db := range dbs {
		exec(t, db, "insert into customer (email, name) values (?, ?)", fmt.Sprint("only", i), "Only")
		require.Equal(t, []string{fmt.Sprintf("13 only%d", i)}, rows(t, db, "select customer_id, email from customer where name = 'Only'"))
	}
}

func TestInlineKeyspaces(t *testing.T) {
	_, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{
		{Name: "main", Schema: []string{"create table t (id int primary key, v varchar(10)); insert into t values (1, 'a;b')"}},
		{Name: "uneven", ShardNames: []string{"-19a0", "19a0-20", "20-"}, Schema: []string{"create table u (id int primary key)"},
			VSchema: `{"sharded": true, "vindexes": {"h": {"type": "hash"}}, "tables": {"u": {"column_vindexes": [{"column": "id", "name": "h"}]}}}`},
	}}, "main")
	require.Equal(t, []string{"1 a;b"}, rows(t, db, "select * from t"))
	for i := range 50 {
		exec(t, db, "insert into uneven.u values (?)", i)
	}
	require.Equal(t, []string{"50"}, rows(t, db, "select count(*) from uneven.u"))
	require.Equal(t, []string{"main/0", "uneven/-19a0", "uneven/19a0-20", "uneven/20-"}, rows(t, db, "show vitess_shards"))
}

// writeFiles makes a schema directory.
func writeFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

const hashedT = `{"sharded": true, "vindexes": {"h": {"type": "hash"}}, "tables": {"t": {"column_vindexes": [{"column": "id", "name": "h"}]}}}`

func TestSchemaDir(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"shop/vschema.json":   hashedT,
		"shop/01.sql":         "-- tables\ncreate table t (id bigint primary key, n int);\nsource parts/more.sql\n# the end\n",
		"shop/parts/more.sql": "create table r (id int primary key);\ninsert into r values (1), (2);",
		"shop/02.sql":         "alter vschema on r add vindex h (id)",
		"shop/notes.txt":      "not SQL",
		"routing_rules.json":  `{"rules": [{"from_table": "shop.old", "to_tables": ["shop.t"]}]}`,
		"seq/vschema.json":    `{"tables": {"ids": {"type": "sequence"}}}`,
		"seq/01.sql":          "create table ids (id bigint primary key, next_id bigint, cache bigint) comment 'vitess_sequence';",
	})
	cluster, db := start(t, combo.Config{SchemaDir: dir}, "shop")
	require.Equal(t, []combo.KeyspaceInfo{
		{Name: "seq", Shards: []string{"0"}}, {Name: "shop", Sharded: true, Shards: []string{"-80", "80-"}},
	}, cluster.Info().Keyspaces)
	exec(t, db, "insert into t values (1, 10), (2, 20), (3, 30)")
	require.Equal(t, []string{"60"}, rows(t, db, "select sum(n) from t"))
	require.Equal(t, []string{"0 1 1000"}, rows(t, db, "select id, next_id, cache from seq.ids"), "the row of a sequence is made")
	require.Equal(t, []string{"1"}, rows(t, db, "select next value from seq.ids"))
	require.Equal(t, []string{"4"}, rows(t, db, "select count(*) from r"), "INSERT lines run on every shard")
	require.Equal(t, []string{"3"}, rows(t, db, "select count(*) from old"), "routing rules apply")
}

func TestBrokenInput(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	for _, tc := range []struct {
		name  string
		files map[string]string
		cfg   combo.Config
		want  string // DIR stands for the directory
	}{
		{name: "no such directory", cfg: combo.Config{SchemaDir: "/nonexistent"}, want: "/nonexistent: there is no such directory"},
		{name: "empty directory", files: map[string]string{"x.sql": ""}, want: "DIR: there is no keyspace in it"},
		{name: "keyspace without a directory", files: map[string]string{"shop/a.sql": ""}, cfg: combo.Config{Keyspaces: []combo.Keyspace{{Name: "user"}}},
			want: "DIR: there is no directory user in it for keyspace user: it has shop"},
		{name: "misspelt vschema.json", files: map[string]string{"shop/VSchema.json": hashedT}, want: "DIR/shop/VSchema.json: the file is not read: its name must be vschema.json"},
		{name: "broken JSON", files: map[string]string{"shop/vschema.json": "{\n\"sharded\": tru}"}, want: "DIR/shop/vschema.json:2: broken JSON"},
		{name: "unknown field", files: map[string]string{"shop/vschema.json": "{\n\n\"tabels\": {}}"},
			want: `DIR/shop/vschema.json:3: tabels: there is no field "tabels" here, did you mean "tables"?`},
		{name: "unknown vindex type", files: map[string]string{"shop/vschema.json": strings.Replace(hashedT, `"hash"`, `"xxhsah"`, 1)},
			want: `DIR/shop/vschema.json: vindexes.h.type: vindexType "xxhsah" not found, did you mean "xxhash"?`},
		{name: "unknown vindex", files: map[string]string{"shop/vschema.json": strings.Replace(hashedT, `"name": "h"`, `"name": "hh"`, 1)},
			want: `DIR/shop/vschema.json: tables.t.column_vindexes[0].name: vindex hh not found for table t`},
		{name: "unknown sequence", files: map[string]string{"shop/vschema.json": `{"tables": {"t": {"auto_increment": {"column": "id", "sequence": "seqs.ids"}}}}`},
			want: "DIR/shop/vschema.json: tables.t.auto_increment.sequence: cannot resolve sequence seqs.ids"},
		{name: "table of the VSchema by a slip", files: map[string]string{"shop/a.sql": "create table item (id int primary key)",
			"shop/vschema.json": `{"sharded": true, "vindexes": {"h": {"type": "hash"}}, "tables": {"itme": {"column_vindexes": [{"column": "id", "name": "h"}]}}}`},
			want: `DIR/shop/vschema.json: tables.itme: no SQL file makes a table of this name, did you mean "item"?`},
		{name: "column of the VSchema by a slip", files: map[string]string{"shop/a.sql": "create table t (user_id int primary key)",
			"shop/vschema.json": strings.Replace(hashedT, `"column": "id"`, `"columns": ["usre_id"]`, 1)},
			want: `DIR/shop/vschema.json: tables.t.column_vindexes[0].columns[0]: table t has no column usre_id, did you mean "user_id"?`},
		{name: "rule to nowhere", files: map[string]string{"shop/a.sql": "", "routing_rules.json": `{"rules": [{"from_table": "a", "to_tables": ["shp.a"]}]}`},
			want: `DIR/routing_rules.json: rule for table a: VT05003: unknown database 'shp' in vschema`},
		{name: "server version", cfg: combo.Config{ServerVersion: "new"}, want: `server version "new" does not begin with a version of MySQL`},
		{name: "SQL syntax error", files: map[string]string{"shop/a.sql": "create table t (id int primary key);\n\ncreate tabel u (id int);"}, want: "DIR/shop/a.sql:3: error 1"},
		{name: "SQL error", files: map[string]string{"shop/a.sql": "\ninsert into nowhere values (1);"}, want: "DIR/shop/a.sql:2: error 1146 (42S02): Table 'shop.nowhere' doesn't exist, at: insert into nowhere values (1)"},
		{name: "quote without end", files: map[string]string{"shop/a.sql": "select 1;\nselect 'abc;\n"}, want: "DIR/shop/a.sql:2: the quoted text that begins here does not end"},
		{name: "missing include", files: map[string]string{"shop/a.sql": "source b.sql;\n"}, want: "DIR/shop/a.sql:1: source b.sql: open shop/b.sql: no such file"},
		{name: "circular include", files: map[string]string{"shop/a.sql": "source a.sql\n"}, want: "include one another more than 20 deep"},
		{name: "ALTER VSCHEMA fails", files: map[string]string{"shop/vschema.json": hashedT, "shop/a.sql": "\nalter vschema on t drop vindex nothing"}, want: "DIR/shop/a.sql:2: "},
		{name: "unsharded with two shards", files: map[string]string{"shop/vschema.json": "{}"}, cfg: combo.Config{Keyspaces: []combo.Keyspace{{Name: "shop", Shards: 2}}},
			want: `DIR/shop/vschema.json: keyspace shop is to have 2 shards but its VSchema does not say "sharded": true`},
		{name: "broken routing rules", files: map[string]string{"shop/a.sql": "", "routing_rules.json": `{"rules": [{"from": "a"}]}`},
			want: `DIR/routing_rules.json:1: rules[0].from: there is no field "from" here`},
		{name: "gap between shards", cfg: combo.Config{Keyspaces: []combo.Keyspace{{Name: "shop", ShardNames: []string{"-40", "80-"}}}},
			want: "keyspace shop: shard 80- does not start where shard -40 ends"},
		{name: "keyspace twice", cfg: combo.Config{Keyspaces: []combo.Keyspace{{Name: "a"}, {Name: "a"}}}, want: "keyspace a is given twice"},
		{name: "port taken", cfg: combo.Config{MySQLPort: port}, want: fmt.Sprintf("port %d of 127.0.0.1 is taken by another program: ", port)},
		{name: "port out of range", cfg: combo.Config{MySQLPort: 70000}, want: "port 70000 is out of range"},
		{name: "transaction mode", cfg: combo.Config{TransactionMode: "SOME"}, want: `transaction mode "SOME" is not known: it must be SINGLE, MULTI or TWOPC`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.files != nil {
				tc.cfg.SchemaDir = writeFiles(t, tc.files)
			}
			_, err := combo.Start(context.Background(), tc.cfg)
			require.Error(t, err)
			require.Contains(t, err.Error(), strings.ReplaceAll(tc.want, "DIR", tc.cfg.SchemaDir))
			require.NotContains(t, err.Error(), "\n", "one line")
		})
	}
}

func TestCreateAndDropDatabase(t *testing.T) {
	_, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{{Name: "main"}}}, "")
	exec(t, db, "create database fresh")
	exec(t, db, "create table fresh.t (id int primary key)")
	exec(t, db, "insert into fresh.t values (7)")
	require.Equal(t, []string{"7"}, rows(t, db, "select id from fresh.t"))
	exec(t, db, "drop database fresh")
	_, err := db.Exec("insert into fresh.t values (8)")
	require.ErrorContains(t, err, "VT05003: unknown database 'fresh' in vschema")
}

func TestStartTellsWhatMayBeAMistake(t *testing.T) {
	var told []string
	dir := writeFiles(t, map[string]string{
		"shop/vschema.json": hashedT, "shop/a.sql": "create table other (id bigint primary key)", "shop/b.txt": "create table t (id bigint primary key)",
	})
	start(t, combo.Config{SchemaDir: dir, Log: func(message string) { told = append(told, strings.TrimPrefix(message, dir+"/shop/")) }}, "shop")
	require.Len(t, told, 3)
	require.Equal(t, "b.txt: the file is not read, but it holds SQL: its name must end in .sql [file]", told[0])
	require.Contains(t, told[1], "vschema.json: tables: table other, which an SQL file makes, is not in the VSchema")
	require.Contains(t, told[2], "vschema.json: tables.t: no SQL file of keyspace shop makes table t")
}
