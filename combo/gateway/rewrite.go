package gateway

import (
	"regexp"
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// rewriteSession puts what only the gateway knows in the place of functions, and keeps the names of columns whose
// expressions are about to lose their literals. It notes in n whether the statement then holds something of this session
// alone, and whether columns were named.
func (s *Session) rewriteSession(stmt sqlparser.Statement, n *normalised) {
	n.named = !s.gateway.cfg.UnnamedColumns && nameColumns(stmt)
	sqlparser.SafeRewrite(stmt, nil, func(cursor *sqlparser.Cursor) bool {
		var value *sqlparser.Literal
		switch node := cursor.Node().(type) {
		case *sqlparser.Union:
			n.hidePositions(node)
		case *sqlparser.Order:
			if isConstantQuery(node.Expr) {
				node.Expr = &sqlparser.NullVal{}
			}
		case *sqlparser.FuncExpr:
			value = s.personalFunction(node)
		case *sqlparser.Variable:
			value = s.globalLiteral(node)
		}
		if value != nil {
			cursor.Replace(value)
			n.personal = true
		}
		return true
	})
}

// isConstantQuery reports whether an expression is a query of a literal, (select 1). It sorts nothing, but the normaliser puts the
// literal in its place, which is a position then.
func isConstantQuery(expr sqlparser.Expr) bool {
	query, ok := expr.(*sqlparser.Subquery)
	if !ok {
		return false
	}
	sel, ok := query.Select.(*sqlparser.Select)
	if !ok || sel.GetColumnCount() != 1 {
		return false
	}
	item, ok := sel.GetColumns()[0].(*sqlparser.AliasedExpr)
	if !ok {
		return false
	}
	_, isLiteral := item.Expr.(*sqlparser.Literal)
	return isLiteral
}

// position is a term of ORDER BY that tells a column by its number.
type position struct {
	order   *sqlparser.Order
	literal *sqlparser.Literal
}

// hidePositions keeps ORDER BY 1 of a union, which is a column and no value, from losing its literal: the normaliser knows
// such positions in a SELECT only.
func (n *normalised) hidePositions(union *sqlparser.Union) {
	for _, order := range union.OrderBy {
		literal, ok := order.Expr.(*sqlparser.Literal)
		if ok && literal.Type == sqlparser.IntVal {
			order.Expr = &sqlparser.Offset{}
			n.hidden = append(n.hidden, position{order, literal})
		}
	}
}

// showPositions brings the positions back.
func (n *normalised) showPositions() {
	for _, p := range n.hidden {
		p.order.Expr = p.literal
	}
}

// personalFunction returns the value of a function about the session, nil for others.
func (s *Session) personalFunction(fn *sqlparser.FuncExpr) *sqlparser.Literal {
	if len(fn.Exprs) > 0 {
		return nil
	}
	switch fn.Name.Lowered() {
	case "connection_id":
		return sqlparser.NewIntLiteral(strconv.FormatUint(uint64(s.info.ID), 10))
	case "user", "current_user", "session_user", "system_user":
		return sqlparser.NewStrLiteral(s.info.User + "@localhost")
	default:
		return nil
	}
}

// globalLiteral returns the value of @@global.name, nil for other variables.
func (s *Session) globalLiteral(node *sqlparser.Variable) *sqlparser.Literal {
	if node.Scope != sqlparser.GlobalScope {
		return nil
	}
	value, ok := s.gateway.globalVariable(node.Name.Lowered())
	switch {
	case !ok:
		return nil
	case value.kind == switchKind:
		return sqlparser.NewIntLiteral(value.sqlText())
	case value.kind == numberKind && strings.Contains(value.text, "."):
		return sqlparser.NewDecimalLiteral(value.text)
	case value.kind == numberKind:
		return sqlparser.NewIntLiteral(value.text)
	default:
		return sqlparser.NewStrLiteral(value.text)
	}
}

// nameColumns names the columns of a query and of the derived tables and common table expressions in it as MySQL does, by
// their text, where normalising would change the text. It reports whether there are such.
func nameColumns(stmt sqlparser.Statement) (named bool) {
	named = nameSelected(stmt)
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.AliasedTableExpr:
			if derived, ok := node.Expr.(*sqlparser.DerivedTable); ok && len(node.Columns) == 0 {
				named = nameSelected(derived.Select) || named
			}
		case *sqlparser.CommonTableExpr:
			if len(node.Columns) == 0 {
				named = nameSelected(node.Subquery) || named
			}
		}
		return true, nil
	}, stmt)
	return named
}

// nameSelected names the columns of one query. Those of a union are its first query's.
func nameSelected(stmt sqlparser.Statement) (named bool) {
	for {
		union, ok := stmt.(*sqlparser.Union)
		if !ok {
			break
		}
		stmt = union.Left
	}
	sel, ok := stmt.(*sqlparser.Select)
	if !ok || sel.SelectExprs == nil {
		return false
	}
	for _, expr := range sel.SelectExprs.Exprs {
		aliased, ok := expr.(*sqlparser.AliasedExpr)
		if ok && aliased.As.IsEmpty() && losesText(aliased.Expr) {
			aliased.As = sqlparser.NewIdentifierCI(columnText(aliased.Expr))
			named = true
		}
	}
	return named
}

// losesText reports whether an expression holds something that normalising replaces.
func losesText(expr sqlparser.Expr) bool {
	if _, ok := expr.(*sqlparser.ColName); ok {
		return false
	}
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.Literal, *sqlparser.Argument, sqlparser.ListArg:
			found = true
		case *sqlparser.FuncExpr:
			switch node.Name.Lowered() {
			case "connection_id", "user", "current_user", "session_user", "system_user":
				found = true
			}
		case *sqlparser.Variable:
			found = found || node.Scope == sqlparser.GlobalScope
		}
		return !found, nil
	}, expr)
	return found
}

// parameter is a prepared statement's parameter as the parser names it.
var parameter = regexp.MustCompile(`:v[0-9]+`)

// columnText is the text MySQL names a column by: a lone string literal without its quotes, parameters as ?.
func columnText(expr sqlparser.Expr) string {
	if literal, ok := expr.(*sqlparser.Literal); ok && literal.Type == sqlparser.StrVal {
		return literal.Val
	}
	return parameter.ReplaceAllString(sqlparser.String(expr), "?")
}
