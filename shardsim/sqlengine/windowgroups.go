package sqlengine

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// groupedWindows says window functions over groups with a derived table: the engine has either windows or groups in a query.
//
//	select g, sum(v) s, rank() over (order by sum(v)) from t group by g having s > 3 order by s
//
//	select grouped.c0 as g, grouped.c1 as s, rank() over (order by grouped.c1) as `rank() over (order by sum(v))`
//	from (select c0, c1 from (select g as c0, sum(v) as c1 from t group by g) as groups_of where c1 > 3) as grouped order by s
//
// The inner query computes what is grouped by, aggregates and columns; the middle one is there for HAVING alone.
func groupedWindows(stmt sqlparser.Statement) sqlparser.Statement {
	return sqlparser.CopyOnRewrite(stmt, nil, func(c *sqlparser.CopyOnWriteCursor) {
		if sel, ok := c.Node().(*sqlparser.Select); ok && hasGroupedWindow(sel) {
			c.Replace((&windowOverGroups{sel: sel}).rewritten())
		}
	}, nil).(sqlparser.Statement)
}

// hasGroupedWindow reports whether a query has windows and groups, of a kind that can be said otherwise.
func hasGroupedWindow(sel *sqlparser.Select) bool {
	if sel.SelectExprs == nil || namesWindow(sel) || sel.Into != nil || sel.GroupBy != nil && sel.GroupBy.WithRollup {
		return false
	}
	grouped, windowed := sel.GroupBy != nil && len(sel.GroupBy.Exprs) > 0, false
	for _, e := range sel.SelectExprs.Exprs {
		a, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			return false
		}
		grouped = grouped || hasAggregate(a.Expr) || hasWindowedAggregate(a.Expr)
		windowed = windowed || hasWindow(a.Expr)
	}
	for _, o := range sel.OrderBy {
		grouped = grouped || hasAggregate(o.Expr) || hasWindowedAggregate(o.Expr)
		windowed = windowed || hasWindow(o.Expr)
	}
	return grouped && windowed
}

// namesWindow reports whether a window function goes by the name of a window that is defined elsewhere in the query.
func namesWindow(sel *sqlparser.Select) bool {
	named := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if over, ok := node.(*sqlparser.OverClause); ok && over != nil {
			named = named || over.WindowName.NotEmpty()
		}
		return !named, nil
	}, sel.SelectExprs, sel.OrderBy)
	return named
}

// hasWindow reports whether an expression has a window function of its own.
func hasWindow(e sqlparser.SQLNode) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if _, isQuery := node.(*sqlparser.Subquery); isQuery {
			return false, nil
		}
		found = found || isWindowed(node)
		return !found, nil
	}, e)
	return found
}

// hasWindowedAggregate reports whether a window function is of aggregates: sum(sum(v)) over ().
func hasWindowedAggregate(e sqlparser.SQLNode) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if _, isQuery := node.(*sqlparser.Subquery); isQuery {
			return false, nil
		}
		if _, isAggregate := node.(sqlparser.AggrFunc); isAggregate && !isWindowed(node) {
			found = true
		}
		return !found, nil
	}, e)
	return found
}

// windowOverGroups rewrites one query.
type windowOverGroups struct {
	sel   *sqlparser.Select
	items []sqlparser.Expr // what the inner query computes, as c0, c1, ...
}

const (
	groupedName = "grouped"
	groupsName  = "groups_of"
)

func (g *windowOverGroups) rewritten() *sqlparser.Select {
	groupBy := g.groupBy()
	outer := *g.sel
	outer.SelectExprs = &sqlparser.SelectExprs{}
	for _, e := range g.sel.SelectExprs.Exprs {
		a := e.(*sqlparser.AliasedExpr)
		outer.SelectExprs.Exprs = append(outer.SelectExprs.Exprs,
			&sqlparser.AliasedExpr{Expr: g.above(a.Expr, groupBy, groupedName), As: sqlparser.NewIdentifierCI(columnName(a))})
	}
	outer.OrderBy = nil
	for _, o := range g.sel.OrderBy {
		expr := o.Expr
		if _, isPosition := expr.(*sqlparser.Literal); !isPosition && g.aliased(expr) == nil {
			expr = g.above(expr, groupBy, groupedName)
		}
		outer.OrderBy = append(outer.OrderBy, &sqlparser.Order{Expr: expr, Direction: o.Direction})
	}
	var having sqlparser.Expr
	if g.sel.Having != nil {
		having = g.above(g.withoutAliases(g.sel.Having.Expr), groupBy, groupsName)
	}
	inner := &sqlparser.Select{SelectExprs: &sqlparser.SelectExprs{}, From: g.sel.From, Where: g.sel.Where}
	if len(groupBy) > 0 {
		inner.GroupBy = &sqlparser.GroupBy{Exprs: groupBy}
	}
	for i, item := range g.items {
		inner.SelectExprs.Exprs = append(inner.SelectExprs.Exprs, &sqlparser.AliasedExpr{Expr: item, As: sqlparser.NewIdentifierCI(itemName(i))})
	}
	if len(g.items) == 0 {
		inner.SelectExprs.Exprs = append(inner.SelectExprs.Exprs, &sqlparser.AliasedExpr{Expr: sqlparser.NewIntLiteral("1"), As: sqlparser.NewIdentifierCI(itemName(0))})
	}
	source := inner
	if having != nil {
		source = &sqlparser.Select{SelectExprs: &sqlparser.SelectExprs{Exprs: []sqlparser.SelectExpr{&sqlparser.StarExpr{}}},
			From: []sqlparser.TableExpr{derived(inner, groupsName)}, Where: sqlparser.NewWhere(sqlparser.WhereClause, having)}
	}
	outer.From = []sqlparser.TableExpr{derived(source, groupedName)}
	outer.Where, outer.GroupBy, outer.Having, outer.Windows = nil, nil, nil, nil
	return &outer
}

func derived(sel *sqlparser.Select, name string) sqlparser.TableExpr {
	return &sqlparser.AliasedTableExpr{Expr: &sqlparser.DerivedTable{Select: sel}, As: sqlparser.NewIdentifierCS(name)}
}

func itemName(i int) string { return "c" + strconv.Itoa(i) }

// columnName is the name of a selected expression in the result.
func columnName(a *sqlparser.AliasedExpr) string {
	if a.As.NotEmpty() {
		return a.As.String()
	}
	if col, ok := a.Expr.(*sqlparser.ColName); ok {
		return col.Name.String()
	}
	return expressionName(a.Expr, nil)
}

// groupBy returns the expressions to group by, said without positions and names of the select list.
func (g *windowOverGroups) groupBy() []sqlparser.Expr {
	if g.sel.GroupBy == nil {
		return nil
	}
	var all []sqlparser.Expr
	for _, e := range g.sel.GroupBy.Exprs {
		if lit, ok := e.(*sqlparser.Literal); ok && lit.Type == sqlparser.IntVal {
			if n, err := strconv.Atoi(lit.Val); err == nil && n >= 1 && n <= len(g.sel.SelectExprs.Exprs) {
				e = g.sel.SelectExprs.Exprs[n-1].(*sqlparser.AliasedExpr).Expr
			}
		} else if named := g.aliased(e); named != nil && !mentionsColumn(named, e.(*sqlparser.ColName)) {
			e = named
		}
		all = append(all, e)
	}
	return all
}

// aliased returns the selected expression that a name stands for, nil if it is no alias.
func (g *windowOverGroups) aliased(e sqlparser.Expr) sqlparser.Expr {
	col, ok := e.(*sqlparser.ColName)
	if !ok || col.Qualifier.Name.NotEmpty() {
		return nil
	}
	for _, s := range g.sel.SelectExprs.Exprs {
		if a := s.(*sqlparser.AliasedExpr); a.As.Equal(col.Name) {
			return a.Expr
		}
	}
	return nil
}

// mentionsColumn reports whether an expression has a column of a name: then the name means the column, not the alias.
func mentionsColumn(e sqlparser.Expr, col *sqlparser.ColName) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		c, ok := node.(*sqlparser.ColName)
		found = found || ok && c.Name.Equal(col.Name)
		return !found, nil
	}, e)
	return found
}

// withoutAliases puts selected expressions in the place of their names in HAVING.
func (g *windowOverGroups) withoutAliases(e sqlparser.Expr) sqlparser.Expr {
	return sqlparser.CopyOnRewrite(e, ownParts, func(c *sqlparser.CopyOnWriteCursor) {
		if expr, ok := c.Node().(sqlparser.Expr); ok {
			if named := g.aliased(expr); named != nil {
				c.Replace(named)
			}
		}
	}, nil).(sqlparser.Expr)
}

// ownParts keeps a rewrite out of subqueries.
func ownParts(node, _ sqlparser.SQLNode) bool {
	_, isQuery := node.(*sqlparser.Subquery)
	return !isQuery
}

// above says an expression over the groups: what the inner query computes becomes a column of the derived table.
func (g *windowOverGroups) above(e sqlparser.Expr, groupBy []sqlparser.Expr, table string) sqlparser.Expr {
	isItem := func(node sqlparser.SQLNode) bool {
		expr, ok := node.(sqlparser.Expr)
		if !ok || isWindowed(node) {
			return false
		}
		for _, by := range groupBy {
			if sameExpr(by, expr) {
				return true
			}
		}
		switch node.(type) {
		case sqlparser.AggrFunc, *sqlparser.ColName, *sqlparser.Subquery:
			return true
		}
		return false
	}
	descend := func(node, _ sqlparser.SQLNode) bool { return !isItem(node) }
	return sqlparser.CopyOnRewrite(e, descend, func(c *sqlparser.CopyOnWriteCursor) {
		if isItem(c.Node()) {
			c.Replace(sqlparser.NewColNameWithQualifier(itemName(g.item(c.Node().(sqlparser.Expr))), sqlparser.NewTableName(table)))
		}
	}, nil).(sqlparser.Expr)
}

// item returns the position of what the inner query computes.
func (g *windowOverGroups) item(e sqlparser.Expr) int {
	for i, known := range g.items {
		if strings.EqualFold(sqlparser.String(known), sqlparser.String(e)) && sameExpr(known, e) {
			return i
		}
	}
	g.items = append(g.items, e)
	return len(g.items) - 1
}
