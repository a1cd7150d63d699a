package vindexes

import (
	"context"
	"crypto/md5"

	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/vindexes/key"
)

// BinaryMD5 is the vindex whose keyspace id is the MD5 sum of the value's bytes.
type BinaryMD5 struct{ functional }

var (
	_ SingleColumn = (*BinaryMD5)(nil)
	_ Hashing      = (*BinaryMD5)(nil)
)

func newBinaryMD5(name string, params map[string]string) (Vindex, error) {
	return &BinaryMD5{newFunctional(name, 1, params)}, nil
}

// Map gives the sum of each id.
func (b *BinaryMD5) Map(_ context.Context, _ VCursor, ids []sqltypes.Value) ([]key.Destination, error) {
	return mapHashed(ids, b.Hash)
}

// Verify compares each id's sum with the keyspace id beside it.
func (b *BinaryMD5) Verify(_ context.Context, _ VCursor, ids []sqltypes.Value, ksids [][]byte) ([]bool, error) {
	return verifyHashed(ids, ksids, b.Hash)
}

// Hash is the 16 bytes of the sum.
func (b *BinaryMD5) Hash(id sqltypes.Value) ([]byte, error) {
	data, err := id.ToBytes()
	if err != nil {
		return nil, err
	}
	return md5Sum(data), nil
}

func md5Sum(data []byte) []byte {
	sum := md5.Sum(data)
	return sum[:]
}
