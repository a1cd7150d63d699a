package planner

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine"
)

// textFields are columns of text that is never NULL.
func textFields(names ...string) []*querypb.Field {
	fields := make([]*querypb.Field, len(names))
	for i, name := range names {
		fields[i] = &querypb.Field{
			Name: name, Type: sqltypes.VarChar, Charset: uint32(collations.SystemCollation.Collation),
			Flags: uint32(querypb.MySqlFlag_NOT_NULL_FLAG),
		}
	}
	return fields
}

func textRow(values ...string) sqltypes.Row {
	row := make(sqltypes.Row, len(values))
	for i, value := range values {
		row[i] = sqltypes.NewVarChar(value)
	}
	return row
}

func textColumn(values []string) []sqltypes.Row {
	var rows []sqltypes.Row
	for _, value := range values {
		rows = append(rows, textRow(value))
	}
	return rows
}

// shown are rows that pass the LIKE or WHERE of a SHOW. LIKE looks at the first column.
func (b *builder) shown(show *sqlparser.ShowBasic, rows []sqltypes.Row, fields []*querypb.Field) (engine.Primitive, error) {
	filter := show.Filter
	switch {
	case filter == nil:
	case filter.Filter != nil:
		return b.shownWhere(filter.Filter, rows, fields)
	case filter.Like != "":
		like := sqlparser.LikeToRegexp(filter.Like)
		rows = slices.DeleteFunc(rows, func(row sqltypes.Row) bool { return !like.MatchString(row[0].ToString()) })
	}
	return engine.NewRowsPrimitive(rows, fields), nil
}

// shownWhere filters rows by an expression over their columns. Vitess passes the WHERE of most SHOWs over.
func (b *builder) shownWhere(where sqlparser.Expr, rows []sqltypes.Row, fields []*querypb.Field) (engine.Primitive, error) {
	at := func(col *sqlparser.ColName) int {
		return slices.IndexFunc(fields, func(field *querypb.Field) bool { return col.Name.EqualString(field.Name) })
	}
	predicate, err := evalengine.Translate(where, &evalengine.Config{
		Collation: b.pc.ConnCollation(), Environment: b.pc.Env,
		ResolveColumn: func(col *sqlparser.ColName) (int, error) {
			if at(col) < 0 {
				return 0, vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.BadFieldError,
					"Unknown column '%s' in 'where clause'", col.Name.String())
			}
			return at(col), nil
		},
		ResolveType: func(expr sqlparser.Expr) (evalengine.Type, bool) {
			col, ok := expr.(*sqlparser.ColName)
			if !ok || at(col) < 0 {
				return evalengine.Type{}, false
			}
			return evalengine.NewType(fields[at(col)].Type, b.pc.ConnCollation()), true
		},
	})
	if err != nil {
		return nil, err
	}
	return &engine.Filter{Predicate: predicate, ASTPredicate: where, Input: engine.NewRowsPrimitive(rows, fields)}, nil
}

// showRows answers a SHOW whose rows are known at planning.
func (b *builder) showRows(show *sqlparser.ShowBasic) (engine.Primitive, error) {
	switch show.Command {
	case sqlparser.Plugins:
		return b.shown(show, []sqltypes.Row{textRow("InnoDB", "ACTIVE", "STORAGE ENGINE", "NULL", "GPL")},
			textFields("Name", "Status", "Type", "Library", "License"))
	case sqlparser.Engines:
		return b.shown(show, []sqltypes.Row{
			textRow("InnoDB", "DEFAULT", "Supports transactions, row-level locking, and foreign keys", "YES", "YES", "YES"),
		}, textFields("Engine", "Support", "Comment", "Transactions", "XA", "Savepoints"))
	case sqlparser.VitessTarget:
		return engine.NewRowsPrimitive([]sqltypes.Row{textRow(b.pc.TargetString)}, textFields("Target")), nil
	case sqlparser.VschemaTables:
		return b.vschemaTables(show)
	case sqlparser.VschemaKeyspaces:
		return b.vschemaKeyspaces(show)
	}
	return b.vschemaVindexes(show)
}

// systemSchemas are listed behind the keyspaces.
var systemSchemas = []string{"information_schema", "mysql", "sys", "performance_schema"}

// showKeyspaces is SHOW DATABASES and SHOW KEYSPACES.
func (b *builder) showKeyspaces(show *sqlparser.ShowBasic) (engine.Primitive, error) {
	names := slices.Clone(b.pc.keyspaceNames())
	if show.Command == sqlparser.Database {
		names = append(names, systemSchemas...)
	}
	return b.shown(show, textColumn(names), textFields("Database"))
}

func (b *builder) vschemaTables(show *sqlparser.ShowBasic) (engine.Primitive, error) {
	ks, err := b.pc.requireKeyspace()
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(b.pc.VSchema.Keyspaces[ks.Name].Tables))
	return b.shown(show, textColumn(names), textFields("Tables"))
}

func (b *builder) vschemaKeyspaces(show *sqlparser.ShowBasic) (engine.Primitive, error) {
	var rows []sqltypes.Row
	for _, name := range b.pc.VSchema.KeyspaceNames() {
		ks := b.pc.VSchema.Keyspaces[name]
		comment := ""
		if ks.Error != nil {
			comment = ks.Error.Error()
		}
		rows = append(rows, textRow(name, strconv.FormatBool(ks.Keyspace.Sharded), ks.ForeignKeyMode.String(), comment))
	}
	return b.shown(show, rows, textFields("Keyspace", "Sharded", "Foreign Key", "Comment"))
}

// vschemaVindexes lists the vindexes of all keyspaces, or of one table.
func (b *builder) vschemaVindexes(show *sqlparser.ShowBasic) (engine.Primitive, error) {
	if !show.Tbl.IsEmpty() {
		return b.tableVindexes(show)
	}
	def := b.pc.VSchema.Definition()
	var rows []sqltypes.Row
	for _, keyspace := range slices.Sorted(maps.Keys(def.Keyspaces)) {
		declared := def.Keyspaces[keyspace].Vindexes
		for _, name := range slices.Sorted(maps.Keys(declared)) {
			v := declared[name]
			rows = append(rows, textRow(keyspace, name, v.GetType(), paramsText(v.GetParams()), v.GetOwner()))
		}
	}
	return b.shown(show, rows, textFields("Keyspace", "Name", "Type", "Params", "Owner"))
}

func (b *builder) tableVindexes(show *sqlparser.ShowBasic) (engine.Primitive, error) {
	name := show.Tbl
	p, err := b.pc.selected(name.Qualifier.String())
	if err != nil {
		return nil, err
	}
	fields := textFields("Columns", "Name", "Type", "Params", "Owner")
	if !p.keyspace.Sharded {
		return engine.NewRowsPrimitive(nil, fields), nil
	}
	ks := b.pc.VSchema.Definition().Keyspaces[p.keyspace.Name]
	table, ok := ks.Tables[name.Name.String()]
	if !ok {
		return nil, vterrors.VT05005(name.Name.String(), p.keyspace.Name)
	}
	var rows []sqltypes.Row
	for _, cv := range table.ColumnVindexes {
		columns := cv.Columns
		if len(columns) == 0 {
			columns = []string{cv.Column}
		}
		v := ks.Vindexes[cv.Name]
		rows = append(rows, textRow(strings.Join(columns, ", "), cv.Name, v.GetType(), paramsText(v.GetParams()), v.GetOwner()))
	}
	return b.shown(show, rows, fields)
}

// paramsText prints a vindex's parameters by name: "a=1; b=2".
func paramsText(params map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		parts = append(parts, name+"="+params[name])
	}
	return strings.Join(parts, "; ")
}
