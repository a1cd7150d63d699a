package opcode

import "encoding/json"

// Opcode says how a route finds the shards it runs on.
type Opcode int

// The ways to route, cheapest first where a planner has a choice.
const (
	// Unsharded sends to the one shard of an unsharded keyspace.
	Unsharded Opcode = iota
	// EqualUnique sends to at most one shard: a unique vindex and one value (or one value per vindex column).
	EqualUnique
	// Equal sends to the shards a vindex that is not unique gives for one value.
	Equal
	// IN sends to the shards of a list of values, each shard seeing its own values only.
	IN
	// Between sends to the shards a range of values of an order-preserving vindex covers.
	Between
	// MultiEqual sends to the shards of a list of tuples, the query unchanged.
	MultiEqual
	// SubShard sends to the shards a prefix of a multi-column vindex's columns covers.
	SubShard
	// Scatter sends to all shards.
	Scatter
	// Next fetches values of a sequence.
	Next
	// DBA asks system tables: any one shard of the keyspace the query is about.
	DBA
	// Reference asks any one shard: all of them hold the same rows.
	Reference
	// None reaches no shard: the predicate can not be true.
	None
	// ByDestination sends where the statement or the session says.
	ByDestination
)

var opcodeNames = [...]string{
	Unsharded: "Unsharded", EqualUnique: "EqualUnique", Equal: "Equal", IN: "IN", Between: "Between",
	MultiEqual: "MultiEqual", SubShard: "SubShard", Scatter: "Scatter", Next: "Next", DBA: "DBA",
	Reference: "Reference", None: "None", ByDestination: "ByDestination",
}

// String returns the name as it stands in plans.
func (code Opcode) String() string { return nameOf(opcodeNames[:], int(code)) }

// MarshalJSON writes the name.
func (code Opcode) MarshalJSON() ([]byte, error) { return json.Marshal(code.String()) }

// IsSingleShard reports whether a route with this opcode can never reach two shards.
func (code Opcode) IsSingleShard() bool {
	switch code {
	case Unsharded, EqualUnique, Next, DBA, Reference:
		return true
	default:
		return false
	}
}

// nameOf looks a name up in an opcode's table; numbers outside it have no name.
func nameOf(names []string, code int) string {
	if code < 0 || code >= len(names) {
		return ""
	}
	return names[code]
}
