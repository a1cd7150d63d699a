package semantics

import (
	"strconv"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// alias is an expression of the select list by the name it has there.
type alias struct {
	expr      sqlparser.Expr
	ambiguous bool // two different expressions have the name
}

// selectAliases lists the names of a select list, in lower case.
func selectAliases(sel *sqlparser.Select) map[string]alias {
	names := map[string]alias{}
	for _, e := range sel.GetColumns() {
		ae, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			continue
		}
		name := ae.As.Lowered()
		if name == "" {
			col, ok := ae.Expr.(*sqlparser.ColName)
			if !ok {
				continue
			}
			name = col.Name.Lowered()
		}
		old, taken := names[name]
		names[name] = alias{ae.Expr, taken && !sqlparser.Equals.Expr(old.expr, ae.Expr)}
	}
	return names
}

// groupBy replaces positions and aliases of GROUP BY. A column of a table wins over an alias of the same name.
func (a *analyzer) groupBy(sel *sqlparser.Select, s *scope, names map[string]alias) error {
	for i, e := range sel.GroupBy.Exprs {
		replaced, _, err := a.position(e, sel, "group clause")
		if err != nil {
			return err
		}
		if replaced == nil {
			r := &aliasRewriter{a: a, s: s, names: names, udfs: a.udfs, decide: groupByTakesAlias}
			if replaced, err = r.rewrite(e); err != nil {
				return err
			}
			if err := a.checkGroupColumns(replaced, s); err != nil {
				return err
			}
		}
		if sel.GroupBy.Exprs[i], err = a.expr(replaced, s); err != nil {
			return err
		}
	}
	return nil
}

func groupByTakesAlias(r *aliasRewriter, col *sqlparser.ColName, item alias, _ bool) (bool, error) {
	onTable, certain := r.onTable(col)
	if onTable && certain {
		return false, nil
	}
	if !onTable && !item.ambiguous && sqlparser.ContainsAggregation(item.expr) {
		return false, vterrors.VT03005(col.Name.String())
	}
	return true, nil
}

// checkGroupColumns gives columns that do not exist the error that names the clause.
func (a *analyzer) checkGroupColumns(expr sqlparser.Expr, s *scope) error {
	return sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.Subquery:
			return false, nil
		case *sqlparser.ColName:
			if node.Qualifier.NonEmpty() {
				return false, nil
			}
			if r, err := s.search(node, true); err == nil && !r.found || isNotFound(err) {
				return false, unknownColumnIn(node.Name.String(), "group statement")
			}
		}
		return true, nil
	}, expr)
}

// having replaces aliases of HAVING. Outside of aggregates an alias wins over a column of a table.
func (a *analyzer) having(sel *sqlparser.Select, s *scope, names map[string]alias) error {
	r := &aliasRewriter{a: a, s: s, names: names, udfs: a.udfs, decide: havingTakesAlias, qualify: true}
	r.kept = func(col *sqlparser.ColName, insideAggr bool) error {
		if insideAggr {
			return nil
		}
		return a.checkHavingColumn(col, sel, s)
	}
	expr, err := r.rewrite(sel.Having.Expr)
	if err != nil {
		return err
	}
	sel.Having.Expr, err = a.expr(expr, s)
	return err
}

func havingTakesAlias(r *aliasRewriter, col *sqlparser.ColName, item alias, insideAggr bool) (bool, error) {
	if !insideAggr {
		return true, nil
	}
	onTable, _ := r.onTable(col)
	return !onTable, nil
}

// checkHavingColumn refuses columns that are neither grouped nor selected, as MySQL does under ONLY_FULL_GROUP_BY.
func (a *analyzer) checkHavingColumn(col *sqlparser.ColName, sel *sqlparser.Select, s *scope) error {
	found, err := s.search(col, false)
	if isNotFound(err) {
		return unknownColumnIn(col.Name.String(), "having clause")
	}
	if err != nil || sel.GroupBy == nil {
		return nil // binding reports other errors
	}
	var shown []sqlparser.Expr
	for _, e := range sel.GetColumns() {
		if ae, ok := e.(*sqlparser.AliasedExpr); ok {
			shown = append(shown, ae.Expr)
		}
	}
	for _, e := range append(shown, sel.GroupBy.Exprs...) {
		other, ok := e.(*sqlparser.ColName)
		if ok && other.Name.Equal(col.Name) && a.st.DirectDeps(other) == found.direct {
			return nil
		}
	}
	return unknownColumnIn(col.Name.String(), "having clause")
}

// orderBy replaces positions and aliases of ORDER BY. An alias that stands alone wins over a column of a table.
func (a *analyzer) orderBy(order sqlparser.OrderBy, sel *sqlparser.Select, s *scope, names map[string]alias) error {
	for _, o := range order {
		replaced, _, err := a.position(o.Expr, sel, "order clause")
		if err != nil {
			return err
		}
		if replaced == nil {
			r := &aliasRewriter{a: a, s: s, names: names, decide: orderByTakesAlias, qualify: true, root: o.Expr}
			if replaced, err = r.rewrite(o.Expr); err != nil {
				return err
			}
		}
		if o.Expr, err = a.expr(replaced, s); err != nil {
			return err
		}
	}
	return nil
}

func orderByTakesAlias(r *aliasRewriter, col *sqlparser.ColName, _ alias, _ bool) (bool, error) {
	onTable, certain := r.onTable(col)
	return !onTable || !certain || sqlparser.Expr(col) == r.root, nil
}

// position replaces a column number by the expression of the select list; replaced is nil for anything else. A literal in the
// select list orders and groups nothing: it becomes an empty string.
func (a *analyzer) position(e sqlparser.Expr, sel *sqlparser.Select, clause string) (replaced sqlparser.Expr, isLiteral bool, err error) {
	lit := intLiteral(e)
	if lit == nil {
		return nil, false, nil
	}
	n, err := strconv.Atoi(lit.Val)
	if err != nil {
		return nil, false, invalidArgument("error parsing column number: %s", lit.Val)
	}
	if n < 1 || n > sel.GetColumnCount() {
		return nil, false, unknownColumnIn(strconv.Itoa(n), clause)
	}
	for _, before := range sel.GetColumns()[:n] {
		if _, ok := before.(*sqlparser.AliasedExpr); !ok {
			return nil, false, unsupported("cannot use column offsets in %s when using `%s`", clause, sqlparser.String(before))
		}
	}
	expr := sel.GetColumns()[n-1].(*sqlparser.AliasedExpr).Expr
	if intLiteral(expr) != nil {
		return sqlparser.NewStrLiteral(""), true, nil
	}
	return withCollation(e, copyColumns(expr)), false, nil
}

// columnAt is the select expression that a position names, nil for a literal there.
func (a *analyzer) columnAt(e sqlparser.Expr, sel *sqlparser.Select) *sqlparser.AliasedExpr {
	n, err := strconv.Atoi(intLiteral(e).Val)
	if err != nil {
		return nil
	}
	return sel.GetColumns()[n-1].(*sqlparser.AliasedExpr)
}

func intLiteral(e sqlparser.Expr) *sqlparser.Literal {
	if coll, ok := e.(*sqlparser.CollateExpr); ok {
		e = coll.Expr
	}
	if lit, ok := e.(*sqlparser.Literal); ok && lit.Type == sqlparser.IntVal {
		return lit
	}
	return nil
}

// withCollation keeps the COLLATE of the expression that is replaced.
func withCollation(old, replacement sqlparser.Expr) sqlparser.Expr {
	if coll, ok := old.(*sqlparser.CollateExpr); ok {
		return &sqlparser.CollateExpr{Expr: replacement, Collation: coll.Collation}
	}
	return replacement
}

// copyColumns copies an expression and its columns, so that each place can be bound on its own.
func copyColumns(e sqlparser.Expr) sqlparser.Expr {
	return sqlparser.CopyOnRewrite(e, nil, func(c *sqlparser.CopyOnWriteCursor) {
		if col, ok := c.Node().(*sqlparser.ColName); ok {
			fresh := *col
			c.Replace(&fresh)
		}
	}, nil).(sqlparser.Expr)
}
