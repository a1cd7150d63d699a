package engine

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

var _ Primitive = (*Filter)(nil)

// Filter passes on the rows for which Predicate is true.
type Filter struct {
	Predicate evalengine.Expr
	// ASTPredicate is the predicate, for printing.
	ASTPredicate sqlparser.Expr
	Input        Primitive
	// Truncate > 0 drops the columns from there on.
	Truncate int
}

// Inputs implements Primitive.
func (f *Filter) Inputs() []Input { return inputs(f.Input) }

// NeedsTransaction implements Primitive.
func (f *Filter) NeedsTransaction() bool { return f.Input.NeedsTransaction() }

// Description implements Primitive.
func (f *Filter) Description() Description {
	d := describe("Filter", "")
	d.set("Predicate", sqlparser.String(f.ASTPredicate))
	d.set("ResultColumns", f.Truncate)
	return d
}
