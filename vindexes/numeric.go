package vindexes

import (
	"context"
	"encoding/binary"
	"fmt"

	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/vindexes/key"
)

// Numeric is the vindex whose keyspace id is the number itself: its 8 bytes,
// most significant first.
type Numeric struct{ functional }

var (
	_ SingleColumn = (*Numeric)(nil)
	_ Reversible   = (*Numeric)(nil)
	_ Hashing      = (*Numeric)(nil)
	_ Sequential   = (*Numeric)(nil)
)

func newNumeric(name string, params map[string]string) (Vindex, error) {
	return &Numeric{newFunctional(name, 0, params)}, nil
}

// Map gives the bytes of each number. An id that is no unsigned integer, a
// negative one or NULL included, reaches no shard.
func (n *Numeric) Map(_ context.Context, _ VCursor, ids []sqltypes.Value) ([]key.Destination, error) {
	return mapHashable(ids, n.Hash), nil
}

// Verify compares each number's bytes with the keyspace id beside it.
func (n *Numeric) Verify(_ context.Context, _ VCursor, ids []sqltypes.Value, ksids [][]byte) ([]bool, error) {
	return verifyHashed(ids, ksids, n.Hash)
}

// Hash is the number's 8 bytes.
func (n *Numeric) Hash(id sqltypes.Value) ([]byte, error) {
	num, err := id.ToCastUint64()
	if err != nil {
		return nil, err
	}
	return key.Uint64(num), nil
}

// ReverseMap gives the numbers that the keyspace ids are.
func (n *Numeric) ReverseMap(_ VCursor, ksids [][]byte) ([]sqltypes.Value, error) {
	ids := make([]sqltypes.Value, len(ksids))
	for i, ksid := range ksids {
		if len(ksid) != 8 {
			return nil, fmt.Errorf("Numeric.ReverseMap: length of keyspaceId is not 8: %d", len(ksid))
		}
		ids[i] = sqltypes.NewUint64(binary.BigEndian.Uint64(ksid))
	}
	return ids, nil
}

// RangeMap gives the key range from start to end, end excluded as in Vitess.
func (n *Numeric) RangeMap(_ context.Context, _ VCursor, start, end sqltypes.Value) ([]key.Destination, error) {
	return hashRange(start, end, n.Hash)
}
