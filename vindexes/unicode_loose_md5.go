package vindexes

import (
	"context"
	"fmt"

	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/vindexes/key"
)

// UnicodeLooseMD5 is the vindex whose keyspace id is the MD5 of the text's base
// letters: upper and lower case, accents and blanks at the end do not matter.
type UnicodeLooseMD5 struct {
	functional
	loose *looseHasher
}

var (
	_ SingleColumn = (*UnicodeLooseMD5)(nil)
	_ Hashing      = (*UnicodeLooseMD5)(nil)
)

func newUnicodeLooseMD5(name string, params map[string]string) (Vindex, error) {
	return &UnicodeLooseMD5{functional: newFunctional(name, 1, params), loose: newLooseMD5()}, nil
}

// Map gives the hash of each text; one that is not UTF-8 fails them all.
func (u *UnicodeLooseMD5) Map(_ context.Context, _ VCursor, ids []sqltypes.Value) ([]key.Destination, error) {
	dests, err := mapHashed(ids, u.Hash)
	if err != nil {
		return nil, fmt.Errorf("UnicodeLooseMD5.Map: %w", err)
	}
	return dests, nil
}

// Verify compares each text's hash with the keyspace id beside it.
func (u *UnicodeLooseMD5) Verify(_ context.Context, _ VCursor, ids []sqltypes.Value, ksids [][]byte) ([]bool, error) {
	same, err := verifyHashed(ids, ksids, u.Hash)
	if err != nil {
		return nil, fmt.Errorf("UnicodeLooseMD5.Verify: %w", err)
	}
	return same, nil
}

// Hash is the 16 bytes of the hash.
func (u *UnicodeLooseMD5) Hash(id sqltypes.Value) ([]byte, error) { return u.loose.hash(id) }
