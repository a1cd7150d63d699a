package sqlengine

import (
	"errors"
	"fmt"
	"strings"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/vt/sqlparser"
)

const fieldList = "field list"

// placed names the clause an unknown column stands in, as MySQL does: the engine does not tell.
func placed(err error, ast sqlparser.Statement) error {
	if err == nil {
		return nil
	}
	var e *sqlerror.SQLError
	if !errors.As(err, &e) {
		return err
	}
	if e.Num == sqlerror.ERNoSuchTable {
		if column, place := columnOfUnknownTable(ast, e.Message); column != "" {
			return mysqlError(1054, "42S22", "Unknown column '%s' in '%s'", column, place)
		}
		if table := starOf(ast, e.Message); table != "" {
			return mysqlError(1051, "42S02", "Unknown table '%s'", table)
		}
		return unknownInformation(err, ast)
	}
	if e.Num != sqlerror.ERBadFieldError {
		return err
	}
	if set, ok := ast.(*sqlparser.Set); ok && len(set.Exprs) > 0 {
		if name := set.Exprs[0].Var.Name.String(); strings.Contains(e.Message, "'"+name+"'") {
			return mysqlError(1193, "HY000", "Unknown system variable '%s'", name)
		}
	}
	name, found := strings.CutSuffix(e.Message, "' in '"+fieldList+"'")
	name, isColumn := strings.CutPrefix(name, "Unknown column '")
	if !found || !isColumn {
		return err
	}
	if place := placeOf(ast, name); place != fieldList {
		return mysqlError(1054, "42S22", "Unknown column '%s' in '%s'", name, place)
	}
	return err
}

// columnOfUnknownTable returns the column because of which the engine misses a table, and its clause; "" if FROM names the
// table. An alias that FROM has is missed where ON does not know it: that of a table further to the right, or of another
// item of FROM's list.
func columnOfUnknownTable(ast sqlparser.Statement, message string) (column, place string) {
	table, _ := strings.CutPrefix(message, "Table '")
	table, _ = strings.CutSuffix(table, "' doesn't exist")
	_, table, _ = strings.Cut(table, ".")
	named, isAlias := false, false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		t, ok := node.(*sqlparser.AliasedTableExpr)
		if !ok {
			return true, nil
		}
		name, isName := t.Expr.(sqlparser.TableName)
		alias := strings.EqualFold(t.As.String(), table)
		named = named || isName && strings.EqualFold(name.Name.String(), table) && (alias || t.As.IsEmpty())
		isAlias = isAlias || alias
		return !isName, nil
	}, ast)
	if named {
		return "", ""
	}
	if isAlias {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			if on, ok := node.(*sqlparser.JoinCondition); ok && column == "" {
				column = columnQualifiedBy(table, on)
			}
			return true, nil
		}, ast)
		return column, "on clause"
	}
	column = columnQualifiedBy(table, ast)
	return column, placeOf(ast, column)
}

// starOf returns the table of a SELECT t.* for whose sake the engine misses that table, "" if FROM names it.
func starOf(ast sqlparser.Statement, message string) (table string) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		sel, ok := node.(*sqlparser.Select)
		if !ok || sel.SelectExprs == nil {
			return true, nil
		}
		names := aliases(sel.From)
		for _, e := range sel.SelectExprs.Exprs {
			star, isStar := e.(*sqlparser.StarExpr)
			if !isStar || star.TableName.IsEmpty() {
				continue
			}
			name := star.TableName.Name.String()
			if _, known := names[strings.ToLower(name)]; !known && strings.HasSuffix(message, "."+name+"' doesn't exist") {
				table = name
			}
		}
		return table == "", nil
	}, ast)
	return table
}

// columnQualifiedBy returns the first such column, "" for none.
func columnQualifiedBy(table string, node sqlparser.SQLNode) (column string) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if col, ok := node.(*sqlparser.ColName); ok && column == "" && strings.EqualFold(col.Qualifier.Name.String(), table) {
			column = col.Qualifier.Name.String() + "." + col.Name.String()
		}
		return column == "", nil
	}, node)
	return column
}

// placeOf returns the first clause of the statement that mentions the column.
func placeOf(ast sqlparser.Statement, name string) string {
	type clause struct {
		place string
		nodes []sqlparser.SQLNode
	}
	var clauses []clause
	add := func(place string, nodes ...sqlparser.SQLNode) { clauses = append(clauses, clause{place, nodes}) }
	switch ast := ast.(type) {
	case *sqlparser.Select:
		add(fieldList, ast.SelectExprs)
		for _, t := range ast.From {
			add("on clause", t)
		}
		add("where clause", ast.Where)
		add("group statement", ast.GroupBy)
		add("having clause", ast.Having)
		add("order clause", ast.OrderBy)
	case *sqlparser.Update:
		add(fieldList, ast.Exprs)
		add("where clause", ast.Where)
		add("order clause", ast.OrderBy)
	case *sqlparser.Delete:
		add("where clause", ast.Where)
		add("order clause", ast.OrderBy)
	case *sqlparser.Union:
		for _, side := range []sqlparser.Statement{ast.Left, ast.Right} {
			if mentions(name, side) {
				return placeOf(side, name)
			}
		}
		add("order clause", ast.OrderBy)
	}
	for _, c := range clauses {
		if mentions(name, c.nodes...) {
			return c.place
		}
	}
	return fieldList
}

func mentions(name string, nodes ...sqlparser.SQLNode) bool {
	found := false
	visit := func(node sqlparser.SQLNode) (bool, error) {
		if col, ok := node.(*sqlparser.ColName); ok {
			full := col.Name.String()
			if q := col.Qualifier.Name.String(); q != "" {
				full = fmt.Sprintf("%s.%s", q, full)
			}
			found = found || strings.EqualFold(full, name)
		}
		return !found, nil
	}
	for _, n := range nodes {
		_ = sqlparser.Walk(visit, n)
	}
	return found
}
