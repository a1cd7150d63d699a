package engine

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

// Description implements Primitive.
func (sa *ScalarAggregate) Description() Description {
	d := describe("Aggregate", "Scalar")
	describeAggregates(d, sa.Aggregates, sa.TruncateColumnCount)
	return d
}
