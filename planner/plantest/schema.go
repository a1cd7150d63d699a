package plantest

import (
	"fmt"
	"os"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtenv"

	"github.com/vitrodb/vitro/vindexes"
)

// schemaSet collects what shards would tell of their tables, keyspace by keyspace.
type schemaSet struct {
	env    *vtenv.Environment
	tables map[string][]vindexes.TableSchema
	udfs   map[string][]string
}

func newSchemaSet(env *vtenv.Environment) *schemaSet {
	return &schemaSet{env: env, tables: map[string][]vindexes.TableSchema{}, udfs: map[string][]string{}}
}

func (s *schemaSet) addTable(keyspace string, table vindexes.TableSchema) {
	s.tables[keyspace] = append(s.tables[keyspace], table)
}

func (s *schemaSet) add(setup Setup) error {
	parser := s.env.Parser()
	for _, pk := range setup.PrimaryKeys {
		s.addTable(pk.Keyspace, vindexes.TableSchema{Name: pk.Table, PrimaryKey: vindexes.ColumnNames(pk.Columns)})
	}
	for _, uk := range setup.UniqueKeys {
		var exprs []sqlparser.Expr
		for _, text := range uk.Exprs {
			expr, err := parser.ParseExpr(text)
			if err != nil {
				return fmt.Errorf("unique key of %s.%s: %w", uk.Keyspace, uk.Table, err)
			}
			exprs = append(exprs, expr)
		}
		s.addTable(uk.Keyspace, vindexes.TableSchema{Name: uk.Table, UniqueKeys: [][]sqlparser.Expr{exprs}})
	}
	for _, fk := range setup.ForeignKeys {
		key := vindexes.NewForeignKey("", fk.ChildColumns, fk.ParentTable, fk.ParentColumns, fk.OnUpdate, fk.OnDelete)
		s.addTable(fk.Keyspace, vindexes.TableSchema{Name: fk.ChildTable, ForeignKeys: []*sqlparser.ForeignKeyDefinition{key}})
	}
	for _, view := range setup.Views {
		stmt, err := parser.Parse(view.Select)
		if err != nil {
			return fmt.Errorf("view %s.%s: %w", view.Keyspace, view.Name, err)
		}
		query, ok := stmt.(sqlparser.TableStatement)
		if !ok {
			return fmt.Errorf("view %s.%s is no SELECT", view.Keyspace, view.Name)
		}
		s.addTable(view.Keyspace, vindexes.TableSchema{Name: view.Name, View: query})
	}
	for _, udf := range setup.AggregateUDFs {
		s.udfs[udf.Keyspace] = append(s.udfs[udf.Keyspace], udf.Name)
	}
	return nil
}

// addFile is addTables of a file.
func (s *schemaSet) addFile(file, keyspace string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := s.addTables(string(text), keyspace); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// addTables reads CREATE TABLEs. They belong to keyspace until a USE names another; the table's own qualifier wins.
func (s *schemaSet) addTables(text, keyspace string) error {
	return eachStatement(s.env, text, func(stmt sqlparser.Statement) error {
		switch stmt := stmt.(type) {
		case *sqlparser.Use:
			keyspace = stmt.DBName.String()
		case *sqlparser.CreateTable:
			in := keyspace
			if stmt.Table.Qualifier.NotEmpty() {
				in = stmt.Table.Qualifier.String()
			}
			if in == "" {
				return fmt.Errorf("table %s belongs to no keyspace: begin the file with USE, or name one with --keyspace", stmt.Table.Name.String())
			}
			s.addTable(in, vindexes.NewTableSchema(stmt))
		}
		return nil
	})
}

// apply tells a VSchema what was collected.
func (s *schemaSet) apply(vschema *vindexes.VSchema) *vindexes.VSchema {
	for keyspace, tables := range s.tables {
		if vschema.Keyspaces[keyspace] != nil {
			vschema = vschema.WithTables(keyspace, tables)
		}
	}
	for keyspace, names := range s.udfs {
		if vschema.Keyspaces[keyspace] != nil {
			vschema = vschema.WithAggregateUDFs(keyspace, names)
		}
	}
	return vschema
}
