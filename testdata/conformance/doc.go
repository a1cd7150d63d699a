// Package conformance runs Vitess's own planner beside Vitro's: the golden cases of testdata/plans, and with a case folder in
// CASES also others; Vitess's vindexes beside Vitro's, over random values; and the cases of vtexplain through `vitro explain`. It
// is a module of its own, so that only its users load all of Vitess.
//
//	suite.json ─┬─▶ plantest ───▶ plan ──┐
//	            └─▶ Oracle ─────▶ plan ──┴─▶ equal as JSON, or listed in testdata/differences.md
package conformance
