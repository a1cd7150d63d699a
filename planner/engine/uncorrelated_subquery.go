package engine

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

var _ Primitive = (*UncorrelatedSubquery)(nil)

// UncorrelatedSubquery runs Subquery once and hands its result to Outer as bind variables.
type UncorrelatedSubquery struct {
	Opcode opcode.PulloutOpcode
	// SubqueryResult is the bind variable of the value or list; HasValues of whether there was a row. Empty where not used.
	SubqueryResult string
	HasValues      string
	Subquery       Primitive
	Outer          Primitive
}

// Inputs implements Primitive.
func (us *UncorrelatedSubquery) Inputs() []Input {
	return []Input{{Primitive: us.Subquery, Name: "SubQuery"}, {Primitive: us.Outer, Name: "Outer"}}
}

// NeedsTransaction implements Primitive.
func (us *UncorrelatedSubquery) NeedsTransaction() bool {
	return anyNeedsTransaction(us.Subquery, us.Outer)
}

// Execute implements Primitive.
func (us *UncorrelatedSubquery) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	vars, err := us.pullOut(ctx, env, bindVars)
	if err != nil {
		return err
	}
	return env.run(ctx, us.Outer, vars, emit)
}

// pullOut runs the subquery and adds its result to the bind variables.
func (us *UncorrelatedSubquery) pullOut(ctx context.Context, env *Env, bindVars BindVars) (BindVars, error) {
	if us.Opcode == opcode.PulloutExists || us.Opcode == opcode.PulloutNotExists {
		found, err := hasRow(ctx, env, us.Subquery, bindVars)
		return us.vars(bindVars, found, nil), err
	}
	result, err := env.collect(ctx, us.Subquery, bindVars)
	if err != nil {
		return nil, err
	}
	if us.Opcode == opcode.PulloutValue && len(result.Rows) > 1 {
		return nil, vterrors.New(vtrpcpb.Code_INVALID_ARGUMENT, "subquery returned more than one row")
	}
	values := make([]sqltypes.Value, len(result.Rows))
	for i, row := range result.Rows {
		values[i] = row[0]
	}
	return us.vars(bindVars, len(values) > 0, values), nil
}

// vars adds a result to the bind variables. An empty list can not be printed, so it gets a value nobody looks at.
func (us *UncorrelatedSubquery) vars(bindVars BindVars, found bool, values []sqltypes.Value) BindVars {
	out := copyVars(bindVars, 2)
	if us.HasValues != "" {
		out[us.HasValues] = sqltypes.BoolBindVariable(found)
	}
	if us.SubqueryResult == "" {
		return out
	}
	switch {
	case us.Opcode.NeedsListArg() && len(values) == 0:
		out[us.SubqueryResult] = listVariable([]sqltypes.Value{sqltypes.NewInt64(0)})
	case us.Opcode.NeedsListArg():
		out[us.SubqueryResult] = listVariable(values)
	case len(values) == 0:
		out[us.SubqueryResult] = sqltypes.NullBindVariable
	default:
		out[us.SubqueryResult] = sqltypes.ValueBindVariable(values[0])
	}
	return out
}

// GetFields implements Primitive.
func (us *UncorrelatedSubquery) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	return us.Outer.GetFields(ctx, env, us.vars(bindVars, false, nil))
}

// Description implements Primitive.
func (us *UncorrelatedSubquery) Description() Description {
	d := describe("UncorrelatedSubquery", us.Opcode.String())
	var vars []string
	for _, name := range []string{us.HasValues, us.SubqueryResult} {
		if name != "" {
			vars = append(vars, name)
		}
	}
	d.set("PulloutVars", vars)
	return d
}
