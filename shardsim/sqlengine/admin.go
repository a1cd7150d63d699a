package sqlengine

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
)

// parseAdmin returns a statement for texts about tables that the gateway's grammar has no rule for; nil for others.
func parseAdmin(text string) sqlparser.Statement {
	words := strings.Fields(strings.ToLower(text))
	if len(words) >= 3 && (words[0] == "check" || words[0] == "checksum") && words[1] == "table" {
		return &sqlparser.OtherAdmin{}
	}
	return nil
}

// executeAdmin runs DO, and answers OPTIMIZE, REPAIR and CHECK TABLE as InnoDB does.
func (s *Session) executeAdmin(ctx context.Context, text string, binds map[string]*querypb.BindVariable, out *emitter) error {
	words := strings.Fields(text)
	if len(words) == 0 {
		return errUnsupported(text)
	}
	switch word := strings.ToLower(words[0]); word {
	case "do":
		// As a SELECT of one row it has the same effects.
		rest := strings.TrimSpace(text)[len(words[0]):]
		if err := s.execute(ctx, "select"+rest, binds, &emitter{emit: func(*sqltypes.Result) error { return nil }}); err != nil {
			return err
		}
		return out.send(&sqltypes.Result{})
	case "optimize", "repair", "check":
		return out.send(s.tableMessages(word, text))
	}
	return errUnsupported(strings.ToUpper(strings.Join(words[:min(2, len(words))], " ")))
}

// adminNotes are what InnoDB remarks.
var adminNotes = map[string]string{
	"optimize": "Table does not support optimize, doing recreate + analyze instead",
	"repair":   "The storage engine for the table doesn't support repair",
}

// tableMessages answers a statement about a list of tables.
func (s *Session) tableMessages(op, text string) *sqltypes.Result {
	var rows [][]any
	_, list, _ := strings.Cut(strings.ToLower(text), "table")
	offset := len(text) - len(list)
	for _, name := range strings.Split(text[offset:], ",") {
		word := strings.Trim(strings.Fields(name + " ''")[0], "`;")
		full := s.shard.keyspace + "." + word
		if s.sql.tableNamed(word) == nil && !s.isView(word) {
			rows = append(rows, []any{full, op, "Error", "Table '" + full + "' doesn't exist"}, []any{full, op, "status", "Operation failed"})
			continue
		}
		if note, ok := adminNotes[op]; ok {
			rows = append(rows, []any{full, op, "note", note})
		}
		if op != "repair" {
			rows = append(rows, []any{full, op, "status", "OK"})
		}
	}
	return textRows([]string{"Table", "Op", "Msg_type", "Msg_text"}, rows)
}

// explain answers EXPLAIN, whose figures have no meaning here: tables are in memory. FORMAT=TREE shows the engine's plan,
// FORMAT=JSON has it as a list of lines.
func (s *Session) explain(ctx context.Context, ast *sqlparser.ExplainStmt, binds map[string]*querypb.BindVariable) (*sqltypes.Result, error) {
	switch ast.Type {
	case sqlparser.JSONType:
		tree, err := s.Query(ctx, "explain format=tree "+sqlparser.String(ast.Statement), binds)
		if err != nil {
			return nil, err
		}
		var lines []string
		for _, row := range tree.Rows {
			lines = append(lines, row[0].ToString())
		}
		text, err := json.MarshalIndent(map[string]any{"query_block": map[string]any{"select_id": 1, "plan": lines}}, "", "  ")
		if err != nil {
			return nil, err
		}
		return textRows([]string{"EXPLAIN"}, [][]any{{string(text)}}), nil
	case sqlparser.EmptyType, sqlparser.TraditionalType:
		return s.explainTables(ast.Statement)
	}
	return nil, nil
}

func (s *Session) explainTables(stmt sqlparser.Statement) (*sqltypes.Result, error) {
	var rows [][]any
	var missing error
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		t, ok := node.(*sqlparser.AliasedTableExpr)
		if !ok {
			return true, nil
		}
		name, isTable := t.Expr.(sqlparser.TableName)
		if !isTable || strings.EqualFold(name.Name.String(), "dual") {
			return true, nil
		}
		var count any
		if table := s.sql.tableNamed(name.Name.String()); table != nil {
			count = table.RowCount()
		} else if !s.isView(name.Name.String()) && name.Qualifier.IsEmpty() {
			missing = mysqlError(1146, "42S02", "Table '%s.%s' doesn't exist", s.shard.keyspace, name.Name.String())
		}
		shown := name.Name.String()
		if t.As.NotEmpty() {
			shown = t.As.String()
		}
		rows = append(rows, []any{1, "SIMPLE", shown, nil, "ALL", nil, nil, nil, nil, count, "100.00", nil})
		return false, nil
	}, stmt)
	if missing != nil {
		return nil, missing
	}
	if len(rows) == 0 {
		rows = [][]any{{1, "SIMPLE", nil, nil, nil, nil, nil, nil, nil, nil, nil, "No tables used"}}
	}
	return textRows([]string{"id", "select_type", "table", "partitions", "type", "possible_keys", "key", "key_len", "ref", "rows", "filtered", "Extra"}, rows), nil
}

// showSession answers SHOW statements about accounts and sessions, of which a shard has one that may do everything.
func showSession(text string) *sqltypes.Result {
	words := strings.Fields(strings.ToLower(strings.TrimSuffix(strings.TrimSpace(text), ";")))
	if len(words) < 2 {
		return nil
	}
	switch words[1] {
	case "grants":
		return textRows([]string{"Grants for " + sessionUser}, [][]any{{"GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION"}})
	case "open":
		return emptyResult("Database", "Table", "In_use", "Name_locked")
	case "profiles":
		return emptyResult("Query_ID", "Duration", "Query")
	case "profile":
		return emptyResult("Status", "Duration")
	}
	return nil
}

// selectInto runs SELECT ... INTO @a, @b: the one row's values go to variables.
func (s *Session) selectInto(ctx context.Context, sel *sqlparser.Select, binds map[string]*querypb.BindVariable, out *emitter) error {
	for _, v := range sel.Into.VarList {
		if v.Scope != sqlparser.VariableScope {
			return mysqlError(1327, "42000", "Undeclared variable: %s", v.Name.String())
		}
	}
	plain := *sel
	plain.Into = nil
	res, err := s.Query(ctx, sqlparser.String(&plain), binds)
	if err != nil {
		return err
	}
	switch {
	case len(res.Fields) != len(sel.Into.VarList):
		return mysqlError(1222, "21000", "The used SELECT statements have a different number of columns")
	case len(res.Rows) > 1:
		return mysqlError(1172, "42000", "Result consisted of more than one row")
	case len(res.Rows) == 0:
		s.sql.warnings = append(s.sql.warnings, &sql.Warning{Level: "Warning", Code: 1329, Message: "No data - zero rows fetched, selected, or processed"})
		return out.send(&sqltypes.Result{})
	}
	for i, v := range res.Rows[0] {
		value, typ, err := s.sql.bindValue(v.Type(), v.Raw())
		if err != nil {
			return err
		}
		if err := s.sql.SetUserVariable(nil, sel.Into.VarList[i].Name.String(), value, typ); err != nil {
			return err
		}
	}
	return out.send(&sqltypes.Result{RowsAffected: 1})
}
