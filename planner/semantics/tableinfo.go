package semantics

import (
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/vindexes"
)

// TableKind says what stands behind an item of a FROM clause.
type TableKind int

const (
	// BaseTable is a table of the VSchema, or of a system schema.
	BaseTable TableKind = iota
	// DerivedTable is a SELECT or UNION in parentheses, or a common table expression or view that was put in its place.
	DerivedTable
	// VindexTable is a vindex that is queried as if it were a table.
	VindexTable
	// WorkTable holds the rows that came last, in the term of a recursion.
	WorkTable
)

type (
	// TableInfo is one item of a FROM clause as the analysis sees it.
	TableInfo struct {
		ID   TableSet // a single table: its index in SemTable.Tables
		Kind TableKind

		// Name is what columns are qualified with: the alias, or the table's name.
		Name string
		// Database qualifies Name; only a table without an alias has it.
		Database string
		// AST is the table's expression. The planner replaces it when it rewrites the FROM clause.
		AST *sqlparser.AliasedTableExpr

		// VTable is nil for derived tables, and for tables of system schemas that the VSchema does not know.
		VTable      *vindexes.Table
		Vindex      vindexes.Vindex // kind VindexTable only
		VindexHint  *sqlparser.IndexHint
		IsInfSchema bool

		// Columns are those that are known; all of them if Authoritative.
		Columns       []ColumnInfo
		Authoritative bool

		// inner holds the tables that an unexpanded star of a derived table may take columns from.
		inner TableSet
	}

	// ColumnInfo is a column of a table.
	ColumnInfo struct {
		Name      string
		Type      evalengine.Type // the zero Type where it is not known
		Invisible bool
		// Expr is what a derived table's column stands for inside of it, nil for base tables.
		Expr sqlparser.Expr
		// deps are the base tables that Expr depends on.
		deps TableSet
	}
)

// newBaseTable describes a table of the VSchema (vtable may be nil for system schemas).
func newBaseTable(id TableSet, node *sqlparser.AliasedTableExpr, name sqlparser.TableName, currentDB string, vtable *vindexes.Table, env *collations.Environment) *TableInfo {
	info := &TableInfo{
		ID:          id,
		Name:        node.As.String(),
		AST:         node,
		VTable:      vtable,
		IsInfSchema: sqlparser.SystemSchema(name.Qualifier.String()),
	}
	if node.As.IsEmpty() {
		info.Name = name.Name.String()
		info.Database = name.Qualifier.String()
		if info.Database == "" {
			info.Database = currentDB
		}
	}
	if vtable != nil {
		info.Authoritative = vtable.ColumnListAuthoritative
		info.Columns = baseColumns(vtable, env)
	}
	return info
}

// baseColumns lists the declared columns, and those that only the vindexes name where the list is not authoritative.
func baseColumns(vtable *vindexes.Table, env *collations.Environment) []ColumnInfo {
	cols := knownColumns(vtable.Columns, env)
	if vtable.ColumnListAuthoritative {
		return cols
	}
	seen := make(map[string]bool, len(cols))
	for i := range vtable.Columns {
		seen[vtable.Columns[i].Name.Lowered()] = true
	}
	for _, cv := range vtable.ColumnVindexes {
		for _, name := range cv.Columns {
			if !seen[name.Lowered()] {
				seen[name.Lowered()] = true
				cols = append(cols, ColumnInfo{Name: name.String()})
			}
		}
	}
	return cols
}

func knownColumns(columns []vindexes.Column, env *collations.Environment) []ColumnInfo {
	cols := make([]ColumnInfo, 0, len(columns))
	for i := range columns {
		col := &columns[i]
		cols = append(cols, ColumnInfo{Name: col.Name.String(), Type: columnType(col, env), Invisible: col.Invisible})
	}
	return cols
}

// columnType is the column's type with the collation that comparisons of it use.
func columnType(col *vindexes.Column, env *collations.Environment) evalengine.Type {
	id := collations.CollationForType(col.Type, env.DefaultConnectionCharset())
	if sqltypes.IsText(col.Type) {
		id, _ = env.LookupID(col.CollationName)
	}
	values := evalengine.EnumSetValues(col.Values)
	scale := col.Scale
	if sqltypes.IsDateOrTime(col.Type) {
		scale = col.Size // what a client is told of an expression's digits
	}
	return evalengine.NewTypeEx(col.Type, id, col.Nullable, col.Size, scale, &values)
}

// matches tells whether a column qualified by name can belong to the table. Names of tables are case sensitive.
func (t *TableInfo) matches(name sqlparser.TableName) bool {
	if t.Name != name.Name.String() {
		return false
	}
	return name.Qualifier.IsEmpty() || name.Qualifier.String() == t.Database
}

// TableName is the name by which columns refer to the table, with the database where there is no alias.
func (t *TableInfo) TableName() sqlparser.TableName {
	if t.AST.As.NotEmpty() {
		return sqlparser.NewTableName(t.AST.As.String())
	}
	if name, ok := t.AST.Expr.(sqlparser.TableName); ok {
		return name
	}
	return sqlparser.NewTableName(t.Name)
}

// column finds a column by name, case insensitively.
func (t *TableInfo) column(name string) (*ColumnInfo, bool) {
	for i := range t.Columns {
		if strings.EqualFold(t.Columns[i].Name, name) {
			return &t.Columns[i], true
		}
	}
	return nil, false
}

// resolve answers what table and type a column called name has here.
func (t *TableInfo) resolve(name string) resolution {
	if col, ok := t.column(name); ok {
		found := resolution{found: true, certain: true, direct: t.ID, recursive: t.ID, typ: col.Type}
		if t.Kind == DerivedTable {
			found.recursive = col.deps
		}
		return found
	}
	if t.Authoritative {
		return resolution{}
	}
	guess := resolution{found: true, direct: t.ID, recursive: t.ID}
	if t.Kind == DerivedTable {
		guess.recursive = t.inner
	}
	return guess
}

// ExprFor returns what the column called name of a derived table stands for inside of it.
// VT09015 when the columns are not known, 1054 when there is no such column.
func (t *TableInfo) ExprFor(name string) (sqlparser.Expr, error) {
	if t.Kind != DerivedTable {
		return nil, unknownColumnInField(name)
	}
	if !t.Authoritative {
		return nil, vterrors.VT09015()
	}
	for _, col := range t.Columns {
		if col.Name == name {
			return col.Expr, nil
		}
	}
	return nil, unknownColumnInField(name)
}

// newDerivedTable describes a derived table by the expressions it selects. aliases, if any, name its columns.
func newDerivedTable(id TableSet, node *sqlparser.AliasedTableExpr, exprs []derivedColumn, from []*TableInfo) (*TableInfo, error) {
	info := &TableInfo{ID: id, Kind: DerivedTable, Name: node.As.String(), AST: node, Authoritative: true}
	for i, e := range exprs {
		if e.expr == nil {
			info.Authoritative = false
			for _, t := range from {
				info.inner = info.inner.Merge(t.ID)
			}
			continue
		}
		name := e.name
		if i < len(node.Columns) {
			name = node.Columns[i].String()
		}
		info.Columns = append(info.Columns, ColumnInfo{Name: name, Type: e.typ, Expr: e.expr, deps: e.deps})
	}
	if len(node.Columns) > 0 && info.Authoritative && len(node.Columns) != len(exprs) {
		return nil, vterrors.VT03033()
	}
	for i, a := range info.Columns {
		for _, b := range info.Columns[:i] {
			if a.Name == b.Name {
				return nil, duplicateColumn(a.Name)
			}
		}
	}
	return info, nil
}

// derivedColumn is one column of a derived table; expr is nil for a star that could not be expanded.
type derivedColumn struct {
	name string
	expr sqlparser.Expr
	deps TableSet
	typ  evalengine.Type
}
