package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

// ForeignKeys are those of one table that the gateway keeps while a statement changes the table. Those that the shards keep
// as well as the gateway could, or that the change cannot break, are left out.
type ForeignKeys struct {
	// Parents are the keys whose child the table is: new values must be a parent's.
	Parents []vindexes.ParentFKInfo
	// Children are the keys whose parent the table is: child rows follow, or forbid the change.
	Children []vindexes.ChildFKInfo
}

func (keys ForeignKeys) isEmpty() bool { return len(keys.Parents)+len(keys.Children) == 0 }

// FindForeignKeys tells the context which foreign keys the gateway must keep when it runs a statement. VT09019 where the keys
// of a keyspace form a cycle.
func (ctx *Context) FindForeignKeys(stmt sqlparser.Statement) error {
	all, err := ctx.managedForeignKeys()
	if err != nil {
		return err
	}
	if upd, ok := stmt.(*sqlparser.Update); ok {
		ctx.keepsAllKeys = ctx.computesKeys(all, upd.Exprs)
	}
	ctx.keepKeys(stmt, all)
	return nil
}

// keepKeys remembers those of all foreign keys that the gateway keeps.
func (ctx *Context) keepKeys(stmt sqlparser.Statement, all map[semantics.TableSet]ForeignKeys) {
	ctx.foreignKeys = map[semantics.TableSet]ForeignKeys{}
	for id, keys := range all {
		if keys = ctx.concernedKeys(stmt, id, keys); !ctx.keepsAllKeys {
			keys = ctx.withoutShardsKeys(stmt, id, keys)
		}
		if !keys.isEmpty() {
			ctx.foreignKeys[id] = keys
		}
	}
}

// KeepsForeignKeys tells whether a statement needs more than the shards' own checks.
func (ctx *Context) KeepsForeignKeys() bool { return len(ctx.foreignKeys) > 0 }

// managedForeignKeys are all foreign keys of the statement's tables, where the gateway keeps them and the session wants it.
func (ctx *Context) managedForeignKeys() (map[semantics.TableSet]ForeignKeys, error) {
	if checks := ctx.Schema.ForeignKeySetting(); checks != nil && !*checks {
		return nil, nil
	}
	all := map[semantics.TableSet]ForeignKeys{}
	for _, info := range ctx.Sem.Tables {
		if info == nil || info.Kind != semantics.BaseTable || info.VTable == nil || info.VTable.Keyspace == nil {
			continue
		}
		managed, err := ctx.Schema.ManagesForeignKeys(info.VTable.Keyspace.Name)
		if err != nil {
			return nil, err
		}
		keys := ForeignKeys{Parents: info.VTable.ParentForeignKeys, Children: info.VTable.ChildForeignKeys}
		if managed && !keys.isEmpty() {
			all[info.ID] = keys
		}
	}
	return all, nil
}

// concernedKeys leaves out the keys that the change of a table cannot break:
//
//	DELETE                           those to parents
//	INSERT                           those from children
//	UPDATE, ON DUPLICATE KEY UPDATE  those whose columns are not set, and those to parents of which a column becomes NULL
//	REPLACE                          none, as it deletes and inserts
func (ctx *Context) concernedKeys(stmt sqlparser.Statement, id semantics.TableSet, keys ForeignKeys) ForeignKeys {
	switch stmt := stmt.(type) {
	case *sqlparser.Delete:
		keys.Parents = nil
	case *sqlparser.Insert:
		if stmt.Action != sqlparser.ReplaceAct {
			keys.Children = childrenOfSet(keys.Children, sqlparser.UpdateExprs(stmt.OnDup))
		}
	case *sqlparser.Update:
		sets := ctx.setsOf(id, stmt.Exprs)
		keys.Children = childrenOfSet(keys.Children, sets)
		keys.Parents = slices.DeleteFunc(slices.Clone(keys.Parents), func(fk vindexes.ParentFKInfo) bool {
			checked := false
			for _, set := range settingAny(sets, fk.ChildColumns) {
				if sqlparser.IsNull(set.Expr) {
					return true
				}
				checked = true
			}
			return !checked
		})
	default:
		return ForeignKeys{}
	}
	return keys
}

// setsOf are the assignments to one table.
func (ctx *Context) setsOf(id semantics.TableSet, sets sqlparser.UpdateExprs) sqlparser.UpdateExprs {
	return slices.DeleteFunc(slices.Clone(sets), func(set *sqlparser.UpdateExpr) bool { return ctx.Sem.DirectDeps(set.Name) != id })
}

// settingAny are the assignments to some of the columns.
func settingAny(sets sqlparser.UpdateExprs, columns sqlparser.Columns) sqlparser.UpdateExprs {
	return slices.DeleteFunc(slices.Clone(sets), func(set *sqlparser.UpdateExpr) bool { return columns.FindColumn(set.Name.Name) < 0 })
}

func childrenOfSet(children []vindexes.ChildFKInfo, sets sqlparser.UpdateExprs) []vindexes.ChildFKInfo {
	return slices.DeleteFunc(slices.Clone(children), func(fk vindexes.ChildFKInfo) bool {
		return len(settingAny(sets, fk.ParentColumns)) == 0
	})
}

// computesKeys tells whether a column of a foreign key becomes something else than one value for all rows.
func (ctx *Context) computesKeys(all map[semantics.TableSet]ForeignKeys, sets sqlparser.UpdateExprs) bool {
	return slices.ContainsFunc(sets, func(set *sqlparser.UpdateExpr) bool {
		return !sqlparser.IsLiteral(set.Expr) && all[ctx.Sem.DirectDeps(set.Name)].use(set.Name.Name)
	})
}

// use tells whether a column of the table is part of one of the keys.
func (keys ForeignKeys) use(column sqlparser.IdentifierCI) bool {
	for _, fk := range keys.Parents {
		if fk.ChildColumns.FindColumn(column) >= 0 {
			return true
		}
	}
	for _, fk := range keys.Children {
		if fk.ParentColumns.FindColumn(column) >= 0 {
			return true
		}
	}
	return false
}

// withoutShardsKeys leaves out what the shards check: keys to parents, and keys from children that forbid the change, if
// parent and child are on one shard.
func (ctx *Context) withoutShardsKeys(stmt sqlparser.Statement, id semantics.TableSet, keys ForeignKeys) ForeignKeys {
	vtable := ctx.Sem.Tables[id.TableOffset()].VTable
	keys.Parents = slices.DeleteFunc(slices.Clone(keys.Parents), func(fk vindexes.ParentFKInfo) bool {
		return isWithinShard(fk.Table, vtable, fk.ParentColumns, fk.ChildColumns)
	})
	_, isDelete := stmt.(*sqlparser.Delete)
	keys.Children = slices.DeleteFunc(slices.Clone(keys.Children), func(fk vindexes.ChildFKInfo) bool {
		return onChange(fk, isDelete).IsRestrict() && isWithinShard(vtable, fk.Table, fk.ParentColumns, fk.ChildColumns)
	})
	return keys
}

// onChange is what a key does with child rows when the parent goes, or changes.
func onChange(fk vindexes.ChildFKInfo, isDelete bool) sqlparser.ReferenceAction {
	if isDelete {
		return fk.OnDelete
	}
	return fk.OnUpdate
}

// isWithinShard tells whether each child row is on its parent's shard: there is but one shard, the parent is whole on each,
// or both are placed by the same vindex over columns that the key makes equal.
func isWithinShard(parent, child *vindexes.Table, parentColumns, childColumns sqlparser.Columns) bool {
	if parent.Keyspace.Name != child.Keyspace.Name {
		return false
	}
	if !parent.Keyspace.Sharded || parent.Type == vindexes.TypeReference {
		return true
	}
	if len(parent.ColumnVindexes) == 0 || len(child.ColumnVindexes) == 0 {
		return false
	}
	p, c := parent.ColumnVindexes[0], child.ColumnVindexes[0]
	inParent, parentAt := parentColumns.Indexes(p.Columns)
	inChild, childAt := childColumns.Indexes(c.Columns)
	return p.Name == c.Name && inParent && inChild && slices.Equal(parentAt, childAt)
}
