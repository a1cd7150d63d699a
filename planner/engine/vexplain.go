package engine

import "vitess.io/vitess/go/vt/sqlparser"

var _ Primitive = (*VExplain)(nil)

// VExplain runs its input and answers with what that did.
type VExplain struct {
	Input Primitive
	Type  sqlparser.VExplainType
}

// Inputs implements Primitive.
func (ve *VExplain) Inputs() []Input { return inputs(ve.Input) }

// NeedsTransaction implements Primitive.
func (ve *VExplain) NeedsTransaction() bool { return ve.Input.NeedsTransaction() }

// Description implements Primitive.
func (ve *VExplain) Description() Description {
	d := describe("VEXPLAIN", "")
	d.set("Type", ve.Type.ToString())
	return d
}
