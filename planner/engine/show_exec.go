package engine

import (
	"context"

	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
)

var _ Primitive = (*ShowExec)(nil)

// ShowExec answers a SHOW about the cluster itself.
type ShowExec struct {
	leaf
	reads

	Command    sqlparser.ShowCommandType
	ShowFilter *sqlparser.ShowFilter
}

// Execute implements Primitive.
func (se *ShowExec) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return runCommand(ctx, env, se, bindVars, emit)
}

// GetFields implements Primitive.
func (se *ShowExec) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	return commandFields(ctx, env, se, bindVars)
}

// Description implements Primitive.
func (se *ShowExec) Description() Description {
	d := describe("ShowExec", se.Command.ToString())
	if se.ShowFilter != nil {
		d.set("Filter", sqlparser.String(se.ShowFilter))
	}
	return d
}
