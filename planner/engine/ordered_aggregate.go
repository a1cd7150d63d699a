package engine

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

var _ Primitive = (*OrderedAggregate)(nil)

// OrderedAggregate makes one row of each group. Its input arrives sorted by the group's keys.
type OrderedAggregate struct {
	Aggregates  []*AggregateParams
	GroupByKeys []*GroupByParams
	// TruncateColumnCount > 0 drops the columns from there on.
	TruncateColumnCount int
	Input               Primitive
}

// Inputs implements Primitive.
func (oa *OrderedAggregate) Inputs() []Input { return inputs(oa.Input) }

// NeedsTransaction implements Primitive.
func (oa *OrderedAggregate) NeedsTransaction() bool { return oa.Input.NeedsTransaction() }

// Execute implements Primitive.
func (oa *OrderedAggregate) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	run := groupRun{keys: oa.keys()}
	err := env.run(ctx, oa.Input, bindVars, func(piece *sqltypes.Result) (err error) {
		out := &sqltypes.Result{}
		if run.group == nil {
			if run.group, err = newAggregation(ctx, env, bindVars, piece.Fields, oa.Aggregates); err != nil {
				return err
			}
			out.Fields = run.group.fields
		}
		if out.Rows, err = run.add(piece.Rows); err != nil {
			return err
		}
		if out.Fields == nil && len(out.Rows) == 0 {
			return nil
		}
		return emit(truncate(out, oa.TruncateColumnCount))
	})
	if err != nil || run.last == nil {
		return err
	}
	row, err := run.group.finish()
	if err != nil {
		return err
	}
	return emit(truncate(&sqltypes.Result{Rows: []sqltypes.Row{row}}, oa.TruncateColumnCount))
}

// keys returns the comparisons of one execution.
func (oa *OrderedAggregate) keys() []*keyComparison {
	keys := make([]*keyComparison, len(oa.GroupByKeys))
	for i, gb := range oa.GroupByKeys {
		keys[i] = &keyComparison{col: gb.KeyCol, weight: gb.WeightStringCol, typ: gb.Type, env: gb.CollationEnv}
	}
	return keys
}

// groupRun cuts sorted rows into groups.
type groupRun struct {
	keys  []*keyComparison
	group *aggregation
	last  sqltypes.Row // of the open group; nil before the first
}

// add takes rows in and returns the rows of the groups that ended.
func (run *groupRun) add(rows []sqltypes.Row) (done []sqltypes.Row, err error) {
	for _, row := range rows {
		same, err := run.sameGroup(row)
		if err != nil {
			return nil, err
		}
		if !same && run.last != nil {
			finished, err := run.group.finish()
			if err != nil {
				return nil, err
			}
			done = append(done, finished)
		}
		if !same {
			run.last = row
		}
		if err := run.group.add(row); err != nil {
			return nil, err
		}
	}
	return done, nil
}

func (run *groupRun) sameGroup(row sqltypes.Row) (bool, error) {
	if run.last == nil {
		return false, nil
	}
	for _, key := range run.keys {
		if same, err := key.equal(run.last, row); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// GetFields implements Primitive.
func (oa *OrderedAggregate) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	fields, err := aggregationFields(ctx, env, bindVars, oa.Input, oa.Aggregates)
	return truncateFields(fields, oa.TruncateColumnCount), err
}

// Description implements Primitive.
func (oa *OrderedAggregate) Description() Description {
	d := describe("Aggregate", "Ordered")
	describeAggregates(d, oa.Aggregates, oa.TruncateColumnCount)
	d.set("GroupBy", joined(oa.GroupByKeys, func(k *GroupByParams) string { return k.String() }))
	return d
}
