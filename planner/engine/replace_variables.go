package engine

var _ Primitive = (*ReplaceVariables)(nil)

// ReplaceVariables puts the session's values into an answer of SHOW VARIABLES.
type ReplaceVariables struct {
	Input Primitive
}

// NewReplaceVariables returns a ReplaceVariables.
func NewReplaceVariables(input Primitive) *ReplaceVariables { return &ReplaceVariables{Input: input} }

// Inputs implements Primitive.
func (rv *ReplaceVariables) Inputs() []Input { return inputs(rv.Input) }

// NeedsTransaction implements Primitive.
func (rv *ReplaceVariables) NeedsTransaction() bool { return rv.Input.NeedsTransaction() }

// Description implements Primitive.
func (rv *ReplaceVariables) Description() Description { return describe("ReplaceVariables", "") }
