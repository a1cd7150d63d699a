package opcode

import "encoding/json"

// PulloutOpcode says how the result of a subquery that ran first becomes bind variables of the outer query.
type PulloutOpcode int

// The uses of a subquery's result.
const (
	// PulloutValue hands over one value, NULL for no row; two rows are an error.
	PulloutValue PulloutOpcode = iota
	// PulloutIn hands over a list and whether it has values.
	PulloutIn
	// PulloutNotIn is PulloutIn for NOT IN.
	PulloutNotIn
	// PulloutExists hands over whether there is a row.
	PulloutExists
	// PulloutNotExists is PulloutExists for NOT EXISTS.
	PulloutNotExists
)

var pulloutNames = [...]string{
	PulloutValue: "PulloutValue", PulloutIn: "PulloutIn", PulloutNotIn: "PulloutNotIn",
	PulloutExists: "PulloutExists", PulloutNotExists: "PulloutNotExists",
}

// String returns the name as it stands in plans.
func (code PulloutOpcode) String() string { return nameOf(pulloutNames[:], int(code)) }

// MarshalJSON writes the name.
func (code PulloutOpcode) MarshalJSON() ([]byte, error) { return json.Marshal(code.String()) }

// NeedsListArg reports whether the outer query takes the result as a list (`::name`).
func (code PulloutOpcode) NeedsListArg() bool { return code == PulloutIn || code == PulloutNotIn }
