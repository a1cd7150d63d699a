package vindexes

import (
	"context"
	"errors"

	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/vindexes/key"
)

// Binary is the vindex whose keyspace id is the value's bytes themselves.
type Binary struct{ functional }

var (
	_ SingleColumn = (*Binary)(nil)
	_ Reversible   = (*Binary)(nil)
	_ Hashing      = (*Binary)(nil)
	_ Sequential   = (*Binary)(nil)
)

func newBinary(name string, params map[string]string) (Vindex, error) {
	return &Binary{newFunctional(name, 0, params)}, nil
}

// Map gives the bytes of each id as its keyspace id; NULL is the empty one.
func (b *Binary) Map(_ context.Context, _ VCursor, ids []sqltypes.Value) ([]key.Destination, error) {
	return mapHashed(ids, b.Hash)
}

// Verify compares each id's bytes with the keyspace id beside it.
func (b *Binary) Verify(_ context.Context, _ VCursor, ids []sqltypes.Value, ksids [][]byte) ([]bool, error) {
	return verifyHashed(ids, ksids, b.Hash)
}

// Hash is the value's bytes; it fails only on a malformed hex or bit literal.
func (b *Binary) Hash(id sqltypes.Value) ([]byte, error) { return id.ToBytes() }

// ReverseMap gives the keyspace ids back as VARBINARY values.
func (b *Binary) ReverseMap(_ VCursor, ksids [][]byte) ([]sqltypes.Value, error) {
	ids := make([]sqltypes.Value, len(ksids))
	for i, ksid := range ksids {
		if ksid == nil {
			return nil, errors.New("Binary.ReverseMap: keyspaceId is nil")
		}
		ids[i] = sqltypes.MakeTrusted(sqltypes.VarBinary, ksid)
	}
	return ids, nil
}

// RangeMap gives the key range from start to end, end excluded as in Vitess.
func (b *Binary) RangeMap(_ context.Context, _ VCursor, start, end sqltypes.Value) ([]key.Destination, error) {
	return hashRange(start, end, b.Hash)
}

// hashRange is the key range between the hashes of two values.
func hashRange(start, end sqltypes.Value, hash func(sqltypes.Value) ([]byte, error)) ([]key.Destination, error) {
	from, err := hash(start)
	if err != nil {
		return nil, err
	}
	to, err := hash(end)
	if err != nil {
		return nil, err
	}
	return []key.Destination{key.DestinationKeyRange{KeyRange: key.KeyRange{Start: from, End: to}}}, nil
}
