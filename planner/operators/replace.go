package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes"
)

// replace plans a REPLACE of rows that child rows refer to: the rows in the way are deleted first, with their cascades.
//
//	replace into p(id, code) values (1, 'a'), (2, 'b')
//	    delete from p where (code) in (('a'), ('b')) or (id) in ((1), (2))
//	    insert into p(id, code) values (1, 'a'), (2, 'b')
func replace(ctx *Context, stmt *sqlparser.Insert, vtable *vindexes.Table) Operator {
	rows, ok := stmt.Rows.(sqlparser.Values)
	if !ok {
		refuse(vterrors.VT12001("REPLACE INTO using select statement"))
	}
	nameColumns(stmt, vtable)
	checkRowLengths(stmt, rows)
	ins := sqlparser.Clone(stmt)
	ins.Action = sqlparser.InsertAct
	insert := planApart(ctx, ins, keptKeys{})
	where := rowsInTheWay(vtable, stmt.Columns, rows)
	if where == nil {
		return &Sequential{Steps: []Planned{insert}}
	}
	del := &sqlparser.Delete{
		Comments: stmt.Comments, TableExprs: sqlparser.TableExprs{sqlparser.Clone(stmt.Table)},
		Where: sqlparser.NewWhere(sqlparser.WhereClause, where),
	}
	return &Sequential{Steps: []Planned{planApart(ctx, del, keptKeys{}), insert}}
}

// rowsInTheWay finds the rows that have a unique key or the primary key of one that is inserted, nil where none can have.
func rowsInTheWay(vtable *vindexes.Table, columns sqlparser.Columns, rows sqlparser.Values) sqlparser.Expr {
	var primary []sqlparser.Expr
	for _, name := range vtable.PrimaryKey {
		primary = append(primary, sqlparser.NewColName(name.String()))
	}
	var found sqlparser.Expr
	for _, key := range append(slices.Clone(vtable.UniqueKeys), primary) {
		switch among := keyAmong(vtable, columns, rows, key); {
		case among == nil:
		case found == nil:
			found = among
		default:
			found = &sqlparser.OrExpr{Left: found, Right: among}
		}
	}
	return found
}

// keyAmong compares a key with those of the inserted rows. It is nil where the key has no value to compare: a column that is
// neither given nor has a default. In an expression such a column is NULL.
func keyAmong(vtable *vindexes.Table, columns sqlparser.Columns, rows sqlparser.Values, key []sqlparser.Expr) sqlparser.Expr {
	if len(key) == 0 {
		return nil
	}
	var left, list sqlparser.ValTuple
	for _, part := range key {
		left = append(left, qualified(part, sqlparser.TableName{})) // the VSchema keeps its own
	}
	for _, row := range rows {
		var tuple sqlparser.ValTuple
		for _, part := range key {
			_, isColumn := part.(*sqlparser.ColName)
			missing := false
			value := sqlparser.CopyOnRewrite(part, nil, func(c *sqlparser.CopyOnWriteCursor) {
				col, ok := c.Node().(*sqlparser.ColName)
				if !ok {
					return
				}
				value, given := insertedValue(vtable, columns, row, col.Name)
				if !given {
					value, missing = &sqlparser.NullVal{}, true
				}
				c.Replace(value)
			}, nil).(sqlparser.Expr)
			if isColumn && missing {
				return nil
			}
			tuple = append(tuple, value)
		}
		list = append(list, tuple)
	}
	return sqlparser.NewComparisonExpr(sqlparser.InOp, left, list, nil)
}
