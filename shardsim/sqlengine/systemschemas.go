package sqlengine

import (
	"sort"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// The schemas mysql, performance_schema and sys have what clients and tools ask of them: who there is, which variables are
// set, which version this is. Their tables are read only.
type systemSchema struct {
	name   string
	tables map[string]systemTable
}

// systemTable is a table made when it is read.
type systemTable struct {
	columns []string // all texts
	rows    func(s *sqlSession) [][]string
}

var systemSchemas = map[string]systemSchema{
	"mysql": {"mysql", map[string]systemTable{
		"user":               {[]string{"Host", "User", "plugin", "account_locked", "Select_priv", "Super_priv"}, fixedRows([]string{"localhost", "root", "caching_sha2_password", "N", "Y", "Y"})},
		"db":                 {[]string{"Host", "Db", "User"}, fixedRows()},
		"tables_priv":        {[]string{"Host", "Db", "User", "Table_name"}, fixedRows()},
		"columns_priv":       {[]string{"Host", "Db", "User", "Table_name", "Column_name"}, fixedRows()},
		"procs_priv":         {[]string{"Host", "Db", "User", "Routine_name"}, fixedRows()},
		"role_edges":         {[]string{"FROM_HOST", "FROM_USER", "TO_HOST", "TO_USER"}, fixedRows()},
		"default_roles":      {[]string{"HOST", "USER", "DEFAULT_ROLE_HOST", "DEFAULT_ROLE_USER"}, fixedRows()},
		"time_zone_name":     {[]string{"Name", "Time_zone_id"}, fixedRows()},
		"plugin":             {[]string{"name", "dl"}, fixedRows()},
		"general_log":        {[]string{"event_time", "user_host", "argument"}, fixedRows()},
		"slow_log":           {[]string{"start_time", "user_host", "sql_text"}, fixedRows()},
		"engine_cost":        {[]string{"engine_name", "cost_name", "cost_value"}, fixedRows()},
		"server_cost":        {[]string{"cost_name", "cost_value"}, fixedRows()},
		"gtid_executed":      {[]string{"source_uuid", "interval_start", "interval_end"}, fixedRows()},
		"help_topic":         {[]string{"help_topic_id", "name"}, fixedRows()},
		"component":          {[]string{"component_id", "component_urn"}, fixedRows()},
		"innodb_table_stats": {[]string{"database_name", "table_name", "n_rows"}, fixedRows()},
		"innodb_index_stats": {[]string{"database_name", "table_name", "index_name"}, fixedRows()},
	}},
	"performance_schema": {"performance_schema", map[string]systemTable{
		"global_variables":                    {[]string{"VARIABLE_NAME", "VARIABLE_VALUE"}, variableRows},
		"session_variables":                   {[]string{"VARIABLE_NAME", "VARIABLE_VALUE"}, variableRows},
		"global_status":                       {[]string{"VARIABLE_NAME", "VARIABLE_VALUE"}, fixedRows()},
		"session_status":                      {[]string{"VARIABLE_NAME", "VARIABLE_VALUE"}, fixedRows()},
		"error_log":                           {[]string{"LOGGED", "THREAD_ID", "PRIO", "ERROR_CODE", "SUBSYSTEM", "DATA"}, fixedRows()},
		"threads":                             {[]string{"THREAD_ID", "NAME", "TYPE", "PROCESSLIST_ID"}, fixedRows()},
		"processlist":                         {[]string{"ID", "USER", "HOST", "DB", "COMMAND", "TIME", "STATE", "INFO"}, fixedRows()},
		"metadata_locks":                      {[]string{"OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME"}, fixedRows()},
		"data_locks":                          {[]string{"ENGINE", "OBJECT_SCHEMA", "OBJECT_NAME", "LOCK_MODE"}, fixedRows()},
		"events_statements_summary_by_digest": {[]string{"SCHEMA_NAME", "DIGEST", "DIGEST_TEXT", "COUNT_STAR"}, fixedRows()},
		"user_defined_functions":              {[]string{"UDF_NAME", "UDF_RETURN_TYPE"}, fixedRows()},
		"keyring_component_status":            {[]string{"STATUS_KEY", "STATUS_VALUE"}, fixedRows()},
	}},
	"sys": {"sys", map[string]systemTable{
		"version":    {[]string{"sys_version", "mysql_version"}, fixedRows([]string{"2.1.3", serverVersion})},
		"sys_config": {[]string{"variable", "value", "set_time", "set_by"}, fixedRows()},
	}},
}

func fixedRows(rows ...[]string) func(*sqlSession) [][]string {
	return func(*sqlSession) [][]string { return rows }
}

func variableRows(s *sqlSession) [][]string {
	var rows [][]string
	for name, v := range s.GetAllSessionVariables() {
		rows = append(rows, []string{name, shownText(v)})
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i][0] < rows[j][0] })
	return rows
}

var _ sql.Database = systemSchema{}

func (d systemSchema) Name() string { return d.name }

func (d systemSchema) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	t, ok := d.tables[strings.ToLower(name)]
	if !ok {
		return nil, false, nil
	}
	return &systemTableReader{schema: d.name, name: strings.ToLower(name), table: t}, true, nil
}

func (d systemSchema) GetTableNames(*sql.Context) ([]string, error) {
	var names []string
	for name := range d.tables {
		names = append(names, name)
	}
	sort.Strings(names)
	return names, nil
}

// systemTableReader is a systemTable in the engine's terms.
type systemTableReader struct {
	schema, name string
	table        systemTable
}

var _ sql.Table = (*systemTableReader)(nil)

func (t *systemTableReader) Name() string               { return t.name }
func (t *systemTableReader) String() string             { return t.name }
func (t *systemTableReader) Collation() sql.CollationID { return defaultCollation }

func (t *systemTableReader) Schema() sql.Schema {
	schema := make(sql.Schema, len(t.table.columns))
	for i, name := range t.table.columns {
		schema[i] = &sql.Column{Name: name, Type: types.CreateLongText(defaultCollation), Nullable: true, Source: t.name, DatabaseSource: t.schema}
	}
	return schema
}

func (t *systemTableReader) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return &partitionIter{part: &partition{}}, nil
}

func (t *systemTableReader) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	var rows []sql.Row
	for _, texts := range t.table.rows(fromContext(ctx)) {
		row := make(sql.Row, len(texts))
		for i, text := range texts {
			row[i] = text
		}
		rows = append(rows, row)
	}
	return sql.RowsToRowIter(rows...), nil
}
