package sqlengine

import (
	"context"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// CREATE TABLE ... SELECT (manual, 15.1.20.4) is run as the two statements it is made of, as the engine's own gives columns
// types and NULLs of its own:
//
//	create table t (x int, key (x)) select a as x, b + 1 as y from s
//	->  create table t (x int, y bigint, key (x))      the types are what selectTypes finds
//	->  insert into t (x, y) select a as x, b + 1 as y from s
//
// A table whose rows fail is dropped again.

// createAsSelect runs such a statement.
func (s *Session) createAsSelect(ctx context.Context, create *sqlparser.CreateTable, out *emitter) error {
	name := create.Table.Name.String()
	if s.exists(create) || !create.Temp && s.isView(name) {
		if !create.IfNotExists {
			return mysqlError(1050, "42S01", "Table '%s' already exists", name)
		}
		s.sql.warnings = append(s.sql.warnings, &sql.Warning{Level: "Note", Code: 1050, Message: "Table '" + name + "' already exists"})
		return out.send(&sqltypes.Result{})
	}
	s.sql.running = s.sql.context(ctx, "")
	columns, err := s.selectTypes(create.Select)
	if err != nil {
		return err
	}
	if err := distinctNames(columns); err != nil {
		return err
	}
	text, err := createText(create, columns, s.shard.engine.env.Parser())
	if err != nil {
		return err
	}
	if err := s.runPart(ctx, text, &emitter{}); err != nil {
		return err
	}
	rows := &emitter{}
	if err := s.runPart(ctx, rowsText(create, columns), rows); err != nil {
		s.sql.doom(name)
		return err
	}
	res := &sqltypes.Result{}
	if rows.whole != nil {
		res.RowsAffected, res.Info = rows.whole.RowsAffected, rows.whole.Info
	}
	if res.Info == "" {
		res.Info = fmt.Sprintf("Records: %d  Duplicates: 0  Warnings: %d", res.RowsAffected, len(s.sql.warnings))
	}
	return out.send(res)
}

// runPart runs one of the statements that another one is made of.
func (s *Session) runPart(ctx context.Context, text string, out *emitter) error {
	st := s.shard.engine.parse(text)
	if st.err != nil {
		return st.err
	}
	before, mode := s.sql.st, s.sql.stmt
	s.sql.st, s.sql.stmt = st, st.scan
	defer func() { s.sql.st, s.sql.stmt = before, mode }()
	return s.runEngine(ctx, st, nil, out)
}

func distinctNames(columns []selectColumn) error {
	seen := make(map[string]bool)
	for _, c := range columns {
		if lower := strings.ToLower(c.name); seen[lower] {
			return mysqlError(1060, "42S21", "Duplicate column name '%s'", c.name)
		}
		seen[strings.ToLower(c.name)] = true
	}
	return nil
}

// createText is the CREATE TABLE. Columns that the statement defines itself come first, unless they are selected too.
func createText(create *sqlparser.CreateTable, columns []selectColumn, parser *sqlparser.Parser) (string, error) {
	spec := sqlparser.TableSpec{}
	if create.TableSpec != nil {
		spec = *create.TableSpec
	}
	own := make(map[string]*sqlparser.ColumnDefinition)
	for _, c := range spec.Columns {
		own[c.Name.Lowered()] = c
	}
	selected := make(map[string]bool)
	for _, c := range columns {
		selected[strings.ToLower(c.name)] = true
	}
	var all []*sqlparser.ColumnDefinition
	for _, c := range spec.Columns {
		if !selected[c.Name.Lowered()] {
			all = append(all, c)
		}
	}
	for _, c := range columns {
		if given, ok := own[strings.ToLower(c.name)]; ok {
			all = append(all, given)
			continue
		}
		parsed, err := parser.Parse("create table t (" + quoteName(c.name) + " " + c.typ.definition() + ")")
		made, ok := parsed.(*sqlparser.CreateTable)
		if err != nil || !ok || made.TableSpec == nil || len(made.TableSpec.Columns) != 1 {
			return "", errUnsupported("CREATE TABLE ... SELECT of this type: " + c.typ.definition())
		}
		all = append(all, made.TableSpec.Columns[0])
	}
	spec.Columns = all
	table := *create
	table.TableSpec, table.Select, table.IfNotExists, table.IgnoreOrReplace = &spec, nil, false, sqlparser.NoIgnoreOrReplace
	return sqlparser.String(&table), nil
}

// rowsText is the INSERT or REPLACE of the rows.
func rowsText(create *sqlparser.CreateTable, columns []selectColumn) string {
	verb := "insert"
	switch create.IgnoreOrReplace {
	case sqlparser.IgnoreType:
		verb = "insert ignore"
	case sqlparser.ReplaceType:
		verb = "replace"
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = quoteName(c.name)
	}
	return fmt.Sprintf("%s into %s (%s) %s", verb, quoteName(create.Table.Name.String()), strings.Join(names, ", "), sqlparser.String(create.Select))
}

// querySchema analyses a query and returns the columns that it gives.
func (s *Session) querySchema(query sqlparser.TableStatement) (sql.Schema, error) {
	st := s.shard.engine.parse(sqlparser.String(query))
	if st.err != nil {
		return nil, st.err
	}
	ctx := s.sql.running
	if s.sql.hasMode("ONLY_FULL_GROUP_BY") {
		if err := s.checkFullGrouping(st.ast); err != nil {
			return nil, err
		}
	}
	v, err := s.variant(st, nil)
	if err != nil {
		return nil, err
	}
	stmt, err := v.take(func(text string) (dolt.Statement, error) { return parseEngine(ctx, text) }, "")
	if err != nil {
		return nil, err
	}
	node, _, err := s.analyse(ctx, st, stmt, v.text, nil)
	if err != nil {
		return nil, placed(s.sql.mysqlError(err), query.(sqlparser.Statement))
	}
	schema := node.Schema()
	return schema[:len(schema)-st.hidden], nil
}
