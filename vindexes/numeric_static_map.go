package vindexes

import (
	"context"
	"encoding/json"
	"os"
	"strconv"

	"vitess.io/vitess/go/sqltypes"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes/key"
)

// NumericStaticMap is the vindex "numeric_static_map": a fixed table maps
// numbers to numbers, whose 8 bytes are the keyspace id. A number that is not
// in the table is hashed by another vindex, or stands for itself.
type NumericStaticMap struct {
	functional
	table    map[uint64]uint64
	fallback Hashing // nil: the number itself
}

var (
	_ SingleColumn = (*NumericStaticMap)(nil)
	_ Hashing      = (*NumericStaticMap)(nil)
)

// newNumericStaticMap makes the vindex; types says which can be the fallback.
func newNumericStaticMap(types func() Registry) NewVindex {
	return func(name string, params map[string]string) (Vindex, error) {
		n := &NumericStaticMap{functional: newFunctional(name, 1, params, "json", "json_path", "fallback_type")}
		text, inline := params["json"]
		path, inFile := params["json_path"]
		data := []byte(text)
		switch {
		case !inline && !inFile:
			return nil, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "NumericStaticMap: Could not find either `json_path` or `json` params in vschema")
		case inline && inFile:
			return nil, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "NumericStaticMap: Found both `json` and `json_path` params in vschema")
		case inFile:
			var err error
			if data, err = os.ReadFile(path); err != nil {
				return nil, err
			}
		}
		if err := n.readTable(data); err != nil {
			return nil, err
		}
		fallback, given := params["fallback_type"]
		if !given {
			return n, nil
		}
		vindex, err := types().New(fallback, name+"_hash", nil)
		if err != nil {
			return nil, err
		}
		hash, ok := vindex.(Hashing)
		if !ok {
			return nil, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "NumericStaticMap: fallback_type %s of vindex %s has no hash function", fallback, name)
		}
		n.fallback = hash
		return n, nil
	}
}

// readTable reads an object whose names and values are numbers.
func (n *NumericStaticMap) readTable(data []byte) error {
	var object map[string]uint64
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	n.table = make(map[uint64]uint64, len(object))
	for name, value := range object {
		num, err := strconv.ParseUint(name, 10, 64)
		if err != nil {
			return err
		}
		n.table[num] = value
	}
	return nil
}

// Map gives the keyspace id of each number. An id that is no unsigned integer,
// NULL included, reaches no shard.
func (n *NumericStaticMap) Map(_ context.Context, _ VCursor, ids []sqltypes.Value) ([]key.Destination, error) {
	return mapHashable(ids, n.Hash), nil
}

// Verify compares each number's keyspace id with the one beside it.
func (n *NumericStaticMap) Verify(_ context.Context, _ VCursor, ids []sqltypes.Value, ksids [][]byte) ([]bool, error) {
	return verifyHashed(ids, ksids, n.Hash)
}

// Hash is the keyspace id of a number.
func (n *NumericStaticMap) Hash(id sqltypes.Value) ([]byte, error) {
	num, err := id.ToCastUint64()
	if err != nil {
		return nil, err
	}
	mapped, known := n.table[num]
	switch {
	case known:
		return key.Uint64(mapped), nil
	case n.fallback != nil:
		return n.fallback.Hash(id)
	}
	return key.Uint64(num), nil
}
