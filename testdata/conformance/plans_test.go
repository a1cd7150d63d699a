package conformance

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/vitrodb/vitro/planner/plantest"
)

const suiteFile = "../suite.json"

// TestGoldenPlansAreVitess compares each golden case of this project with Vitess's planner. Those of differences.json deviate
// on purpose, and only those.
func TestGoldenPlansAreVitess(t *testing.T) {
	suite, err := plantest.ReadSuite(suiteFile)
	if err != nil {
		t.Fatal(err)
	}
	deviating := deviations(t)
	files, err := filepath.Glob("../plans/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden cases", err)
	}
	same := 0
	for _, file := range files {
		oracle, err := NewOracle(suiteFile, suite, file)
		if err != nil {
			t.Fatal(err)
		}
		cases, err := plantest.ReadCases(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if foundByTracking(c.Plan) {
				continue
			}
			want := oracle.Plan(c.Query)
			reason, listed := deviating[c.Query]
			switch equal := equalJSON(t, want, c.Plan); {
			case equal && listed:
				t.Errorf("%s: %s\nlisted as deviating (%s), but equal", file, c.Query, reason)
			case !equal && !listed:
				t.Errorf("%s: %s\n%s", filepath.Base(file), c.Query, plantest.Diff(want, c.Plan))
			case equal:
				same++
			}
		}
	}
	t.Logf("%d cases as Vitess plans them, %d deviate on purpose", same, len(deviating))
}

// foundByTracking tells of the error that Vitess's schema tracking raises, which the oracle has none of: its planner follows a
// cycle of foreign keys for ever.
func foundByTracking(plan json.RawMessage) bool {
	return strings.HasPrefix(string(plan), `"VT09019`)
}

// deviations are queries that are planned otherwise than Vitess does on purpose, with the reason.
func deviations(t *testing.T) map[string]string {
	cases, err := plantest.ReadCases("differences.json")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, c := range cases {
		out[c.Query] = c.Comment
	}
	return out
}

func equalJSON(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	var left, right any
	if err := json.Unmarshal(a, &left); err != nil {
		t.Fatalf("%v in %s", err, a)
	}
	if err := json.Unmarshal(b, &right); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return reflect.DeepEqual(left, right)
}
