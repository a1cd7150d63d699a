package sqlengine

import (
	"strconv"

	"vitess.io/vitess/go/vt/sqlparser"
)

// GROUP BY ... WITH ROLLUP is said as a union of the groupings it stands for, sorted as MySQL gives them: each group's
// rows, then the row for all of them. Of
//
//	SELECT a, b, sum(c) FROM t GROUP BY a, b WITH ROLLUP
//
// becomes
//
//	SELECT c0, c1, c2 FROM (
//	  SELECT a AS c0, b AS c1, sum(c) AS c2, a AS s0, 0 AS f0, b AS s1, 0 AS f1, count(*) AS n FROM t GROUP BY a, b
//	  UNION ALL SELECT a, NULL, sum(c), a, 0, NULL, 1, count(*) FROM t GROUP BY a
//	  UNION ALL SELECT NULL, NULL, sum(c), NULL, 1, NULL, 1, count(*) FROM t
//	) AS rolled WHERE n > 0 ORDER BY f0, s0, f1, s1
type rollup struct {
	sel    *sqlparser.Select
	exprs  []*sqlparser.AliasedExpr
	groups []sqlparser.Expr
}

const rolledName = "rolled"

// unroll returns the statement in other words, or what of it has none.
func unroll(stmt sqlparser.Statement) (sqlparser.Statement, string) {
	sel, ok := stmt.(*sqlparser.Select)
	if !ok || sel.GroupBy == nil || !sel.GroupBy.WithRollup {
		return stmt, ""
	}
	r := &rollup{sel: sel}
	for _, e := range sel.SelectExprs.Exprs {
		a, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			return nil, "* in a query WITH ROLLUP"
		}
		r.exprs = append(r.exprs, a)
	}
	for _, g := range sel.GroupBy.Exprs {
		r.groups = append(r.groups, r.resolved(g))
	}
	if sel.With != nil || len(sel.Windows) > 0 {
		return nil, "WITH or WINDOW in a query WITH ROLLUP"
	}
	order, ok := r.order()
	if !ok {
		return nil, "ORDER BY what is not selected in a query WITH ROLLUP"
	}
	var union sqlparser.TableStatement = r.grouping(len(r.groups))
	for k := len(r.groups) - 1; k >= 0; k-- {
		union = &sqlparser.Union{Left: union, Right: r.grouping(k)}
	}
	outer := &sqlparser.Select{
		Distinct:    sel.Distinct,
		SelectExprs: &sqlparser.SelectExprs{},
		From:        []sqlparser.TableExpr{&sqlparser.AliasedTableExpr{Expr: &sqlparser.DerivedTable{Select: union}, As: sqlparser.NewIdentifierCS(rolledName)}},
		Where: sqlparser.NewWhere(sqlparser.WhereClause, &sqlparser.ComparisonExpr{Operator: sqlparser.GreaterThanOp,
			Left: rolled("n", 0), Right: sqlparser.NewIntLiteral("0")}),
		OrderBy: order,
		Limit:   sel.Limit,
	}
	for i := range r.exprs {
		outer.SelectExprs.Exprs = append(outer.SelectExprs.Exprs, &sqlparser.AliasedExpr{Expr: rolled("c", i)})
	}
	return outer, ""
}

// rolled names a column of the union: c, s and f with a number, see rollup.
func rolled(letter string, i int) *sqlparser.ColName {
	return sqlparser.NewColNameWithQualifier(letter+strconv.Itoa(i), sqlparser.NewTableName(rolledName))
}

// resolved returns the expression that a position or an alias of the select list stands for.
func (r *rollup) resolved(e sqlparser.Expr) sqlparser.Expr {
	if lit, ok := e.(*sqlparser.Literal); ok && lit.Type == sqlparser.IntVal {
		if at, err := strconv.Atoi(lit.Val); err == nil && at >= 1 && at <= len(r.exprs) {
			return r.exprs[at-1].Expr
		}
	}
	if col, ok := e.(*sqlparser.ColName); ok && col.Qualifier.IsEmpty() {
		for _, a := range r.exprs {
			if a.As.NotEmpty() && a.As.Equal(col.Name) {
				return a.Expr
			}
		}
	}
	return e
}

// order sorts as asked, or by groups, each one's total last.
func (r *rollup) order() (sqlparser.OrderBy, bool) {
	var order sqlparser.OrderBy
	for _, o := range r.sel.OrderBy {
		e := r.resolved(o.Expr)
		var by sqlparser.Expr
		for i, a := range r.exprs {
			if sameExpr(a.Expr, e) {
				by = rolled("c", i)
				break
			}
		}
		for i, g := range r.groups {
			if args, ok := groupingArgs(e); ok && len(args) == 1 && sameExpr(r.resolved(args[0]), g) {
				by = rolled("f", i)
			} else if by == nil && sameExpr(g, e) {
				by = rolled("s", i)
			}
		}
		if by == nil {
			return nil, false
		}
		order = append(order, &sqlparser.Order{Expr: by, Direction: o.Direction})
	}
	if len(order) == 0 {
		for i := range r.groups {
			order = append(order, &sqlparser.Order{Expr: rolled("f", i)}, &sqlparser.Order{Expr: rolled("s", i)})
		}
	}
	return order, true
}

// grouping is the query grouped by the first k expressions.
func (r *rollup) grouping(k int) *sqlparser.Select {
	s := &sqlparser.Select{From: r.sel.From, Where: r.sel.Where, SelectExprs: &sqlparser.SelectExprs{}}
	add := func(letter string, i int, e sqlparser.Expr) {
		s.SelectExprs.Exprs = append(s.SelectExprs.Exprs, &sqlparser.AliasedExpr{Expr: e, As: sqlparser.NewIdentifierCI(letter + strconv.Itoa(i))})
	}
	for i, a := range r.exprs {
		add("c", i, r.totalled(a.Expr, k))
	}
	for i, g := range r.groups {
		if i < k {
			add("s", i, g)
			add("f", i, sqlparser.NewIntLiteral("0"))
		} else {
			add("s", i, &sqlparser.NullVal{})
			add("f", i, sqlparser.NewIntLiteral("1"))
		}
	}
	add("n", 0, &sqlparser.CountStar{})
	if k > 0 {
		s.GroupBy = &sqlparser.GroupBy{Exprs: r.groups[:k]}
	}
	if r.sel.Having != nil {
		s.Having = sqlparser.NewWhere(sqlparser.HavingClause, r.totalled(r.withoutAliases(r.sel.Having.Expr), k))
	}
	return s
}

// withoutAliases puts selected expressions in the place of their aliases.
func (r *rollup) withoutAliases(e sqlparser.Expr) sqlparser.Expr {
	return sqlparser.CopyOnRewrite(e, nil, func(c *sqlparser.CopyOnWriteCursor) {
		if col, ok := c.Node().(*sqlparser.ColName); ok {
			if resolved := r.resolved(col); resolved != sqlparser.Expr(col) {
				c.Replace(resolved)
			}
		}
	}, nil).(sqlparser.Expr)
}

// totalled has NULL for the group expressions from the k-th on, but inside of aggregates, and knows what GROUPING gives.
func (r *rollup) totalled(e sqlparser.Expr, k int) sqlparser.Expr {
	into := func(node, _ sqlparser.SQLNode) bool {
		if _, isGrouping := groupingArgs(node); isGrouping {
			return false
		}
		_, isAggregate := node.(sqlparser.AggrFunc)
		_, isQuery := node.(*sqlparser.Subquery)
		return !isAggregate && !isQuery && !r.isTotal(node, k)
	}
	return sqlparser.CopyOnRewrite(e, into, func(c *sqlparser.CopyOnWriteCursor) {
		if args, ok := groupingArgs(c.Node()); ok {
			bits := 0
			for _, a := range args {
				bits <<= 1
				if r.isTotal(r.resolved(a), k) {
					bits |= 1
				}
			}
			c.Replace(sqlparser.NewIntLiteral(strconv.Itoa(bits)))
		} else if r.isTotal(c.Node(), k) {
			c.Replace(&sqlparser.NullVal{})
		}
	}, nil).(sqlparser.Expr)
}

// isTotal reports whether a node is a group expression from the k-th on.
func (r *rollup) isTotal(node sqlparser.SQLNode, k int) bool {
	e, ok := node.(sqlparser.Expr)
	if !ok {
		return false
	}
	for _, g := range r.groups[k:] {
		if sameExpr(e, g) {
			return true
		}
	}
	return false
}

// groupingArgs returns the arguments of a call of GROUPING.
func groupingArgs(node sqlparser.SQLNode) ([]sqlparser.Expr, bool) {
	f, ok := node.(*sqlparser.FuncExpr)
	if !ok || !f.Name.EqualString("grouping") {
		return nil, false
	}
	return f.Exprs, true
}

// sameExpr compares expressions. A column without its table is the one with it.
func sameExpr(a, b sqlparser.Expr) bool { return columnsByName.Expr(a, b) }

var columnsByName = &sqlparser.Comparator{
	RefOfColName_: func(a, b *sqlparser.ColName) bool {
		if a.Qualifier.IsEmpty() || b.Qualifier.IsEmpty() {
			return a.Name.Equal(b.Name)
		}
		return sqlparser.Equals.RefOfColName(a, b)
	},
}
