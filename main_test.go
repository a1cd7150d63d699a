package main

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// TestMain lets the tests run this binary as vitro itself.
func TestMain(m *testing.M) {
	if os.Getenv("VITRO_TEST_MAIN") != "" {
		os.Exit(run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// vitro is a command line, run as a process of its own.
func vitro(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "VITRO_TEST_MAIN=1")
	return cmd
}

func TestServeUntilSignal(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := vitro(t, "--mysql_port", "0", "--ready-json")
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadBytes('\n')
		require.NoError(t, err)
		var info combo.ServerInfo
		require.NoError(t, json.Unmarshal(line, &info), "%s", line)
		require.Len(t, info.Keyspaces, 2)

		db, err := sql.Open("mysql", fmt.Sprintf("root@tcp(%s:%d)/customer", info.Host, info.MySQLPort))
		require.NoError(t, err)
		var n int
		require.NoError(t, db.QueryRow("select count(*) from customer").Scan(&n))
		require.Equal(t, 12, n)

		asked := time.Now()
		require.NoError(t, cmd.Process.Signal(signal))
		require.NoError(t, cmd.Wait(), "exit code 0")
		require.Less(t, time.Since(asked), 5*time.Second)
		require.NoError(t, db.Close())
	}
}

func TestGreeting(t *testing.T) {
	cmd := vitro(t, "serve", "--mysql-port=0", "--keyspaces", "a,b", "--num-shards", "1,3", "--mysql-user", "me", "--mysql-password", "pw")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	var text []string
	for lines.Scan() {
		text = append(text, lines.Text())
		if strings.HasPrefix(lines.Text(), "Vitro is ready at 127.0.0.1:") {
			break
		}
	}
	require.Len(t, text, 4)
	require.Regexp(t, `^Connect:  mysql -h 127.0.0.1 -P \d+ -u me$`, text[0])
	require.Equal(t, "Keyspaces: a (unsharded): 0", text[1])
	require.Equal(t, "           b (sharded): -55 55-aa aa-", text[2])
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait())
}

func TestErrorsExitWithOne(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	port := fmt.Sprint(taken.Addr().(*net.TCPAddr).Port)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "shop"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shop", "a.sql"), []byte("\nselect * from nowhere;"), 0o600))
	empty := filepath.Join(t.TempDir(), "cases.json")
	require.NoError(t, os.WriteFile(empty, []byte("[]"), 0o600))
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"port taken", []string{"--mysql-port", port}, "vitro: port " + port + " of 127.0.0.1 is taken by another program: "},
		{"unknown flag", []string{"--schema-dirr", "x"}, "vitro: there is no flag --schema-dirr: did you mean --schema-dir?"},
		{"unknown command", []string{"sreve"}, `vitro: there is no command "sreve": did you mean "serve"?`},
		{"nothing like a command", []string{"frobnicate"}, "vitro: there is no command \"frobnicate\": `vitro --help` lists the commands"},
		{"nothing like a flag", []string{"--frobnicate"}, "vitro: there is no flag --frobnicate: `vitro --help` lists the flags"},
		{"port in words", []string{"--mysql-port", "many"}, `vitro: --mysql-port: "many" is no whole number`},
		{"counts without names", []string{"--num-shards", "2"}, "vitro: --num-shards needs --keyspaces beside it"},
		{"plantest without files", []string{"plantest", "--vschema", "v.json"}, "vitro: no case files are named"},
		{"plantest without a VSchema", []string{"plantest", "a.json"}, "vitro: a VSchema is needed"},
		{"plantest with both", []string{"plantest", "--suite", "s.json", "--vschema", "v.json", "a.json"}, "vitro: --suite has settings for each case file"},
		{"plantest, two schemas", []string{"plantest", "--schema-dir", dir, "--schema", "s.sql", "a.json"}, "vitro: --schema-dir has the tables"},
		{"plantest, no such directory", []string{"plantest", "--schema-dir", "/nonexistent", "a.json"}, "vitro: /nonexistent: there is no such directory"},
		{"plantest, fewer than no shards", []string{"plantest", "--vschema", "v.json", "--max-shards", "-1", "a.json"}, "vitro: --max-shards: -1: it must be 1 or more"},
		{"plantest, no cases", []string{"plantest", "--vschema", "testdata/vschemas/shop.json", empty}, "vitro: no cases: "},
		{"plantest, no such file", []string{"plantest", "--vschema", "v.json", "a.json"}, "vitro: open v.json: no such file"},
		{"explain without SQL", []string{"explain"}, "vitro: action requires one of sql or sql-file"},
		{"explain without tables", []string{"explain", "--sql", "select 1"}, "vitro: action requires one of schema or schema-file; or --schema-dir, which has"},
		{"explain with both", []string{"explain", "--sql", "select 1", "--sql-file", "q.sql"}, "vitro: action requires only one of sql or sql-file"},
		{"explain, no such file", []string{"explain", "--sql", "select 1", "--schema-file", "s.sql"}, "vitro: open s.sql: no such file"},
		{"explain, no such mode", []string{"explain", "--execution-mode", "single"}, `vitro: --execution-mode: "single" is not known: it must be one of multi, legacy-autocommit, twopc`},
		{"explain, VSchema", []string{"explain", "--sql", "select 1", "--schema", "create table t(a int)", "--vschema", `{"k": {"shraded": true}}`},
			`vitro: --vschema:1: k.shraded: there is no field "shraded" here, did you mean "sharded"?`},
		{"explain, two schemas", []string{"explain", "--sql", "select 1", "--schema-dir", dir, "--schema", "x"}, "vitro: --schema-dir has the tables"},
		{"rows in memory", []string{"--max-memory-rows", "-1"}, "vitro: the most rows in memory cannot be -1"},
		{"counts differ", []string{"--keyspaces", "a,b", "--num-shards", "2"}, "vitro: --num-shards has 1 number but --keyspaces has 2 names"},
		{"no number", []string{"--keyspaces", "a", "--num-shards", "x"}, `vitro: --num-shards: "x" for keyspace a is no number of shards`},
		{"shards of no keyspace", []string{"--keyspaces", "a", "--shard-names", "b:-80,80-"}, "vitro: --shard-names: keyspace b is not among --keyspaces a"},
		{"shards of a directory", []string{"--schema-dir", dir, "--shard-names", "shop:-80,80-"}, "vitro: --shard-names beside --schema-dir needs --keyspaces too"},
		{"shards without a keyspace", []string{"--shard-names", "-80,80-"}, `vitro: --shard-names: "-80,80-" must be a keyspace and its shards`},
		{"no directory", []string{"--schema-dir", "/nonexistent"}, "vitro: /nonexistent: there is no such directory"},
		{"SQL error", []string{"--schema-dir", dir, "--mysql-port", "0"}, "vitro: " + dir + "/shop/a.sql:2: error 1146 (42S02)"},
		{"password alone", []string{"--mysql-password", "x"}, "vitro: --mysql-password needs --mysql-user"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, err := vitro(t, tc.args...).CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			require.Equal(t, 1, exit.ExitCode())
			require.Contains(t, string(out), tc.want)
			require.Equal(t, 1, strings.Count(strings.TrimRight(string(out), "\n"), "\n")+1, "one line: %s", out)
		})
	}
}

func TestLint(t *testing.T) {
	out, err := vitro(t, "lint", "combo/demo").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "combo/demo: nothing found\n", string(out))

	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "shop"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shop", "vschema.json"), []byte(`{"sharded": true, "tables": {"t": {}}}`), 0o644))
	cmd := vitro(t, "lint", "--format", "json", dir)
	out, err = cmd.Output()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 1, exit.ExitCode())
	require.Equal(t, "vitro: "+dir+" has 1 mistake\n", string(exit.Stderr))
	var findings []combo.Finding
	require.NoError(t, json.Unmarshal(out, &findings), "%s", out)
	require.Len(t, findings, 1)
	require.Equal(t, "tables.t", findings[0].Path)
}

// TestPlansOfDirectory plans with the tables of a schema directory: the cascade is one that only they tell of, each keyspace's
// tables are its own.
func TestPlansOfDirectory(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"schema/a/tables.sql":   "create table child (id bigint primary key, name varchar(9))",
		"schema/b/tables.sql":   "create table parent (id bigint primary key);\ncreate table child (id bigint primary key, parent_id bigint, foreign key (parent_id) references parent (id) on delete cascade)",
		"schema/b/vschema.json": `{"foreignKeyMode": "managed", "tables": {"parent": {}, "child": {}}}`,
		"cases.json":            `[{"query": "delete from parent where id = 1"}, {"query": "select * from a.child as c join parent as p using (id)"}]`,
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	cases := filepath.Join(dir, "cases.json")
	out, err := vitro(t, "plantest", "--schema-dir", filepath.Join(dir, "schema"), "--keyspace", "b", "--update", cases).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "2 plans written of 2\n", string(out))
	written, err := os.ReadFile(cases)
	require.NoError(t, err)
	require.Contains(t, string(written), `"OperatorType": "FkCascade"`)
	require.Contains(t, string(written), "\"Query\": \"select c.id, c.`name` from child as c\"")
}

func TestVersion(t *testing.T) {
	out, err := vitro(t, "--version").Output()
	require.NoError(t, err)
	require.Regexp(t, `^vitro version \S+, go1`, string(out))
}
