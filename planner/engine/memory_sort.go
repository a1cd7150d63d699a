package engine

import "vitess.io/vitess/go/vt/vtgate/evalengine"

var _ Primitive = (*MemorySort)(nil)

// MemorySort sorts its input in memory.
type MemorySort struct {
	// UpperLimit is how many rows are wanted at most; nil for all. A Limit above sets it through a bind variable.
	UpperLimit evalengine.Expr
	OrderBy    evalengine.Comparison
	Input      Primitive
	// TruncateColumnCount > 0 drops the columns from there on.
	TruncateColumnCount int
}

// Inputs implements Primitive.
func (ms *MemorySort) Inputs() []Input { return inputs(ms.Input) }

// NeedsTransaction implements Primitive.
func (ms *MemorySort) NeedsTransaction() bool { return ms.Input.NeedsTransaction() }

// Description implements Primitive.
func (ms *MemorySort) Description() Description {
	d := describe("Sort", "Memory")
	d.set("OrderBy", printOrder(ms.OrderBy))
	d.set("ResultColumns", max(ms.TruncateColumnCount, 0))
	return d
}
