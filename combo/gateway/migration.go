package gateway

import (
	"context"
	"slices"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes/key"
)

// submitMigrations makes migrations of a schema change, one for each table, and answers with their uuids. As in Vitess a
// change that fails is a migration that failed, not an error of the statement.
func (s *Session) submitMigrations(ctx context.Context, stmt sqlparser.DDLStatement, sql, keyspace string, shards []string, strategy ddlStrategy) (*sqltypes.Result, error) {
	if strategy.has("declarative") {
		return nil, vterrors.VT12001("declarative migrations")
	}
	result := textResult([]string{"uuid"})
	for _, change := range changesOf(stmt, sql) {
		mold := migration{
			keyspace: keyspace, table: change.table, sql: change.sql, action: onlineAction(stmt), strategy: strategy,
			context:        s.migrationContext(),
			postponeLaunch: strategy.has("postpone-launch"), postponeComplete: strategy.has("postpone-completion"),
		}
		rows := s.gateway.migrations.add(mold, shards, s.gateway.cfg.Now())
		if err := s.runMigrations(ctx, rows); err != nil {
			return nil, err
		}
		result.Rows = append(result.Rows, sqltypes.Row{sqltypes.NewVarChar(rows[0].uuid)})
	}
	return result, nil
}

// tableChange is the part of a schema change that is about one table.
type tableChange struct{ table, sql string }

// changesOf takes a DROP of several tables apart.
func changesOf(stmt sqlparser.DDLStatement, sql string) (changes []tableChange) {
	switch stmt := stmt.(type) {
	case *sqlparser.DropTable:
		for _, name := range stmt.FromTables {
			one := &sqlparser.DropTable{FromTables: sqlparser.TableNames{name}, IfExists: stmt.IfExists}
			changes = append(changes, tableChange{name.Name.String(), sqlparser.String(one)})
		}
		return changes
	case *sqlparser.DropView:
		for _, name := range stmt.FromTables {
			one := &sqlparser.DropView{FromTables: sqlparser.TableNames{name}, IfExists: stmt.IfExists}
			changes = append(changes, tableChange{name.Name.String(), sqlparser.String(one)})
		}
		return changes
	}
	return []tableChange{{stmt.GetTable().Name.String(), sql}}
}

// migrationContext is @@migration_context, or what tells the session.
func (s *Session) migrationContext() string {
	if text, ok := s.vars.own("migration_context"); ok && text != "" {
		return text
	}
	value, _ := s.variable("session_uuid")
	return "vtgate:" + value.text
}

// runMigrations runs those of the rows that nothing postpones, on all their shards. schemaMu is held.
func (s *Session) runMigrations(ctx context.Context, rows []*migration) error {
	g := s.gateway
	byShard := map[string]*migration{}
	var names []string
	for _, m := range rows {
		if m.mayRun() {
			byShard[m.shard] = m
			names = append(names, m.shard)
		}
	}
	if names == nil {
		return nil
	}
	failures := s.eachShard(ctx, rows[0].keyspace, names, rows[0].sql)
	g.migrations.mu.Lock()
	now := g.cfg.Now()
	for i, name := range names {
		m := byShard[name]
		if m.started.IsZero() {
			m.started = now
		}
		m.status, m.message, m.completed = migrationComplete, "", now
		if failures[i] != nil {
			m.status, m.message = migrationFailed, failures[i].Error()
		}
	}
	g.migrations.mu.Unlock()
	g.seqs.clear()
	return g.reload(rows[0].keyspace)
}

// alterMigration is ALTER VITESS_MIGRATION. It affects the rows it changes, one a shard.
func (s *Session) alterMigration(ctx context.Context, stmt *sqlparser.AlterMigration, sql string) (*sqltypes.Result, error) {
	keyspace, err := s.migrationKeyspace(stmt, sql)
	if err != nil {
		return nil, err
	}
	change, known := s.migrationChange(stmt)
	if !known {
		return nil, vterrors.VT12001(sqlparser.String(stmt))
	}
	s.gateway.schemaMu.Lock()
	defer s.gateway.schemaMu.Unlock()
	changed := s.gateway.migrations.change(keyspace, stmt.UUID, change)
	for _, rows := range groupByUUID(changed) {
		if err := s.runMigrations(ctx, rows); err != nil {
			return nil, err
		}
	}
	return &sqltypes.Result{RowsAffected: uint64(len(changed))}, nil
}

// migrationKeyspace plans a statement about migrations, for its errors, and returns the keyspace it is about.
func (s *Session) migrationKeyspace(stmt sqlparser.Statement, sql string) (string, error) {
	plan, err := s.plainPlan(stmt, sql, nil)
	if err != nil {
		return "", err
	}
	send, ok := plan.plan.Instructions.(*engine.Send)
	if !ok {
		return "", vterrors.VT13001("no plan for " + sql)
	}
	return send.Keyspace.Name, nil
}

// showAboutMigrations answers what is asked about how migrations copy rows: here none does.
func (s *Session) showAboutMigrations(stmt sqlparser.Statement, sql string) (*sqltypes.Result, error) {
	keyspace, err := s.migrationKeyspace(stmt, sql)
	if err != nil {
		return nil, err
	}
	switch stmt.(type) {
	case *sqlparser.ShowThrottledApps:
		return textResult([]string{"app", "expire_at", "ratio"}), nil
	case *sqlparser.ShowThrottlerStatus:
		result := textResult([]string{"shard", "enabled", "threshold", "query"})
		names, err := s.shardsOf(keyspace, key.DestinationAllShards{})
		for _, name := range names {
			result.Rows = append(result.Rows, textResult(make([]string, 4), []string{name, "0", "0", ""}).Rows...)
		}
		return result, err
	}
	return nil, vterrors.VT12001("SHOW VITESS_MIGRATION ... LOGS")
}

// migrationChange is what a statement does to a row; it answers whether the row was changed. Statements about all migrations
// have no uuid.
func (s *Session) migrationChange(stmt *sqlparser.AlterMigration) (change func(*migration) bool, known bool) {
	now := s.gateway.cfg.Now()
	switch stmt.Type {
	case sqlparser.LaunchMigrationType, sqlparser.LaunchAllMigrationType:
		return func(m *migration) bool {
			did := m.pending() && m.postponeLaunch && isOneOf(m.shard, stmt.Shards)
			m.postponeLaunch = m.postponeLaunch && !did
			return did
		}, true
	case sqlparser.CompleteMigrationType, sqlparser.CompleteAllMigrationType:
		return func(m *migration) bool {
			did := m.pending() && m.postponeComplete
			m.postponeComplete = m.postponeComplete && !did
			return did
		}, true
	case sqlparser.PostponeCompleteMigrationType, sqlparser.PostponeCompleteAllMigrationType:
		return func(m *migration) bool {
			did := m.pending() && !m.postponeComplete
			m.postponeComplete = m.postponeComplete || did
			return did
		}, true
	case sqlparser.CancelMigrationType, sqlparser.CancelAllMigrationType:
		return func(m *migration) bool {
			did := m.pending()
			if did {
				m.status, m.message, m.cancelled = migrationCancelled, "CANCEL issued by user", now
			}
			return did
		}, true
	case sqlparser.RetryMigrationType:
		return func(m *migration) bool {
			did := m.status == migrationFailed || m.status == migrationCancelled
			if did {
				m.status, m.message = migrationQueued, ""
				m.retries++
			}
			return did
		}, true
	case sqlparser.CleanupMigrationType, sqlparser.CleanupAllMigrationType:
		return func(m *migration) bool {
			did := !m.pending() && m.cleaned.IsZero()
			if did {
				m.cleaned = now
			}
			return did
		}, true
	case sqlparser.ForceCutOverMigrationType, sqlparser.ForceCutOverAllMigrationType, sqlparser.SetCutOverThresholdMigrationType:
		return (*migration).pending, true // there is no cut-over to hurry
	}
	return nil, false
}

// isOneOf reports whether a shard is in a list with commas; an empty list names all.
func isOneOf(shard, list string) bool {
	if list == "" {
		return true
	}
	return slices.ContainsFunc(strings.Split(list, ","), func(name string) bool { return strings.TrimSpace(name) == shard })
}

// groupByUUID puts the rows of each migration together, in their order.
func groupByUUID(rows []*migration) (groups [][]*migration) {
	for i, m := range rows {
		if i == 0 || m.uuid != rows[i-1].uuid {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], m)
	}
	return groups
}
