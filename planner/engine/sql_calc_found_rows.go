package engine

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

// Description implements Primitive.
func (cf *SQLCalcFoundRows) Description() Description { return describe("SQL_CALC_FOUND_ROWS", "") }
