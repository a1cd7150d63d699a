package plantest

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/vitrodb/vitro/planner/engine"
)

type (
	// Planners returns the planner of a case file.
	Planners interface {
		Planner(caseFile string) (*Planner, error)
	}

	// Options say what a run does besides comparing.
	Options struct {
		// Update writes the plans into the case files instead of comparing.
		Update bool
		// Actual receives one JSON line per case: {"file","query","plan"} or {"file","query","error"}. Nil for none.
		Actual io.Writer
		// NoScatter fails cases whose plan goes to all shards, also where that plan is the expected one.
		NoScatter bool
		// MaxShards > 0 fails cases whose plan may ask more shards at once (engine.Plan.ShardsAtMost).
		MaxShards int
	}

	// Failure is a case that did not come out as expected.
	Failure struct {
		File  string
		Case  Case
		Cause string
	}

	// Report is the outcome of a run.
	Report struct {
		Cases    int
		Failures []Failure
		// Updated counts the cases whose plans were written.
		Updated int

		ran []ranCase
	}

	// ranCase is one case of a run; cause is empty if it passed.
	ranCase struct{ file, query, cause string }
)

// Planner returns p itself: one planner serves all files.
func (p *Planner) Planner(string) (*Planner, error) { return p, nil }

// String names the case, as file and query, and what went wrong.
func (f Failure) String() string {
	name := f.File
	if f.Case.Comment != "" {
		name += ": " + f.Case.Comment
	}
	return fmt.Sprintf("%s\n  %s\n%s", name, f.Case.Query, indent(f.Cause))
}

// RunFiles runs the cases of files, and of all *.json below folders. An error is one of the files themselves.
func RunFiles(planners Planners, opts Options, paths ...string) (Report, error) {
	var report Report
	files, err := caseFiles(paths)
	if err != nil {
		return report, err
	}
	for _, file := range files {
		if err := report.runFile(planners, opts, file); err != nil {
			return report, err
		}
	}
	return report, nil
}

// caseFiles resolves folders to the case files below them.
func caseFiles(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if !entry.IsDir() && (file == path || strings.HasSuffix(file, ".json")) {
				files = append(files, file)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no case files (*.json) in %s", strings.Join(paths, ", "))
	}
	return files, nil
}

func (r *Report) runFile(planners Planners, opts Options, file string) error {
	cases, err := ReadCases(file)
	if err != nil {
		return err
	}
	planner, err := planners.Planner(file)
	if err != nil {
		return err
	}
	old := slices.Clone(cases)
	for i := range cases {
		plan, planErr := planner.Plan(cases[i].Query)
		got, err := planJSON(plan, planErr)
		if err != nil {
			return err
		}
		if opts.Actual != nil {
			if err := writeActual(opts.Actual, file, cases[i].Query, got, planErr); err != nil {
				return err
			}
		}
		r.Cases++
		cause := check(opts, cases[i], got, plan)
		r.ran = append(r.ran, ranCase{file, cases[i].Query, cause})
		if cause != "" {
			r.Failures = append(r.Failures, Failure{File: file, Case: cases[i], Cause: cause})
		}
		if opts.Update && !sameJSON(cases[i].Plan, got) {
			cases[i].Plan = got
			r.Updated++
		}
	}
	if opts.Update && !reflect.DeepEqual(old, cases) {
		return WriteCases(file, cases)
	}
	return nil
}

// check returns why a case fails, or nothing.
func check(opts Options, c Case, got json.RawMessage, plan *engine.Plan) string {
	if opts.NoScatter && plan != nil {
		if reads, writes := plan.Scatters(); reads || writes {
			return "the plan goes to all shards:\n" + Outline(got)
		}
	}
	if opts.MaxShards > 0 && plan != nil {
		switch n := plan.ShardsAtMost(); {
		case n == engine.AllShards:
			return fmt.Sprintf("the plan may go to all shards, and no more than %d are allowed:\n%s", opts.MaxShards, Outline(got))
		case n > opts.MaxShards:
			return fmt.Sprintf("the plan may go to %d shards, and no more than %d are allowed:\n%s", n, opts.MaxShards, Outline(got))
		}
	}
	switch {
	case opts.Update || sameJSON(c.Plan, got):
		return ""
	case len(c.Plan) == 0:
		return "the case has no plan yet; updating writes this one:\n" + Outline(got)
	}
	return Diff(c.Plan, got)
}

// planJSON returns the plan as an object, or the error as a string.
func planJSON(plan *engine.Plan, planErr error) (json.RawMessage, error) {
	if planErr != nil {
		return encode(planErr.Error())
	}
	return encode(plan)
}

func writeActual(w io.Writer, file, query string, got json.RawMessage, planErr error) error {
	key := "plan"
	if planErr != nil {
		key = "error"
	}
	line, err := json.Marshal(map[string]any{"file": filepath.Base(file), "query": query, key: got})
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// sameJSON compares values without regard to the order of keys.
func sameJSON(a, b json.RawMessage) bool {
	var left, right any
	if json.Unmarshal(a, &left) != nil || json.Unmarshal(b, &right) != nil {
		return false
	}
	return reflect.DeepEqual(left, right)
}
