package engine

import (
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/vindexes"
)

var _ Primitive = (*VindexFunc)(nil)

// VindexOpcode says what a VindexFunc does.
type VindexOpcode int

// The vindex functions.
const (
	// VindexNone is the zero value: nothing chosen.
	VindexNone VindexOpcode = iota
	// VindexMap maps ids to keyspace ids.
	VindexMap
)

// String returns the name as it stands in plans.
func (code VindexOpcode) String() string {
	if code == VindexMap {
		return "VindexMap"
	}
	return ""
}

// VindexFunc answers `select id, keyspace_id, ... from vindex where id = ...`: where a value lives.
type VindexFunc struct {
	leaf
	reads

	Opcode VindexOpcode
	// Fields are the fields of the result, Cols what stands in them: 0 id, 1 keyspace_id, 2 range_start, 3 range_end,
	// 4 hex_keyspace_id, 5 shard.
	Fields []*querypb.Field
	Cols   []int
	Vindex vindexes.SingleColumn
	// Value is an id or a tuple of ids.
	Value evalengine.Expr
}

// Description implements Primitive.
func (vf *VindexFunc) Description() Description {
	d := describe("VindexFunc", vf.Opcode.String())
	describeFields(d, vf.Fields)
	d.set("Columns", vf.Cols)
	d.set("Value", printExpr(vf.Value))
	if vf.Vindex != nil {
		d.set("Vindex", vf.Vindex.String())
	}
	return d
}
