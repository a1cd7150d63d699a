package vindexes

import (
	"context"
	"encoding/binary"
	"math/bits"

	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/vindexes/key"
)

// ReverseBits is the vindex whose keyspace id is the number with its 64 bits
// in reverse order, which spreads ascending numbers over the shards.
type ReverseBits struct{ functional }

var (
	_ SingleColumn = (*ReverseBits)(nil)
	_ Reversible   = (*ReverseBits)(nil)
	_ Hashing      = (*ReverseBits)(nil)
)

func newReverseBits(name string, params map[string]string) (Vindex, error) {
	return &ReverseBits{newFunctional(name, 1, params)}, nil
}

// Map gives the reversed bits of each number. An id that is no unsigned
// integer, NULL included, reaches no shard.
func (r *ReverseBits) Map(_ context.Context, _ VCursor, ids []sqltypes.Value) ([]key.Destination, error) {
	return mapHashable(ids, r.Hash), nil
}

// Verify compares each number's reversed bits with the keyspace id beside it.
func (r *ReverseBits) Verify(_ context.Context, _ VCursor, ids []sqltypes.Value, ksids [][]byte) ([]bool, error) {
	return verifyHashed(ids, ksids, r.Hash)
}

// Hash is the 8 bytes of the reversed number.
func (r *ReverseBits) Hash(id sqltypes.Value) ([]byte, error) {
	num, err := id.ToCastUint64()
	if err != nil {
		return nil, err
	}
	return key.Uint64(bits.Reverse64(num)), nil
}

// ReverseMap turns the bits of the keyspace ids back into numbers.
func (r *ReverseBits) ReverseMap(_ VCursor, ksids [][]byte) ([]sqltypes.Value, error) {
	ids := make([]sqltypes.Value, len(ksids))
	for i, ksid := range ksids {
		if len(ksid) != 8 {
			return nil, invalidKeyspaceID(ksid)
		}
		ids[i] = sqltypes.NewUint64(bits.Reverse64(binary.BigEndian.Uint64(ksid)))
	}
	return ids, nil
}
