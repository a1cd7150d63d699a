package engine

import (
	"context"

	querypb "vitess.io/vitess/go/vt/proto/query"
)

var _ Primitive = (*UpdateTarget)(nil)

// UpdateTarget changes what the session's statements go to: USE.
type UpdateTarget struct {
	leaf
	reads

	Target string
}

// Execute implements Primitive.
func (ut *UpdateTarget) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return runCommand(ctx, env, ut, bindVars, emit)
}

// GetFields implements Primitive.
func (*UpdateTarget) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) {
	return nil, nil
}

// Description implements Primitive.
func (ut *UpdateTarget) Description() Description {
	d := describe("UpdateTarget", "")
	d.set("target", ut.Target)
	return d
}
