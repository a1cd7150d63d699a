package shardsim

import (
	"fmt"
	"sort"
	"sync"

	"github.com/vitrodb/vitro/shardsim/sqlengine"
)

// Config configures a Cluster. The zero value works.
type Config struct {
	// Faults, if not nil, is asked before every statement. See package faults.
	Faults Faults
}

// Cluster is a set of simulated shards that share one SQL engine. It is safe for concurrent use.
type Cluster struct {
	cfg    Config
	engine *sqlengine.Engine

	mu      sync.RWMutex
	tablets map[shardName]*Tablet
}

type shardName struct{ keyspace, shard string }

// New returns a cluster without shards.
func New(cfg Config) *Cluster {
	return &Cluster{cfg: cfg, engine: sqlengine.New(), tablets: make(map[shardName]*Tablet)}
}

// AddShard makes an empty shard. The shard's database is named as its keyspace.
func (c *Cluster) AddShard(keyspace, shard string) (*Tablet, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := shardName{keyspace, shard}
	if _, ok := c.tablets[name]; ok {
		return nil, fmt.Errorf("shard %s/%s exists already", keyspace, shard)
	}
	t := &Tablet{keyspace: keyspace, shard: shard, faults: c.cfg.Faults, db: c.engine.NewShard(keyspace, shard)}
	c.tablets[name] = t
	return t, nil
}

// RemoveShard forgets a shard. Connections that are open to it keep working on the orphaned data.
func (c *Cluster) RemoveShard(keyspace, shard string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := shardName{keyspace, shard}
	t, ok := c.tablets[name]
	if !ok {
		return fmt.Errorf("shard %s/%s does not exist", keyspace, shard)
	}
	t.db.Forget()
	delete(c.tablets, name)
	return nil
}

// Tablet returns the tablet of a shard, or false.
func (c *Cluster) Tablet(keyspace, shard string) (*Tablet, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	t, ok := c.tablets[shardName{keyspace, shard}]
	return t, ok
}

// Tablets returns all tablets in the order of keyspace and shard name.
func (c *Cluster) Tablets() []*Tablet {
	c.mu.RLock()
	defer c.mu.RUnlock()
	all := make([]*Tablet, 0, len(c.tablets))
	for _, t := range c.tablets {
		all = append(all, t)
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].keyspace != all[j].keyspace {
			return all[i].keyspace < all[j].keyspace
		}
		return all[i].shard < all[j].shard
	})
	return all
}

// Close releases the engine. Connections must be closed before.
func (c *Cluster) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tablets = make(map[shardName]*Tablet)
	return c.engine.Close()
}
