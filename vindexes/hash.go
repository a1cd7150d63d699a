package vindexes

import (
	"context"
	"crypto/cipher"
	"crypto/des"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"

	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/vindexes/key"
)

// Hash is the vindex whose keyspace id is the number encrypted with DES under
// the null key: 8 bytes, and the number can be told from them.
type Hash struct{ functional }

var (
	_ SingleColumn = (*Hash)(nil)
	_ Reversible   = (*Hash)(nil)
	_ Hashing      = (*Hash)(nil)
)

func newHash(name string, params map[string]string) (Vindex, error) {
	return &Hash{newFunctional(name, 1, params)}, nil
}

// Map gives the hash of each id. An id that is no integer, NULL included,
// reaches no shard.
func (h *Hash) Map(_ context.Context, _ VCursor, ids []sqltypes.Value) ([]key.Destination, error) {
	return mapHashable(ids, h.Hash), nil
}

// Verify compares each id's hash with the keyspace id beside it. Unlike Map it
// takes no negative number.
func (h *Hash) Verify(_ context.Context, _ VCursor, ids []sqltypes.Value, ksids [][]byte) ([]bool, error) {
	return verifyHashed(ids, ksids, func(id sqltypes.Value) ([]byte, error) {
		num, err := id.ToCastUint64()
		if err != nil {
			return nil, err
		}
		return hashUint64(num), nil
	})
}

// Hash encrypts the number; a negative one counts by its two's complement.
func (h *Hash) Hash(id sqltypes.Value) ([]byte, error) {
	if id.IsSigned() {
		num, err := strconv.ParseInt(id.ToString(), 10, 64)
		if err != nil {
			return nil, err
		}
		return hashUint64(uint64(num)), nil
	}
	num, err := id.ToCastUint64()
	if err != nil {
		return nil, err
	}
	return hashUint64(num), nil
}

// ReverseMap gives the numbers that the keyspace ids are the hashes of.
func (h *Hash) ReverseMap(_ VCursor, ksids [][]byte) ([]sqltypes.Value, error) {
	return unhashAll(ksids)
}

// nullKeyDES is the cipher, made when first wanted.
var nullKeyDES = sync.OnceValue(func() cipher.Block {
	block, err := des.NewCipher(make([]byte, des.BlockSize))
	if err != nil {
		panic("DES refuses a key of its own size: " + err.Error())
	}
	return block
})

func hashUint64(num uint64) []byte {
	ksid := make([]byte, 8)
	binary.BigEndian.PutUint64(ksid, num)
	nullKeyDES().Encrypt(ksid, ksid)
	return ksid
}

func unhashUint64(ksid []byte) (uint64, error) {
	if len(ksid) != 8 {
		return 0, invalidKeyspaceID(ksid)
	}
	var plain [8]byte
	nullKeyDES().Decrypt(plain[:], ksid)
	return binary.BigEndian.Uint64(plain[:]), nil
}

func invalidKeyspaceID(ksid []byte) error {
	return fmt.Errorf("invalid keyspace id: %s", hex.EncodeToString(ksid))
}

// unhashAll gives the numbers behind hashes, as UINT64 values.
func unhashAll(ksids [][]byte) ([]sqltypes.Value, error) {
	ids := make([]sqltypes.Value, len(ksids))
	for i, ksid := range ksids {
		num, err := unhashUint64(ksid)
		if err != nil {
			return nil, err
		}
		ids[i] = sqltypes.NewUint64(num)
	}
	return ids, nil
}
