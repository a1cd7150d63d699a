package vindexes

import (
	"encoding/binary"

	"vitess.io/vitess/go/sqltypes"
)

// LookupUnicodeLooseMD5Hash is the vindex "lookup_unicodeloosemd5_hash": as
// LookupHash, but ids are texts, stored as the first 8 bytes of the MD5 sum of
// their base letters. The planner cannot plan its query.
type LookupUnicodeLooseMD5Hash struct{ *lookupBase }

// LookupUnicodeLooseMD5HashUnique is the vindex
// "lookup_unicodeloosemd5_hash_unique": the same with one keyspace id each.
type LookupUnicodeLooseMD5HashUnique struct{ *lookupBase }

var (
	_ SingleColumn   = (*LookupUnicodeLooseMD5Hash)(nil)
	_ Lookup         = (*LookupUnicodeLooseMD5Hash)(nil)
	_ SingleColumn   = (*LookupUnicodeLooseMD5HashUnique)(nil)
	_ LookupBackfill = (*LookupUnicodeLooseMD5HashUnique)(nil)
)

func newLookupUnicodeLooseMD5Hash(name string, params map[string]string) (Vindex, error) {
	base, err := newLooseLookup(name, false, params)
	if err != nil {
		return nil, err
	}
	return &LookupUnicodeLooseMD5Hash{base}, nil
}

func newLookupUnicodeLooseMD5HashUnique(name string, params map[string]string) (Vindex, error) {
	base, err := newLooseLookup(name, true, params)
	if err != nil {
		return nil, err
	}
	return &LookupUnicodeLooseMD5HashUnique{base}, nil
}

func newLooseLookup(name string, unique bool, params map[string]string) (*lookupBase, error) {
	base, err := newLookupBase(name, unique, hashedKsids(), params, "write_only")
	if err != nil {
		return nil, err
	}
	loose := newLooseMD5()
	base.kind = "LookupUnicodeLooseMD5HashUnique"
	base.hashID = func(id sqltypes.Value) (sqltypes.Value, error) {
		sum, err := loose.hash(id)
		if err != nil {
			return sqltypes.NULL, err
		}
		return sqltypes.NewUint64(binary.BigEndian.Uint64(sum)), nil
	}
	return base, nil
}

// IsBackfilling says whether the lookup is still being filled (write_only).
func (l *LookupUnicodeLooseMD5HashUnique) IsBackfilling() bool { return l.writeOnly }
