package engine

import (
	"context"

	querypb "vitess.io/vitess/go/vt/proto/query"
)

var _ Primitive = (*SessionPrimitive)(nil)

// SessionPrimitive answers a statement about the session by its name in plans, such as SHOW WARNINGS.
type SessionPrimitive struct {
	leaf
	reads

	Name string
}

// NewSessionPrimitive returns a SessionPrimitive.
func NewSessionPrimitive(name string) *SessionPrimitive { return &SessionPrimitive{Name: name} }

// Execute implements Primitive.
func (sp *SessionPrimitive) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return runCommand(ctx, env, sp, bindVars, emit)
}

// GetFields implements Primitive.
func (sp *SessionPrimitive) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	return commandFields(ctx, env, sp, bindVars)
}

// Description implements Primitive.
func (sp *SessionPrimitive) Description() Description { return describe(sp.Name, "") }
