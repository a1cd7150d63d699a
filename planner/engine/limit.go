package engine

import "vitess.io/vitess/go/vt/vtgate/evalengine"

var _ Primitive = (*Limit)(nil)

// UpperLimitStr is the bind variable that tells shards how many rows a Limit above them can use: offset plus count.
const UpperLimitStr = "__upper_limit"

// Limit passes on Count rows after skipping Offset.
type Limit struct {
	Count evalengine.Expr
	// Offset is nil for none.
	Offset evalengine.Expr
	// RequireCompleteInput: the input must run to its end although the rows are not needed, as something else counts them.
	RequireCompleteInput bool
	Input                Primitive
}

// Inputs implements Primitive.
func (l *Limit) Inputs() []Input { return inputs(l.Input) }

// NeedsTransaction implements Primitive.
func (l *Limit) NeedsTransaction() bool { return l.Input.NeedsTransaction() }

// Description implements Primitive.
func (l *Limit) Description() Description {
	d := describe("Limit", "")
	if l.Count != nil {
		d.set("Count", printExpr(l.Count))
	}
	if l.Offset != nil {
		d.set("Offset", printExpr(l.Offset))
	}
	d.set("RequireCompleteInput", l.RequireCompleteInput)
	return d
}
