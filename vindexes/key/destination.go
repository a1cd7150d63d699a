package key

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"
)

// Destination is where in a keyspace a query should go, said without knowing
// the shards. Resolve turns it into shards. Destinations are immutable values.
type Destination interface {
	// String prints the destination as Vitess does in plans and errors.
	String() string
	// resolve appends the names of the shards to dst, in the destination's own
	// order and with repetitions. On error dst holds what was found before it.
	resolve(dst []string, shards []Shard) ([]string, error)
}

type (
	// DestinationShard is one shard by name; whether it exists is not checked.
	DestinationShard string
	// DestinationShards are several shards by name.
	DestinationShards []string
	// DestinationExactKeyRange is a range that begins and ends at shard limits.
	DestinationExactKeyRange struct{ KeyRange KeyRange }
	// DestinationKeyRange is every shard that shares keyspace ids with a range.
	DestinationKeyRange struct{ KeyRange KeyRange }
	// DestinationKeyspaceID is the shard that owns a keyspace id.
	DestinationKeyspaceID []byte
	// DestinationKeyspaceIDs are the shards that own keyspace ids.
	DestinationKeyspaceIDs [][]byte
	// DestinationAnyShard is one shard, whichever; here always the first, so
	// that a run can be repeated.
	DestinationAnyShard struct{}
	// DestinationAllShards is every shard of the keyspace.
	DestinationAllShards struct{}
	// DestinationNone is no shard at all.
	DestinationNone struct{}
)

// Resolve gives the shards a destination means: each once, in the order of
// shards. A name that is not in shards (DestinationShard checks nothing) comes
// last. Errors: no shard owns the keyspace id, a range does not fit the limits,
// or the keyspace has no shard.
func Resolve(dest Destination, shards []Shard) ([]string, error) {
	names, err := dest.resolve(nil, shards)
	if err != nil {
		return nil, err
	}
	if len(names) < 2 {
		return names, nil // the common case: one shard, nothing to sort
	}
	seen := make(map[string]bool, len(names))
	names = slices.DeleteFunc(names, func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	})
	sortByShard(names, shards)
	return names, nil
}

// ResolveMany resolves destinations together: shards lists each shard once, in
// the order of shards, and idx[i] the indexes of the destinations that reach
// shards[i], ascending. It is what sends each shard of an IN only its values.
func ResolveMany(dests []Destination, shards []Shard) (names []string, idx [][]int, err error) {
	byShard := make(map[string][]int)
	for i, dest := range dests {
		reached, err := Resolve(dest, shards)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range reached {
			if byShard[name] == nil {
				names = append(names, name)
			}
			byShard[name] = append(byShard[name], i)
		}
	}
	sortByShard(names, shards)
	for _, name := range names {
		idx = append(idx, byShard[name])
	}
	return names, idx, nil
}

// sortByShard sorts names into the order of shards; unknown ones come last, in
// the order they stand.
func sortByShard(names []string, shards []Shard) {
	if len(names) < 2 {
		return
	}
	rank := make(map[string]int, len(shards))
	for i, shard := range shards {
		rank[shard.Name] = i - len(shards) // below zero: before the unknown
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank[a] - rank[b] })
}

// ShardOf names the shard that owns a keyspace id.
func ShardOf(ksid []byte, shards []Shard) (string, error) {
	if len(shards) == 0 {
		return "", errNoShard()
	}
	for _, shard := range shards {
		if shard.Range.Contains(ksid) {
			return shard.Name, nil
		}
	}
	return "", vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "KeyspaceId %s didn't match any shards [%s]",
		hex.EncodeToString(ksid), describeShards(shards))
}

func errNoShard() error {
	return vterrors.Errorf(vtrpcpb.Code_UNAVAILABLE, "no shard in keyspace")
}

// describeShards lists shards the way Vitess's errors print its records.
func describeShards(shards []Shard) string {
	var b strings.Builder
	for i, shard := range shards {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("name:" + strconv.Quote(shard.Name))
		if shard.Range.IsComplete() {
			continue
		}
		var bounds []string
		if len(shard.Range.Start) > 0 {
			bounds = append(bounds, "start:"+strconv.Quote(string(shard.Range.Start)))
		}
		if len(shard.Range.End) > 0 {
			bounds = append(bounds, "end:"+strconv.Quote(string(shard.Range.End)))
		}
		b.WriteString(" key_range:{" + strings.Join(bounds, " ") + "}")
	}
	return b.String()
}

// String prints the destination as Vitess does.
func (d DestinationShard) String() string { return "DestinationShard(" + string(d) + ")" }

// String prints the destination as Vitess does.
func (d DestinationShards) String() string { return "DestinationShards(" + strings.Join(d, ",") + ")" }

// String prints the destination as Vitess does.
func (d DestinationExactKeyRange) String() string {
	return "DestinationExactKeyRange(" + d.KeyRange.String() + ")"
}

// String prints the destination as Vitess does.
func (d DestinationKeyRange) String() string {
	return "DestinationKeyRange(" + d.KeyRange.String() + ")"
}

// String prints the destination as Vitess does.
func (d DestinationKeyspaceID) String() string {
	return "DestinationKeyspaceID(" + hex.EncodeToString(d) + ")"
}

// String prints the destination as Vitess does.
func (d DestinationKeyspaceIDs) String() string {
	return "DestinationKeyspaceIDs(" + joinStrings(d, hex.EncodeToString) + ")"
}

// String prints the destination as Vitess does.
func (DestinationAnyShard) String() string { return "DestinationAnyShard()" }

// String prints the destination as Vitess does.
func (DestinationAllShards) String() string { return "DestinationAllShards()" }

// String prints the destination as Vitess does.
func (DestinationNone) String() string { return "DestinationNone()" }

// joinStrings prints the elements of a list with commas between them.
func joinStrings[T any](list []T, print func(T) string) string {
	texts := make([]string, len(list))
	for i, element := range list {
		texts[i] = print(element)
	}
	return strings.Join(texts, ",")
}

func (d DestinationShard) resolve(dst []string, _ []Shard) ([]string, error) {
	return append(dst, string(d)), nil
}

func (d DestinationShards) resolve(dst []string, _ []Shard) ([]string, error) {
	return append(dst, d...), nil
}

func (d DestinationExactKeyRange) resolve(dst []string, shards []Shard) ([]string, error) {
	sorted := slices.Clone(shards)
	slices.SortStableFunc(sorted, func(a, b Shard) int { return a.Range.Compare(b.Range) })
	first := slices.IndexFunc(sorted, func(s Shard) bool { return s.Range.CompareStart(d.KeyRange) == 0 })
	if first >= 0 {
		for _, shard := range sorted[first:] {
			if !shard.Range.Intersects(d.KeyRange) {
				break
			}
			dst = append(dst, shard.Name)
			if shard.Range.CompareEnd(d.KeyRange) == 0 {
				return dst, nil
			}
		}
	}
	return dst, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "keyrange %s does not exactly match shards", d.KeyRange)
}

func (d DestinationKeyRange) resolve(dst []string, shards []Shard) ([]string, error) {
	for _, shard := range shards {
		if shard.Range.Intersects(d.KeyRange) {
			dst = append(dst, shard.Name)
		}
	}
	return dst, nil
}

func (d DestinationKeyspaceID) resolve(dst []string, shards []Shard) ([]string, error) {
	name, err := ShardOf(d, shards)
	if err != nil {
		return dst, err
	}
	return append(dst, name), nil
}

func (d DestinationKeyspaceIDs) resolve(dst []string, shards []Shard) ([]string, error) {
	for _, ksid := range d {
		name, err := ShardOf(ksid, shards)
		if err != nil {
			return dst, err
		}
		dst = append(dst, name)
	}
	return dst, nil
}

func (DestinationAnyShard) resolve(dst []string, shards []Shard) ([]string, error) {
	if len(shards) == 0 {
		return dst, errNoShard()
	}
	return append(dst, shards[0].Name), nil
}

func (DestinationAllShards) resolve(dst []string, shards []Shard) ([]string, error) {
	for _, shard := range shards {
		dst = append(dst, shard.Name)
	}
	return dst, nil
}

func (DestinationNone) resolve(dst []string, _ []Shard) ([]string, error) {
	return dst, nil
}
