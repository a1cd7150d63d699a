package engine

import "context"

var _ Primitive = (*Unlock)(nil)

// Unlock gives back what LOCK TABLES took.
type Unlock struct {
	leaf
	reads
	noFields
}

// Execute implements Primitive.
func (u *Unlock) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return runCommand(ctx, env, u, bindVars, emit)
}

// Description implements Primitive.
func (*Unlock) Description() Description { return describe("UnlockTables", "") }
