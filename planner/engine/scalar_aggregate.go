package engine

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vterrors"
)

var _ Primitive = (*ScalarAggregate)(nil)

// ScalarAggregate makes one row of all rows of its input, also of none.
type ScalarAggregate struct {
	Aggregates []*AggregateParams
	// TruncateColumnCount > 0 drops the columns from there on.
	TruncateColumnCount int
	Input               Primitive
}

// Inputs implements Primitive.
func (sa *ScalarAggregate) Inputs() []Input { return inputs(sa.Input) }

// NeedsTransaction implements Primitive.
func (sa *ScalarAggregate) NeedsTransaction() bool { return sa.Input.NeedsTransaction() }

// Execute implements Primitive.
func (sa *ScalarAggregate) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	var group *aggregation
	err := env.run(ctx, sa.Input, bindVars, func(piece *sqltypes.Result) (err error) {
		if group == nil {
			if group, err = newAggregation(ctx, env, bindVars, piece.Fields, sa.Aggregates); err != nil {
				return err
			}
		}
		for _, row := range piece.Rows {
			if err := group.add(row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if group == nil {
		return vterrors.VT13001("an aggregation's input told no fields")
	}
	row, err := group.finish()
	if err != nil {
		return err
	}
	return emit(truncate(&sqltypes.Result{Fields: group.fields, Rows: []sqltypes.Row{row}}, sa.TruncateColumnCount))
}

// GetFields implements Primitive.
func (sa *ScalarAggregate) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	fields, err := aggregationFields(ctx, env, bindVars, sa.Input, sa.Aggregates)
	return truncateFields(fields, sa.TruncateColumnCount), err
}

// Description implements Primitive.
func (sa *ScalarAggregate) Description() Description {
	d := describe("Aggregate", "Scalar")
	describeAggregates(d, sa.Aggregates, sa.TruncateColumnCount)
	return d
}
