package plantest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const runVSchema = `{"sharded": true, "vindexes": {"hash": {"type": "hash"}},
	"tables": {"t": {"column_vindexes": [{"column": "id", "name": "hash"}]}}}`

func newTestPlanner(t *testing.T) *Planner {
	t.Helper()
	file := filepath.Join(t.TempDir(), "vschema.json")
	require.NoError(t, os.WriteFile(file, []byte(runVSchema), 0o644))
	planner, err := NewPlanner(Config{Settings: Settings{DefaultKeyspace: "ks"}, VSchemaFile: file, Keyspace: "ks"})
	require.NoError(t, err)
	return planner
}

func writeCases(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cases.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

func TestUpdatedCasesPass(t *testing.T) {
	planner := newTestPlanner(t)
	file := writeCases(t, `[{"comment": "one row", "query": "select a from t where id = 1"}, {"query": "select nope("}]`)
	report, err := RunFiles(planner, Options{}, file)
	require.NoError(t, err)
	require.Len(t, report.Failures, 2)
	require.Contains(t, report.Failures[0].String(), "one row")
	require.Contains(t, report.Failures[0].String(), "Route EqualUnique [ks]")

	report, err = RunFiles(planner, Options{Update: true}, file)
	require.NoError(t, err)
	require.Empty(t, report.Failures)
	var actual strings.Builder
	report, err = RunFiles(planner, Options{Actual: &actual}, filepath.Dir(file))
	require.NoError(t, err)
	require.Empty(t, report.Failures)
	require.Equal(t, 2, report.Cases)
	lines := strings.Split(strings.TrimSpace(actual.String()), "\n")
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], `"plan"`)
	require.Contains(t, lines[1], `"error"`)
}

func TestAScatterFailsTheBudget(t *testing.T) {
	planner := newTestPlanner(t)
	file := writeCases(t, `[{"query": "select a from t where id = 1"}, {"query": "select a from t"}, {"query": "delete from t"}]`)
	_, err := RunFiles(planner, Options{Update: true}, file)
	require.NoError(t, err)
	report, err := RunFiles(planner, Options{NoScatter: true}, file)
	require.NoError(t, err)
	require.Len(t, report.Failures, 2)
	require.Contains(t, report.Failures[0].Cause, "goes to all shards")
}

func TestADiffShowsTheTree(t *testing.T) {
	planner := newTestPlanner(t)
	want, err := planner.PlanJSON("select a from t where id = 1")
	require.NoError(t, err)
	got, err := planner.PlanJSON("select a from t")
	require.NoError(t, err)
	diff := Diff(want, got)
	require.Contains(t, diff, "- Route EqualUnique [ks]\n")
	require.Contains(t, diff, "+ Route Scatter [ks]\n")
	require.Contains(t, diff, "  TablesUsed: [\"ks.t\"]\n")
}

func TestBrokenFilesAreNamedWithTheirLine(t *testing.T) {
	planner := newTestPlanner(t)
	for text, want := range map[string]string{
		"[\n{\"query\": \"select 1\"},\n{\"query\" \"x\"}]": ":3:",
		"[{\"plan\": \"x\"}]":                               `case 1 has no "query"`,
		"[{\"query\": 3}]":                                  ":1:",
		"{\"query\": \"nope\"}":                             ":1:",
	} {
		file := writeCases(t, text)
		_, err := RunFiles(planner, Options{}, file)
		require.ErrorContains(t, err, file, text)
		require.ErrorContains(t, err, want, text)
	}
	_, err := RunFiles(planner, Options{}, t.TempDir())
	require.ErrorContains(t, err, "no case files")
	_, err = ReadSuite(filepath.Join(t.TempDir(), "suite.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestABudgetOfShards(t *testing.T) {
	planner := newTestPlanner(t)
	file := writeCases(t, `[{"query": "select a from t where id = 1"}, {"query": "select a from t where id in (1, 2, 3)"},
		{"query": "select a from t where a = 1"}, {"query": "insert into t (id) values (1), (2)"}, {"query": "select 1"}]`)
	_, err := RunFiles(planner, Options{Update: true}, file)
	require.NoError(t, err)
	report, err := RunFiles(planner, Options{MaxShards: 2}, file)
	require.NoError(t, err)
	require.Len(t, report.Failures, 2)
	require.Contains(t, report.Failures[0].Cause, "the plan may go to 3 shards, and no more than 2 are allowed")
	require.Contains(t, report.Failures[1].Cause, "the plan may go to all shards")
	report, err = RunFiles(planner, Options{MaxShards: 1}, file)
	require.NoError(t, err)
	require.Len(t, report.Failures, 3)
}

func TestJUnit(t *testing.T) {
	planner := newTestPlanner(t)
	file := writeCases(t, `[{"query": "select a from t where id < 1", "plan": "none"}, {"query": "select nope(", "plan": "syntax error at position 13"}]`)
	report, err := RunFiles(planner, Options{}, file)
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, report.WriteJUnit(&text))
	require.Contains(t, text.String(), `<testsuites tests="2" failures="1">`)
	require.Contains(t, text.String(), `name="select a from t where id &lt; 1"`)
	require.Contains(t, text.String(), "Route Scatter [ks]")
}
