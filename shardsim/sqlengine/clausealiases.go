package sqlengine

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// Within an expression of ORDER BY or GROUP BY a name is a column of FROM or, if there is none, an alias of the select list. The
// engine knows aliases only where they stand alone. So they are replaced by what they stand for:
//
//	select a as x from t order by -x   ->   select a as x from t order by -a

// mayUseAliases reports whether a statement has an alias within such an expression, if it is no column.
func mayUseAliases(stmt sqlparser.Statement) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if sel, ok := node.(*sqlparser.Select); ok {
			eachClauseExpr(sel, func(e sqlparser.Expr) sqlparser.Expr {
				replaceAliases(sel, e, func(*sqlparser.ColName) bool { found = true; return false })
				return e
			})
		}
		return !found, nil
	}, stmt)
	return found
}

// expandAliases returns a statement without such aliases, and their names: what they stand for depends on the tables there are.
func (s *Session) expandAliases(stmt sqlparser.Statement) (expanded sqlparser.Statement, names string) {
	scopes := s.fromScopes(stmt)
	return sqlparser.CopyOnRewrite(stmt, nil, func(c *sqlparser.CopyOnWriteCursor) {
		sel, ok := c.Node().(*sqlparser.Select)
		if !ok || len(sel.OrderBy) == 0 && sel.GroupBy == nil {
			return
		}
		scope := scopes.of(sel)
		before := names
		fresh := *sel
		if sel.GroupBy != nil {
			group := *sel.GroupBy
			group.Exprs = append([]sqlparser.Expr(nil), group.Exprs...)
			fresh.GroupBy = &group
		}
		fresh.OrderBy = nil
		for _, o := range sel.OrderBy {
			order := *o
			fresh.OrderBy = append(fresh.OrderBy, &order)
		}
		eachClauseExpr(&fresh, func(e sqlparser.Expr) sqlparser.Expr {
			return replaceAliases(sel, e, func(col *sqlparser.ColName) bool {
				if _, isColumn := scope.find(col); isColumn {
					return false
				}
				names += col.Name.Lowered() + ","
				return true
			})
		})
		if names != before {
			c.Replace(&fresh)
		}
	}, nil).(sqlparser.Statement), names
}

// eachClauseExpr replaces the expressions of GROUP BY and ORDER BY that are more than a name.
func eachClauseExpr(sel *sqlparser.Select, replace func(sqlparser.Expr) sqlparser.Expr) {
	if sel.GroupBy != nil {
		for i, e := range sel.GroupBy.Exprs {
			if isComputed(e) {
				sel.GroupBy.Exprs[i] = replace(e)
			}
		}
	}
	for _, o := range sel.OrderBy {
		if isComputed(o.Expr) {
			o.Expr = replace(o.Expr)
		}
	}
}

// replaceAliases replaces the aliases in an expression that wanted says are meant.
func replaceAliases(sel *sqlparser.Select, e sqlparser.Expr, wanted func(*sqlparser.ColName) bool) sqlparser.Expr {
	into := func(node, _ sqlparser.SQLNode) bool {
		_, isQuery := node.(*sqlparser.Subquery)
		return !isQuery
	}
	return sqlparser.CopyOnRewrite(e, into, func(c *sqlparser.CopyOnWriteCursor) {
		col, ok := c.Node().(*sqlparser.ColName)
		if !ok || !col.Qualifier.IsEmpty() {
			return
		}
		if item := aliasedAs(sel, col.Name); item != nil && wanted(col) {
			c.Replace(item)
		}
	}, nil).(sqlparser.Expr)
}

// aliasedAs returns the expression of the select list with an alias, nil if there is none.
func aliasedAs(sel *sqlparser.Select, name sqlparser.IdentifierCI) sqlparser.Expr {
	if sel.SelectExprs == nil {
		return nil
	}
	for _, e := range sel.SelectExprs.Exprs {
		if a, ok := e.(*sqlparser.AliasedExpr); ok && a.As.NotEmpty() && strings.EqualFold(a.As.String(), name.String()) {
			return a.Expr
		}
	}
	return nil
}
