package engine

var _ Primitive = (*Concatenate)(nil)

// Concatenate passes on the rows of its sources one after the other, coerced to common types: UNION ALL.
type Concatenate struct {
	Sources []Primitive
	// NoNeedToTypeCheck holds columns whose types may differ, as they are not for the client (weight strings).
	NoNeedToTypeCheck map[int]any
}

// NewConcatenate returns a concatenation that ignores the types of the given columns.
func NewConcatenate(sources []Primitive, ignoreCols []int) *Concatenate {
	c := &Concatenate{Sources: sources, NoNeedToTypeCheck: map[int]any{}}
	for _, col := range ignoreCols {
		c.NoNeedToTypeCheck[col] = nil
	}
	return c
}

// Inputs implements Primitive.
func (c *Concatenate) Inputs() []Input { return inputs(c.Sources...) }

// NeedsTransaction implements Primitive.
func (c *Concatenate) NeedsTransaction() bool { return anyNeedsTransaction(c.Sources...) }

// Description implements Primitive.
func (c *Concatenate) Description() Description { return describe("Concatenate", "") }
