package engine

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

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

// Execute implements Primitive: rows are name and value.
func (rv *ReplaceVariables) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return env.run(ctx, rv.Input, bindVars, func(piece *sqltypes.Result) error {
		out := *piece
		out.Rows = make([]sqltypes.Row, len(piece.Rows))
		for i, row := range piece.Rows {
			out.Rows[i] = row
			if value, ok := env.Session.Variable(row[0].ToString()); ok {
				out.Rows[i] = sqltypes.Row{row[0], sqltypes.NewVarChar(value)}
			}
		}
		return emit(&out)
	})
}

// GetFields implements Primitive.
func (rv *ReplaceVariables) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	return rv.Input.GetFields(ctx, env, bindVars)
}

// Description implements Primitive.
func (rv *ReplaceVariables) Description() Description { return describe("ReplaceVariables", "") }
