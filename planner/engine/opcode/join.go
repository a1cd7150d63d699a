package opcode

import "encoding/json"

// JoinOpcode says what a join does with a left row that has no partner.
type JoinOpcode int

// The kinds of joins.
const (
	// InnerJoin drops left rows without a partner.
	InnerJoin JoinOpcode = iota
	// LeftJoin pairs them with NULLs.
	LeftJoin
)

// String returns the name as it stands in plans.
func (code JoinOpcode) String() string {
	if code == LeftJoin {
		return "LeftJoin"
	}
	return "Join"
}

// MarshalJSON writes the name.
func (code JoinOpcode) MarshalJSON() ([]byte, error) { return json.Marshal(code.String()) }
