// Package plantest runs golden plan tests: files of queries with the plans that are expected of them, in the case format of
// Vitess's planbuilder tests. Nothing is started and no shard is asked; a plan needs a VSchema only.
//
//	suite.json ─▶ Suite ──▶ Planner ─▶ plan as JSON ─▶ compared with the case ─▶ Report
//	vschema.json ─▶ Config ──┘          (or an error)     (or written to it)
//
//	case.go     a case file: [{"comment", "query", "plan"}], "plan" an object or the text of an error
//	suite.go    settings of case files: which VSchema, which session
//	planner.go  one configured planner
//	schema.go   what schema tracking would know: keys, columns, views
//	run.go      files and folders of cases, budgets, updating
//	diff.go     how two plans differ, as trees
//	testing.go  Run, the helper for Go tests
package plantest
