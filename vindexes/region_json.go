package vindexes

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/vindexes/key"
)

// RegionJSON is the vindex "region_json" of two columns: the second names a
// region, whose number in a file gives the first one or two bytes of the
// keyspace id; the first, hashed as by "hash", gives the rest.
type RegionJSON struct {
	functional
	regions     map[string]uint64
	regionBytes int // 1 or 2
}

var _ MultiColumn = (*RegionJSON)(nil)

func newRegionJSON(name string, params map[string]string) (Vindex, error) {
	r := &RegionJSON{functional: newFunctional(name, 1, params, "region_bytes", "region_map")}
	data, err := os.ReadFile(params["region_map"])
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &r.regions); err != nil {
		return nil, err
	}
	if r.regionBytes, err = strconv.Atoi(params["region_bytes"]); err != nil {
		return nil, err
	}
	if r.regionBytes < 1 || r.regionBytes > 2 {
		return nil, fmt.Errorf("region_bytes must be 1 or 2: %v", r.regionBytes)
	}
	return r, nil
}

// PartialVindex is false: both columns are needed.
func (r *RegionJSON) PartialVindex() bool { return false }

// Map gives the keyspace id of each row. A row whose region is not in the file
// or whose id is no integer reaches no shard.
func (r *RegionJSON) Map(_ context.Context, _ VCursor, rows [][]sqltypes.Value) ([]key.Destination, error) {
	dests := make([]key.Destination, len(rows))
	for i, row := range rows {
		dests[i] = r.mapRow(row)
	}
	return dests, nil
}

func (r *RegionJSON) mapRow(row []sqltypes.Value) key.Destination {
	if len(row) != 2 {
		return key.DestinationNone{}
	}
	id, err := row[0].ToCastUint64()
	if err != nil {
		return key.DestinationNone{}
	}
	region, known := r.regions[row[1].ToString()]
	if !known {
		return key.DestinationNone{}
	}
	return key.DestinationKeyspaceID(append(regionPrefix(region, r.regionBytes), hashUint64(id)...))
}

// Verify compares each row's keyspace id with the one beside it; a row that
// has none agrees with nothing.
func (r *RegionJSON) Verify(_ context.Context, _ VCursor, rows [][]sqltypes.Value, ksids [][]byte) ([]bool, error) {
	return verifyRows(rows, ksids, r.mapRow), nil
}
