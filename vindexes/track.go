package vindexes

import (
	"maps"
	"slices"
	"strings"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// TableSchema is what a keyspace's shards tell of one of their tables or
// views. WithTables merges it into a VSchema.
type TableSchema struct {
	Name        string
	Columns     []Column // empty: not known
	PrimaryKey  sqlparser.Columns
	UniqueKeys  [][]sqlparser.Expr
	ForeignKeys []*sqlparser.ForeignKeyDefinition
	View        sqlparser.TableStatement // set: it is a view
}

// NewForeignKey describes a foreign key by MySQL's words for its actions, as
// "CASCADE", "SET NULL" or "set_null"; other words are the default.
func NewForeignKey(name string, columns []string, parent string, parentColumns []string, onUpdate, onDelete string) *sqlparser.ForeignKeyDefinition {
	return &sqlparser.ForeignKeyDefinition{
		Source:    ColumnNames(columns),
		IndexName: sqlparser.NewIdentifierCI(name),
		ReferenceDefinition: &sqlparser.ReferenceDefinition{
			ReferencedTable:   sqlparser.NewTableName(parent),
			ReferencedColumns: ColumnNames(parentColumns),
			OnUpdate:          referenceAction(onUpdate),
			OnDelete:          referenceAction(onDelete),
		},
	}
}

// ColumnNames are names as the SQL parser has them.
func ColumnNames(names []string) sqlparser.Columns {
	var columns sqlparser.Columns
	for _, name := range names {
		columns = append(columns, sqlparser.NewIdentifierCI(name))
	}
	return columns
}

func referenceAction(words string) sqlparser.ReferenceAction {
	switch strings.ReplaceAll(strings.ToUpper(words), "_", " ") {
	case "CASCADE":
		return sqlparser.Cascade
	case "SET NULL":
		return sqlparser.SetNull
	case "SET DEFAULT":
		return sqlparser.SetDefault
	case "RESTRICT":
		return sqlparser.Restrict
	case "NO ACTION":
		return sqlparser.NoAction
	}
	return sqlparser.DefaultAction
}

// WithTables makes a VSchema that knows the tables and views of a keyspace as
// its shards have them now; what they told before is forgotten. Columns become
// the table's unless the VSchema says its own list is complete; a table the
// VSchema lacks is added without vindexes. A name may stand more than once: the
// entries add up, in order.
func (vs *VSchema) WithTables(keyspace string, tables []TableSchema) *VSchema {
	tracked := maps.Clone(vs.tracked)
	if tracked == nil {
		tracked = map[string][]TableSchema{}
	}
	tracked[keyspace] = tables
	return vs.rebuilt(tracked, vs.udfs)
}

// WithAggregateUDFs makes a VSchema that knows a keyspace's loaded functions
// that aggregate.
func (vs *VSchema) WithAggregateUDFs(keyspace string, names []string) *VSchema {
	udfs := maps.Clone(vs.udfs)
	if udfs == nil {
		udfs = map[string][]string{}
	}
	udfs[keyspace] = names
	return vs.rebuilt(vs.tracked, udfs)
}

// WithDefinition makes a VSchema of a new definition that keeps what the
// shards told. Errors are Build's.
func (vs *VSchema) WithDefinition(def *vschemapb.SrvVSchema) (*VSchema, error) {
	return build(def, vs.types, vs.tracked, vs.udfs)
}

// Definition is what the VSchema was built of; it must not be changed.
func (vs *VSchema) Definition() *vschemapb.SrvVSchema { return vs.def }

// rebuilt builds the VSchema anew of the same definition, which cannot fail:
// what the shards told brings no error that Build returns.
func (vs *VSchema) rebuilt(tracked map[string][]TableSchema, udfs map[string][]string) *VSchema {
	next, err := build(vs.def, vs.types, tracked, udfs)
	if err != nil {
		panic("a VSchema that was built once does not build again: " + err.Error())
	}
	return next
}

// mergeTracked merges what the shards told into the tables.
func (b *builder) mergeTracked() error {
	names := slices.Sorted(maps.Keys(b.vs.tracked))
	names = slices.DeleteFunc(names, func(name string) bool { return b.vs.Keyspaces[name] == nil })
	if len(names) == 0 {
		return nil
	}
	declared := maps.Clone(b.vs.globalTables)
	for _, name := range names {
		b.mergeColumns(b.vs.Keyspaces[name], b.vs.tracked[name])
	}
	for _, name := range names {
		b.mergeGlobals(b.vs.Keyspaces[name], declared)
	}
	if err := b.buildRoutingRules(); err != nil { // views may be their targets now
		return err
	}
	for _, name := range names {
		b.mergeKeys(b.vs.Keyspaces[name], b.vs.tracked[name])
	}
	for _, name := range names {
		refuseForeignKeyCycles(b.vs.Keyspaces[name])
	}
	return nil
}

func (b *builder) mergeColumns(ks *KeyspaceSchema, tables []TableSchema) {
	for _, seen := range tables {
		if seen.View != nil {
			ks.Views[seen.Name] = seen.View
			continue
		}
		t := ks.Tables[seen.Name]
		if t == nil {
			t = &Table{Name: sqlparser.NewIdentifierCS(seen.Name), Keyspace: ks.Keyspace}
			ks.Tables[seen.Name] = t
		}
		if len(seen.Columns) > 0 && !t.ColumnListAuthoritative {
			t.Columns, t.ColumnListAuthoritative = seen.Columns, true
		}
	}
}

// mergeGlobals adds names that need no keyspace: all views, and the tables of
// unsharded keyspaces. A name the VSchema itself declares is left as it is.
func (b *builder) mergeGlobals(ks *KeyspaceSchema, declared map[string]*globalTable) {
	if ks.RequireExplicitRouting {
		return
	}
	add := func(name string, global *globalTable) {
		if _, ok := declared[name]; ok {
			return
		}
		if _, taken := b.vs.globalTables[name]; taken {
			global = nil // ambiguous
		}
		b.vs.globalTables[name] = global
	}
	for name, view := range ks.Views {
		add(name, &globalTable{keyspace: ks.Keyspace, view: view})
	}
	if ks.Keyspace.Sharded {
		return
	}
	for name, t := range ks.Tables {
		add(name, &globalTable{keyspace: ks.Keyspace, table: t})
	}
}

// mergeKeys adds the keys of tables that are not routed elsewhere.
func (b *builder) mergeKeys(ks *KeyspaceSchema, tables []TableSchema) {
	for _, seen := range tables {
		if seen.View != nil {
			continue
		}
		t, err := b.vs.FindRoutedTable(ks.Keyspace.Name, seen.Name, primary)
		if err != nil || t == nil || t.Keyspace != ks.Keyspace || t.Name.String() != seen.Name {
			continue
		}
		t.PrimaryKey = append(t.PrimaryKey, seen.PrimaryKey...)
		t.UniqueKeys = append(t.UniqueKeys, seen.UniqueKeys...)
		for _, def := range seen.ForeignKeys {
			parentName := def.ReferenceDefinition.ReferencedTable
			keyspace := ks.Keyspace.Name
			if !parentName.Qualifier.IsEmpty() {
				keyspace = parentName.Qualifier.String()
			}
			if parent, err := b.vs.FindRoutedTable(keyspace, parentName.Name.String(), primary); err == nil && parent != nil {
				linkForeignKey(t, parent, def)
			}
		}
	}
}

// refuseForeignKeyCycles sets VT09019 on a keyspace whose foreign keys Vitess
// manages and that form a cycle: a change would never come to an end.
func refuseForeignKeyCycles(ks *KeyspaceSchema) {
	if ks.ForeignKeyMode != vschemapb.Keyspace_managed {
		return
	}
	next := map[string][]string{} // what changes with a column
	for _, name := range slices.Sorted(maps.Keys(ks.Tables)) {
		parent := ks.Tables[name]
		for _, fk := range parent.ChildForeignKeys {
			if fk.OnUpdate.IsRestrict() && fk.OnDelete.IsRestrict() {
				continue // nothing follows from a change of the parent
			}
			for _, from := range columnNames(parent, fk.ParentColumns) {
				for _, to := range columnNames(fk.Table, changedColumns(fk)) {
					next[from] = append(next[from], to)
				}
			}
		}
	}
	if cycle := findCycle(next); cycle != nil {
		ks.Error = vterrors.VT09019(ks.Keyspace.Name, cycle)
	}
}

// findCycle returns the first cycle of a graph by the order of its nodes, which
// ends with the node it began with; nil if there is none.
func findCycle(next map[string][]string) []string {
	var path []string
	done := map[string]bool{}
	var walk func(node string) []string
	walk = func(node string) []string {
		if at := slices.Index(path, node); at >= 0 {
			return append(path[at:], node)
		}
		if done[node] {
			return nil
		}
		path = append(path, node)
		for _, to := range slices.Sorted(slices.Values(next[node])) {
			if cycle := walk(to); cycle != nil {
				return cycle
			}
		}
		path, done[node] = path[:len(path)-1], true
		return nil
	}
	for _, node := range slices.Sorted(maps.Keys(next)) {
		if cycle := walk(node); cycle != nil {
			return cycle
		}
	}
	return nil
}

// changedColumns are the child's columns that a change of the parent changes:
// all of them when rows are deleted.
func changedColumns(fk ChildFKInfo) sqlparser.Columns {
	if !fk.OnDelete.IsCascade() {
		return fk.ChildColumns
	}
	var all sqlparser.Columns
	for _, column := range fk.Table.Columns {
		all = append(all, column.Name)
	}
	return all
}

func columnNames(t *Table, columns sqlparser.Columns) []string {
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = sqlparser.String(sqlparser.NewColNameWithQualifier(column.String(), t.GetTableName()))
	}
	return names
}
