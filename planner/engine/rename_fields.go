package engine

var _ Primitive = (*RenameFields)(nil)

// RenameFields gives the columns at Indices the names in Cols.
type RenameFields struct {
	Cols    []string
	Indices []int
	Input   Primitive
}

// NewRenameField returns a RenameFields; cols and indices are of one length.
func NewRenameField(cols []string, indices []int, input Primitive) *RenameFields {
	return &RenameFields{Cols: cols, Indices: indices, Input: input}
}

// Inputs implements Primitive.
func (rf *RenameFields) Inputs() []Input { return inputs(rf.Input) }

// NeedsTransaction implements Primitive.
func (rf *RenameFields) NeedsTransaction() bool { return rf.Input.NeedsTransaction() }

// Description implements Primitive.
func (rf *RenameFields) Description() Description {
	d := describe("RenameFields", "")
	d.set("Columns", rf.Cols)
	d.set("Indices", rf.Indices)
	return d
}
