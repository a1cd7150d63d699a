package vindexes

import (
	"context"
	"fmt"

	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/vindexes/key"
)

// UnicodeLooseXXHash is the vindex whose keyspace id is the xxHash64 of the text's base
// letters: upper and lower case, accents and blanks at the end do not matter.
type UnicodeLooseXXHash struct {
	functional
	loose *looseHasher
}

var (
	_ SingleColumn = (*UnicodeLooseXXHash)(nil)
	_ Hashing      = (*UnicodeLooseXXHash)(nil)
)

func newUnicodeLooseXXHash(name string, params map[string]string) (Vindex, error) {
	return &UnicodeLooseXXHash{functional: newFunctional(name, 1, params), loose: newLooseXXHash()}, nil
}

// Map gives the hash of each text; one that is not UTF-8 fails them all.
func (u *UnicodeLooseXXHash) Map(_ context.Context, _ VCursor, ids []sqltypes.Value) ([]key.Destination, error) {
	dests, err := mapHashed(ids, u.Hash)
	if err != nil {
		return nil, fmt.Errorf("UnicodeLooseXXHash.Map: %w", err)
	}
	return dests, nil
}

// Verify compares each text's hash with the keyspace id beside it.
func (u *UnicodeLooseXXHash) Verify(_ context.Context, _ VCursor, ids []sqltypes.Value, ksids [][]byte) ([]bool, error) {
	same, err := verifyHashed(ids, ksids, u.Hash)
	if err != nil {
		return nil, fmt.Errorf("UnicodeLooseXXHash.Verify: %w", err)
	}
	return same, nil
}

// Hash is the 8 bytes of the hash.
func (u *UnicodeLooseXXHash) Hash(id sqltypes.Value) ([]byte, error) { return u.loose.hash(id) }
