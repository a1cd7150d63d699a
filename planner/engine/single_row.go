package engine

var _ Primitive = (*SingleRow)(nil)

// SingleRow gives one row without columns, for expressions that need no table.
type SingleRow struct {
	leaf
	reads
}

// Description implements Primitive.
func (*SingleRow) Description() Description { return describe("SingleRow", "") }
