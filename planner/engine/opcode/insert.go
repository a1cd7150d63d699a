package opcode

import "encoding/json"

// InsertOpcode says whether an INSERT's rows are split over shards.
type InsertOpcode int

// The kinds of inserts.
const (
	// InsertUnsharded sends the statement as it is to the one shard of an unsharded keyspace.
	InsertUnsharded InsertOpcode = iota
	// InsertSharded sends each row to the shard its primary vindex gives.
	InsertSharded
)

// String returns the name as it stands in plans.
func (code InsertOpcode) String() string {
	if code == InsertSharded {
		return "Sharded"
	}
	return "Unsharded"
}

// MarshalJSON writes the name.
func (code InsertOpcode) MarshalJSON() ([]byte, error) { return json.Marshal(code.String()) }
