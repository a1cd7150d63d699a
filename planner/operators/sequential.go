package operators

// Sequential runs statements one after the other, as one statement.
type Sequential struct {
	noColumns
	nullary
	Steps []Planned
}

// Clone copies the operator.
func (s *Sequential) Clone([]Operator) Operator {
	c := *s
	return &c
}

// Describe names it.
func (s *Sequential) Describe() string { return "Sequential" }

func (s *Sequential) plannedBeside() []Planned { return s.Steps }
