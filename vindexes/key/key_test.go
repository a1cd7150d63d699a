package key_test

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	topodatapb "vitess.io/vitess/go/vt/proto/topodata"

	"github.com/vitrodb/vitro/vindexes/key"
)

// readVectors reads one of the compressed files of golden vectors.
func readVectors(t testing.TB, name string, v any) {
	t.Helper()
	file, err := os.Open("testdata/" + name + ".json.gz")
	require.NoError(t, err)
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	require.NoError(t, err)
	require.NoError(t, json.NewDecoder(unzipped).Decode(v))
}

// rangeVector is a key range as the vectors hold it.
type rangeVector struct{ Start, End, String string }

func parseRange(t testing.TB, text string) key.KeyRange {
	start, end, ok := strings.Cut(text, "-")
	require.True(t, ok, text)
	kr, err := key.ParseKeyRange(start, end)
	require.NoError(t, err)
	return kr
}

// requireError compares an error with the wanted text, nil for none.
func requireError(t testing.TB, want *string, err error, about ...any) bool {
	t.Helper()
	if want == nil {
		require.NoError(t, err, about...)
		return false
	}
	require.EqualError(t, err, *want, about...)
	return true
}

func requireRange(t testing.TB, want *rangeVector, got key.KeyRange, about ...any) {
	t.Helper()
	require.Equal(t, want.String, got.String(), about...)
	require.Equal(t, want.Start, hex.EncodeToString(got.Start), about...)
	require.Equal(t, want.End, hex.EncodeToString(got.End), about...)
}

func TestShardRanges(t *testing.T) {
	var vectors struct {
		Generate []struct {
			N        int
			HexWidth int `json:"hex_width"`
			Shards   []string
			Error    *string
		} `json:"generate_shard_ranges"`
		Even []struct {
			I, N     int
			KeyRange *rangeVector `json:"key_range"`
			Error    *string
		} `json:"even_shards_key_range"`
	}
	readVectors(t, "shard_ranges", &vectors)
	require.NotEmpty(t, vectors.Generate)
	for _, v := range vectors.Generate {
		names, err := key.ShardRanges(v.N, v.HexWidth)
		if !requireError(t, v.Error, err, v) {
			require.Equal(t, v.Shards, names)
		}
	}
	require.NotEmpty(t, vectors.Even)
	for _, v := range vectors.Even {
		kr, err := key.EvenRange(v.I, v.N)
		if !requireError(t, v.Error, err, v) {
			requireRange(t, v.KeyRange, kr, v)
		}
	}
}

func TestShardNames(t *testing.T) {
	for n, want := range map[int][]string{1: {"0"}, 2: {"-80", "80-"}, 3: {"-55", "55-aa", "aa-"}} {
		names, err := key.ShardNames(n)
		require.NoError(t, err)
		require.Equal(t, want, names)
	}
	_, err := key.ShardNames(0)
	require.Error(t, err)
}

// Every keyspace id belongs to exactly one shard, whatever their number.
func TestShardsCoverTheKeySpaceOnce(t *testing.T) {
	for n := 1; n <= 300; n++ {
		names, err := key.ShardNames(n)
		require.NoError(t, err)
		shards, err := key.ParseShards(names)
		require.NoError(t, err, n)
		for id := range 256 {
			owners := 0
			for _, shard := range shards {
				if shard.Range.Contains([]byte{byte(id), 0x80}) {
					owners++
				}
			}
			require.Equal(t, 1, owners, "%d shards, id %x", n, id)
		}
	}
}

func TestParseShards(t *testing.T) {
	for _, tc := range []struct {
		name  string
		names []string
		want  string
	}{
		{"uneven", []string{"-19a0", "19a0-20", "20-"}, ""},
		{"a gap", []string{"-40", "80-"}, "shard 80- does not start where shard -40 ends"},
		{"an overlap", []string{"-80", "40-"}, "shard 40- does not start where shard -80 ends"},
		{"no beginning", []string{"40-"}, "the first shard must start at the beginning"},
		{"no end", []string{"-40"}, "the last shard must reach the end"},
		{"none", nil, "at least one shard"},
		{"bad name", []string{"-8"}, `shard "-8": encoding/hex: odd length hex string`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			shards, err := key.ParseShards(tc.names)
			if tc.want != "" {
				require.ErrorContains(t, err, tc.want)
				return
			}
			require.NoError(t, err)
			require.Len(t, shards, len(tc.names))
		})
	}
}

func TestKeyRanges(t *testing.T) {
	var vectors struct {
		Contains []struct {
			Range, Ksid string
			Contains    bool
		}
		Pairs []struct {
			A, B                               string
			Compare                            int
			Intersect, Contiguous, Equal, Less bool
			Contains                           bool `json:"a_contains_b"`
			StartEqual                         bool `json:"start_equal"`
			EndEqual                           bool `json:"end_equal"`
		}
	}
	readVectors(t, "key_ranges", &vectors)
	require.NotEmpty(t, vectors.Contains)
	for _, v := range vectors.Contains {
		ksid, err := hex.DecodeString(v.Ksid)
		require.NoError(t, err)
		require.Equal(t, v.Contains, parseRange(t, v.Range).Contains(ksid), v)
	}
	require.NotEmpty(t, vectors.Pairs)
	for _, v := range vectors.Pairs {
		a, b := parseRange(t, v.A), parseRange(t, v.B)
		require.Equal(t, v.Compare, a.Compare(b), v)
		require.Equal(t, v.Intersect, a.Intersects(b), v)
		require.Equal(t, v.Contiguous, a.Precedes(b), v)
		require.Equal(t, v.Equal, a.Equal(b), v)
		require.Equal(t, v.Less, a.Compare(b) < 0, v)
		require.Equal(t, v.Contains, a.ContainsRange(b), v)
		require.Equal(t, v.StartEqual, a.CompareStart(b) == 0, v)
		require.Equal(t, v.EndEqual, a.CompareEnd(b) == 0, v)
	}
}

// parsingVectors are the texts that name ranges, shards and tablets.
type parsingVectors struct {
	Add []struct {
		A, B string
		OK   bool
		Sum  *rangeVector
	} `json:"key_range_add"`
	Parts []struct {
		Start, End string
		KeyRange   *rangeVector `json:"key_range"`
		Error      *string
	} `json:"parse_key_range_parts"`
	Spec []struct {
		Spec      string
		KeyRanges []*rangeVector `json:"key_ranges"`
		Valid     bool           `json:"is_valid_key_range"`
		Error     *string
	} `json:"parse_sharding_spec"`
	Shards []struct {
		Shard, Name string
		KeyRange    *rangeVector `json:"key_range"`
		Error       *string
	} `json:"validate_shard_name"`
	Paths []struct {
		In, Keyspace, Shard string
		Error               *string
	} `json:"parse_keyspace_shard"`
	Types []struct {
		In, Lower string
		Number    int32
		Error     *string
	} `json:"parse_tablet_type"`
	Aliases []struct {
		In, Cell, String string
		UID              uint32
		Error            *string
	} `json:"parse_tablet_alias"`
}

func TestParseRanges(t *testing.T) {
	var vectors parsingVectors
	readVectors(t, "parsing", &vectors)
	for _, v := range vectors.Add {
		sum, ok := parseRange(t, v.A).Join(parseRange(t, v.B))
		require.Equal(t, v.OK, ok, v)
		if ok {
			requireRange(t, v.Sum, sum, v)
		}
	}
	for _, v := range vectors.Parts {
		kr, err := key.ParseKeyRange(v.Start, v.End)
		if !requireError(t, v.Error, err, v) {
			require.Equal(t, v.KeyRange.String, kr.String())
		}
	}
	for _, v := range vectors.Spec {
		require.Equal(t, v.Valid, key.IsKeyRange(v.Spec), v)
		ranges, err := key.ParseShardingSpec(v.Spec)
		if requireError(t, v.Error, err, v) {
			continue
		}
		require.Len(t, ranges, len(v.KeyRanges))
		for i := range ranges {
			requireRange(t, v.KeyRanges[i], ranges[i], v)
		}
	}
}

func TestParseNames(t *testing.T) {
	var vectors parsingVectors
	readVectors(t, "parsing", &vectors)
	for _, v := range vectors.Shards {
		shard, err := key.ParseShard(v.Shard)
		if requireError(t, v.Error, err, v) {
			continue
		}
		require.Equal(t, v.Name, shard.Name)
		if v.KeyRange != nil {
			requireRange(t, v.KeyRange, shard.Range, v)
		}
	}
	for _, v := range vectors.Paths {
		keyspace, shard, err := key.ParseKeyspaceShard(v.In)
		requireError(t, v.Error, err, v)
		require.Equal(t, []string{v.Keyspace, v.Shard}, []string{keyspace, shard}, v)
	}
	for _, v := range vectors.Types {
		tabletType, err := key.ParseTabletType(v.In)
		requireError(t, v.Error, err, v)
		require.Equal(t, v.Number, int32(tabletType))
		require.Equal(t, v.Lower, key.TabletTypeName(tabletType))
	}
	for _, v := range vectors.Aliases {
		alias, err := key.ParseTabletAlias(v.In)
		if !requireError(t, v.Error, err, v) {
			require.Equal(t, key.TabletAlias{Cell: v.Cell, UID: v.UID}, alias)
			require.Equal(t, v.String, alias.String())
		}
	}
}

func TestTargets(t *testing.T) {
	var vectors struct {
		Parse []struct {
			Target, Keyspace, Alias string
			Default                 string `json:"default_type"`
			Type                    string `json:"tablet_type"`
			Destination             *struct{ String string }
			Error                   *string
		} `json:"parse_destination"`
	}
	readVectors(t, "targets", &vectors)
	require.NotEmpty(t, vectors.Parse)
	for _, v := range vectors.Parse {
		target, err := key.ParseTarget(v.Target, topodatapb.TabletType(topodatapb.TabletType_value[v.Default]))
		if v.Error != nil && strings.HasPrefix(*v.Error, "panic") {
			require.Error(t, err)
			continue
		}
		requireError(t, v.Error, err, v)
		require.Equal(t, v.Keyspace, target.Keyspace, v)
		require.Equal(t, v.Type, target.TabletType.String(), v)
		if v.Destination == nil {
			require.Nil(t, target.Destination, v)
		} else {
			require.Equal(t, v.Destination.String, target.Destination.String(), v)
		}
		if v.Alias == "" {
			require.Nil(t, target.Alias, v)
		} else {
			require.Equal(t, v.Alias, target.Alias.String(), v)
		}
	}
}

// resolveVector is one destination and the shards it means.
type resolveVector struct {
	Range, Ksid, Kind, String string
	Shards                    []string
	Error                     *string
}

func TestResolve(t *testing.T) {
	var vectors struct {
		Resolve []struct {
			Set        string
			AllShards  []string        `json:"all_shards"`
			Exact      []resolveVector `json:"exact_key_range"`
			KeyRange   []resolveVector `json:"key_range"`
			KeyspaceID []resolveVector `json:"keyspace_id"`
			Other      []resolveVector
		}
		Uint64 []struct {
			N     uint64 `json:",string"`
			Bytes string
		} `json:"uint64_key"`
	}
	readVectors(t, "resolving", &vectors)
	for _, set := range vectors.Resolve {
		var shards []key.Shard
		for _, name := range set.AllShards {
			shard, err := key.ParseShard(name)
			require.NoError(t, err)
			shards = append(shards, shard)
		}
		check := func(v resolveVector, dest key.Destination) {
			require.Equal(t, v.String, dest.String())
			names, err := key.Resolve(dest, shards)
			if !requireError(t, v.Error, err, set.Set, v) {
				// Shards that do not exist stand where the destination has
				// them in the vectors, and last here.
				require.ElementsMatch(t, distinct(v.Shards), names, "%s %v", set.Set, v)
			}
		}
		for _, v := range set.Exact {
			check(v, key.DestinationExactKeyRange{KeyRange: parseRange(t, v.Range)})
		}
		for _, v := range set.KeyRange {
			check(v, key.DestinationKeyRange{KeyRange: parseRange(t, v.Range)})
		}
		for _, v := range set.KeyspaceID {
			ksid, err := hex.DecodeString(v.Ksid)
			require.NoError(t, err)
			check(v, key.DestinationKeyspaceID(ksid))
		}
		for _, v := range set.Other {
			check(v, destinationOf(t, v))
		}
	}
	for _, v := range vectors.Uint64 {
		require.Equal(t, v.Bytes, hex.EncodeToString(key.Uint64(v.N)))
	}
}

// distinct drops repetitions; the vectors' shards stand in order already.
func distinct(names []string) []string {
	var out []string
	for _, name := range names {
		if len(out) == 0 || out[len(out)-1] != name {
			out = append(out, name)
		}
	}
	return out
}

// destinationOf makes a destination of how it prints.
func destinationOf(t *testing.T, v resolveVector) key.Destination {
	inside := strings.TrimSuffix(v.String[strings.Index(v.String, "(")+1:], ")")
	switch v.Kind {
	case "key.DestinationAllShards":
		return key.DestinationAllShards{}
	case "key.DestinationNone":
		return key.DestinationNone{}
	case "key.DestinationAnyShard":
		return key.DestinationAnyShard{}
	case "key.DestinationShard":
		return key.DestinationShard(inside)
	case "key.DestinationShards":
		return key.DestinationShards(strings.Split(inside, ","))
	case "key.DestinationKeyspaceIDs":
		var ksids key.DestinationKeyspaceIDs
		for _, text := range strings.FieldsFunc(inside, func(r rune) bool { return r == ',' }) {
			ksid, err := hex.DecodeString(text)
			require.NoError(t, err)
			ksids = append(ksids, ksid)
		}
		return ksids
	}
	t.Fatalf("unknown destination %s", v.Kind)
	return nil
}

func TestResolveMany(t *testing.T) {
	shards, err := key.ParseShards([]string{"-40", "40-80", "80-"})
	require.NoError(t, err)
	names, idx, err := key.ResolveMany([]key.Destination{
		key.DestinationKeyspaceID{0x90}, key.DestinationNone{}, key.DestinationKeyspaceID{0x10},
		key.DestinationKeyspaceID{0xa0}, key.DestinationKeyRange{KeyRange: parseRange(t, "30-50")},
	}, shards)
	require.NoError(t, err)
	require.Equal(t, []string{"-40", "40-80", "80-"}, names)
	require.Equal(t, [][]int{{2, 4}, {4}, {0, 3}}, idx)
}

func FuzzParseTarget(f *testing.F) {
	for _, seed := range []string{"ks:-80@replica", "ks[40-80]", "ks]40[", "@", "ks[-]@replica|zone1-1", "a/b/c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		target, err := key.ParseTarget(text, topodatapb.TabletType_PRIMARY)
		if err == nil && target.Destination != nil {
			_ = target.Destination.String()
		}
	})
}
