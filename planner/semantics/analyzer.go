package semantics

import (
	"errors"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtenv"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/vindexes"
)

// Schema is what the analysis asks of the VSchema.
type Schema interface {
	// FindTableOrVindex resolves a name: exactly one of table and vindex is returned, or an error.
	FindTableOrVindex(name sqlparser.TableName) (*vindexes.Table, vindexes.Vindex, error)
	// ManagesForeignKeys tells whether the gateway keeps the foreign keys of a keyspace. VT09019 where it cannot, as they form
	// a cycle.
	ManagesForeignKeys(keyspace string) (bool, error)
	// AggregateUDFs names the user functions that aggregate.
	AggregateUDFs() []string
	// Environment holds the parser, the collations and the version that the gateway speaks.
	Environment() *vtenv.Environment
	// ConnCollation is the collation of the connection.
	ConnCollation() collations.ID
}

// analyzer walks one statement. Its methods return as soon as an error is of the kind that fails every plan.
type analyzer struct {
	schema    Schema
	st        *SemTable
	currentDB string
	env       *collations.Environment
	udfs      []string
	// early holds the tables that the first pass found, by their AST node.
	early map[*sqlparser.AliasedTableExpr]*TableInfo
	// single says that all tables live in one unsharded keyspace.
	single bool
}

// Analyze binds the names of stmt, which it also rewrites: stars are expanded, positions and aliases replaced, USING becomes
// ON, common table expressions become derived tables. currentDB is the selected keyspace, empty if none.
// A statement that can go to one unsharded keyspace as it is, is left alone.
func Analyze(stmt sqlparser.Statement, currentDB string, schema Schema) (*SemTable, error) {
	a := newAnalyzer(currentDB, schema)
	a.collectTables(stmt)
	shortcut, err := a.canShortcut(stmt)
	if err != nil || shortcut {
		return a.st, err
	}
	return a.analyze(stmt)
}

// AnalyzeWhole is Analyze for a statement that becomes an operator tree in any case.
func AnalyzeWhole(stmt sqlparser.Statement, currentDB string, schema Schema) (*SemTable, error) {
	a := newAnalyzer(currentDB, schema)
	a.collectTables(stmt)
	return a.analyze(stmt)
}

func newAnalyzer(currentDB string, schema Schema) *analyzer {
	return &analyzer{
		schema:    schema,
		currentDB: currentDB,
		env:       schema.Environment().CollationEnv(),
		udfs:      schema.AggregateUDFs(),
		early:     map[*sqlparser.AliasedTableExpr]*TableInfo{},
		st: &SemTable{
			Collation:  schema.ConnCollation(),
			direct:     dependencies{},
			recursive:  dependencies{},
			types:      map[sqlparser.Expr]evalengine.Type{},
			unions:     map[*sqlparser.Union][]sqlparser.SelectExpr{},
			recursions: map[*sqlparser.Union]*Recursion{},
		},
	}
}

func (a *analyzer) analyze(stmt sqlparser.Statement) (*SemTable, error) {
	if err := a.statement(stmt); err != nil {
		return nil, err
	}
	return a.st, nil
}

// collectTables is the first pass: every table that the statement names gets its index, in the order of the text.
func (a *analyzer) collectTables(stmt sqlparser.Statement) {
	ctes := map[string]bool{}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.With:
			for _, cte := range node.CTEs {
				ctes[cte.ID.String()] = true
			}
		case *sqlparser.FuncExpr:
			if node.Name.EqualString("last_insert_id") && len(node.Exprs) == 1 {
				a.st.Signature.LastInsertIDArg = true
			}
		case *sqlparser.AliasedTableExpr:
			name, ok := node.Expr.(sqlparser.TableName)
			if !ok || (name.Qualifier.IsEmpty() && ctes[name.Name.String()]) {
				return true, nil
			}
			// A table that cannot be found is reported by the second pass, if there is one.
			if info, err := a.newTable(node, name); err == nil {
				a.early[node] = info
			}
		}
		return true, nil
	}, stmt)
}

// newTable looks a table up and adds it to the analysis.
func (a *analyzer) newTable(node *sqlparser.AliasedTableExpr, name sqlparser.TableName) (*TableInfo, error) {
	systemColumns := informationSchema(a.schema.Environment().MySQLVersion(), name)
	vtable, vindex, err := a.schema.FindTableOrVindex(name)
	if err != nil && !sqlparser.SystemSchema(name.Qualifier.String()) {
		return nil, err
	}
	hint, err := vindexHint(node, vtable)
	if err != nil {
		return nil, err
	}
	id, err := a.nextID()
	if err != nil {
		return nil, err
	}
	if vtable == nil && vindex != nil {
		vtable = vindexAsTable(name.Name)
	}
	info := newBaseTable(id, node, name, a.currentDB, vtable, a.env)
	info.VindexHint = hint
	if systemColumns != nil {
		info.Columns, info.Authoritative = knownColumns(systemColumns, a.env), true
	}
	if vindex != nil {
		info.Kind, info.Vindex = VindexTable, vindex
	}
	a.st.Tables = append(a.st.Tables, info)
	return info, nil
}

func (a *analyzer) nextID() (TableSet, error) {
	if len(a.st.Tables) >= MaxTables {
		return TableSet{}, vterrors.VT12001("statement with more than 256 tables")
	}
	return SingleTable(len(a.st.Tables)), nil
}

// canShortcut tells whether the statement needs no analysis: one unsharded keyspace takes it as it is.
func (a *analyzer) canShortcut(stmt sqlparser.Statement) (bool, error) {
	ks, tables := singleUnshardedKeyspace(a.st.Tables)
	a.single = ks != nil
	if !a.single || !sqlparser.IsDMLStatement(stmt) {
		return a.single, nil
	}
	for _, t := range tables {
		if len(t.ChildForeignKeys)+len(t.ParentForeignKeys) > 0 {
			managed, err := a.schema.ManagesForeignKeys(ks.Name)
			return !managed, err
		}
	}
	return true, nil
}

func (a *analyzer) statement(stmt sqlparser.Statement) error {
	switch stmt := stmt.(type) {
	case sqlparser.TableStatement:
		_, err := a.query(stmt, nil, true)
		return err
	case *sqlparser.Update:
		return a.update(stmt)
	case *sqlparser.Delete:
		return a.delete(stmt)
	case *sqlparser.Insert:
		return a.insert(stmt)
	}
	return vterrors.VT13001("statement cannot be analysed")
}

// soften keeps an error that counts for some plans only and lets the analysis go on; all others are returned.
func (a *analyzer) soften(err error) error {
	var cond onlyWhen
	if !errors.As(err, &cond) {
		return err
	}
	switch cond.kind {
	case notUnsharded:
		a.st.NotUnshardedErr = cond.error
	case notSingleRoute:
		a.st.NotSingleRouteErr = cond.error
	default:
		a.st.NotSingleShardErr = cond.error
	}
	return nil
}

// vindexAsTable gives a vindex the columns that a SELECT from it can ask for.
func vindexAsTable(name sqlparser.IdentifierCS) *vindexes.Table {
	t := &vindexes.Table{Name: name, ColumnListAuthoritative: true}
	for _, col := range []string{"id", "keyspace_id", "range_start", "range_end", "hex_keyspace_id", "shard"} {
		t.Columns = append(t.Columns, vindexes.Column{Name: sqlparser.NewIdentifierCI(col), Type: varbinary})
	}
	return t
}

// vindexHint returns the USE VINDEX or IGNORE VINDEX of a table, nil if there is none. VT09020 for two, VT09021 for an
// unknown vindex.
func vindexHint(node *sqlparser.AliasedTableExpr, vtable *vindexes.Table) (*sqlparser.IndexHint, error) {
	var found *sqlparser.IndexHint
	for _, hint := range node.Hints {
		if !hint.Type.IsVindexHint() {
			continue
		}
		if found != nil {
			return nil, vterrors.VT09020(sqlparser.String(node.Expr))
		}
		found = hint
	}
	if found == nil || vtable == nil {
		return found, nil
	}
	for _, name := range found.Indexes {
		if !hasVindex(vtable, name) {
			return nil, vterrors.VT09021(name.String(), vtable.Keyspace.Name+"."+vtable.Name.String())
		}
	}
	return found, nil
}

func hasVindex(vtable *vindexes.Table, name sqlparser.IdentifierCI) bool {
	for _, cv := range vtable.ColumnVindexes {
		if strings.EqualFold(cv.Name, name.String()) {
			return true
		}
	}
	return false
}
