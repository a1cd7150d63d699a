package planner

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

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

// showRows answers a SHOW whose rows are known at planning.
func (b *builder) showRows(show *sqlparser.ShowBasic) (engine.Primitive, error) {
	switch show.Command {
	case sqlparser.Plugins:
		return engine.NewRowsPrimitive([]sqltypes.Row{textRow("InnoDB", "ACTIVE", "STORAGE ENGINE", "NULL", "GPL")},
			textFields("Name", "Status", "Type", "Library", "License")), nil
	case sqlparser.Engines:
		return engine.NewRowsPrimitive([]sqltypes.Row{
			textRow("InnoDB", "DEFAULT", "Supports transactions, row-level locking, and foreign keys", "YES", "YES", "YES"),
		}, textFields("Engine", "Support", "Comment", "Transactions", "XA", "Savepoints")), nil
	case sqlparser.VitessTarget:
		return engine.NewRowsPrimitive([]sqltypes.Row{textRow(b.pc.TargetString)}, textFields("Target")), nil
	case sqlparser.VschemaTables:
		return b.vschemaTables()
	case sqlparser.VschemaKeyspaces:
		return b.vschemaKeyspaces(), nil
	}
	return b.vschemaVindexes(show)
}

// systemSchemas are listed behind the keyspaces.
var systemSchemas = []string{"information_schema", "mysql", "sys", "performance_schema"}

// showKeyspaces is SHOW DATABASES and SHOW KEYSPACES.
func (b *builder) showKeyspaces(show *sqlparser.ShowBasic) engine.Primitive {
	names := slices.Clone(b.pc.keyspaceNames())
	if show.Command == sqlparser.Database {
		names = append(names, systemSchemas...)
	}
	if like := likePattern(show.Filter); like != nil {
		names = slices.DeleteFunc(names, func(name string) bool { return !like.MatchString(name) })
	}
	return engine.NewRowsPrimitive(textColumn(names), textFields("Database"))
}

// likePattern is a filter's LIKE, nil for none.
func likePattern(filter *sqlparser.ShowFilter) *regexp.Regexp {
	if filter == nil || filter.Like == "" {
		return nil
	}
	return sqlparser.LikeToRegexp(filter.Like)
}

func (b *builder) vschemaTables() (engine.Primitive, error) {
	ks, err := b.pc.requireKeyspace()
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(b.pc.VSchema.Keyspaces[ks.Name].Tables))
	return engine.NewRowsPrimitive(textColumn(names), textFields("Tables")), nil
}

func (b *builder) vschemaKeyspaces() engine.Primitive {
	var rows []sqltypes.Row
	for _, name := range b.pc.VSchema.KeyspaceNames() {
		ks := b.pc.VSchema.Keyspaces[name]
		comment := ""
		if ks.Error != nil {
			comment = ks.Error.Error()
		}
		rows = append(rows, textRow(name, strconv.FormatBool(ks.Keyspace.Sharded), ks.ForeignKeyMode.String(), comment))
	}
	return engine.NewRowsPrimitive(rows, textFields("Keyspace", "Sharded", "Foreign Key", "Comment"))
}

// vschemaVindexes lists the vindexes of all keyspaces, or of one table.
func (b *builder) vschemaVindexes(show *sqlparser.ShowBasic) (engine.Primitive, error) {
	if !show.Tbl.IsEmpty() {
		return b.tableVindexes(show.Tbl)
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
	return engine.NewRowsPrimitive(rows, textFields("Keyspace", "Name", "Type", "Params", "Owner")), nil
}

func (b *builder) tableVindexes(name sqlparser.TableName) (engine.Primitive, error) {
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
	return engine.NewRowsPrimitive(rows, fields), nil
}

// paramsText prints a vindex's parameters by name: "a=1; b=2".
func paramsText(params map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		parts = append(parts, name+"="+params[name])
	}
	return strings.Join(parts, "; ")
}
