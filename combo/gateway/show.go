package gateway

import (
	"context"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// show answers SHOW: about the gateway and the cluster here, about tables by one shard of their keyspace.
func (s *Session) show(ctx context.Context, stmt *sqlparser.Show) (*sqltypes.Result, error) {
	switch show := stmt.Internal.(type) {
	case *sqlparser.ShowBasic:
		return s.showBasic(ctx, show)
	case *sqlparser.ShowCreate:
		return s.showCreate(ctx, show)
	case *sqlparser.ShowGrants:
		return textResult([]string{"Grants for " + s.info.User + "@%"},
			[]string{"GRANT ALL PRIVILEGES ON *.* TO `" + s.info.User + "`@`%` WITH GRANT OPTION"}), nil
	case *sqlparser.ShowTransactionStatus:
		return textResult([]string{"id", "state", "record_time", "participants"}), nil
	case *sqlparser.ShowEngine, *sqlparser.ShowProfile, *sqlparser.ShowCreateUser:
		return s.sendAny(ctx, s.anyKeyspace(), sqlparser.String(stmt))
	default:
		return nil, vterrors.VT12001(strings.ToUpper(sqlparser.String(stmt)))
	}
}

// showBasic answers the SHOWs that list things.
func (s *Session) showBasic(ctx context.Context, show *sqlparser.ShowBasic) (*sqltypes.Result, error) {
	if answer, ok := gatewayShows[show.Command]; ok {
		result, err := answer(s, show)
		if err != nil {
			return nil, err
		}
		return s.filter(result, show.Filter)
	}
	switch show.Command {
	case sqlparser.Warnings, sqlparser.Errors:
		return s.showWarnings(), nil
	case sqlparser.Column, sqlparser.Index:
		return s.showOfTable(ctx, show)
	case sqlparser.Table, sqlparser.TableStatus, sqlparser.Trigger, sqlparser.Events, sqlparser.OpenTable:
		return s.showOfKeyspace(ctx, show)
	case sqlparser.VitessMigrations:
		return textResult([]string{"id", "migration_uuid", "keyspace", "shard", "mysql_schema", "mysql_table", "migration_statement", "migration_status"}), nil
	case sqlparser.GtidExecGlobal, sqlparser.VGtidExecGlobal:
		return nil, vterrors.VT12001("SHOW GLOBAL GTID_EXECUTED")
	default:
		return s.sendAny(ctx, s.anyKeyspace(), "show "+strings.TrimPrefix(sqlparser.String(show), "show "))
	}
}

// showOfTable is SHOW COLUMNS and SHOW INDEX.
func (s *Session) showOfTable(ctx context.Context, show *sqlparser.ShowBasic) (*sqltypes.Result, error) {
	own := *show
	keyspace := show.DbName.String()
	if keyspace == "" {
		keyspace = show.Tbl.Qualifier.String()
	}
	if sqlparser.SystemSchema(keyspace) {
		return s.sendAny(ctx, s.anyKeyspace(), sqlparser.String(&sqlparser.Show{Internal: &own}))
	}
	keyspace, name, err := s.locate(keyspace, show.Tbl.Name.String())
	if err != nil {
		return nil, err
	}
	own.Tbl = sqlparser.NewTableName(name)
	own.DbName = sqlparser.NewIdentifierCS("")
	return s.sendAny(ctx, keyspace, sqlparser.String(&sqlparser.Show{Internal: &own}))
}

// showOfKeyspace is SHOW TABLES and its relatives.
func (s *Session) showOfKeyspace(ctx context.Context, show *sqlparser.ShowBasic) (*sqltypes.Result, error) {
	own := *show
	keyspace := show.DbName.String()
	if sqlparser.SystemSchema(keyspace) {
		return s.sendAny(ctx, s.anyKeyspace(), sqlparser.String(&sqlparser.Show{Internal: &own}))
	}
	if keyspace == "" {
		keyspace = s.keyspace()
	}
	if keyspace == "" {
		return nil, vterrors.VT09005()
	}
	if !s.knows(keyspace) {
		return nil, vterrors.VT05003(keyspace)
	}
	own.DbName = sqlparser.NewIdentifierCS("")
	return s.sendAny(ctx, keyspace, sqlparser.String(&sqlparser.Show{Internal: &own}))
}

// showCreate is SHOW CREATE TABLE and its relatives.
func (s *Session) showCreate(ctx context.Context, show *sqlparser.ShowCreate) (*sqltypes.Result, error) {
	own := *show
	if show.Command == sqlparser.CreateDb {
		name := show.Op.Name.String()
		if !s.knows(name) {
			return nil, vterrors.VT05003(name)
		}
		return s.sendAny(ctx, name, sqlparser.String(&sqlparser.Show{Internal: &own}))
	}
	if sqlparser.SystemSchema(show.Op.Qualifier.String()) {
		return s.sendAny(ctx, s.anyKeyspace(), sqlparser.String(&sqlparser.Show{Internal: &own}))
	}
	keyspace, name, err := s.locate(show.Op.Qualifier.String(), show.Op.Name.String())
	if err != nil {
		return nil, err
	}
	own.Op = sqlparser.NewTableName(name)
	return s.sendAny(ctx, keyspace, sqlparser.String(&sqlparser.Show{Internal: &own}))
}

// describe is DESCRIBE table [column].
func (s *Session) describe(ctx context.Context, stmt *sqlparser.ExplainTab) (*sqltypes.Result, error) {
	show := &sqlparser.ShowBasic{Command: sqlparser.Column, Tbl: stmt.Table}
	if stmt.Wild != "" {
		show.Filter = &sqlparser.ShowFilter{Like: stmt.Wild}
	}
	return s.showOfTable(ctx, show)
}

// locate returns the keyspace and the name of a table, through routing rules. A table nobody knows of is looked for in
// the keyspace named or selected, where the shard will say it is missing.
func (s *Session) locate(keyspace, name string) (string, string, error) {
	if keyspace != "" && !s.knows(keyspace) {
		return "", "", vterrors.VT05003(keyspace)
	}
	if keyspace == "" {
		keyspace = s.keyspace()
	}
	table, err := s.gateway.VSchema().FindRoutedTable(keyspace, name, s.target.TabletType)
	if err == nil && table != nil {
		return table.Keyspace.Name, table.Name.String(), nil
	}
	if vindex, err := s.gateway.VSchema().FindVindex(keyspace, name); err == nil && vindex != nil {
		return "", "", vterrors.VT05004(name)
	}
	if keyspace == "" {
		return "", "", vterrors.VT09005()
	}
	return keyspace, name, nil
}
