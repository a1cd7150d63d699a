package sqlengine

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// checkDistinctOrder refuses, as ONLY_FULL_GROUP_BY does, SELECT DISTINCT sorted by what its rows do not tell: an expression that
// is not selected, of columns that are not (3065) or of aggregates (3066).
func (s *Session) checkDistinctOrder(stmt sqlparser.Statement) error {
	var refused error
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if sel, ok := node.(*sqlparser.Select); ok && sel.Distinct && len(sel.OrderBy) > 0 && sel.SelectExprs != nil {
			refused = (&distinctOrder{sel: sel, scope: s.fromScopes(stmt).of(sel)}).check()
		}
		return refused == nil, nil
	}, stmt)
	return refused
}

// distinctOrder is the ORDER BY of a SELECT DISTINCT.
type distinctOrder struct {
	sel   *sqlparser.Select
	scope fromScope
}

func (d *distinctOrder) check() error {
	if d.isUnique() {
		return nil
	}
	for i, o := range d.sel.OrderBy {
		if isPosition(o.Expr) || d.isSelected(o.Expr) {
			continue
		}
		if col, ok := o.Expr.(*sqlparser.ColName); ok && col.Qualifier.IsEmpty() && aliasedAs(d.sel, col.Name) != nil {
			continue
		}
		if err := d.checkParts(o.Expr, i+1); err != nil {
			return err
		}
	}
	return nil
}

// isUnique reports whether rows are distinct without DISTINCT, which then says nothing: there is one row, or one for each
// value of what is selected.
func (d *distinctOrder) isUnique() bool {
	if d.sel.GroupBy == nil || len(d.sel.GroupBy.Exprs) == 0 {
		return hasAggregate(d.sel.SelectExprs) || d.sel.Having != nil && hasAggregate(d.sel.Having.Expr) || hasAggregate(d.sel.OrderBy)
	}
	for _, e := range d.sel.GroupBy.Exprs {
		col, isColumn := e.(*sqlparser.ColName)
		named := isColumn && col.Qualifier.IsEmpty() && aliasedAs(d.sel, col.Name) != nil
		if !named && !isPosition(e) && !d.isSelected(e) {
			return false
		}
	}
	return !d.sel.GroupBy.WithRollup
}

// isSelected reports whether an expression is in the select list.
func (d *distinctOrder) isSelected(e sqlparser.Expr) bool {
	col, isColumn := e.(*sqlparser.ColName)
	for _, item := range d.sel.SelectExprs.Exprs {
		switch item := item.(type) {
		case *sqlparser.AliasedExpr:
			if sameExpr(item.Expr, e) {
				return true
			}
		case *sqlparser.StarExpr:
			if !isColumn {
				continue
			}
			if t, _ := d.scope.find(col); t != nil && (item.TableName.IsEmpty() || strings.EqualFold(item.TableName.Name.String(), t.name)) {
				return true
			}
		}
	}
	return false
}

// checkParts looks for what is not selected in the n-th expression.
func (d *distinctOrder) checkParts(e sqlparser.Expr, n int) error {
	e = replaceAliases(d.sel, e, func(col *sqlparser.ColName) bool {
		_, isColumn := d.scope.find(col)
		return !isColumn
	})
	var refused error
	within := 0 // a subquery: its own columns have no table before them, or another one
	var visit sqlparser.Visit
	visit = func(node sqlparser.SQLNode) (bool, error) {
		part, isExpr := node.(sqlparser.Expr)
		if refused != nil || isExpr && d.isSelected(part) {
			return false, nil
		}
		switch node := node.(type) {
		case *sqlparser.Subquery:
			within++
			_ = sqlparser.Walk(visit, node.Select)
			within--
			return false, nil
		case sqlparser.AggrFunc:
			if within == 0 && !isWindowed(node) {
				refused = mysqlError(3066, "HY000", "Expression #%d of ORDER BY clause is not in SELECT list, contains aggregate function; this is incompatible with DISTINCT", n)
				return false, nil
			}
		case *sqlparser.ColName:
			t, _ := d.scope.find(node)
			if t == nil || within > 0 && node.Qualifier.IsEmpty() {
				return true, nil
			}
			name := t.name + "." + node.Name.String()
			if t.database != "" {
				name = t.database + "." + name
			}
			refused = mysqlError(3065, "HY000", "Expression #%d of ORDER BY clause is not in SELECT list, references column '%s' which is not in SELECT list; this is incompatible with DISTINCT", n, name)
		}
		return true, nil
	}
	_ = sqlparser.Walk(visit, e)
	return refused
}
