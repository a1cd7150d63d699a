package operators

import (
	"cmp"
	"fmt"
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

// changeOfOne is what a statement that changes several tables does to one of them: its rows are named by their keys, which one
// query for all tables finds first.
//
//	delete u, m from u join m on u.id = m.user_id
//	    select u.id, m.id from u join m on u.id = m.user_id for update
//	    delete from u where u.id in ::dml_vals
//	    delete from m where m.id in ::dml_vals
type changeOfOne struct {
	op     Operator
	vtable *vindexes.Table
	key    []*sqlparser.ColName
	// values are those of other tables that the change needs, as bind variables.
	values []boundExpr
}

// deleteFromSeveral plans a DELETE of several tables, or one whose rows must be found before cascades begin.
func deleteFromSeveral(ctx *Context, stmt *sqlparser.Delete) Operator {
	rows := semantics.Clone(ctx.Sem, stmt)
	var changes []changeOfOne
	for _, id := range ctx.Sem.DMLTargets.Constituents() {
		info, c := changeByKeyOf(ctx, id)
		c.op = deleteRows(ctx, &sqlparser.Delete{
			Ignore: stmt.Ignore, TableExprs: sqlparser.TableExprs{info.AST}, Targets: sqlparser.TableNames{info.TableName()},
			Where: c.where(),
		})
		changes = append(changes, c)
	}
	return changeSeveral(ctx, changes, &sqlparser.Select{
		From: rows.TableExprs, Where: rows.Where, OrderBy: rows.OrderBy, Limit: rows.Limit,
	}, stmt.Comments)
}

// changesSeveral tells whether an UPDATE sets columns of several tables, or by values of others.
func changesSeveral(ctx *Context, stmt *sqlparser.Update) bool {
	var used semantics.TableSet
	for _, set := range stmt.Exprs {
		used = used.Merge(ctx.Sem.DirectDeps(set.Name)).Merge(ctx.Sem.RecursiveDeps(set.Expr))
	}
	return used.NumberOfTables() > 1
}

// updateSeveral plans an UPDATE of several tables, or by values of others, or one whose rows must be found before cascades
// begin. VT12001 where a value that is needed is changed too,
// as MySQL changes row by row.
func updateSeveral(ctx *Context, stmt *sqlparser.Update) Operator {
	rows := semantics.Clone(ctx.Sem, stmt)
	sets := map[semantics.TableSet]sqlparser.UpdateExprs{}
	values := map[semantics.TableSet][]boundExpr{}
	for _, set := range stmt.Exprs {
		target := ctx.Sem.DirectDeps(set.Name)
		split := splitAcrossJoin(ctx, set.Expr, ctx.Sem.RecursiveDeps(set.Expr).Remove(target))
		refuseChangedValues(ctx, stmt, split)
		sets[target] = append(sets[target], &sqlparser.UpdateExpr{Name: set.Name, Expr: split.right})
		values[target] = append(values[target], split.left...)
	}
	var changes []changeOfOne
	for _, id := range ctx.Sem.DMLTargets.Constituents() {
		info, c := changeByKeyOf(ctx, id)
		c.values = values[id]
		c.op = updateRows(ctx, &sqlparser.Update{
			Ignore: stmt.Ignore, TableExprs: sqlparser.TableExprs{info.AST}, Exprs: sets[id], Where: c.where(), OrderBy: stmt.OrderBy,
		}, info)
		changes = append(changes, c)
	}
	return changeSeveral(ctx, changes, &sqlparser.Select{
		From: rows.TableExprs, Where: rows.Where, OrderBy: rows.OrderBy, Limit: rows.Limit,
	}, stmt.Comments)
}

func refuseChangedValues(ctx *Context, stmt *sqlparser.Update, split joinColumn) {
	for _, set := range stmt.Exprs {
		for _, value := range split.left {
			if ctx.Sem.EqualsWithDeps(set.Name, value.expr) {
				refuse(vterrors.VT12001(fmt.Sprintf("'%s' column referenced in update expression '%s' is itself updated",
					sqlparser.String(set.Name), sqlparser.String(split.original))))
			}
		}
	}
}

// changeByKeyOf describes a table that is changed by its primary key. VT09015 where that is not known.
func changeByKeyOf(ctx *Context, id semantics.TableSet) (*semantics.TableInfo, changeOfOne) {
	info := must(ctx.Sem.Info(id))
	if info.VTable == nil || len(info.VTable.PrimaryKey) == 0 {
		refuse(vterrors.VT09015())
	}
	c := changeOfOne{vtable: info.VTable}
	for _, name := range info.VTable.PrimaryKey {
		col := sqlparser.NewColNameWithQualifier(name.String(), info.TableName())
		ctx.Sem.SetRecursiveDeps(col, id)
		c.key = append(c.key, col)
	}
	return info, c
}

// where names the rows by their keys.
func (c *changeOfOne) where() *sqlparser.Where {
	return sqlparser.NewWhere(sqlparser.WhereClause, keyIsListed(c.key))
}

// keyIsListed compares a primary key with the list of those to change.
func keyIsListed(key []*sqlparser.ColName) sqlparser.Expr {
	var left sqlparser.Expr = key[0]
	if len(key) > 1 {
		tuple := sqlparser.ValTuple{}
		for _, col := range key {
			tuple = append(tuple, col)
		}
		left = tuple
	}
	return sqlparser.NewComparisonExpr(sqlparser.InOp, left, sqlparser.ListArg(opcode.DMLValues), nil)
}

// changeSeveral puts the changes over the query that finds the rows. Tables without vindexes come last, those whose vindex asks
// a lookup table first.
func changeSeveral(ctx *Context, changes []changeOfOne, find *sqlparser.Select, comments *sqlparser.ParsedComments) Operator {
	slices.SortStableFunc(changes, func(x, y changeOfOne) int { return cmp.Compare(x.rank(), y.rank()) })
	find.Lock = sqlparser.ForUpdateLock
	dml := &DMLWithInput{}
	for _, c := range changes {
		dml.DML, dml.cols, dml.values = append(dml.DML, c.op), append(dml.cols, c.key), append(dml.values, c.values)
		for _, col := range c.key {
			find.AddSelectExpr(wrap(col))
		}
	}
	dml.Source = fromSelect(ctx, find)
	if comments != nil {
		return newLockAndComment(dml, comments, sqlparser.NoLock)
	}
	return dml
}

func (c *changeOfOne) rank() int {
	switch {
	case len(c.vtable.ColumnVindexes) == 0:
		return 2
	case c.vtable.ColumnVindexes[0].Vindex.NeedsVCursor():
		return 0
	}
	return 1
}
