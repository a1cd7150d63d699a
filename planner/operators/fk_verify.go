package operators

import "slices"

type (
	// FkVerify runs queries that find rows which break a foreign key, before the change that would make them.
	FkVerify struct {
		noColumns
		Change Operator
		Checks []FkCheck
	}

	// FkCheck is one such query. OfParent says that it looks for rows without a parent, else for parents that have children.
	FkCheck struct {
		Planned
		OfParent bool
	}
)

// Inputs is the change.
func (v *FkVerify) Inputs() []Operator { return []Operator{v.Change} }

// SetInputs replaces it.
func (v *FkVerify) SetInputs(in []Operator) { v.Change = in[0] }

// Clone copies the operator.
func (v *FkVerify) Clone(in []Operator) Operator {
	out := *v
	out.Change, out.Checks = in[0], slices.Clone(v.Checks)
	return &out
}

// Describe names it.
func (v *FkVerify) Describe() string { return "FkVerify" }

func (v *FkVerify) plannedBeside() []Planned {
	var all []Planned
	for _, check := range v.Checks {
		all = append(all, check.Planned)
	}
	return all
}
