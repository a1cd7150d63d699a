package sqlengine

import (
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
)

// informationRow is a row of a table of information_schema: values by column name in lower case, NULL for what is left out.
type informationRow map[string]any

// informationTables are the tables whose rows the engine gives otherwise than MySQL 8.4, or not at all. information_schema
// columns and statistics correct the engine's rows: see informationcolumns.go.
var informationTables = map[string]func(ctx *sql.Context, s *sqlSession) []informationRow{
	"triggers":    ofDatabases(triggerInformation),
	"routines":    ofDatabases(routineInformation),
	"parameters":  ofDatabases(parameterInformation),
	"views":       ofDatabases(viewInformation),
	"partitions":  ofDatabases(partitionInformation),
	"processlist": processInformation,

	"innodb_temp_table_info": ofDatabases(temporaryInformation),
	"character_sets":         charsetInformation,
	"schemata":               schemaInformation,
	"column_statistics":      func(*sql.Context, *sqlSession) []informationRow { return nil },
}

// ofDatabases puts together what read says of each database.
func ofDatabases(read func(ctx *sql.Context, shard *Shard) []informationRow) func(*sql.Context, *sqlSession) []informationRow {
	return func(ctx *sql.Context, s *sqlSession) []informationRow {
		var rows []informationRow
		for _, shard := range s.shard.described() {
			rows = append(rows, read(ctx, shard)...)
		}
		return rows
	}
}

// definer is who owns triggers, procedures and views: a shard has one user.
const definer = "root@localhost"

// informationTable gives the rows of a table of information_schema.
func (o execOverrides) informationTable(ctx *sql.Context, n *plan.ResolvedTable) (sql.RowIter, error) {
	if n.Database() == nil || !strings.EqualFold(n.Database().Name(), "information_schema") {
		return nil, nil
	}
	name := strings.ToLower(n.Name())
	read, ok := informationTables[name]
	if !ok {
		return o.correctedInformation(ctx, n, name)
	}
	schema := n.Schema()
	var rows []sql.Row
	for _, r := range read(ctx, fromContext(ctx)) {
		row := make(sql.Row, len(schema))
		for i, col := range schema {
			v := r[strings.ToLower(col.Name)]
			if v == nil {
				continue
			}
			conv, _, err := col.Type.Convert(ctx, v)
			if err != nil {
				return nil, err
			}
			row[i] = conv
		}
		rows = append(rows, row)
	}
	return sql.RowsToRowIter(rows...), nil
}

// sessionCharsets are columns that many of the tables have.
func sessionCharsets(r informationRow) informationRow {
	r["character_set_client"], r["collation_connection"], r["database_collation"] = "utf8mb4", defaultCollationName, defaultCollationName
	r["definer"] = definer
	return r
}

// body is the text of a procedure without what comes before.
func (p *procedure) body() string {
	text, ddl := hideStatements(p.text), p.parsed
	from, to := ddl.SubStatementPositionStart, ddl.SubStatementPositionEnd
	if from < 0 || to > len(text) || from >= to {
		return showStatements(text)
	}
	// The parser has SET begin after its first word.
	if before := strings.TrimRight(text[:from], " \t\r\n"); strings.HasSuffix(strings.ToLower(before), "set") {
		from = len(before) - len("set")
	}
	return showStatements(strings.TrimSpace(text[from:to]))
}

func triggerInformation(_ *sql.Context, shard *Shard) []informationRow {
	db := shard.keyspace
	var rows []informationRow
	triggers := shard.meta().triggers
	for i, t := range triggers {
		order := 1
		for _, o := range triggers[:i] {
			if t.sameKind(o) {
				order++
			}
		}
		r := sessionCharsets(informationRow{
			"trigger_catalog": "def", "trigger_schema": db, "trigger_name": t.name, "event_manipulation": strings.ToUpper(t.event),
			"event_object_catalog": "def", "event_object_schema": db, "event_object_table": t.table, "action_order": order,
			"action_statement": t.statement, "action_orientation": "ROW", "action_timing": strings.ToUpper(t.time),
			"action_reference_old_row": "OLD", "action_reference_new_row": "NEW",
			"created": t.created.Truncate(10 * time.Millisecond), "sql_mode": t.sqlMode,
		})
		r["definer"] = strings.ReplaceAll(t.definer, "`", "")
		rows = append(rows, r)
	}
	return rows
}

func routineInformation(_ *sql.Context, shard *Shard) []informationRow {
	var rows []informationRow
	for _, p := range shard.procedures() {
		r := sessionCharsets(informationRow{
			"specific_name": p.name, "routine_catalog": "def", "routine_schema": shard.keyspace, "routine_name": p.name,
			"routine_type": "PROCEDURE", "data_type": "", "routine_body": "SQL", "routine_definition": p.body(),
			"external_language": "SQL", "parameter_style": "SQL", "is_deterministic": "NO", "sql_data_access": "CONTAINS SQL",
			"security_type": "DEFINER", "created": p.created, "last_altered": p.created, "sql_mode": p.sqlMode, "routine_comment": "",
		})
		for _, c := range p.parsed.ProcedureSpec.Characteristics {
			switch c.Type {
			case dolt.CharacteristicValue_Comment:
				r["routine_comment"] = c.Comment
			case dolt.CharacteristicValue_Deterministic:
				r["is_deterministic"] = "YES"
			case dolt.CharacteristicValue_NoSql, dolt.CharacteristicValue_ReadsSqlData, dolt.CharacteristicValue_ModifiesSqlData:
				r["sql_data_access"] = strings.ToUpper(c.String())
			case dolt.CharacteristicValue_SqlSecurityInvoker:
				r["security_type"] = "INVOKER"
			}
		}
		rows = append(rows, r)
	}
	return rows
}

func parameterInformation(_ *sql.Context, shard *Shard) []informationRow {
	var rows []informationRow
	for _, p := range shard.procedures() {
		for n, param := range p.parsed.ProcedureSpec.Params {
			typ, err := variableType(param.Type)
			if err != nil {
				continue
			}
			mode := strings.ToUpper(string(param.Direction))
			if mode == "" {
				mode = "IN"
			}
			r := typeInformation(typ)
			r["specific_catalog"], r["specific_schema"], r["specific_name"] = "def", shard.keyspace, p.name
			r["ordinal_position"], r["parameter_mode"], r["parameter_name"], r["routine_type"] = n+1, mode, param.Name, "PROCEDURE"
			rows = append(rows, r)
		}
	}
	return rows
}

// typeInformation describes a type as PARAMETERS does.
func typeInformation(typ sql.Type) informationRow {
	text, _ := columnTypeText(typ)
	word, _, _ := strings.Cut(text, "(")
	word, _, _ = strings.Cut(word, " ")
	r := informationRow{"data_type": word, "dtd_identifier": text}
	switch t := typ.(type) {
	case sql.StringType:
		r["character_maximum_length"], r["character_octet_length"] = t.Length(), t.MaxByteLength()
		if t.Collation() != sql.Collation_binary {
			r["character_set_name"], r["collation_name"] = "utf8mb4", defaultCollationName
		}
	case sql.DatetimeType:
		if !types.IsDateType(t) {
			r["datetime_precision"] = t.Precision()
		}
	case types.TimeType:
		r["datetime_precision"] = timeDigits(t)
	case sql.NumberType:
		switch {
		case t == types.Float32:
			r["numeric_precision"] = 12
		case t == types.Float64:
			r["numeric_precision"] = 22
		default:
			r["numeric_precision"], r["numeric_scale"], _ = exactDigits(t)
		}
	case sql.DecimalType:
		r["numeric_precision"], r["numeric_scale"] = int(t.Precision()), int(t.Scale())
	}
	return r
}

func viewInformation(ctx *sql.Context, shard *Shard) []informationRow {
	views, _ := (&database{shard: shard}).AllViews(ctx)
	var rows []informationRow
	for _, v := range views {
		rows = append(rows, sessionCharsets(informationRow{
			"table_catalog": "def", "table_schema": shard.keyspace, "table_name": v.Name, "view_definition": v.TextDefinition,
			// A shard writes to no view.
			"check_option": "NONE", "is_updatable": "NO", "security_type": "DEFINER",
		}))
	}
	return rows
}

func partitionInformation(_ *sql.Context, shard *Shard) []informationRow {
	var rows []informationRow
	for _, t := range permanent(shard.db.Root()) {
		n := uint64(t.RowCount())
		length := n * uint64(len(metaOf(t.Def).columns)) * 16
		r := informationRow{"table_catalog": "def", "table_schema": shard.keyspace, "table_name": t.Def.Name,
			"table_rows": n, "avg_row_length": uint64(0), "data_length": length, "max_data_length": uint64(0), "index_length": uint64(0),
			"data_free": uint64(0), "create_time": schemaTime, "partition_comment": ""}
		if n > 0 {
			r["avg_row_length"] = length / n
		}
		rows = append(rows, r)
	}
	return rows
}

// temporaryInformation is of the temporary tables of all sessions. As InnoDB does it counts three hidden columns.
func temporaryInformation(_ *sql.Context, shard *Shard) []informationRow {
	var rows []informationRow
	for i, t := range shard.db.Root().Tables() {
		if metaOf(t.Def).isTemporary() {
			rows = append(rows, informationRow{"table_id": uint64(i + 1), "name": fmt.Sprintf("#sql_%x", i+1),
				"n_cols": uint64(len(metaOf(t.Def).columns) + 3), "space": uint64(1)})
		}
	}
	return rows
}

// schemaTime is when all tables were made, as information_schema.tables says.
var schemaTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func processInformation(_ *sql.Context, s *sqlSession) []informationRow {
	return []informationRow{{"id": uint64(s.id), "user": "root", "host": "localhost", "db": s.shard.keyspace, "command": "Query",
		"time": 0, "state": "executing", "info": s.text}}
}

func charsetInformation(*sql.Context, *sqlSession) []informationRow {
	var rows []informationRow
	for all := sql.NewCharacterSetsIterator(); ; {
		c, ok := all.Next()
		if !ok {
			return rows
		}
		// What no text can be encoded in cannot be used.
		if c.Encoder == nil {
			continue
		}
		coll := c.DefaultCollation.Name()
		if c.Name == "utf8mb4" {
			coll = defaultCollationName
		}
		rows = append(rows, informationRow{"character_set_name": c.Name, "default_collate_name": coll, "description": c.Description,
			"maxlen": uint32(c.MaxLength)})
	}
}

func schemaInformation(_ *sql.Context, s *sqlSession) []informationRow {
	var rows []informationRow
	names := []string{"mysql", "information_schema", "performance_schema", "sys"}
	for _, shard := range s.shard.described() {
		names = append(names, shard.keyspace)
	}
	for _, name := range names {
		charset, coll := "utf8mb4", defaultCollationName
		if name == "information_schema" {
			charset, coll = "utf8mb3", "utf8mb3_general_ci"
		}
		rows = append(rows, informationRow{"catalog_name": "def", "schema_name": name, "default_character_set_name": charset,
			"default_collation_name": coll, "default_encryption": "NO"})
	}
	return rows
}
