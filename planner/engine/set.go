package engine

var _ Primitive = (*Set)(nil)

// Set sets variables, one after the other.
type Set struct {
	reads

	Ops []SetOp
	// Input is a SingleRow.
	Input Primitive
}

// SetOp sets one variable.
type SetOp interface {
	// VariableName is the variable's name without @.
	VariableName() string
}

// Inputs implements Primitive.
func (s *Set) Inputs() []Input { return inputs(s.Input) }

// Description implements Primitive.
func (s *Set) Description() Description {
	d := describe("Set", "")
	d.set("Ops", s.Ops)
	return d
}
