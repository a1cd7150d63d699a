package engine

import (
	"context"

	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
)

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

// Execute implements Primitive.
func (ve *VExplain) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return runCommand(ctx, env, ve, bindVars, emit)
}

// GetFields implements Primitive.
func (*VExplain) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) {
	return []*querypb.Field{{Name: "VExplain", Type: querypb.Type_VARCHAR}}, nil
}

// Description implements Primitive.
func (ve *VExplain) Description() Description {
	d := describe("VEXPLAIN", "")
	d.set("Type", ve.Type.ToString())
	return d
}
