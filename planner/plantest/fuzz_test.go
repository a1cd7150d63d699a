package plantest

import (
	"path/filepath"
	"strings"
	"testing"
)

// FuzzPlan plans any text against the shop, and the library with its foreign keys. An error is fine; a panic, which the planner reports as a bug, or a plan that
// comes out otherwise the second time is not.
func FuzzPlan(f *testing.F) {
	suite, err := ReadSuite("../../testdata/suite.json")
	if err != nil {
		f.Fatal(err)
	}
	files, err := filepath.Glob("../../testdata/plans/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, file := range files {
		cases, err := ReadCases(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range cases {
			f.Add(c.Query)
		}
	}
	var planners []*Planner
	for _, file := range []string{"select.json", "foreign_keys.json"} {
		planner, err := suite.Planner(file)
		if err != nil {
			f.Fatal(err)
		}
		planners = append(planners, planner)
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, planner := range planners {
			planTwice(t, planner, query)
		}
	})
}

func planTwice(t *testing.T, planner *Planner, query string) {
	first, err := planner.PlanJSON(query)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(first), "while planning") {
		t.Fatalf("%s\n%s", query, first)
	}
	again, err := planner.PlanJSON(query)
	if err != nil || string(again) != string(first) {
		t.Fatalf("%s\nplanned twice:\n%s\n%s", query, first, again)
	}
}
