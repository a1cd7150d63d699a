package operators

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

// Delete removes rows of one table.
type Delete struct {
	noColumns
	Source Operator
	Ignore sqlparser.Ignore
	Target TargetTable
	// OwnedVindexQuery finds the values whose rows in lookup tables go too, nil if the table owns no lookup.
	OwnedVindexQuery *sqlparser.Select
}

// Inputs is the source.
func (d *Delete) Inputs() []Operator { return []Operator{d.Source} }

// SetInputs replaces the source.
func (d *Delete) SetInputs(in []Operator) { d.Source = in[0] }

// Clone copies the delete.
func (d *Delete) Clone(in []Operator) Operator {
	c := *d
	c.Source = in[0]
	return &c
}

// Describe names the table.
func (d *Delete) Describe() string { return "Delete " + d.Target.VTable.String() }

func fromDelete(ctx *Context, stmt *sqlparser.Delete) Operator {
	if len(stmt.Targets) > 1 || deleteFindsFirst(ctx, stmt) {
		return deleteFromSeveral(ctx, stmt)
	}
	return deleteRows(ctx, stmt)
}

// deleteRows plans a DELETE of one table, with its foreign keys.
func deleteRows(ctx *Context, stmt *sqlparser.Delete) Operator {
	info := deleteTarget(ctx, stmt.Targets[0])
	children := ctx.foreignKeys[info.ID].Children
	var asWritten *sqlparser.Delete
	if len(children) > 0 {
		asWritten = cloneSem(ctx, stmt)
	}
	op := fromTables(ctx, stmt.TableExprs)
	builder := &subqueryBuilder{}
	if stmt.Where != nil {
		op = addWhereTo(ctx, stmt.Where.Expr, op, builder)
	}
	del := &Delete{Ignore: stmt.Ignore, Target: targetOf(ctx, op, info)}
	vtable := del.Target.VTable
	if vtable.Keyspace.Sharded && vtable.Type == vindexes.TypeTable {
		if primary := primaryVindex(vtable); len(vtable.Owned) > 0 {
			del.OwnedVindexQuery = del.ownedQuery(stmt, primary)
		}
	}
	del.Source = op
	if stmt.Limit != nil {
		del.Source = newLimit(orderRows(ctx, op, stmt.OrderBy), stmt.Limit, false)
	}
	out := builder.over(del)
	if stmt.Comments != nil {
		out = newLockAndComment(out, stmt.Comments, sqlparser.NoLock)
	}
	return cascadeDelete(ctx, out, asWritten, vtable, children)
}

func deleteTarget(ctx *Context, name sqlparser.TableName) *semantics.TableInfo {
	for _, id := range ctx.Sem.DMLTargets.Constituents() {
		if info := must(ctx.Sem.Info(id)); info.Name == name.Name.String() {
			return info
		}
	}
	refuse(vterrors.VT03003(name.Name.String()))
	return nil
}

func (d *Delete) ownedQuery(stmt *sqlparser.Delete, primary *vindexes.ColumnVindex) *sqlparser.Select {
	qualify := sqlparser.MultiTable(stmt.TableExprs)
	query, _ := ownedColumns(primary, d.Target.VTable, func(name sqlparser.IdentifierCI) sqlparser.Expr {
		if qualify {
			return sqlparser.NewColNameWithQualifier(name.String(), d.Target.Name)
		}
		return sqlparser.NewColName(name.String())
	})
	return &sqlparser.Select{
		SelectExprs: &sqlparser.SelectExprs{Exprs: query}, OrderBy: stmt.OrderBy, Limit: stmt.Limit, Lock: sqlparser.ForUpdateLock,
	}
}
