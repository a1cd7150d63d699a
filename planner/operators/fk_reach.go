package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

// reach is what the cascades of a statement change: columns by table, with nil for whole rows. Cascades run before the
// statement itself. If they change what it finds its rows by, the rows must be found before.
type reach map[*vindexes.Table]sqlparser.Columns

// follow adds what happens to the child rows of a table whose rows are deleted, or whose columns in changed become others.
func (r reach) follow(children []vindexes.ChildFKInfo, changed sqlparser.Columns, isDelete bool) {
	for _, fk := range children {
		action := onChange(fk, isDelete)
		hit := isDelete || slices.ContainsFunc(fk.ParentColumns, func(c sqlparser.IdentifierCI) bool { return changed.FindColumn(c) >= 0 })
		if !hit || action.IsRestrict() {
			continue
		}
		if isDelete && action == sqlparser.Cascade {
			if columns, known := r[fk.Table]; !known || columns != nil {
				r[fk.Table] = nil
				r.follow(fk.Table.ChildForeignKeys, nil, true)
			}
			continue
		}
		if r.add(fk.Table, fk.ChildColumns) {
			r.follow(fk.Table.ChildForeignKeys, fk.ChildColumns, false)
		}
	}
}

// add is false if the columns are known already.
func (r reach) add(vtable *vindexes.Table, columns sqlparser.Columns) bool {
	known, ok := r[vtable]
	if ok && known == nil {
		return false
	}
	added := false
	for _, column := range columns {
		if known.FindColumn(column) < 0 {
			known, added = append(known, column), true
		}
	}
	r[vtable] = known
	return added
}

// changes tells whether the rows of a table, or a column of it that a node uses, are in reach.
func (r reach) changes(ctx *Context, node sqlparser.SQLNode, target *semantics.TableInfo) bool {
	columns, ok := r[target.VTable]
	if !ok {
		return false
	}
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if col, ok := node.(*sqlparser.ColName); ok && ctx.Sem.DirectDeps(col) == target.ID {
			found = found || columns == nil || columns.FindColumn(col.Name) >= 0
		}
		return !found, nil
	}, node)
	return found
}

// changesRowsOf tells whether a statement's cascades change what it finds its rows by: columns of its table in the clauses, or
// another of its tables.
func (r reach) changesRowsOf(ctx *Context, target *semantics.TableInfo, clauses ...sqlparser.SQLNode) bool {
	if len(r) == 0 {
		return false
	}
	for _, info := range ctx.Sem.Tables {
		if info == nil || info.ID == target.ID {
			continue
		}
		if _, ok := r[info.VTable]; ok {
			return true
		}
	}
	return slices.ContainsFunc(clauses, func(node sqlparser.SQLNode) bool { return r.changes(ctx, node, target) })
}

// deleteFindsFirst tells whether the rows of a DELETE with foreign keys are found before anything is deleted: cascades know no
// LIMIT, delete one table at a time, and may change what tells the rows.
func deleteFindsFirst(ctx *Context, stmt *sqlparser.Delete) bool {
	target := deleteTarget(ctx, stmt.Targets[0])
	keys := ctx.foreignKeys[target.ID].Children
	if len(keys) == 0 {
		return false
	}
	if stmt.Limit != nil || !stmt.IsSingleAliasExpr() {
		return true
	}
	r := reach{}
	r.follow(keys, nil, true)
	return r.changesRowsOf(ctx, target, stmt.Where)
}

// updateFindsFirst tells the same of an UPDATE. Its checks know no other table and no subquery either.
func updateFindsFirst(ctx *Context, stmt *sqlparser.Update, target *semantics.TableInfo) bool {
	keys := ctx.foreignKeys[target.ID]
	if keys.isEmpty() {
		return false
	}
	if stmt.Limit != nil || stmt.Where != nil && hasSubquery(stmt.Where.Expr) {
		return true
	}
	checks := len(keys.Parents) > 0 || slices.ContainsFunc(keys.Children, func(fk vindexes.ChildFKInfo) bool { return fk.OnUpdate.IsRestrict() })
	if checks && !isOneTable(stmt.TableExprs) {
		return true
	}
	var changed sqlparser.Columns
	for _, set := range stmt.Exprs {
		changed = append(changed, set.Name.Name)
	}
	r := reach{}
	r.follow(keys.Children, changed, false)
	for _, set := range stmt.Exprs {
		if r.changes(ctx, set.Expr, target) {
			refuse(vterrors.VT12001("update by a column that foreign keys of the table to itself change"))
		}
	}
	return r.changesRowsOf(ctx, target, sqlparser.TableExprs(stmt.TableExprs), stmt.Where, stmt.OrderBy)
}

func hasSubquery(expr sqlparser.Expr) bool {
	found, _ := firstSubquery(expr)
	return found != nil
}

func isOneTable(from []sqlparser.TableExpr) bool {
	if len(from) != 1 {
		return false
	}
	_, ok := from[0].(*sqlparser.AliasedTableExpr)
	return ok
}
