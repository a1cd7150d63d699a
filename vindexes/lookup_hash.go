package vindexes

// LookupHash is the vindex "lookup_hash": a table pairs each id with any number
// of keyspace ids, stored as the numbers they are hashes of.
type LookupHash struct{ planableLookup }

// LookupHashUnique is the vindex "lookup_hash_unique": as LookupHash, with one
// keyspace id for each id.
type LookupHashUnique struct{ planableLookup }

var (
	_ SingleColumn   = (*LookupHash)(nil)
	_ Lookup         = (*LookupHash)(nil)
	_ LookupPlanable = (*LookupHash)(nil)
	_ LookupPlanable = (*LookupHashUnique)(nil)
	_ LookupBackfill = (*LookupHashUnique)(nil)
)

func newLookupHash(name string, params map[string]string) (Vindex, error) {
	base, err := newHashedLookup(name, false, params)
	if err != nil {
		return nil, err
	}
	return &LookupHash{planableLookup{base}}, nil
}

func newLookupHashUnique(name string, params map[string]string) (Vindex, error) {
	base, err := newHashedLookup(name, true, params)
	if err != nil {
		return nil, err
	}
	return &LookupHashUnique{planableLookup{base}}, nil
}

func newHashedLookup(name string, unique bool, params map[string]string) (*lookupBase, error) {
	base, err := newLookupBase(name, unique, hashedKsids(), params, "write_only")
	if err != nil {
		return nil, err
	}
	base.kind = "LookupHash"
	return base, nil
}

// IsBackfilling says whether the lookup is still being filled (write_only).
func (l *LookupHashUnique) IsBackfilling() bool { return l.writeOnly }
