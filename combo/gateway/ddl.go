package gateway

import (
	"cmp"
	"context"

	"golang.org/x/sync/errgroup"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// ddl runs a schema change on all shards of a keyspace, or on the shards the session targets, and brings the VSchema up to
// what the shards have then. As in MySQL it commits the open transaction first.
func (s *Session) ddl(ctx context.Context, stmt sqlparser.DDLStatement) error {
	if stmt.IsTemporary() {
		return vterrors.VT12001("CREATE TEMPORARY TABLE")
	}
	keyspace, err := s.ddlKeyspace(stmt)
	if err != nil {
		return err
	}
	if err := s.commit(ctx); err != nil {
		return err
	}
	dest := s.target.Destination
	if dest == nil || keyspace != s.keyspace() {
		dest = key.DestinationAllShards{}
	}
	names, err := s.shardsOf(keyspace, dest)
	if err != nil {
		return err
	}
	g := s.gateway
	g.schemaMu.Lock()
	defer g.schemaMu.Unlock()
	sql := sqlparser.String(stmt)
	var group errgroup.Group
	group.SetLimit(engine.DefaultFanOutMax)
	// All shards run to their end: stopping some would leave more of them different.
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
	err = group.Wait()
	g.seqs.clear()
	if reloadErr := g.reload(keyspace); err == nil {
		err = reloadErr
	}
	return err
}

// ddlKeyspace finds the one keyspace a schema change is about and takes it out of the table names.
func (s *Session) ddlKeyspace(stmt sqlparser.DDLStatement) (string, error) {
	found := ""
	strip := func(name sqlparser.TableName) (sqlparser.TableName, error) {
		keyspace := name.Qualifier.String()
		if keyspace == "" {
			// What a table refers to is in its keyspace.
			keyspace = cmp.Or(found, s.keyspace())
		}
		if keyspace == "" {
			// A table of that name may be known in one keyspace alone.
			if table, err := s.gateway.VSchema().FindRoutedTable("", name.Name.String(), s.target.TabletType); err == nil && table != nil {
				keyspace = table.Keyspace.Name
			}
		}
		if keyspace == "" {
			return name, vterrors.VT09005()
		}
		if found != "" && found != keyspace {
			return name, vterrors.VT12001("Tables or Views specified in the query do not belong to the same destination")
		}
		found = keyspace
		return sqlparser.NewTableName(name.Name.String()), nil
	}
	var failure error
	sqlparser.SafeRewrite(stmt, nil, func(cursor *sqlparser.Cursor) bool {
		name, ok := cursor.Node().(sqlparser.TableName)
		if !ok || name.IsEmpty() || isColumnQualifier(cursor.Parent()) {
			return true
		}
		bare, err := strip(name)
		if err != nil {
			failure = err
			return false
		}
		cursor.Replace(bare)
		return true
	})
	if failure != nil {
		return "", failure
	}
	if found == "" {
		found = s.keyspace()
	}
	switch {
	case found == "":
		return "", vterrors.VT09005()
	case sqlparser.SystemSchema(found):
		return "", sqlerror.NewSQLErrorf(sqlerror.ERDBAccessDenied, sqlerror.SSClientError,
			"Access denied for user '%s'@'%%' to database '%s'", s.info.User, found)
	case !s.knows(found):
		return "", vterrors.VT05003(found)
	}
	return found, nil
}

// isColumnQualifier reports whether a table name only qualifies a column, as aliases do.
func isColumnQualifier(parent sqlparser.SQLNode) bool {
	switch parent.(type) {
	case *sqlparser.ColName, *sqlparser.StarExpr:
		return true
	default:
		return false
	}
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

// createKeyspace is CREATE DATABASE.
func (s *Session) createKeyspace(ctx context.Context, stmt *sqlparser.CreateDatabase) error {
	name := stmt.DBName.String()
	if s.knows(name) {
		if stmt.IfNotExists {
			return nil
		}
		return vterrors.VT06001(name)
	}
	return s.changeKeyspaces(ctx, s.gateway.cfg.CreateKeyspace, name, "CREATE DATABASE")
}

// dropKeyspace is DROP DATABASE.
func (s *Session) dropKeyspace(ctx context.Context, stmt *sqlparser.DropDatabase) error {
	name := stmt.DBName.String()
	if !s.knows(name) {
		if stmt.IfExists {
			return nil
		}
		return vterrors.VT05001(name)
	}
	return s.changeKeyspaces(ctx, s.gateway.cfg.DropKeyspace, name, "DROP DATABASE")
}

func (s *Session) changeKeyspaces(ctx context.Context, change func(string) (*vindexes.VSchema, error), name, what string) error {
	if change == nil {
		return vterrors.VT12001(what)
	}
	if err := s.commit(ctx); err != nil {
		return err
	}
	g := s.gateway
	g.schemaMu.Lock()
	defer g.schemaMu.Unlock()
	vs, err := change(name)
	if err != nil {
		return err
	}
	g.SetVSchema(vs)
	return nil
}
