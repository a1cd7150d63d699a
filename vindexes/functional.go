package vindexes

import (
	"bytes"
	"maps"
	"slices"

	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/vindexes/key"
)

// ParamValidating is a vindex that remembers parameters it was given and does
// not know. Vitess ignores them; a check of the VSchema can report them.
type ParamValidating interface {
	UnknownParams() []string
}

// functional is what all functional vindexes share: they are unique, need no
// cursor, and their keyspace id is a function of the value.
type functional struct {
	name    string
	cost    int
	unknown []string
}

// newFunctional notes which of params are not among the known ones.
func newFunctional(name string, cost int, params map[string]string, known ...string) functional {
	return functional{name: name, cost: cost, unknown: unknownParams(params, known)}
}

// String is the name the VSchema gives the vindex.
func (f *functional) String() string { return f.name }

// Cost is what the planner weighs vindexes by.
func (f *functional) Cost() int { return f.cost }

// IsUnique says whether a value has at most one keyspace id.
func (f *functional) IsUnique() bool { return true }

// NeedsVCursor says whether Map and Verify run queries.
func (f *functional) NeedsVCursor() bool { return false }

// UnknownParams are parameters that were given and have no meaning here.
func (f *functional) UnknownParams() []string { return f.unknown }

// unknownParams lists the parameters that are not among the known, sorted.
func unknownParams(params map[string]string, known []string) []string {
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// mapHashed maps each id to its hash; the first id that has none fails all.
func mapHashed(ids []sqltypes.Value, hash func(sqltypes.Value) ([]byte, error)) ([]key.Destination, error) {
	dests := make([]key.Destination, len(ids))
	for i, id := range ids {
		ksid, err := hash(id)
		if err != nil {
			return nil, err
		}
		dests[i] = key.DestinationKeyspaceID(ksid)
	}
	return dests, nil
}

// mapHashable maps each id to its hash; an id that has none reaches no shard.
func mapHashable(ids []sqltypes.Value, hash func(sqltypes.Value) ([]byte, error)) []key.Destination {
	dests := make([]key.Destination, len(ids))
	for i, id := range ids {
		if ksid, err := hash(id); err == nil {
			dests[i] = key.DestinationKeyspaceID(ksid)
		} else {
			dests[i] = key.DestinationNone{}
		}
	}
	return dests
}

// verifyHashed compares each id's hash with the keyspace id beside it.
func verifyHashed(ids []sqltypes.Value, ksids [][]byte, hash func(sqltypes.Value) ([]byte, error)) ([]bool, error) {
	same := make([]bool, len(ids))
	for i, id := range ids {
		ksid, err := hash(id)
		if err != nil {
			return nil, err
		}
		same[i] = bytes.Equal(ksid, ksids[i])
	}
	return same, nil
}

// prefixRange is the range of all keyspace ids that begin with a prefix.
func prefixRange(prefix []byte) key.Destination {
	if len(prefix) == 0 {
		return key.DestinationAllShards{}
	}
	end := slices.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		end[i]++
		if end[i] != 0 {
			return key.DestinationKeyRange{KeyRange: key.KeyRange{Start: prefix, End: end}}
		}
	}
	return key.DestinationKeyRange{KeyRange: key.KeyRange{Start: prefix}} // all 0xff: open at the end
}
