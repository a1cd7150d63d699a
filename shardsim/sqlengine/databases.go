package sqlengine

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// databases are the shards in use, in the order of keyspace and name. They are what information_schema describes: one
// database a keyspace, as if all were on one server.
type databases struct {
	mu     sync.RWMutex
	shards []*Shard
}

// byDatabase compares shards by keyspace, then by name.
func byDatabase(a, b *Shard) int {
	return cmp.Or(strings.Compare(a.keyspace, b.keyspace), strings.Compare(a.name, b.name))
}

func (d *databases) add(s *Shard) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, _ := slices.BinarySearchFunc(d.shards, s, byDatabase)
	d.shards = slices.Insert(d.shards, at, s)
}

func (d *databases) remove(s *Shard) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shards = slices.DeleteFunc(d.shards, func(x *Shard) bool { return x == s })
}

// Forget takes the shard's database out of what other shards list. Its sessions keep working.
func (s *Shard) Forget() { s.engine.databases.remove(s) }

// described returns the shards that stand for the keyspaces in what s says of databases: s for its own, the first one for
// each other.
func (s *Shard) described() []*Shard {
	d := &s.engine.databases
	d.mu.RLock()
	defer d.mu.RUnlock()
	var all []*Shard
	own := false
	for _, shard := range d.shards {
		if shard.keyspace == s.keyspace {
			shard, own = s, true
		}
		if len(all) == 0 || all[len(all)-1].keyspace != shard.keyspace {
			all = append(all, shard)
		}
	}
	if !own { // forgotten
		all = append(all, s)
	}
	return all
}

// describedAs returns the shard that stands for a database by its name, or nil.
func (s *Shard) describedAs(database string) *Shard {
	for _, shard := range s.described() {
		if strings.EqualFold(shard.keyspace, database) {
			return shard
		}
	}
	return nil
}
