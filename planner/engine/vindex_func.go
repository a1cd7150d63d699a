package engine

import (
	"context"
	"encoding/hex"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
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

// Execute implements Primitive.
func (vf *VindexFunc) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	result, err := env.expressions(ctx, bindVars).Evaluate(vf.Value)
	if err != nil {
		return err
	}
	ids := result.TupleValues()
	if ids == nil {
		ids = []sqltypes.Value{result.Value(env.Collation)}
	}
	dests, err := vf.Vindex.Map(ctx, env.Lookups, ids)
	if err != nil {
		return err
	}
	out := &sqltypes.Result{Fields: vf.Fields}
	for i, dest := range dests {
		rows, err := vf.rowsOf(ctx, env, ids[i], dest)
		if err != nil {
			return err
		}
		out.Rows = append(out.Rows, rows...)
	}
	return emit(out)
}

// rowsOf makes the rows of one id: one for each keyspace id it maps to.
func (vf *VindexFunc) rowsOf(ctx context.Context, env *Env, id sqltypes.Value, dest key.Destination) ([]sqltypes.Row, error) {
	id, err := sqltypes.Cast(id, sqltypes.VarBinary)
	if err != nil {
		return nil, err
	}
	switch dest := dest.(type) {
	case key.DestinationNone:
		return nil, nil
	case key.DestinationKeyRange:
		kr := dest.KeyRange
		return []sqltypes.Row{vf.row(id, nil, &kr)}, nil
	case key.DestinationKeyspaceIDs:
		var rows []sqltypes.Row
		for _, ksid := range dest {
			rows = append(rows, vf.row(id, ksid, nil))
		}
		return rows, nil
	case key.DestinationKeyspaceID:
		kr, err := shardRange(ctx, env, dest)
		if err != nil {
			return nil, err
		}
		return []sqltypes.Row{vf.row(id, dest, kr)}, nil
	default:
		return nil, vterrors.NewErrorf(vtrpcpb.Code_INTERNAL, vterrors.WrongTypeForVar, "unexpected destination type: %T", dest)
	}
}

// shardRange returns the range of the shard of the session's keyspace that owns a keyspace id.
func shardRange(ctx context.Context, env *Env, ksid key.DestinationKeyspaceID) (*key.KeyRange, error) {
	keyspace := env.Facts.GetKeyspace()
	if keyspace == "" {
		return nil, vterrors.VT09005()
	}
	shards, _, err := env.Shards.Resolve(ctx, keyspace, []key.Destination{ksid})
	if err != nil || len(shards) == 0 {
		return nil, err
	}
	if !key.IsKeyRange(shards[0].Name) {
		return &key.KeyRange{}, nil
	}
	ranges, err := key.ParseShardingSpec(shards[0].Name)
	if err != nil {
		return nil, err
	}
	return &ranges[0], nil
}

// row makes one row; what is not known is NULL.
func (vf *VindexFunc) row(id sqltypes.Value, ksid []byte, kr *key.KeyRange) sqltypes.Row {
	row := make(sqltypes.Row, len(vf.Cols))
	for i, col := range vf.Cols {
		switch {
		case col == 0:
			row[i] = id
		case col == 1 && ksid != nil:
			row[i] = sqltypes.MakeTrusted(sqltypes.VarBinary, ksid)
		case col == 2 && kr != nil:
			row[i] = sqltypes.MakeTrusted(sqltypes.VarBinary, kr.Start)
		case col == 3 && kr != nil:
			row[i] = sqltypes.MakeTrusted(sqltypes.VarBinary, kr.End)
		case col == 4 && ksid != nil:
			row[i] = sqltypes.NewVarBinary(hex.EncodeToString(ksid))
		case col == 5 && ksid != nil && kr != nil:
			row[i] = sqltypes.NewVarBinary(kr.String())
		}
	}
	return row
}

// GetFields implements Primitive.
func (vf *VindexFunc) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) {
	return vf.Fields, nil
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
