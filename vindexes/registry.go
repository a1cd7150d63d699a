package vindexes

import (
	"fmt"
	"maps"
	"slices"
)

// NewVindex makes a vindex of its name and parameters. It fails where a
// parameter is missing or makes no sense.
type NewVindex func(name string, params map[string]string) (Vindex, error)

// Registry is a table of vindex types by name.
type Registry map[string]NewVindex

// Types gives the registry of all vindex types of Vitess v24. Each call makes
// a new map, so that a caller can add types of its own.
func Types() Registry {
	return Registry{
		"binary":                             newBinary,
		"binary_md5":                         newBinaryMD5,
		"cfc":                                newCFC,
		"consistent_lookup":                  newConsistentLookup,
		"consistent_lookup_unique":           newConsistentLookupUnique,
		"hash":                               newHash,
		"lookup":                             newLookup,
		"lookup_cost":                        newLookupCost,
		"lookup_hash":                        newLookupHash,
		"lookup_hash_unique":                 newLookupHashUnique,
		"lookup_unicodeloosemd5_hash":        newLookupUnicodeLooseMD5Hash,
		"lookup_unicodeloosemd5_hash_unique": newLookupUnicodeLooseMD5HashUnique,
		"lookup_unique":                      newLookupUnique,
		"multicol":                           newMultiCol(Types),
		"null":                               newNull,
		"numeric":                            newNumeric,
		"numeric_static_map":                 newNumericStaticMap(Types),
		"region_experimental":                newRegionExperimental,
		"region_json":                        newRegionJSON,
		"reverse_bits":                       newReverseBits,
		"unicode_loose_md5":                  newUnicodeLooseMD5,
		"unicode_loose_xxhash":               newUnicodeLooseXXHash,
		"xxhash":                             newXXHash,
	}
}

// New makes a vindex of a type. An unknown type is an error as Vitess words it.
func (r Registry) New(vindexType, name string, params map[string]string) (Vindex, error) {
	make, known := r[vindexType]
	if !known {
		return nil, fmt.Errorf("vindexType %q not found", vindexType)
	}
	return make(name, params)
}

// Names lists the types, sorted.
func (r Registry) Names() []string {
	return slices.Sorted(maps.Keys(r))
}
