package plantest

import (
	"flag"
	"testing"
)

var update = flag.Bool("update", false, "write the plans into the golden files")

// TestGoldenPlans compares the plans of testdata/plans; testdata/conformance holds them against Vitess's planner.
func TestGoldenPlans(t *testing.T) {
	suite, err := ReadSuite("../../testdata/suite.json")
	if err != nil {
		t.Fatal(err)
	}
	Run(t, suite, Options{Update: *update}, "../../testdata/plans")
}
