package vindexes

import "strconv"

// LookupNonUnique is the vindex "lookup": a table pairs each id with any
// number of keyspace ids, stored as they are.
type LookupNonUnique struct{ planableLookup }

// LookupUnique is the vindex "lookup_unique": a table pairs each id with one
// keyspace id, stored as it is.
type LookupUnique struct{ planableLookup }

var (
	_ SingleColumn   = (*LookupNonUnique)(nil)
	_ Lookup         = (*LookupNonUnique)(nil)
	_ LookupPlanable = (*LookupNonUnique)(nil)
	_ LookupBackfill = (*LookupNonUnique)(nil)
	_ LookupPlanable = (*LookupUnique)(nil)
	_ LookupBackfill = (*LookupUnique)(nil)
)

func newLookup(name string, params map[string]string) (Vindex, error) {
	base, err := newPlainLookup(name, false, params)
	if err != nil {
		return nil, err
	}
	return &LookupNonUnique{planableLookup{base}}, nil
}

func newLookupUnique(name string, params map[string]string) (Vindex, error) {
	base, err := newPlainLookup(name, true, params)
	if err != nil {
		return nil, err
	}
	return &LookupUnique{planableLookup{base}}, nil
}

func newPlainLookup(name string, unique bool, params map[string]string) (*lookupBase, error) {
	base, err := newLookupBase(name, unique, rawKsids(), params, "write_only", "no_verify")
	if err != nil {
		return nil, err
	}
	base.noVerify, err = boolParam(params, "no_verify")
	return base, err
}

// IsBackfilling says whether the lookup is still being filled (write_only).
func (l *LookupNonUnique) IsBackfilling() bool { return l.writeOnly }

// IsBackfilling says whether the lookup is still being filled (write_only).
func (l *LookupUnique) IsBackfilling() bool { return l.writeOnly }

// newLookupCost makes the vindex "lookup_cost": a lookup whose cost is a
// parameter, 5 where that is missing or no number. It serves plan tests.
func newLookupCost(name string, params map[string]string) (Vindex, error) {
	base, err := newPlainLookup(name, false, params)
	if err != nil {
		return nil, err
	}
	base.cost = 5
	if cost, err := strconv.Atoi(params["cost"]); err == nil {
		base.cost = cost
	}
	return &LookupNonUnique{planableLookup{base}}, nil
}
