package operators

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/sysvars"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes"
)

// foreignKeyValues is the bind variable with the parents' values.
const foreignKeyValues = "fkc_vals"

// cascadeDelete deletes child rows before their parents, or makes them orphans that say so:
//
//	delete from p where ...
//	    select p.id from p where ... for update
//	    delete from c where (p_id) in ::fkc_vals          ON DELETE CASCADE
//	    update d set p_id = null where (p_id) in ...      ON DELETE SET NULL
//	    delete from p where ...
//
// VT12002 for a key that forbids it and whose rows are on other shards, VT09016 for SET DEFAULT, VT12001 for IGNORE: it would
// keep parents whose children are gone.
func cascadeDelete(ctx *Context, del Operator, stmt *sqlparser.Delete, vtable *vindexes.Table, children []vindexes.ChildFKInfo) Operator {
	if len(children) == 0 {
		return del
	}
	if stmt.Ignore {
		refuse(vterrors.VT12001("DELETE IGNORE with foreign keys that cascade"))
	}
	target := stmt.Targets[0]
	find := &selection{}
	cascade := &FkCascade{Parent: del}
	for _, fk := range children {
		if fk.OnDelete.IsRestrict() {
			refuse(vterrors.VT12002(sqlparser.String(target), QualifiedName(fk.Table)))
		}
		child := FkChild{Cols: find.columns(fk.ParentColumns, target), BindVar: ctx.Reserved.ReserveVariable(foreignKeyValues)}
		child.Planned = planApart(ctx, statementOnDelete(ctx, fk, child.BindVar), keptKeys{})
		cascade.Children = append(cascade.Children, child)
	}
	cascade.Selection = planApart(ctx, find.query(stmt.TableExprs, stmt.Where, nil, lockToChange(vtable)), keptKeys{})
	return cascade
}

// statementOnDelete is what happens to the child rows of deleted parents.
func statementOnDelete(ctx *Context, fk vindexes.ChildFKInfo, bindVar string) sqlparser.Statement {
	switch fk.OnDelete {
	case sqlparser.Cascade:
		return &sqlparser.Delete{
			Comments: checksAsSet(ctx), TableExprs: onlyTable(fk.Table),
			Where: sqlparser.NewWhere(sqlparser.WhereClause, childOfListed(fk, bindVar)),
		}
	case sqlparser.SetNull:
		return setNull(ctx, fk, childOfListed(fk, bindVar))
	}
	refuse(vterrors.VT09016())
	return nil
}

// setNull makes child rows orphans.
func setNull(ctx *Context, fk vindexes.ChildFKInfo, where sqlparser.Expr) *sqlparser.Update {
	upd := &sqlparser.Update{
		Comments: checksAsSet(ctx), TableExprs: onlyTable(fk.Table), Where: sqlparser.NewWhere(sqlparser.WhereClause, where),
	}
	for _, column := range fk.ChildColumns {
		upd.Exprs = append(upd.Exprs, &sqlparser.UpdateExpr{Name: sqlparser.NewColName(column.String()), Expr: &sqlparser.NullVal{}})
	}
	return upd
}

// childOfListed names child rows by the values of their parents.
func childOfListed(fk vindexes.ChildFKInfo, bindVar string) sqlparser.Expr {
	return sqlparser.NewComparisonExpr(sqlparser.InOp, columnTuple(fk.ChildColumns), sqlparser.NewListArg(bindVar), nil)
}

func columnTuple(columns sqlparser.Columns) sqlparser.ValTuple {
	var tuple sqlparser.ValTuple
	for _, column := range columns {
		tuple = append(tuple, sqlparser.NewColName(column.String()))
	}
	return tuple
}

func onlyTable(vtable *vindexes.Table) sqlparser.TableExprs {
	return sqlparser.TableExprs{sqlparser.NewAliasedTableExpr(vtable.GetTableName(), "")}
}

// lockToChange locks rows that are going to be changed. As in Vitess, a statement does not wait for rows of a table with unique
// keys: it fails (3572).
func lockToChange(vtable *vindexes.Table) sqlparser.Lock {
	if len(vtable.UniqueKeys) > 0 {
		return sqlparser.ForUpdateLockNoWait
	}
	return sqlparser.ForUpdateLock
}

// checksAsSet makes the shards check foreign keys if the session asked for it, as theirs may be set otherwise.
func checksAsSet(ctx *Context) *sqlparser.ParsedComments {
	if ctx.Schema.ForeignKeySetting() == nil {
		return nil
	}
	return setForeignKeyChecks(nil, "ON").Parsed()
}

// CheckNoForeignKeys makes the shards run an UPDATE without a look at foreign keys.
func CheckNoForeignKeys(stmt *sqlparser.Update) {
	stmt.SetComments(setForeignKeyChecks(stmt.GetParsedComments(), "OFF"))
}

// setForeignKeyChecks adds to comments what makes a shard check foreign keys, or not, for one statement.
func setForeignKeyChecks(comments *sqlparser.ParsedComments, value string) sqlparser.Comments {
	return comments.SetMySQLSetVarValue(sysvars.ForeignKeyChecks, value)
}
