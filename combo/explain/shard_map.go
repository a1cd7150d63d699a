package explain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/vitrodb/vitro/vindexes/key"
)

// shardEntry is one shard of a shard map, as Vitess's FindAllShardsInKeyspace prints it: with the record under "shard", or
// the record itself.
type shardEntry struct {
	IsPrimaryServing *bool `json:"is_primary_serving"`
	Shard            *struct {
		IsPrimaryServing *bool `json:"is_primary_serving"`
	} `json:"shard"`
}

// serves reports whether the shard takes queries; one that says nothing of it does.
func (s shardEntry) serves() bool {
	switch {
	case s.Shard != nil:
		return s.Shard.IsPrimaryServing != nil && *s.Shard.IsPrimaryServing
	case s.IsPrimaryServing != nil:
		return *s.IsPrimaryServing
	}
	return true
}

// ReadShardMap reads `{"keyspace": {"-80": {...}, "80-": {...}}}` and returns the shards that serve, in shard order.
func ReadShardMap(data []byte) (map[string][]string, error) {
	var entries map[string]map[string]shardEntry
	if err := json.Unmarshal(data, &entries); err != nil {
		var misplaced *json.UnmarshalTypeError
		if errors.As(err, &misplaced) { // whose words are Go's
			return nil, fmt.Errorf(`shard map: it must be {"keyspace": {"shard": {...}}}, but has a misplaced %s`, misplaced.Value)
		}
		return nil, fmt.Errorf("shard map: broken JSON: %w", err)
	}
	names := make(map[string][]string, len(entries))
	for keyspace, shards := range entries {
		var serving []key.Shard
		for name, entry := range shards {
			if !entry.serves() {
				continue
			}
			shard, err := key.ParseShard(name)
			if err != nil {
				return nil, fmt.Errorf("shard map: keyspace %s: shard %q: %w", keyspace, name, err)
			}
			serving = append(serving, shard)
		}
		if len(serving) == 0 {
			return nil, fmt.Errorf("shard map: keyspace %s has no shard that serves", keyspace)
		}
		slices.SortFunc(serving, func(a, b key.Shard) int { return bytes.Compare(a.Range.Start, b.Range.Start) })
		for _, shard := range serving {
			names[keyspace] = append(names[keyspace], shard.Name)
		}
	}
	return names, nil
}
