package sqlengine

import (
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// triggersQuery is SHOW TRIGGERS as a query. LIKE is for the tables' names.
func (s *Session) triggersQuery(show *sqlparser.ShowBasic) string {
	db := s.shard.keyspace
	if show.DbName.NotEmpty() {
		db = show.DbName.String()
	}
	return filtered("select trigger_name as `Trigger`, event_manipulation as `Event`, event_object_table as `Table`, "+
		"action_statement as `Statement`, action_timing as `Timing`, created as `Created`, sql_mode as `sql_mode`, definer as `Definer`, "+
		"character_set_client as `character_set_client`, collation_connection as `collation_connection`, database_collation as `Database Collation` "+
		"from information_schema.triggers where trigger_schema = "+sqltypes.EncodeStringSQL(db), "Table", show.Filter)
}

// proceduresQuery is SHOW PROCEDURE STATUS as a query.
func proceduresQuery(show *sqlparser.ShowBasic) string {
	return filtered("select routine_schema as `Db`, routine_name as `Name`, routine_type as `Type`, definer as `Definer`, "+
		"last_altered as `Modified`, created as `Created`, security_type as `Security_type`, routine_comment as `Comment`, "+
		"character_set_client as `character_set_client`, collation_connection as `collation_connection`, "+
		"database_collation as `Database Collation` from information_schema.routines where routine_type = 'PROCEDURE'", "Name", show.Filter)
}

// filtered adds the filter of a SHOW to its query. LIKE is for one of the columns.
func filtered(query, column string, f *sqlparser.ShowFilter) string {
	text := "select * from (" + query + ") as shown"
	switch {
	case f == nil:
	case f.Like != "":
		text += " where `" + column + "` like " + sqltypes.EncodeStringSQL(f.Like)
	case f.Filter != nil:
		text += " where " + sqlparser.String(f.Filter)
	}
	return text
}

// showCreateProcedure answers SHOW CREATE PROCEDURE.
func (s *Session) showCreateProcedure(name string) (*sqltypes.Result, error) {
	p, ok := s.shard.meta().procedures[strings.ToLower(name)]
	if !ok {
		return nil, s.noProcedure(name)
	}
	return textRows([]string{"Procedure", "sql_mode", "Create Procedure", "character_set_client", "collation_connection", "Database Collation"},
		[][]any{{p.name, p.sqlMode, p.text, "utf8mb4", defaultCollationName, defaultCollationName}}), nil
}

// showCreateTrigger answers SHOW CREATE TRIGGER.
func (s *Session) showCreateTrigger(name string) (*sqltypes.Result, error) {
	for _, t := range s.shard.meta().triggers {
		if strings.EqualFold(t.name, name) {
			return textRows([]string{"Trigger", "sql_mode", "SQL Original Statement", "character_set_client", "collation_connection",
				"Database Collation", "Created"}, [][]any{{t.name, t.sqlMode, t.text(), "utf8mb4", defaultCollationName,
				defaultCollationName, t.created.Format("2006-01-02 15:04:05.00")}}), nil
		}
	}
	return nil, mysqlError(1360, "HY000", "Trigger does not exist")
}
