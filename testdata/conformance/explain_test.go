package conformance

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vitrodb/vitro/combo/explain"
	"github.com/vitrodb/vitro/vindexes"
)

// explainCases are vtexplain's own, by the names of their files, with what they are run with.
var explainCases = []struct {
	name       string
	normalized bool
	target     string
	shards     []string
}{
	{name: "unsharded", normalized: true},
	{name: "selectsharded", normalized: true},
	{name: "insertsharded", normalized: true},
	{name: "updatesharded", normalized: true},
	{name: "deletesharded", normalized: true},
	{name: "comments", normalized: true},
	{name: "gen4", normalized: true},
	{name: "options"},
	{name: "target", target: "ks_sharded/40-80"},
	{name: "select-sharded-8", normalized: true, shards: []string{"-20", "20-40", "40-60", "60-80", "80-a0", "a0-c0", "c0-e0", "e0-"}},
	{name: "uneven-keyspace", normalized: true, shards: []string{"-80", "80-90", "90-a0", "a0-e8", "e8-"}},
}

// TestExplainIsVtexplain compares the output with the files that Vitess's tests of vtexplain compare with.
func TestExplainIsVtexplain(t *testing.T) {
	list, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "vitess.io/vitess").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(list)), "go/vt/vtexplain/testdata")
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	vschema, err := vindexes.Load("", []byte(read("test-vschema.json")), "test-vschema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range explainCases {
		t.Run(c.name, func(t *testing.T) {
			cfg := explain.Config{VSchema: vschema, Schema: read("test-schema.sql"), Shards: 4, Normalized: c.normalized, Target: c.target}
			if c.shards != nil {
				cfg.ShardMap = map[string][]string{"ks_sharded": c.shards}
			}
			var got bytes.Buffer
			synctest.Test(t, func(t *testing.T) {
				x, err := explain.New(context.Background(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				defer x.Close()
				explained, err := x.Run(context.Background(), read(c.name+"-queries.sql"))
				if err != nil {
					t.Fatal(err)
				}
				if err := explain.WriteText(&got, explained, nil); err != nil {
					t.Fatal(err)
				}
			})
			want := read(filepath.Join("multi-output", c.name+"-output.txt"))
			if strings.TrimSpace(got.String()) != strings.TrimSpace(want) {
				t.Errorf("got\n%s\nwant\n%s", got.String(), want)
			}
		})
	}
}
