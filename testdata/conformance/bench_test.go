package conformance

import (
	"flag"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/vitrodb/vitro/planner/plantest"
)

var (
	benchSuite = flag.String("bench.suite", suiteFile, "suite file of the cases that are planned in benchmarks")
	benchCases = flag.String("bench.cases", "../plans", "folder of these cases")
)

// planFunc plans one query and drops the plan.
type planFunc func(query string) error

// benchCase is a query with both planners of its file. Both plan it.
type benchCase struct {
	query        string
	vitess, ours planFunc
}

func readBenchCases(b *testing.B) []benchCase {
	b.Helper()
	suite, err := plantest.ReadSuite(*benchSuite)
	if err != nil {
		b.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(*benchCases, "*.json"))
	if err != nil || len(files) == 0 {
		b.Fatal("no cases in ", *benchCases, err)
	}
	var all []benchCase
	for _, file := range files {
		oracle, err := NewOracle(*benchSuite, suite, file)
		if err != nil {
			continue // the oracle does not know this file's settings
		}
		planner, err := suite.Planner(file)
		if err != nil {
			b.Fatal(err)
		}
		cases, err := plantest.ReadCases(file)
		if err != nil {
			b.Fatal(err)
		}
		ours := func(query string) error {
			_, err := planner.Plan(query)
			return err
		}
		for _, c := range cases {
			if oracle.Build(c.Query) == nil && ours(c.Query) == nil {
				all = append(all, benchCase{c.Query, oracle.Build, ours})
			}
		}
	}
	return all
}

// BenchmarkPlan plans all cases with Vitess's planner and with Vitro's in turns, from the text of a statement to its plan. It
// reports the processor time and the allocations of a plan, those of Vitro as a share of Vitess's, and the time of the slowest
// plan.
func BenchmarkPlan(b *testing.B) {
	cases := readBenchCases(b)
	theirs := costs{plan: func(c benchCase) error { return c.vitess(c.query) }, fastest: make([]time.Duration, len(cases))}
	ours := costs{plan: func(c benchCase) error { return c.ours(c.query) }, fastest: make([]time.Duration, len(cases))}
	for b.Loop() {
		theirs.round(b, cases)
		ours.round(b, cases)
	}
	plans := float64(b.N * len(cases))
	b.ReportMetric(float64(theirs.cpu.Microseconds())/plans, "vitess-us/plan")
	b.ReportMetric(float64(ours.cpu.Microseconds())/plans, "vitro-us/plan")
	b.ReportMetric(float64(ours.cpu)/float64(theirs.cpu), "time-ratio")
	b.ReportMetric(float64(ours.allocs)/float64(theirs.allocs), "allocs-ratio")
	at := ours.slowest()
	b.ReportMetric(float64(ours.fastest[at].Microseconds()), "us/slowest")
	b.Logf("%d cases, slowest: %s", len(cases), cases[at].query)
}

// costs adds up what one planner takes.
type costs struct {
	plan    func(benchCase) error
	cpu     time.Duration
	allocs  uint64
	fastest []time.Duration // of all rounds, by case
}

func (c *costs) round(b *testing.B, cases []benchCase) {
	runtime.GC()
	cpu, allocs := processCost()
	for i, bc := range cases {
		began := time.Now()
		if err := c.plan(bc); err != nil {
			b.Fatal(bc.query, err)
		}
		if took := time.Since(began); c.fastest[i] == 0 || took < c.fastest[i] {
			c.fastest[i] = took
		}
	}
	cpuAfter, allocsAfter := processCost()
	c.cpu += cpuAfter - cpu
	c.allocs += allocsAfter - allocs
}

func (c *costs) slowest() int {
	at := 0
	for i, took := range c.fastest {
		if took > c.fastest[at] {
			at = i
		}
	}
	return at
}

// processCost is the processor time and the allocations of this process so far.
func processCost() (cpu time.Duration, allocs uint64) {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // fails for other arguments only
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), memory.Mallocs
}
