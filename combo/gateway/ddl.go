package gateway

import (
	"context"

	"golang.org/x/sync/errgroup"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
)

// ddl runs a schema change on all shards of a keyspace, or on the shards the session targets, and brings the VSchema up to
// what the shards have then. As in MySQL it commits the open transaction first.
func (s *Session) ddl(ctx context.Context, stmt sqlparser.DDLStatement, sql string) error {
	plan, err := s.plainPlan(stmt, sql, nil)
	if err != nil {
		return err
	}
	send, ok := plan.plan.Instructions.(*engine.Send)
	if ddl, isDDL := plan.plan.Instructions.(*engine.DDL); isDDL {
		send, ok = ddl.NormalDDL, true
	}
	if !ok {
		return vterrors.VT13001("no plan for " + sql)
	}
	keyspace := send.Keyspace.Name
	names, err := s.shardsOf(keyspace, send.TargetDestination)
	if err != nil {
		return err
	}
	if stmt.IsTemporary() {
		return s.temporaryDDL(ctx, keyspace, names, send.Query)
	}
	if err := s.commit(ctx); err != nil {
		return err
	}
	g := s.gateway
	g.schemaMu.Lock()
	defer g.schemaMu.Unlock()
	err = s.onAllShards(ctx, keyspace, names, send.Query)
	g.seqs.clear()
	if reloadErr := g.reload(keyspace); err == nil {
		err = reloadErr
	}
	return err
}

// onAllShards runs a statement on shards of a keyspace. All run to their end: stopping some would leave more of them different.
func (s *Session) onAllShards(ctx context.Context, keyspace string, names []string, sql string) error {
	var group errgroup.Group
	group.SetLimit(engine.DefaultFanOutMax)
	for _, name := range names {
		group.Go(func() error {
			shard := engine.Shard{Keyspace: keyspace, Name: name}
			conn, err := s.connect(shard)
			if err != nil {
				return err
			}
			defer conn.Close()
			_, err = conn.Query(ctx, sql, nil)
			s.noteWarnings(conn)
			return s.shardError(shard, err)
		})
	}
	return group.Wait()
}

// reload brings the VSchema up to the tables the first shard of a keyspace has. schemaMu is held.
func (g *Gateway) reload(keyspace string) error {
	shards, err := g.cfg.Topology.Shards(keyspace)
	if err != nil || len(shards) == 0 {
		return err
	}
	tablet, err := g.cfg.Topology.Tablet(keyspace, shards[0].Name, primaryType)
	if err != nil {
		return err
	}
	tables, _ := tablet.Schema()
	g.SetVSchema(g.VSchema().WithTables(keyspace, tables))
	return nil
}

// ReloadSchema brings the VSchema up to the tables that the shards have, for all keyspaces.
func (g *Gateway) ReloadSchema() error {
	g.schemaMu.Lock()
	defer g.schemaMu.Unlock()
	for _, keyspace := range g.cfg.Topology.Keyspaces() {
		if err := g.reload(keyspace); err != nil {
			return err
		}
	}
	return nil
}

// changeKeyspaces is CREATE DATABASE and DROP DATABASE, where the cluster can make and remove keyspaces.
func (s *Session) changeKeyspaces(ctx context.Context, p *engine.DBDDL) error {
	change, what := s.gateway.cfg.DropKeyspace, "DROP DATABASE"
	if p.Create {
		change, what = s.gateway.cfg.CreateKeyspace, "CREATE DATABASE"
	}
	if change == nil {
		return vterrors.VT12001(what)
	}
	if err := s.commit(ctx); err != nil {
		return err
	}
	g := s.gateway
	g.schemaMu.Lock()
	defer g.schemaMu.Unlock()
	vs, err := change(p.Name)
	if err != nil {
		return err
	}
	g.SetVSchema(vs)
	if !p.Create && s.target.Keyspace == p.Name {
		return s.use("") // as in MySQL none is selected then
	}
	return nil
}
