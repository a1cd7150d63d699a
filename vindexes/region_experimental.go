package vindexes

import (
	"bytes"
	"context"
	"encoding/binary"

	"vitess.io/vitess/go/sqltypes"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes/key"
)

// RegionExperimental is the vindex "region_experimental" of two columns: the
// first, a region's number, gives the first one or two bytes of the keyspace
// id, the second, hashed as by "hash", the rest. The region alone is a range.
type RegionExperimental struct {
	functional
	regionBytes int // 1 or 2
}

var _ MultiColumn = (*RegionExperimental)(nil)

func newRegionExperimental(name string, params map[string]string) (Vindex, error) {
	r := &RegionExperimental{functional: newFunctional(name, 1, params, "region_bytes")}
	switch text, given := params["region_bytes"]; {
	case !given:
		return nil, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "region_experimental missing region_bytes param")
	case text == "1":
		r.regionBytes = 1
	case text == "2":
		r.regionBytes = 2
	default:
		return nil, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "region_bytes must be 1 or 2: %v", text)
	}
	return r, nil
}

// PartialVindex is true: the region alone gives a range.
func (r *RegionExperimental) PartialVindex() bool { return true }

// Map gives the keyspace id of each row, a range where only the region is
// given. A row that cannot be mapped reaches no shard.
func (r *RegionExperimental) Map(_ context.Context, _ VCursor, rows [][]sqltypes.Value) ([]key.Destination, error) {
	dests := make([]key.Destination, len(rows))
	for i, row := range rows {
		dests[i] = r.mapRow(row)
	}
	return dests, nil
}

func (r *RegionExperimental) mapRow(row []sqltypes.Value) key.Destination {
	if len(row) == 0 || len(row) > 2 {
		return key.DestinationNone{}
	}
	region, err := row[0].ToCastUint64()
	if err != nil {
		return key.DestinationNone{}
	}
	prefix := regionPrefix(region, r.regionBytes)
	if len(row) == 1 {
		return prefixRange(prefix)
	}
	id, err := row[1].ToCastUint64()
	if err != nil {
		return key.DestinationNone{}
	}
	return key.DestinationKeyspaceID(append(prefix, hashUint64(id)...))
}

// regionPrefix is the last one or two bytes of a region's number.
func regionPrefix(region uint64, n int) []byte {
	return binary.BigEndian.AppendUint16(nil, uint16(region))[2-n:]
}

// Verify compares each row's keyspace id with the one beside it; a row that
// has none agrees with nothing.
func (r *RegionExperimental) Verify(_ context.Context, _ VCursor, rows [][]sqltypes.Value, ksids [][]byte) ([]bool, error) {
	return verifyRows(rows, ksids, r.mapRow), nil
}

// verifyRows compares the keyspace id each row maps to with the one beside it.
func verifyRows(rows [][]sqltypes.Value, ksids [][]byte, mapRow func([]sqltypes.Value) key.Destination) []bool {
	same := make([]bool, len(rows))
	for i, row := range rows {
		ksid, ok := mapRow(row).(key.DestinationKeyspaceID)
		same[i] = ok && bytes.Equal(ksid, ksids[i])
	}
	return same
}
