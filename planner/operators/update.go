package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

type (
	// Update changes rows of one table.
	Update struct {
		noColumns
		Source      Operator
		Ignore      sqlparser.Ignore
		Target      TargetTable
		Assignments []Assignment
		// Changed are the lookup vindexes whose columns change, by name; OwnedVindexQuery finds their old values.
		Changed          map[string]ChangedVindex
		OwnedVindexQuery *sqlparser.Select
		// SubqueriesInVindexes are the bind variables of subqueries that give vindex columns their values.
		SubqueriesInVindexes []string
		// ChecksOff says that the shards must not look at foreign keys, as the gateway keeps them all.
		ChecksOff bool
	}

	// Assignment is one column that is set.
	Assignment struct {
		Column *sqlparser.ColName
		Expr   *ProjExpr
	}

	// ChangedVindex says what the columns of a vindex become. Offset is the column of the owned vindex query that tells whether
	// a row has the new values already.
	ChangedVindex struct {
		Values map[string]evalengine.Expr
		Offset int
	}
)

// Inputs is the source.
func (u *Update) Inputs() []Operator { return []Operator{u.Source} }

// SetInputs replaces the source.
func (u *Update) SetInputs(in []Operator) { u.Source = in[0] }

// Clone copies the update.
func (u *Update) Clone(in []Operator) Operator {
	c := *u
	c.Source, c.Assignments = in[0], slices.Clone(u.Assignments)
	return &c
}

// Describe names the table.
func (u *Update) Describe() string { return "Update " + u.Target.VTable.String() }

func (u *Update) emptyStatement() *sqlparser.Update {
	upd := &sqlparser.Update{Ignore: u.Ignore}
	for _, set := range u.Assignments {
		upd.Exprs = append(upd.Exprs, &sqlparser.UpdateExpr{Name: set.Column, Expr: set.Expr.Eval})
	}
	return upd
}

func fromUpdate(ctx *Context, stmt *sqlparser.Update) Operator {
	info := updateTarget(ctx, stmt)
	refuseDependentKeys(ctx, stmt)
	if changesSeveral(ctx, stmt) || updateFindsFirst(ctx, stmt, info) {
		return updateSeveral(ctx, stmt)
	}
	return updateRows(ctx, stmt, info)
}

// updateRows plans an UPDATE of one table, with its foreign keys.
func updateRows(ctx *Context, stmt *sqlparser.Update, info *semantics.TableInfo) Operator {
	keeper := &updateKeeper{keys: ctx.foreignKeys[info.ID]}
	if !keeper.keys.isEmpty() {
		keeper.stmt = cloneSem(ctx, stmt)
	}
	op := fromTables(ctx, stmt.TableExprs)
	builder := &subqueryBuilder{}
	if stmt.Where != nil {
		op = addWhereTo(ctx, stmt.Where.Expr, op, builder)
	}
	upd := &Update{Ignore: stmt.Ignore, ChecksOff: ctx.keepsAllKeys}
	tables := tablesOf(op)
	for i, set := range stmt.Exprs {
		expr, subqueries := builder.pullOut(ctx, set.Expr, tables, true)
		pe := newProjExpr(wrap(expr))
		if len(subqueries) > 0 {
			pe.subqueries, pe.state = subqueries, holdsSubqueries
			keeper.takeValue(i, expr)
		}
		upd.Assignments = append(upd.Assignments, Assignment{set.Name, pe})
	}
	upd.Target = targetOf(ctx, op, info)
	upd.findChangedVindexes(ctx, stmt)
	upd.Source = orderRows(ctx, op, stmt.OrderBy)
	if stmt.Limit != nil {
		upd.Source = newLimit(upd.Source, stmt.Limit, false)
	}
	if keeper.stmt == nil {
		return newLockAndComment(builder.over(upd), stmt.Comments, sqlparser.ShareModeLock)
	}
	keeper.target = upd.Target
	for _, sq := range builder.inner {
		sq.Subquery = newLockAndComment(sq.Subquery, stmt.Comments, sqlparser.ShareModeLock)
	}
	// Subqueries run before the checks and cascades, which use their values too.
	return builder.over(keeper.keep(ctx, newLockAndComment(upd, stmt.Comments, sqlparser.ShareModeLock)))
}

// updateTarget is a table that assignments belong to. VT03032 where one belongs to no table.
func updateTarget(ctx *Context, stmt *sqlparser.Update) *semantics.TableInfo {
	var target *semantics.TableInfo
	for _, set := range stmt.Exprs {
		target = must(ctx.Sem.InfoForExpr(set.Name))
		if target.Kind != semantics.BaseTable {
			refuse(vterrors.VT03032(sqlparser.String(target.AST)))
		}
	}
	return target
}

// findChangedVindexes plans the upkeep of lookup vindexes whose columns are set. VT12001 for the primary vindex and for those
// that are computed, as rows would have to move.
func (u *Update) findChangedVindexes(ctx *Context, stmt *sqlparser.Update) {
	vtable := u.Target.VTable
	if !vtable.Keyspace.Sharded || vtable.Type != vindexes.TypeTable {
		return
	}
	query, offset := ownedColumns(primaryVindex(vtable), vtable, func(name sqlparser.IdentifierCI) sqlparser.Expr {
		return sqlparser.NewColName(name.String())
	})
	u.Changed = map[string]ChangedVindex{}
	for i, cv := range vtable.ColumnVindexes {
		values, comparisons := u.valuesOf(ctx, cv)
		if len(values) == 0 {
			continue
		}
		if i == 0 {
			refuse(vterrors.VT12001("you cannot UPDATE primary vindex columns; invalid update on vindex: " + cv.Name))
		}
		if _, isLookup := cv.Vindex.(vindexes.Lookup); !isLookup {
			refuse(vterrors.VT12001("you can only UPDATE lookup vindexes; invalid update on vindex: " + cv.Name))
		}
		query = append(query, wrap(sqlparser.AndExpressions(comparisons...)))
		u.Changed[cv.Name] = ChangedVindex{Values: values, Offset: offset}
		offset++
	}
	if len(u.Changed) == 0 {
		u.Changed = nil
		return
	}
	u.OwnedVindexQuery = &sqlparser.Select{
		SelectExprs: &sqlparser.SelectExprs{Exprs: query}, OrderBy: stmt.OrderBy, Limit: stmt.Limit, Lock: sqlparser.ForUpdateLock,
	}
}

// ownedColumns selects what the upkeep of owned vindexes needs: the columns of the primary vindex, then of each owned one.
func ownedColumns(primary *vindexes.ColumnVindex, vtable *vindexes.Table, column func(sqlparser.IdentifierCI) sqlparser.Expr) ([]sqlparser.SelectExpr, int) {
	var query []sqlparser.SelectExpr
	for _, name := range primary.Columns {
		query = append(query, wrap(column(name)))
	}
	for _, cv := range vtable.Owned {
		for _, name := range cv.Columns {
			query = append(query, wrap(column(name)))
		}
	}
	return query, len(query)
}

// valuesOf are the new values of a vindex's columns, by name, and the comparisons of the columns with them.
func (u *Update) valuesOf(ctx *Context, cv *vindexes.ColumnVindex) (map[string]evalengine.Expr, []sqlparser.Expr) {
	values := map[string]evalengine.Expr{}
	var comparisons []sqlparser.Expr
	for _, name := range cv.Columns {
		for _, set := range u.Assignments {
			if !name.Equal(set.Column.Name) {
				continue
			}
			if _, twice := values[name.String()]; twice {
				refuse(vterrors.VT03015(set.Column.Name))
			}
			value, err := evalengine.Translate(set.Expr.Eval, ctx.evalConfig())
			if err != nil {
				refuse(vterrors.VT12001("only values are supported; invalid update on column: `" + set.Column.Name.String() +
					"` with expr: [" + sqlparser.String(set.Expr.Eval) + "]"))
			}
			for _, sq := range set.Expr.subqueries {
				u.SubqueriesInVindexes = append(u.SubqueriesInVindexes, sq.ArgName)
			}
			values[name.String()] = value
			comparisons = append(comparisons, sqlparser.NewComparisonExpr(sqlparser.EqualOp, set.Column, set.Expr.Eval, nil))
		}
	}
	return values, comparisons
}
