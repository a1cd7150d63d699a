package gateway

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
)

// ddl runs a schema change on all shards of a keyspace, or on the shards the session targets, and brings the VSchema up to
// what the shards have then. As in MySQL it commits the open transaction first.
//
// Under an online @@ddl_strategy it is a migration, whose uuid is the result.
func (s *Session) ddl(ctx context.Context, stmt sqlparser.DDLStatement, sql string) (*sqltypes.Result, error) {
	plan, err := s.plainPlan(stmt, sql, nil)
	if err != nil {
		return nil, err
	}
	send, ok := plan.plan.Instructions.(*engine.Send)
	ddl, isDDL := plan.plan.Instructions.(*engine.DDL)
	if isDDL {
		send, ok = ddl.NormalDDL, true
	}
	if !ok {
		return nil, vterrors.VT13001("no plan for " + sql)
	}
	keyspace := send.Keyspace.Name
	names, err := s.shardsOf(keyspace, send.TargetDestination)
	if err != nil {
		return nil, err
	}
	if stmt.IsTemporary() {
		err := s.temporaryDDL(ctx, keyspace, names, send.Query)
		for _, warning := range plan.plan.Warnings {
			s.Warn(warning)
		}
		return &sqltypes.Result{}, err
	}
	value, _ := s.variable("ddl_strategy")
	strategy, err := parseDDLStrategy(value.text)
	if err != nil {
		return nil, err
	}
	if err := s.commit(ctx); err != nil {
		return nil, err
	}
	g := s.gateway
	g.schemaMu.Lock()
	defer g.schemaMu.Unlock()
	if isDDL && strategy.name != "direct" && onlineAction(stmt) != "" {
		return s.submitMigrations(ctx, stmt, send.Query, keyspace, names, strategy)
	}
	err = s.onAllShards(ctx, keyspace, names, send.Query)
	g.seqs.clear()
	if reloadErr := g.reload(keyspace); err == nil {
		err = reloadErr
	}
	return &sqltypes.Result{}, err
}

// onAllShards runs a statement on shards of a keyspace. The error is that of the first shard that failed; a warning names the
// shards that are changed nevertheless.
func (s *Session) onAllShards(ctx context.Context, keyspace string, names []string, sql string) (failure error) {
	var changed []string
	for i, err := range s.eachShard(ctx, keyspace, names, sql) {
		switch {
		case err == nil:
			changed = append(changed, names[i])
		case failure == nil:
			failure = err
		}
	}
	if failure != nil && changed != nil {
		s.warn(Warning{Level: "Warning", Code: 1105, Message: fmt.Sprintf("schema change failed after changing %d shards: %s",
			len(changed), strings.Join(changed, ", "))})
	}
	return failure
}

// eachShard runs a statement on shards of a keyspace and returns what became of it on each. All run to their end: stopping some
// would leave more of them different. The warnings are those of the first shard, as the others say the same.
func (s *Session) eachShard(ctx context.Context, keyspace string, names []string, sql string) []error {
	failures := make([]error, len(names))
	var group errgroup.Group
	group.SetLimit(engine.DefaultFanOutMax)
	for i, name := range names {
		group.Go(func() error {
			shard := engine.Shard{Keyspace: keyspace, Name: name}
			conn, err := s.connect(shard)
			if err != nil {
				failures[i] = err
				return nil
			}
			defer conn.Close()
			_, err = conn.Query(ctx, sql, nil)
			if i == 0 {
				s.noteWarnings(conn)
			}
			failures[i] = s.shardError(shard, err)
			return nil
		})
	}
	_ = group.Wait() // the functions return no errors
	return failures
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
