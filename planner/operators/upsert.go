package operators

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes"
)

type (
	// Upsert inserts rows one by one, and updates the row that is there already instead.
	Upsert struct {
		noColumns
		nullary
		Rows []UpsertRow
	}

	// UpsertRow is one row's insert, and what to do instead if its key exists.
	UpsertRow struct {
		Insert, Update Planned
	}
)

// Clone copies the operator.
func (u *Upsert) Clone([]Operator) Operator {
	c := *u
	return &c
}

// Describe names it.
func (u *Upsert) Describe() string { return "Upsert" }

func (u *Upsert) plannedBeside() []Planned {
	var all []Planned
	for _, row := range u.Rows {
		all = append(all, row.Insert, row.Update)
	}
	return all
}

// upsert plans ON DUPLICATE KEY UPDATE of columns that child rows refer to: the update cascades, which no shard's INSERT can.
//
//	insert into p(id, code) values (1, 'a') on duplicate key update code = values(code)
//	    insert into p(id, code) values (1, 'a')          and if that is a duplicate
//	    update p set code = 'a' where id = 1             with its cascades
//
// Rows are told by the primary key alone, so that other unique keys are refused (VT12001), as are owned lookups: a row that is
// a duplicate has its entries made before it turns out to be one.
func upsert(ctx *Context, stmt *sqlparser.Insert, vtable *vindexes.Table) Operator {
	rows, ok := stmt.Rows.(sqlparser.Values)
	switch {
	case !ok:
		refuse(vterrors.VT12001("ON DUPLICATE KEY UPDATE with foreign keys with select statement"))
	case len(vtable.UniqueKeys) > 0:
		refuse(vterrors.VT12001("ON DUPLICATE KEY UPDATE with foreign keys with unique keys"))
	case bool(stmt.Ignore):
		refuse(vterrors.VT12001("INSERT IGNORE with ON DUPLICATE KEY UPDATE and foreign keys"))
	case len(vtable.Owned) > 0:
		refuse(vterrors.VT12001("ON DUPLICATE KEY UPDATE with foreign keys with owned vindexes"))
	}
	up := &Upsert{}
	for _, row := range rows {
		upd := &sqlparser.Update{
			Comments: stmt.Comments, TableExprs: sqlparser.TableExprs{sqlparser.Clone(stmt.Table)},
			Where: sqlparser.NewWhere(sqlparser.WhereClause, sameKey(vtable, stmt.Columns, row)),
		}
		for _, set := range stmt.OnDup {
			upd.Exprs = append(upd.Exprs, &sqlparser.UpdateExpr{Name: set.Name, Expr: withRowValues(set.Expr, stmt, row)})
		}
		ins := sqlparser.Clone(stmt)
		ins.OnDup, ins.RowAlias, ins.Rows = nil, nil, sqlparser.Values{sqlparser.Clone(row)}
		up.Rows = append(up.Rows, UpsertRow{Update: planApart(ctx, upd, keptKeys{}), Insert: planApart(ctx, ins, keptKeys{})})
	}
	return up
}

// sameKey finds the row that a row to insert would be a duplicate of.
func sameKey(vtable *vindexes.Table, columns sqlparser.Columns, row sqlparser.ValTuple) sqlparser.Expr {
	var all []sqlparser.Expr
	for _, name := range vtable.PrimaryKey {
		value, _ := insertedValue(vtable, columns, row, name)
		all = append(all, sqlparser.NewComparisonExpr(sqlparser.EqualOp, sqlparser.NewColName(name.String()), value, nil))
	}
	return sqlparser.AndExpressions(all...)
}

// insertedValue is what a column of an inserted row becomes. It is false if that is neither given nor a default: such a row is
// no duplicate by the column.
func insertedValue(vtable *vindexes.Table, columns sqlparser.Columns, row sqlparser.ValTuple, name sqlparser.IdentifierCI) (sqlparser.Expr, bool) {
	if at := columns.FindColumn(name); at >= 0 {
		if _, isDefault := row[at].(*sqlparser.Default); !isDefault {
			return row[at], true
		}
	}
	for _, column := range vtable.Columns {
		if column.Name.Equal(name) {
			return column.Default, column.Default != nil
		}
	}
	refuse(vterrors.VT03014(name.String(), vtable.Name.String()))
	return nil, false
}

// hasWholeKey tells whether an INSERT gives the primary key, or defaults do.
func hasWholeKey(vtable *vindexes.Table, columns sqlparser.Columns, row sqlparser.ValTuple) bool {
	for _, name := range vtable.PrimaryKey {
		if _, ok := insertedValue(vtable, columns, row, name); !ok {
			return false
		}
	}
	return len(vtable.PrimaryKey) > 0
}

// withRowValues puts the values of a row in the place of VALUES(column), and of columns of the row's alias.
func withRowValues(expr sqlparser.Expr, stmt *sqlparser.Insert, row sqlparser.ValTuple) sqlparser.Expr {
	valueOf := func(columns sqlparser.Columns, col *sqlparser.ColName) sqlparser.Expr {
		at := columns.FindColumn(col.Name)
		if at < 0 {
			refuse(vterrors.VT03014(sqlparser.String(col), "field list"))
		}
		return row[at]
	}
	return sqlparser.CopyOnRewrite(expr, nil, func(c *sqlparser.CopyOnWriteCursor) {
		switch node := c.Node().(type) {
		case *sqlparser.ValuesFuncExpr:
			c.Replace(valueOf(stmt.Columns, node.Name))
		case *sqlparser.ColName:
			if columns := aliasColumns(stmt, node); columns != nil {
				c.Replace(valueOf(columns, node))
			}
		}
	}, nil).(sqlparser.Expr)
}

// aliasColumns are the names that the row's alias gives its values, nil for a column that is the table's.
func aliasColumns(stmt *sqlparser.Insert, col *sqlparser.ColName) sqlparser.Columns {
	alias := stmt.RowAlias
	switch {
	case alias == nil:
		return nil
	case col.Qualifier.Name.NotEmpty() && !sqlparser.Equals.IdentifierCS(col.Qualifier.Name, alias.TableName):
		return nil
	case col.Qualifier.Name.IsEmpty() && alias.Columns.FindColumn(col.Name) < 0:
		return nil
	case len(alias.Columns) > 0:
		return alias.Columns
	}
	return stmt.Columns
}
