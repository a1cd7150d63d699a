package vindexes

import (
	"maps"
	"slices"
)

// NewVindex makes a vindex of its name and parameters. It fails where a
// parameter is missing or makes no sense.
type NewVindex func(name string, params map[string]string) (Vindex, error)

// Registry is a table of vindex types by name.
type Registry map[string]NewVindex

// Types gives the registry of all vindex types. Each call makes a new map, so
// that a caller can add types of its own.
func Types() Registry {
	return Registry{}
}

// Names lists the types, sorted.
func (r Registry) Names() []string {
	return slices.Sorted(maps.Keys(r))
}
