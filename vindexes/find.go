package vindexes

import (
	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes/key"
)

// globalTable is what a name without a keyspace may mean: a table or a view.
type globalTable struct {
	keyspace *Keyspace
	table    *Table                   // nil: a view
	view     sqlparser.TableStatement // nil: a table
}

// NotFoundError says that a name is neither a table nor a vindex.
type NotFoundError struct {
	TableName string
}

// Error words it as Vitess does.
func (e NotFoundError) Error() string { return "table " + e.TableName + " not found" }

// FindTable finds the table a name means for a primary, routing rules applied.
// An unsharded keyspace has every table one asks for. Without a keyspace the
// name must belong to one keyspace alone, or there be only one keyspace.
// Errors: VT05003 for an unknown keyspace, "ambiguous table reference" and
// "table t not found" (errno 1146) as Vitess words them.
func (vs *VSchema) FindTable(keyspace, name string) (*Table, error) {
	table, err := vs.FindRoutedTable(keyspace, name, topodatapb.TabletType_PRIMARY)
	if err == nil && table == nil {
		err = unknownTable(name)
	}
	return table, err
}

func unknownTable(name string) error {
	return vterrors.NewErrorf(vtrpcpb.Code_NOT_FOUND, vterrors.UnknownTable, "table %s not found", name)
}

// FindTableUnrouted is FindTable without routing rules.
func (vs *VSchema) FindTableUnrouted(keyspace, name string) (*Table, error) {
	table, err := vs.findTable(keyspace, name, true)
	if err == nil && table == nil {
		err = unknownTable(name)
	}
	return table, err
}

// FindRoutedTable finds the table a name means for a tablet type, routing rules
// applied; nil without an error where there is none.
func (vs *VSchema) FindRoutedTable(keyspace, name string, tabletType topodatapb.TabletType) (*Table, error) {
	keyspace = vs.routedKeyspace(keyspace, tabletType)
	for _, rule := range ruleNames(keyspace, name, tabletType) {
		rr, ok := vs.RoutingRules[rule]
		switch {
		case !ok:
			continue
		case rr.Error != nil:
			return nil, rr.Error
		case len(rr.Tables) == 0:
			return nil, vterrors.Errorf(vtrpcpb.Code_FAILED_PRECONDITION, "table %s has been disabled", name)
		}
		return rr.Tables[0], nil
	}
	return vs.findTable(keyspace, name, true)
}

// FindTableOrVindex is FindTable that also knows vindexes by name: exactly one
// of table and vindex is set. Errors as FindTable, and NotFoundError.
func (vs *VSchema) FindTableOrVindex(keyspace, name string) (*Table, Vindex, error) {
	return vs.FindRoutedTableOrVindex(keyspace, name, topodatapb.TabletType_PRIMARY)
}

// FindRoutedTableOrVindex is FindTableOrVindex for a tablet type.
func (vs *VSchema) FindRoutedTableOrVindex(keyspace, name string, tabletType topodatapb.TabletType) (*Table, Vindex, error) {
	table, err := vs.FindRoutedTable(keyspace, name, tabletType)
	if table != nil || err != nil {
		return table, nil, err
	}
	vindex, err := vs.FindVindex(keyspace, name)
	if err == nil && vindex == nil {
		err = NotFoundError{TableName: name}
	}
	return nil, vindex, err
}

// FindVindex finds a vindex by name; nil without an error where there is none.
func (vs *VSchema) FindVindex(keyspace, name string) (Vindex, error) {
	if keyspace == "" {
		vindex, ok := vs.globalVindexes[name]
		if ok && vindex == nil {
			return nil, vterrors.Errorf(vtrpcpb.Code_FAILED_PRECONDITION, "ambiguous vindex reference: %s", name)
		}
		return vindex, nil
	}
	ks, ok := vs.Keyspaces[keyspace]
	if !ok {
		return nil, vterrors.VT05003(keyspace)
	}
	return ks.Vindexes[name], nil
}

// FindView finds a view's definition by name, or nil. The caller gets a tree
// of its own.
func (vs *VSchema) FindView(keyspace, name string) sqlparser.TableStatement {
	var view sqlparser.TableStatement
	if keyspace == "" {
		if global, err := vs.findGlobal(name, false); err == nil && global != nil {
			view = global.view
		}
	} else if ks := vs.Keyspaces[keyspace]; ks != nil {
		view = ks.Views[name]
	}
	if view == nil {
		return nil
	}
	return CopyQuery(view)
}

// CopyQuery copies a query whole. sqlparser.Clone leaves column names shared,
// which binding them to tables changes.
func CopyQuery(query sqlparser.TableStatement) sqlparser.TableStatement {
	return sqlparser.Rewrite(sqlparser.Clone(query), nil, func(c *sqlparser.Cursor) bool {
		if col, ok := c.Node().(*sqlparser.ColName); ok {
			own := *col
			c.Replace(&own)
		}
		return true
	}).(sqlparser.TableStatement)
}

// FindRoutedView is FindView with routing rules applied; name is the view's
// own name where a rule led to it, else nil.
func (vs *VSchema) FindRoutedView(keyspace, view string, tabletType topodatapb.TabletType) (def sqlparser.TableStatement, name *sqlparser.TableName) {
	keyspace = vs.routedKeyspace(keyspace, tabletType)
	for _, rule := range ruleNames(keyspace, view, tabletType) {
		if rr, ok := vs.ViewRoutingRules[rule]; ok {
			target := sqlparser.NewTableNameWithQualifier(rr.TargetViewName, rr.TargetKeyspace)
			return vs.FindView(rr.TargetKeyspace, rr.TargetViewName), &target
		}
	}
	return vs.FindView(keyspace, view), nil
}

// FindMirrorRule finds the mirror rule of a table, or nil.
func (vs *VSchema) FindMirrorRule(keyspace, table string, tabletType topodatapb.TabletType) (*MirrorRule, error) {
	for _, name := range ruleNames(keyspace, table, tabletType) {
		if rule, ok := vs.MirrorRules[name]; ok {
			if rule.Error != nil {
				return nil, rule.Error
			}
			return rule, nil
		}
	}
	return nil, nil
}

// FindRoutedShard is the keyspace that serves a shard, shard routing rules applied.
func (vs *VSchema) FindRoutedShard(keyspace, shard string) string {
	if routed, ok := vs.ShardRoutingRules[keyspace+"."+shard]; ok {
		return routed
	}
	return keyspace
}

// FirstKeyspace is the keyspace first by name, or nil.
func (vs *VSchema) FirstKeyspace() *Keyspace {
	names := vs.KeyspaceNames()
	if len(names) == 0 {
		return nil
	}
	return vs.Keyspaces[names[0]].Keyspace
}

// routedKeyspace applies the keyspace routing rules; a replica without a rule
// of its own follows its primary's.
func (vs *VSchema) routedKeyspace(keyspace string, tabletType topodatapb.TabletType) string {
	if tabletType != topodatapb.TabletType_PRIMARY {
		if routed, ok := vs.KeyspaceRoutingRules[keyspace+"@"+key.TabletTypeName(tabletType)]; ok {
			return routed
		}
	}
	if routed, ok := vs.KeyspaceRoutingRules[keyspace]; ok {
		return routed
	}
	return keyspace
}

// ruleNames are the names a rule for a table may have, most telling first.
func ruleNames(keyspace, table string, tabletType topodatapb.TabletType) [2]string {
	qualified := table
	if keyspace != "" {
		qualified = keyspace + "." + table
	}
	return [2]string{qualified + "@" + key.TabletTypeName(tabletType), qualified}
}

// findTable finds a table without routing rules; nil where there is none.
// assume: an unsharded keyspace has every table one asks for.
func (vs *VSchema) findTable(keyspace, name string, assume bool) (*Table, error) {
	if keyspace == "" {
		global, err := vs.findGlobal(name, assume)
		switch {
		case err != nil || global == nil:
			return nil, err
		case global.table == nil:
			return nil, vterrors.VT13001("found view `" + global.keyspace.Name + "`.`" + name + "`, expecting table")
		}
		return global.table, nil
	}
	ks, ok := vs.Keyspaces[keyspace]
	if !ok {
		return nil, vterrors.VT05003(keyspace)
	}
	return ks.findTable(name, assume), nil
}

// findGlobal finds what a name without a keyspace means; nil where nothing.
func (vs *VSchema) findGlobal(name string, assume bool) (*globalTable, error) {
	global, known := vs.globalTables[name]
	if global != nil {
		return global, nil
	}
	if len(vs.Keyspaces) == 1 {
		ks := vs.Keyspaces[vs.KeyspaceNames()[0]]
		if table := ks.findTable(name, assume); table != nil {
			return &globalTable{keyspace: ks.Keyspace, table: table}, nil
		}
		return nil, nil
	}
	if known {
		return nil, vterrors.Errorf(vtrpcpb.Code_FAILED_PRECONDITION, "ambiguous table reference: %s", name)
	}
	return nil, nil
}

// findTable is the keyspace's table of that name, made up if assume says so.
func (ks *KeyspaceSchema) findTable(name string, assume bool) *Table {
	if table := ks.Tables[name]; table != nil {
		return table
	}
	if assume && !ks.Keyspace.Sharded {
		return &Table{Name: sqlparser.NewIdentifierCS(name), Keyspace: ks.Keyspace}
	}
	return nil
}
