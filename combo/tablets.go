package combo

import (
	"context"
	"sync"
	"time"

	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/combo/gateway"
	"github.com/vitrodb/vitro/combo/topo"
	"github.com/vitrodb/vitro/shardsim"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// tabletTypes are the tablets each shard has. Replica and rdonly tablets read
// the primary's data, as those of vttestserver do.
var tabletTypes = [...]topodatapb.TabletType{topodatapb.TabletType_PRIMARY, topodatapb.TabletType_REPLICA, topodatapb.TabletType_RDONLY}

// topology is the cluster's topology as the gateway sees it: the serving graph
// of topo, with the simulated shards behind it.
type topology struct {
	*topo.Topo
	shards  *shardsim.Cluster
	parser  *sqlparser.Parser
	tablets sync.Map // shardID -> *tablet
}

type shardID struct{ keyspace, shard string }

var _ gateway.Topology = (*topology)(nil)

func newTopology(shards *shardsim.Cluster, parser *sqlparser.Parser) *topology {
	return &topology{Topo: topo.New("zone1"), shards: shards, parser: parser}
}

// add makes a keyspace with its shards and tablets.
func (t *topology) add(keyspace string, shards []key.Shard, now time.Time) error {
	if err := t.AddKeyspace(keyspace, shards); err != nil {
		return err
	}
	for _, shard := range shards {
		sim, err := t.shards.AddShard(keyspace, shard.Name)
		if err != nil {
			return err
		}
		t.tablets.Store(shardID{keyspace, shard.Name}, &tablet{Tablet: sim, parser: t.parser})
		for _, tabletType := range tabletTypes {
			if _, err := t.AddTablet(keyspace, shard.Name, tabletType, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove takes a keyspace away with its shards.
func (t *topology) remove(keyspace string) error {
	shards, err := t.Shards(keyspace)
	if err != nil {
		return err
	}
	if err := t.RemoveKeyspace(keyspace); err != nil {
		return err
	}
	for _, shard := range shards {
		t.tablets.Delete(shardID{keyspace, shard.Name})
		if err := t.shards.RemoveShard(keyspace, shard.Name); err != nil {
			return err
		}
	}
	return nil
}

// Tablet is the server of a shard for a tablet type.
func (t *topology) Tablet(keyspace, shard string, tabletType topodatapb.TabletType) (gateway.Tablet, error) {
	if _, err := t.Serving(keyspace, shard, tabletType); err != nil {
		return nil, err
	}
	found, ok := t.tablets.Load(shardID{keyspace, shard})
	if !ok { // removed a moment ago
		_, err := t.Serving(keyspace, shard, topodatapb.TabletType_UNKNOWN)
		return nil, err
	}
	return found.(*tablet), nil
}

// TabletInfos lists the tablets for SHOW VITESS_TABLETS.
func (t *topology) TabletInfos() []gateway.TabletInfo {
	var infos []gateway.TabletInfo
	for _, tab := range t.Tablets() {
		info := gateway.TabletInfo{
			Cell: tab.Alias.Cell, Keyspace: tab.Keyspace, Shard: tab.Shard, Type: tab.Type,
			State: "NOT_SERVING", Alias: tab.Alias.String(), Hostname: tab.Hostname,
		}
		if tab.Serving {
			info.State = "SERVING"
		}
		if !tab.PrimaryTermStart.IsZero() {
			info.PrimaryTermStartTime = tab.PrimaryTermStart.UTC().Format(time.RFC3339)
		}
		infos = append(infos, info)
	}
	return infos
}

// tablet is a simulated shard as the gateway sees it.
type tablet struct {
	*shardsim.Tablet
	parser *sqlparser.Parser

	mu      sync.Mutex
	version uint64 // of tables; 0: none were converted yet
	tables  []vindexes.TableSchema
}

var _ gateway.Tablet = (*tablet)(nil)

// Connect opens a session on the shard.
func (t *tablet) Connect() gateway.Conn { return &conn{t.Tablet.Connect()} }

// Schema is the shard's tables in the VSchema's words.
func (t *tablet) Schema() ([]vindexes.TableSchema, uint64) {
	seen, version := t.Tablet.Schema()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tables == nil || t.version != version {
		t.tables, t.version = convertSchema(t.parser, t.Keyspace(), seen), version
	}
	return t.tables, version
}

// conn is a session on a shard as the gateway sees it.
type conn struct{ *shardsim.Conn }

var _ gateway.Conn = (*conn)(nil)

// Begin starts a transaction.
func (c *conn) Begin(ctx context.Context, opts gateway.TxOptions) error {
	to := shardsim.TxOptions{ReadOnly: opts.ReadOnly, ConsistentSnapshot: opts.ConsistentSnapshot}
	switch opts.Isolation {
	case "", "REPEATABLE-READ":
		to.Isolation = shardsim.RepeatableRead
	case "READ-COMMITTED":
		to.Isolation = shardsim.ReadCommitted
	case "READ-UNCOMMITTED":
		to.Isolation = shardsim.ReadUncommitted
	case "SERIALIZABLE":
		to.Isolation = shardsim.Serializable
	default:
		return vterrors.VT13001("unknown isolation level " + opts.Isolation)
	}
	return c.Conn.Begin(ctx, to)
}

// CommitPart commits a part of the open transaction.
func (c *conn) CommitPart(ctx context.Context, part gateway.Part, entryTables []string) error {
	return c.Conn.CommitPart(ctx, commitParts[part], entryTables)
}

var commitParts = map[gateway.Part]shardsim.Part{
	gateway.EntriesMade: shardsim.EntriesMade, gateway.RowsChanged: shardsim.RowsChanged,
}

// Warnings are those of the last statement.
func (c *conn) Warnings() []gateway.Warning {
	seen := c.Conn.Warnings()
	if len(seen) == 0 {
		return nil
	}
	warnings := make([]gateway.Warning, len(seen))
	for i, warning := range seen {
		warnings[i] = gateway.Warning(warning)
	}
	return warnings
}
