package plantest

import (
	"context"
	"strconv"

	"vitess.io/vitess/go/sqltypes"
	vtgatepb "vitess.io/vitess/go/vt/proto/vtgate"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// Types are all vindex types, and those that exist only in Vitess's plan tests: they have a cost and abilities, and map nothing.
func Types() vindexes.Registry {
	types := vindexes.Types()
	types["hash_test"] = func(name string, _ map[string]string) (vindexes.Vindex, error) {
		return &plannedVindex{name: name, cost: 1, unique: true}, nil
	}
	types["lookup_test"] = func(name string, _ map[string]string) (vindexes.Vindex, error) {
		return &plannedLookup{plannedVindex{name: name, cost: 2, unique: true}}, nil
	}
	types["costly"] = func(name string, _ map[string]string) (vindexes.Vindex, error) {
		return &plannedLookup{plannedVindex{name: name, cost: 10}}, nil
	}
	types["name_lkp_test"] = func(name string, params map[string]string) (vindexes.Vindex, error) {
		return &planableLookup{
			plannedLookup: plannedLookup{plannedVindex{name: name, cost: 3}}, backfilling: params["write_only"] == "true",
			query: "select name, keyspace_id from name_user_vdx where name in ::name", argument: "name",
		}, nil
	}
	types["unq_lkp_test"] = func(name string, params map[string]string) (vindexes.Vindex, error) {
		cost, _ := strconv.Atoi(params["cost"])
		return &planableLookup{
			plannedLookup: plannedLookup{plannedVindex{name: name, cost: cost}}, backfilling: params["write_only"] == "true",
			query: "select unq_key, keyspace_id from unq_lkp_idx where unq_key in ::unq_key", argument: "unq_key",
		}, nil
	}
	types["multiCol_test"] = func(name string, _ map[string]string) (vindexes.Vindex, error) {
		return &plannedMultiColumn{name: name}, nil
	}
	return types
}

// plannedVindex is a vindex of one column that plans can name and nothing can be routed by.
type plannedVindex struct {
	name   string
	cost   int
	unique bool
}

func (v *plannedVindex) String() string     { return v.name }
func (v *plannedVindex) Cost() int          { return v.cost }
func (v *plannedVindex) IsUnique() bool     { return v.unique }
func (v *plannedVindex) NeedsVCursor() bool { return false }

// Map answers nothing.
func (v *plannedVindex) Map(context.Context, vindexes.VCursor, []sqltypes.Value) ([]key.Destination, error) {
	return nil, nil
}

// Verify answers nothing.
func (v *plannedVindex) Verify(context.Context, vindexes.VCursor, []sqltypes.Value, [][]byte) ([]bool, error) {
	return nil, nil
}

// plannedLookup is such a vindex that is a lookup.
type plannedLookup struct{ plannedVindex }

// Create does nothing.
func (*plannedLookup) Create(context.Context, vindexes.VCursor, [][]sqltypes.Value, [][]byte, bool) error {
	return nil
}

// Delete does nothing.
func (*plannedLookup) Delete(context.Context, vindexes.VCursor, [][]sqltypes.Value, []byte) error {
	return nil
}

// Update does nothing.
func (*plannedLookup) Update(context.Context, vindexes.VCursor, []sqltypes.Value, []byte, []sqltypes.Value) error {
	return nil
}

// planableLookup is a lookup whose query is planned too.
type planableLookup struct {
	plannedLookup
	query, argument string
	backfilling     bool
}

var (
	_ vindexes.LookupPlanable = (*planableLookup)(nil)
	_ vindexes.LookupBackfill = (*planableLookup)(nil)
)

func (l *planableLookup) Query() (string, []string) { return l.query, []string{l.argument} }

// MapResult answers nothing.
func (*planableLookup) MapResult([]sqltypes.Value, []*sqltypes.Result) ([]key.Destination, error) {
	return nil, nil
}
func (*planableLookup) AllowBatch() bool                     { return true }
func (*planableLookup) GetCommitOrder() vtgatepb.CommitOrder { return vtgatepb.CommitOrder_NORMAL }
func (*planableLookup) AutoCommitEnabled() bool              { return false }
func (l *planableLookup) IsBackfilling() bool                { return l.backfilling }

// plannedMultiColumn is such a vindex of several columns, of which a prefix is enough.
type plannedMultiColumn struct{ name string }

var _ vindexes.MultiColumn = (*plannedMultiColumn)(nil)

func (v *plannedMultiColumn) String() string      { return v.name }
func (v *plannedMultiColumn) Cost() int           { return 1 }
func (v *plannedMultiColumn) IsUnique() bool      { return true }
func (v *plannedMultiColumn) NeedsVCursor() bool  { return false }
func (v *plannedMultiColumn) PartialVindex() bool { return true }

// Map answers nothing.
func (v *plannedMultiColumn) Map(context.Context, vindexes.VCursor, [][]sqltypes.Value) ([]key.Destination, error) {
	return nil, nil
}

// Verify answers nothing.
func (v *plannedMultiColumn) Verify(context.Context, vindexes.VCursor, [][]sqltypes.Value, [][]byte) ([]bool, error) {
	return nil, nil
}
