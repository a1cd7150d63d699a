package combo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// layout gives each source its shards and all of them one VSchema.
func (in *input) layout() (map[string][]key.Shard, *vindexes.VSchema, error) {
	shards := map[string][]key.Shard{}
	def := in.rules
	def.Keyspaces = map[string]*vschemapb.Keyspace{}
	for i := range in.sources {
		src := &in.sources[i]
		name := src.keyspace.Name
		names, err := src.shardNames()
		if err != nil {
			return nil, nil, fmt.Errorf("keyspace %s: %w", name, err)
		}
		if shards[name], err = key.ParseShards(names); err != nil {
			return nil, nil, fmt.Errorf("keyspace %s: %w", name, err)
		}
		if src.vschema == nil { // as vttestserver: several shards mean sharded
			src.vschema = &vschemapb.Keyspace{Sharded: len(names) > 1}
		}
		if !src.vschema.Sharded && len(names) > 1 {
			return nil, nil, fmt.Errorf("%s: keyspace %s is to have %d shards but its VSchema does not say \"sharded\": true; add that, or give it 1 shard", src.file(), name, len(names))
		}
		def.Keyspaces[name] = src.vschema
	}
	vs, err := vindexes.Build(def, vindexes.Types())
	if err != nil {
		return nil, nil, in.locate(err)
	}
	for _, from := range slices.Sorted(maps.Keys(vs.RoutingRules)) {
		if err := vs.RoutingRules[from].Error; err != nil {
			return nil, nil, fmt.Errorf("%s: rule for table %s: %w", in.rulesFile, from, err)
		}
	}
	return shards, vs, nil
}

// file is how the VSchema is called in messages.
func (src *source) file() string {
	if src.vschemaFile == "" {
		return "keyspace " + src.keyspace.Name
	}
	return src.vschemaFile
}

// shardNames are the shards' names: those given, or so many even ones.
func (src *source) shardNames() ([]string, error) {
	if len(src.keyspace.ShardNames) > 0 {
		return src.keyspace.ShardNames, nil
	}
	n := src.keyspace.Shards
	if n == 0 {
		n = 1
		if src.vschema.GetSharded() {
			n = 2
		}
	}
	return key.ShardNames(n)
}

// locate says in which file a mistake of the VSchema stands.
func (in *input) locate(err error) error {
	var wrong *vindexes.Error
	if !errors.As(err, &wrong) {
		return err
	}
	for _, src := range in.sources {
		if inner, ok := strings.CutPrefix(wrong.Path, "keyspaces."+src.keyspace.Name+"."); ok {
			return &vindexes.Error{File: src.file(), Path: inner, Message: wrong.Message}
		}
	}
	return wrong
}
