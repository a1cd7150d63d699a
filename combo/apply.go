package combo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/combo/gateway"
	"github.com/vitrodb/vitro/shardsim"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// applyScripts runs the scripts of all keyspaces in order: on each shard, but
// ALTER VSCHEMA at a gateway that lets anyone change the VSchema. It gives the
// VSchema as it is then.
func (c *Cluster) applyScripts(ctx context.Context, in *input, vs *vindexes.VSchema) (*vindexes.VSchema, error) {
	loader, err := gateway.New(gateway.Config{Topology: c.topology, VSchema: vs, VSchemaDDLUsers: "%"})
	if err != nil {
		return nil, err
	}
	for _, src := range in.sources {
		for _, script := range src.scripts {
			if script.alterVSchema {
				err = runAtGateway(ctx, loader, src.keyspace.Name, script.statements)
			} else {
				err = c.runOnShards(ctx, src.keyspace.Name, script.statements)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	vs = loader.VSchema()
	if err := c.fillSequences(ctx, vs); err != nil {
		return nil, err
	}
	return vs, nil
}

// runOnShards runs a script on each shard of a keyspace in one transaction.
func (c *Cluster) runOnShards(ctx context.Context, keyspace string, statements []statement) error {
	shards, err := c.topology.Shards(keyspace)
	if err != nil {
		return err
	}
	for _, shard := range shards {
		sim, ok := c.shards.Tablet(keyspace, shard.Name)
		if !ok {
			return fmt.Errorf("keyspace %s has no shard %s", keyspace, shard.Name)
		}
		if err := runOnShard(ctx, sim, statements); err != nil {
			return err
		}
	}
	return nil
}

func runOnShard(ctx context.Context, sim *shardsim.Tablet, statements []statement) error {
	conn := sim.Connect()
	defer conn.Close()
	if err := conn.Begin(ctx, shardsim.TxOptions{}); err != nil {
		return err
	}
	for _, stmt := range statements {
		if _, err := conn.Query(ctx, stmt.sql, nil); err != nil {
			return stmt.failed(err)
		}
	}
	return conn.Commit(ctx)
}

// failed says which statement of a script failed, in one line.
func (s statement) failed(err error) error {
	what := err.Error()
	var coded *sqlerror.SQLError
	if errors.As(err, &coded) {
		what = fmt.Sprintf("error %d (%s): %s", coded.Num, coded.State, coded.Message)
	}
	return &vindexes.Error{File: s.file, Line: s.line, Message: what + ", at: " + oneLine(s.sql)}
}

// runAtGateway runs statements in one session.
func runAtGateway(ctx context.Context, g *gateway.Gateway, keyspace string, statements []statement) error {
	session, err := g.Connect(ctx, gateway.ConnInfo{User: "vitro", Database: keyspace})
	if err != nil {
		return err
	}
	defer session.Close()
	for _, stmt := range statements {
		if err := session.Execute(ctx, stmt.sql, nil, func(*sqltypes.Result) error { return nil }); err != nil {
			return stmt.failed(err)
		}
	}
	return nil
}

// sequenceCache is how many values a gateway takes of a sequence at a time.
const sequenceCache = 1000

// fillSequences gives each sequence table that has no row the row it needs: it
// begins with 1.
func (c *Cluster) fillSequences(ctx context.Context, vs *vindexes.VSchema) error {
	for _, keyspace := range vs.KeyspaceNames() {
		tables := vs.Keyspaces[keyspace].Tables
		for _, name := range slices.Sorted(maps.Keys(tables)) {
			if tables[name].Type != vindexes.TypeSequence {
				continue
			}
			if err := c.fillSequence(ctx, tables[name]); err != nil {
				return fmt.Errorf("make the first row of sequence %s.%s: %w", keyspace, name, err)
			}
		}
	}
	return nil
}

// fillSequence makes one sequence's row on the shard that holds the table. A
// table that does not exist is left to the statements that need it.
func (c *Cluster) fillSequence(ctx context.Context, sequence *vindexes.Table) error {
	keyspace := sequence.Keyspace.Name
	shards, err := c.topology.Shards(keyspace)
	if err != nil {
		return err
	}
	name, err := key.ShardOf(sequence.Pinned, shards)
	if err != nil {
		return err
	}
	sim, ok := c.shards.Tablet(keyspace, name)
	if !ok || !hasTable(sim, sequence.Name.String()) {
		return nil
	}
	conn := sim.Connect()
	defer conn.Close()
	table := sqlparser.String(sequence.Name)
	found, err := conn.Query(ctx, "select id from "+table+" where id = 0", nil)
	if err != nil || len(found.Rows) > 0 {
		return err
	}
	_, err = conn.Query(ctx, "insert into "+table+"(id, next_id, cache) values (0, 1, :cache)",
		map[string]*querypb.BindVariable{"cache": sqltypes.Int64BindVariable(sequenceCache)})
	return err
}

func hasTable(sim *shardsim.Tablet, name string) bool {
	tables, _ := sim.Schema()
	return slices.ContainsFunc(tables, func(t shardsim.TableSchema) bool { return t.Name == name })
}
