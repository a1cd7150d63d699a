package engine

import (
	"context"

	querypb "vitess.io/vitess/go/vt/proto/query"
)

// runCommand lets the gateway run a primitive that is its own business.
func runCommand(ctx context.Context, env *Env, p Primitive, bindVars BindVars, emit Emit) error {
	result, err := env.Commands.Command(ctx, p, bindVars)
	if err != nil {
		return err
	}
	return emit(result)
}

// commandFields runs a command that only tells something and returns its fields.
func commandFields(ctx context.Context, env *Env, p Primitive, bindVars BindVars) ([]*querypb.Field, error) {
	result, err := env.Commands.Command(ctx, p, bindVars)
	if err != nil {
		return nil, err
	}
	return result.Fields, nil
}
