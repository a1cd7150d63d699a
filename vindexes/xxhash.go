package vindexes

import (
	"context"
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/vindexes/key"
)

// XXHash is the vindex whose keyspace id is the xxHash64 of the value's bytes,
// least significant byte first.
type XXHash struct{ functional }

var (
	_ SingleColumn = (*XXHash)(nil)
	_ Hashing      = (*XXHash)(nil)
)

func newXXHash(name string, params map[string]string) (Vindex, error) {
	return &XXHash{newFunctional(name, 1, params)}, nil
}

// Map gives the hash of each id.
func (x *XXHash) Map(_ context.Context, _ VCursor, ids []sqltypes.Value) ([]key.Destination, error) {
	return mapHashed(ids, x.Hash)
}

// Verify compares each id's hash with the keyspace id beside it.
func (x *XXHash) Verify(_ context.Context, _ VCursor, ids []sqltypes.Value, ksids [][]byte) ([]bool, error) {
	return verifyHashed(ids, ksids, x.Hash)
}

// Hash is the 8 bytes of the hash. A number hashes by its decimal text.
func (x *XXHash) Hash(id sqltypes.Value) ([]byte, error) {
	data, err := id.ToBytes()
	if err != nil {
		return nil, err
	}
	return xxhashSum(data), nil
}

func xxhashSum(data []byte) []byte {
	return binary.LittleEndian.AppendUint64(nil, xxhash.Sum64(data))
}
