package explain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo/explain"
	"github.com/vitrodb/vitro/vindexes"
)

var update = flag.Bool("update", false, "write the golden files")

func config(t *testing.T) explain.Config {
	def, err := vindexes.LoadFile("", "testdata/vschema.json")
	require.NoError(t, err)
	schema, err := os.ReadFile("testdata/schema.sql")
	require.NoError(t, err)
	return explain.Config{VSchema: def, Schema: string(schema), Shards: 4, Normalized: true}
}

// run explains statements in a bubble of its own time, where what runs at once is known without waiting.
func run(t *testing.T, cfg explain.Config, sql string) (explained []*explain.Explanation, err error) {
	synctest.Test(t, func(*testing.T) {
		var x *explain.Explainer
		if x, err = explain.New(context.Background(), cfg); err != nil {
			return
		}
		defer x.Close()
		explained, err = x.Run(context.Background(), sql)
	})
	return explained, err
}

func TestQueriesByTimeAndShard(t *testing.T) {
	files, err := filepath.Glob("testdata/*s.sql")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			sql, err := os.ReadFile(file)
			require.NoError(t, err)
			explained, err := run(t, config(t), string(sql))
			require.NoError(t, err)
			var text bytes.Buffer
			require.NoError(t, explain.WriteText(&text, explained, nil))
			got := strings.ToValidUTF8(text.String(), "?") // keyspace ids are bytes
			golden := strings.TrimSuffix(file, ".sql") + ".txt"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
}

func TestJSON(t *testing.T) {
	explained, err := run(t, config(t), "select city from customer where id < 7 and id = 7")
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, explain.WriteJSON(&text, explained))
	assert.Contains(t, text.String(), "id < :", "SQL stays readable")
	var out []struct {
		SQL           string
		Plans         []struct{ Type string }
		TabletActions json.RawMessage
	}
	require.NoError(t, json.Unmarshal(text.Bytes(), &out))
	require.Len(t, out, 1)
	assert.Equal(t, "select city from customer where id < 7 and id = 7", out[0].SQL)
	require.Len(t, out[0].Plans, 1)
	assert.Equal(t, "Passthrough", out[0].Plans[0].Type)
	assert.JSONEq(t, `{"customer/c0-": {
		"TabletQueries": [{"Time": 1, "SQL": "select city from customer where id < :id /* INT64 */ and id = :id /* INT64 */",
			"BindVars": {"#maxLimit": "10001", "id": "7"}}],
		"MysqlQueries": [{"Time": 1, "SQL": "select city from customer where id < 7 and id = 7 limit 10001 /* INT64 */"}]}}`,
		string(out[0].TabletActions))
}

func TestShardMap(t *testing.T) {
	shards, err := explain.ReadShardMap([]byte(`{"customer": {"e8-": {}, "-e8": {"is_primary_serving": true},
		"-80": {"shard": {"primary_alias": {}}}, "80-": {"is_primary_serving": false}}}`))
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{"customer": {"-e8", "e8-"}}, shards)
	cfg := config(t)
	cfg.ShardMap = shards
	explained, err := run(t, cfg, "select city from customer")
	require.NoError(t, err)
	assert.Len(t, explained[0].Tablets, 2)
	assert.Contains(t, explained[0].Tablets, "customer/-e8")
}

func TestTargetGoesAsItIs(t *testing.T) {
	cfg := config(t)
	cfg.Target = "customer/40-80"
	explained, err := run(t, cfg, "select city from customer")
	require.NoError(t, err)
	assert.Len(t, explained[0].Tablets, 1)
	assert.Contains(t, explained[0].Tablets, "customer/40-80")
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*explain.Config)
		sql    string
		want   string
	}{
		{"syntax", nil, "select from where", "cannot explain 'select from where': syntax error at position"},
		{"unknown table", nil, "select * from nowhere", "cannot explain 'select * from nowhere': table nowhere not found"},
		{"table without columns", func(cfg *explain.Config) { cfg.Schema = "" }, "select id from product",
			"unable to resolve table name product: the schema does not create it"},
		{"schema", func(cfg *explain.Config) { cfg.Schema = "create table t (id whatever)" }, "", `schema: "create table t (id whatever)": syntax error`},
		{"like", func(cfg *explain.Config) { cfg.Schema = "create table t like u" }, "", "there is no table u before it"},
		{"shard map", func(cfg *explain.Config) { cfg.ShardMap = map[string][]string{"shop": {"-"}} }, "", "keyspace shop, which is not in the VSchema"},
		{"gap", func(cfg *explain.Config) { cfg.ShardMap = map[string][]string{"customer": {"-40", "80-"}} }, "", "without gap or overlap"},
		{"target", func(cfg *explain.Config) { cfg.Target = "shop" }, "", "VT05003"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := config(t)
			if c.change != nil {
				c.change(&cfg)
			}
			_, err := run(t, cfg, c.sql)
			assert.ErrorContains(t, err, c.want)
		})
	}
	for text, want := range map[string]string{
		`{"customer": {"zz-": {}}}`: `keyspace customer: shard "zz-"`,
		`{"customer": {"-": 5}}`:    `it must be {"keyspace": {"shard": {...}}}, but has a misplaced number`,
		`{"customer"`:               "broken JSON",
	} {
		_, err := explain.ReadShardMap([]byte(text))
		assert.ErrorContains(t, err, want)
	}
}
