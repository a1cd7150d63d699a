package engine

import (
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
)

var _ Primitive = (*VindexLookup)(nil)

// VindexLookup runs a lookup vindex's query as part of the plan, then sends SendTo to the shards the answer names.
type VindexLookup struct {
	Opcode opcode.Opcode
	Vindex vindexes.LookupPlanable
	// Keyspace is where SendTo goes.
	Keyspace *vindexes.Keyspace
	// Arguments are the bind variables of the lookup's query.
	Arguments []string
	// Values hold the value, or the tuple of values, to look up.
	Values []evalengine.Expr
	// Lookup asks for the keyspace ids.
	Lookup Primitive
	// SendTo is a ByDestination route; its destination is made of the answer.
	SendTo *Route
}

// Inputs implements Primitive.
func (vl *VindexLookup) Inputs() []Input {
	if vl.Lookup == nil {
		return inputs(vl.SendTo)
	}
	return inputs(vl.Lookup, vl.SendTo)
}

// NeedsTransaction implements Primitive.
func (vl *VindexLookup) NeedsTransaction() bool { return vl.SendTo.NeedsTransaction() }

// Description implements Primitive.
func (vl *VindexLookup) Description() Description {
	d := describe("VindexLookup", vl.Opcode.String())
	d.Keyspace = vl.Keyspace
	d.set("Values", expressionTexts(vl.Values))
	d.set("Vindex", vl.Vindex.String())
	return d
}
