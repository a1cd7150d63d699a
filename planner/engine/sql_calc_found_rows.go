package engine

import (
	"context"

	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vterrors"
)

var _ Primitive = (*SQLCalcFoundRows)(nil)

// SQLCalcFoundRows answers with LimitPrimitive and remembers CountPrimitive's count as FOUND_ROWS().
type SQLCalcFoundRows struct {
	LimitPrimitive, CountPrimitive Primitive
}

// Inputs implements Primitive.
func (cf *SQLCalcFoundRows) Inputs() []Input { return inputs(cf.LimitPrimitive, cf.CountPrimitive) }

// NeedsTransaction implements Primitive.
func (cf *SQLCalcFoundRows) NeedsTransaction() bool {
	return anyNeedsTransaction(cf.LimitPrimitive, cf.CountPrimitive)
}

// Execute implements Primitive. The count comes last, as running the limit sets FOUND_ROWS too.
func (cf *SQLCalcFoundRows) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	if err := env.run(ctx, cf.LimitPrimitive, bindVars, emit); err != nil {
		return err
	}
	count, err := env.collect(ctx, cf.CountPrimitive, bindVars)
	if err != nil {
		return err
	}
	if len(count.Rows) != 1 || len(count.Rows[0]) != 1 {
		return vterrors.VT13001("the count of SQL_CALC_FOUND_ROWS is not one value")
	}
	n, err := count.Rows[0][0].ToCastUint64()
	if err != nil {
		return err
	}
	env.Session.SetFoundRows(n)
	return nil
}

// GetFields implements Primitive.
func (cf *SQLCalcFoundRows) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	return cf.LimitPrimitive.GetFields(ctx, env, bindVars)
}

// Description implements Primitive.
func (cf *SQLCalcFoundRows) Description() Description { return describe("SQL_CALC_FOUND_ROWS", "") }
