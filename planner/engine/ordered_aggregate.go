package engine

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

// Description implements Primitive.
func (oa *OrderedAggregate) Description() Description {
	d := describe("Aggregate", "Ordered")
	describeAggregates(d, oa.Aggregates, oa.TruncateColumnCount)
	d.set("GroupBy", joined(oa.GroupByKeys, func(k *GroupByParams) string { return k.String() }))
	return d
}
