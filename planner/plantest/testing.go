package plantest

// TB is the part of *testing.T that Run needs.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
}

// Run runs case files, and all *.json below folders, as part of a Go test. Each case that differs is an error of the test.
//
//	var update = flag.Bool("update", false, "write the plans into the case files")
//
//	func TestPlans(t *testing.T) {
//		planners, err := plantest.NewPlanner(plantest.Config{VSchemaFile: "vschema.json", SchemaFiles: []string{"schema.sql"}})
//		if err != nil {
//			t.Fatal(err)
//		}
//		plantest.Run(t, planners, plantest.Options{Update: *update, NoScatter: true}, "testdata/plans")
//	}
func Run(t TB, planners Planners, opts Options, paths ...string) {
	t.Helper()
	report, err := RunFiles(planners, opts, paths...)
	if err != nil {
		t.Fatalf("plantest: %v", err)
	}
	for _, failure := range report.Failures {
		t.Errorf("%s", failure)
	}
	t.Logf("%d cases, %d failed", report.Cases, len(report.Failures))
}
