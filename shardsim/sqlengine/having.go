package sqlengine

import (
	"strconv"

	"vitess.io/vitess/go/vt/sqlparser"
)

// hideAggregates moves the aggregates of a join's HAVING to the end of the select list: the engine's binder finds their
// columns by name alone, and takes those of another table.
//
//	select b.price from a join b ... having sum(b.id) = 1
//	select b.price, sum(b.id) as __having0 from a join b ... having __having0 = 1
//
// It returns the statement to run and how many columns of its rows are hidden.
func hideAggregates(ast sqlparser.Statement) (sqlparser.Statement, int) {
	sel, ok := ast.(*sqlparser.Select)
	if !ok || sel.Having == nil || sel.Distinct || !isJoin(sel.From) {
		return ast, 0
	}
	var hidden []sqlparser.SelectExpr
	names := make(map[string]string)
	having := sqlparser.Rewrite(sqlparser.Clone(sel.Having), func(cursor *sqlparser.Cursor) bool {
		if _, ok := cursor.Node().(*sqlparser.Subquery); ok {
			return false
		}
		agg, ok := cursor.Node().(sqlparser.AggrFunc)
		if !ok {
			return true
		}
		text := sqlparser.String(agg)
		name, known := names[text]
		if !known {
			name = "__having" + strconv.Itoa(len(hidden))
			names[text] = name
			hidden = append(hidden, &sqlparser.AliasedExpr{Expr: agg, As: sqlparser.NewIdentifierCI(name)})
		}
		cursor.Replace(sqlparser.NewColName(name))
		return false
	}, nil).(*sqlparser.Where)
	if len(hidden) == 0 {
		return ast, 0
	}
	c := *sel
	c.Having = having
	exprs := append([]sqlparser.SelectExpr(nil), sel.SelectExprs.Exprs...)
	c.SelectExprs = &sqlparser.SelectExprs{Exprs: append(exprs, hidden...)}
	return &c, len(hidden)
}

func isJoin(from []sqlparser.TableExpr) bool {
	if len(from) != 1 {
		return true
	}
	_, single := from[0].(*sqlparser.AliasedTableExpr)
	return !single
}
