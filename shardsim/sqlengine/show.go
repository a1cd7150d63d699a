package sqlengine

import (
	"context"
	"regexp"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
)

// executeShow answers what the engine would answer otherwise than MySQL. done is false for the rest.
func (s *Session) executeShow(ctx context.Context, st *statement, binds map[string]*querypb.BindVariable, out *emitter) (done bool, err error) {
	var res *sqltypes.Result
	switch ast := st.ast.(type) {
	case *sqlparser.CallProc:
		return true, s.callProcedure(ctx, ast, binds, out)
	case *sqlparser.OtherAdmin:
		return true, s.executeAdmin(ctx, st.text, binds, out)
	case *sqlparser.ExplainStmt:
		res, err = s.explain(ctx, ast, binds)
	case *sqlparser.ExplainTab:
		res, err = s.showColumns(ast.Table.Name.String(), false, &sqlparser.ShowFilter{Like: ast.Wild})
	case *sqlparser.Show:
		if basic, ok := ast.Internal.(*sqlparser.ShowBasic); ok {
			switch basic.Command {
			case sqlparser.Trigger:
				return true, s.execute(ctx, s.triggersQuery(basic), binds, out)
			case sqlparser.Procedure:
				return true, s.execute(ctx, proceduresQuery(basic), binds, out)
			}
		}
		if res = showSession(st.text); res == nil {
			res, err = s.show(ast)
		}
	case *sqlparser.Analyze:
		if _, missing := s.meta(ast.Table.Name.String()); missing != nil && !s.isView(ast.Table.Name.String()) {
			return true, missing
		}
		res = tableMessage(s.shard.keyspace, ast.Table.Name.String(), "analyze")
	case *sqlparser.Select:
		if next := nextValue(ast); next != nil {
			return true, errUnsupported("SELECT NEXT VALUES without bind variables")
		}
		if ast.Into != nil && ast.Into.Type == sqlparser.IntoVariables {
			return true, s.selectInto(ctx, ast, binds, out)
		}
	}
	if res == nil || err != nil {
		return err != nil, err
	}
	return true, out.send(res)
}

func (s *Session) show(show *sqlparser.Show) (*sqltypes.Result, error) {
	switch ast := show.Internal.(type) {
	case *sqlparser.ShowCreate:
		switch ast.Command {
		case sqlparser.CreateTbl:
			return s.showCreateTable(ast.Op.Name.String())
		case sqlparser.CreateV:
			if name := ast.Op.Name.String(); !s.isView(name) && s.sql.tableNamed(name) != nil {
				return nil, s.notOf(name, "VIEW")
			}
		case sqlparser.CreateProc:
			return s.showCreateProcedure(ast.Op.Name.String())
		case sqlparser.CreateTr:
			return s.showCreateTrigger(ast.Op.Name.String())
		}
	case *sqlparser.ShowBasic:
		if ast.Filter != nil && ast.Filter.Filter != nil {
			return nil, nil
		}
		switch ast.Command {
		case sqlparser.Column:
			return s.showColumns(ast.Tbl.Name.String(), ast.Full, ast.Filter)
		case sqlparser.TableStatus:
			return s.showTableStatus(ast.Filter), nil
		case sqlparser.Index:
			return s.showIndex(ast.Tbl.Name.String())
		case sqlparser.Warnings:
			return s.showWarnings(), nil
		}
	}
	return nil, nil
}

// textRows makes a result of text columns: nil is NULL, numbers become integers.
func textRows(names []string, rows [][]any) *sqltypes.Result {
	res := emptyResult(names...)
	for _, row := range rows {
		values := make(sqltypes.Row, len(row))
		for i, v := range row {
			switch v := v.(type) {
			case nil:
				values[i] = sqltypes.NULL
			case int:
				values[i] = sqltypes.NewInt64(int64(v))
				res.Fields[i].Type = querypb.Type_INT64
				res.Fields[i].Charset = charsetBinary
			case string:
				values[i] = sqltypes.NewVarChar(v)
			}
		}
		res.Rows = append(res.Rows, values)
	}
	return res
}

func emptyResult(names ...string) *sqltypes.Result {
	res := &sqltypes.Result{}
	for _, n := range names {
		res.Fields = append(res.Fields, &querypb.Field{Name: n, Type: querypb.Type_VARCHAR, Charset: charsetText, ColumnLength: 256})
	}
	return res
}

func tableMessage(db, table, op string) *sqltypes.Result {
	return textRows([]string{"Table", "Op", "Msg_type", "Msg_text"}, [][]any{{db + "." + table, op, "status", "OK"}})
}

func (s *Session) meta(table string) (*tableMeta, error) {
	t := s.sql.tableNamed(table)
	if t == nil {
		return nil, mysqlError(1146, "42S02", "Table '%s.%s' doesn't exist", s.shard.keyspace, table)
	}
	return metaOf(t.Def), nil
}

func (s *Session) isView(name string) bool {
	_, ok := s.shard.meta().views[strings.ToLower(name)]
	return ok
}

func (s *Session) showWarnings() *sqltypes.Result {
	var rows [][]any
	for _, w := range s.Warnings() {
		rows = append(rows, []any{w.Level, int(w.Code), w.Message})
	}
	if e := s.sql.raised; e != nil {
		rows = append(rows, []any{"Error", int(e.Num), e.Message})
	}
	return textRows([]string{"Level", "Code", "Message"}, rows)
}

func (s *Session) showCreateTable(table string) (*sqltypes.Result, error) {
	if s.isView(table) {
		return nil, nil
	}
	m, err := s.meta(table)
	if err != nil {
		return nil, err
	}
	next := s.sql.tableNamed(table).PeekAuto()
	return textRows([]string{"Table", "Create Table"}, [][]any{{m.name, m.createTable(next)}}), nil
}

// showTableStatus lists the tables and views.
func (s *Session) showTableStatus(filter *sqlparser.ShowFilter) *sqltypes.Result {
	like := likeFilter(filter)
	created := schemaTime.Format("2006-01-02 15:04:05")
	tables, _ := s.shard.Schema()
	var rows [][]any
	for _, t := range tables {
		if like != nil && !like.MatchString(t.Name) {
			continue
		}
		now := s.sql.tableNamed(t.Name)
		if now == nil {
			rows = append(rows, []any{t.Name, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, created, nil, nil, nil, nil, nil, "VIEW"})
			continue
		}
		m, n := metaOf(now.Def), now.RowCount()
		length := n * len(m.columns) * 16
		average := 0
		if n > 0 {
			average = length / n
		}
		var auto any
		if m.autoColumn() >= 0 {
			auto = int(now.PeekAuto())
		}
		rows = append(rows, []any{m.name, "InnoDB", 10, "Dynamic", n, average, length, 0, 0, 0, auto, created, nil, nil, m.collation.Name(), nil, "", m.comment})
	}
	return textRows([]string{"Name", "Engine", "Version", "Row_format", "Rows", "Avg_row_length", "Data_length", "Max_data_length",
		"Index_length", "Data_free", "Auto_increment", "Create_time", "Update_time", "Check_time", "Collation", "Checksum",
		"Create_options", "Comment"}, rows)
}

// likeFilter compiles a LIKE pattern; nil matches everything.
func likeFilter(f *sqlparser.ShowFilter) *regexp.Regexp {
	if f == nil || f.Like == "" {
		return nil
	}
	return regexp.MustCompile("(?i)" + sqlparser.LikeToRegexp(f.Like).String())
}

func (s *Session) showColumns(table string, full bool, filter *sqlparser.ShowFilter) (*sqltypes.Result, error) {
	if s.isView(table) {
		return nil, nil
	}
	m, err := s.meta(table)
	if err != nil {
		return nil, err
	}
	like := likeFilter(filter)
	names := []string{"Field", "Type", "Null", "Key", "Default", "Extra"}
	if full {
		names = []string{"Field", "Type", "Collation", "Null", "Key", "Default", "Extra", "Privileges", "Comment"}
	}
	var rows [][]any
	for i, c := range m.columns {
		if like != nil && !like.MatchString(c.Name) {
			continue
		}
		null := "NO"
		if c.Nullable {
			null = "YES"
		}
		typ, collation := shownType(c)
		row := []any{c.Name, typ, null, m.keyWord(i), m.shownDefault(c), m.extra(c)}
		if full {
			var shown any
			if collation != "" {
				shown = collation
			}
			row = []any{c.Name, typ, shown, null, m.keyWord(i), m.shownDefault(c), m.extra(c),
				"select,insert,update,references", c.Comment}
		}
		rows = append(rows, row)
	}
	return textRows(names, rows), nil
}

// keyWord is the Key column of SHOW COLUMNS.
func (m *tableMeta) keyWord(at int) string {
	flags := querypb.MySqlFlag(m.keyFlags(at))
	switch {
	case flags&querypb.MySqlFlag_PRI_KEY_FLAG != 0:
		return "PRI"
	case flags&querypb.MySqlFlag_UNIQUE_KEY_FLAG != 0:
		return "UNI"
	}
	for _, idx := range m.indexes {
		if strings.EqualFold(idx.columns[0], m.columns[at].Name) {
			return "MUL"
		}
	}
	return ""
}

func (s *Session) showIndex(table string) (*sqltypes.Result, error) {
	m, err := s.meta(table)
	if err != nil {
		return nil, err
	}
	n := s.sql.tableNamed(table).RowCount()
	var rows [][]any
	add := func(idx indexMeta) {
		name, cols, prefix := idx.name, idx.columns, idx.prefix
		nonUnique, visible := 1, "YES"
		if idx.unique {
			nonUnique = 0
		}
		if idx.invisible {
			visible = "NO"
		}
		for i, col := range cols {
			var sub any
			if prefix != nil && prefix[i] > 0 {
				sub = int(prefix[i])
			}
			null := ""
			if at := m.columns.IndexOfColName(col); at >= 0 && m.columns[at].Nullable {
				null = "YES"
			}
			order := "A"
			if len(idx.descending) == len(cols) && idx.descending[i] {
				order = "D"
			}
			rows = append(rows, []any{m.name, nonUnique, name, i + 1, col, order, n, sub, nil, null, "BTREE", "", idx.comment, visible, nil})
		}
	}
	if len(m.pk) > 0 {
		cols := make([]string, len(m.pk))
		for i, at := range m.pk {
			cols[i] = m.columns[at].Name
		}
		add(indexMeta{name: "PRIMARY", columns: cols, prefix: m.pkPrefix, unique: true})
	}
	for _, idx := range m.indexes {
		add(idx)
	}
	rows = append(rows, m.searchIndexRows(n)...)
	return textRows([]string{"Table", "Non_unique", "Key_name", "Seq_in_index", "Column_name", "Collation", "Cardinality",
		"Sub_part", "Packed", "Null", "Index_type", "Comment", "Index_comment", "Visible", "Expression"}, rows), nil
}

// nextValue returns the count of SELECT NEXT n VALUES, nil for other statements.
func nextValue(sel *sqlparser.Select) sqlparser.Expr {
	if sel.SelectExprs == nil || len(sel.SelectExprs.Exprs) != 1 {
		return nil
	}
	if next, ok := sel.SelectExprs.Exprs[0].(*sqlparser.Nextval); ok {
		return next.Expr
	}
	return nil
}
