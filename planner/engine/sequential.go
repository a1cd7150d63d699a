package engine

var _ Primitive = (*Sequential)(nil)

// Sequential runs writes one after the other and adds up the rows they affected.
type Sequential struct {
	writes

	Sources []Primitive
}

// NewSequential returns a Sequential.
func NewSequential(sources []Primitive) *Sequential { return &Sequential{Sources: sources} }

// Inputs implements Primitive.
func (s *Sequential) Inputs() []Input { return inputs(s.Sources...) }

// Description implements Primitive.
func (s *Sequential) Description() Description { return describe("Sequential", "") }
