package topo

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes/key"
)

// Tablet is one server of a shard.
type Tablet struct {
	Alias           key.TabletAlias
	Keyspace, Shard string
	Type            topodatapb.TabletType
	Serving         bool
	Hostname        string
	// PrimaryTermStart is when it became primary; zero: it is none.
	PrimaryTermStart time.Time
}

// Topo is the topology. It is safe for concurrent use.
type Topo struct {
	cell string

	writes  sync.Mutex // held while a new version is made
	current atomic.Pointer[version]
}

// version is one state of the topology. It never changes.
type version struct {
	number    uint64
	keyspaces map[string][]key.Shard
	names     []string // of the keyspaces, sorted
	tablets   []Tablet // in the order they were added
	serving   map[place]Tablet
	changed   chan struct{} // closed when the next version is there
}

// place is what a query is sent to.
type place struct {
	keyspace, shard string
	tabletType      topodatapb.TabletType
}

// New makes an empty topology of one cell.
func New(cell string) *Topo {
	t := &Topo{cell: cell}
	t.current.Store(&version{changed: make(chan struct{})})
	return t
}

// Cell is the name of the cell all tablets are in.
func (t *Topo) Cell() string { return t.cell }

// Keyspaces lists the keyspaces, sorted. The list is the caller's to read only.
func (t *Topo) Keyspaces() []string { return t.current.Load().names }

// Shards lists a keyspace's shards in the order of their ranges; VT05003 for a
// keyspace that does not exist. The list is the caller's to read only.
func (t *Topo) Shards(keyspace string) ([]key.Shard, error) {
	shards, ok := t.current.Load().keyspaces[keyspace]
	if !ok {
		return nil, vterrors.VT05003(keyspace)
	}
	return shards, nil
}

// Tablets lists all tablets by keyspace, shard and alias.
func (t *Topo) Tablets() []Tablet {
	tablets := slices.Clone(t.current.Load().tablets)
	slices.SortStableFunc(tablets, func(a, b Tablet) int {
		return cmp.Or(cmp.Compare(a.Keyspace, b.Keyspace), cmp.Compare(a.Alias.UID, b.Alias.UID))
	})
	return tablets
}

// Serving is the tablet that serves a shard for a tablet type. UNAVAILABLE
// where none does.
func (t *Topo) Serving(keyspace, shard string, tabletType topodatapb.TabletType) (Tablet, error) {
	tablet, ok := t.current.Load().serving[place{keyspace, shard, tabletType}]
	if !ok {
		return Tablet{}, vterrors.Errorf(vtrpcpb.Code_UNAVAILABLE,
			"target: %s.%s.%s: no healthy tablet available for the shard", keyspace, shard, key.TabletTypeName(tabletType))
	}
	return tablet, nil
}

// Watch gives the number of the present version, and a channel that is closed
// when there is a newer one.
func (t *Topo) Watch() (number uint64, changed <-chan struct{}) {
	v := t.current.Load()
	return v.number, v.changed
}

// AddKeyspace adds a keyspace with its shards, which must cover the key space
// once, as key.ParseShards checks. VT06001 where it exists.
func (t *Topo) AddKeyspace(name string, shards []key.Shard) error {
	return t.change(func(next *version) error {
		if _, taken := next.keyspaces[name]; taken {
			return vterrors.VT06001(name)
		}
		next.keyspaces[name] = slices.Clone(shards)
		return nil
	})
}

// RemoveKeyspace removes a keyspace with its tablets. VT05001 where there is
// none.
func (t *Topo) RemoveKeyspace(name string) error {
	return t.change(func(next *version) error {
		if _, ok := next.keyspaces[name]; !ok {
			return vterrors.VT05001(name)
		}
		delete(next.keyspaces, name)
		next.tablets = slices.DeleteFunc(next.tablets, func(tablet Tablet) bool { return tablet.Keyspace == name })
		return nil
	})
}

// AddTablet adds a tablet to a shard; it is given an alias in the cell and
// serves at once if no other tablet of its type does. A primary's term starts
// at the time given.
func (t *Topo) AddTablet(keyspace, shard string, tabletType topodatapb.TabletType, now time.Time) (Tablet, error) {
	tablet := Tablet{Keyspace: keyspace, Shard: shard, Type: tabletType, Serving: true, Hostname: "localhost"}
	err := t.change(func(next *version) error {
		if !slices.ContainsFunc(next.keyspaces[keyspace], func(s key.Shard) bool { return s.Name == shard }) {
			return fmt.Errorf("add a tablet to %s/%s: there is no such shard", keyspace, shard)
		}
		tablet.Alias = key.TabletAlias{Cell: t.cell, UID: nextUID(next.tablets, keyspace, shard)}
		if tabletType == topodatapb.TabletType_PRIMARY {
			tablet.PrimaryTermStart = now
		}
		next.tablets = append(next.tablets, tablet)
		return nil
	})
	return tablet, err
}

// uidsPerShard is how far apart the numbers of two shards' tablets begin, as
// in Vitess's examples: 100, 101, ... and 200, 201, ...
const uidsPerShard = 100

// nextUID is the number of a shard's next tablet.
func nextUID(tablets []Tablet, keyspace, shard string) uint32 {
	last, lastOfShard := uint32(0), uint32(0)
	for _, tablet := range tablets {
		last = max(last, tablet.Alias.UID)
		if tablet.Keyspace == keyspace && tablet.Shard == shard {
			lastOfShard = max(lastOfShard, tablet.Alias.UID)
		}
	}
	if lastOfShard > 0 {
		return lastOfShard + 1
	}
	return (last/uidsPerShard + 1) * uidsPerShard
}

// SetServing makes a tablet serve or not.
func (t *Topo) SetServing(alias key.TabletAlias, serving bool) error {
	return t.change(func(next *version) error {
		i := slices.IndexFunc(next.tablets, func(tablet Tablet) bool { return tablet.Alias == alias })
		if i < 0 {
			return fmt.Errorf("there is no tablet %s", alias)
		}
		next.tablets[i].Serving = serving
		return nil
	})
}

// change makes a new version of a copy that edit has changed. An error leaves
// everything as it is.
func (t *Topo) change(edit func(next *version) error) error {
	t.writes.Lock()
	defer t.writes.Unlock()
	old := t.current.Load()
	next := &version{
		number: old.number + 1, keyspaces: maps.Clone(old.keyspaces), tablets: slices.Clone(old.tablets),
		changed: make(chan struct{}),
	}
	if next.keyspaces == nil {
		next.keyspaces = map[string][]key.Shard{}
	}
	if err := edit(next); err != nil {
		return err
	}
	next.names = slices.Sorted(maps.Keys(next.keyspaces))
	next.serving = map[place]Tablet{}
	for _, tablet := range next.tablets {
		where := place{tablet.Keyspace, tablet.Shard, tablet.Type}
		if _, taken := next.serving[where]; !taken && tablet.Serving {
			next.serving[where] = tablet
		}
	}
	t.current.Store(next)
	close(old.changed)
	return nil
}
