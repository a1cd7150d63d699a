package engine

import (
	"context"

	querypb "vitess.io/vitess/go/vt/proto/query"
)

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

// Execute implements Primitive.
func (s *Set) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return runCommand(ctx, env, s, bindVars, emit)
}

// GetFields implements Primitive.
func (*Set) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) { return nil, nil }

// Description implements Primitive.
func (s *Set) Description() Description {
	d := describe("Set", "")
	d.set("Ops", s.Ops)
	return d
}
