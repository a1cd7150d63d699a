package engine

import (
	"context"
	"fmt"

	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
)

var _ Primitive = (*ExecStmt)(nil)

// ExecStmt runs the plan of a statement that PREPARE named.
type ExecStmt struct {
	// Params are the user variables that are its parameters v1, v2, ...
	Params []*sqlparser.Variable
	Input  Primitive
}

// Inputs implements Primitive.
func (es *ExecStmt) Inputs() []Input { return inputs(es.Input) }

// NeedsTransaction implements Primitive.
func (es *ExecStmt) NeedsTransaction() bool { return es.Input.NeedsTransaction() }

// Execute implements Primitive. The gateway gave the user variables as bind variables, as for any statement that reads them.
func (es *ExecStmt) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return env.run(ctx, es.Input, es.parameters(bindVars), emit)
}

func (es *ExecStmt) parameters(bindVars BindVars) BindVars {
	out := copyVars(bindVars, len(es.Params))
	for i, param := range es.Params {
		out[fmt.Sprintf("v%d", i+1)] = bindVars[sqlparser.UserDefinedVariableName+param.Name.Lowered()]
	}
	return out
}

// GetFields implements Primitive.
func (es *ExecStmt) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	return es.Input.GetFields(ctx, env, es.parameters(bindVars))
}

// Description implements Primitive.
func (es *ExecStmt) Description() Description {
	d := describe("EXECUTE", "")
	var names []string
	for _, param := range es.Params {
		names = append(names, param.Name.Lowered())
	}
	d.Attributes["Parameters"] = names // null where there are none
	return d
}
