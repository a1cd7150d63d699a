package sqlengine

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// Constructs the engine's grammar lacks are printed as calls of our own functions, or in other words that mean the same.

// formatCall prints a call of a function.
func formatCall(buf *sqlparser.TrackedBuffer, name string, args ...sqlparser.Expr) {
	(&sqlparser.FuncExpr{Name: sqlparser.NewIdentifierCI(name), Exprs: args}).Format(buf)
}

// formatAssignment prints @a := x as set_user_variable('a', x).
func formatAssignment(buf *sqlparser.TrackedBuffer, node *sqlparser.AssignmentExpr) {
	if v, ok := node.Left.(*sqlparser.Variable); ok {
		formatCall(buf, "set_user_variable", sqlparser.NewStrLiteral(v.Name.String()), node.Right)
		return
	}
	node.Format(buf)
}

// formatJSONValue prints JSON_VALUE(... RETURNING type) as a cast of the text it is, and without a type that text: the
// engine's is JSON.
func formatJSONValue(buf *sqlparser.TrackedBuffer, node *sqlparser.JSONValueExpr) {
	if node.ReturningType == nil {
		buf.Myprintf("json_unquote(json_value(%v, %v))", node.JSONDoc, node.Path)
		return
	}
	text := &sqlparser.JSONValueExpr{JSONDoc: node.JSONDoc, Path: node.Path}
	buf.Myprintf("%v", &sqlparser.CastExpr{Expr: text, Type: node.ReturningType})
}

// dateFormats are what GET_FORMAT gives, by type and standard.
var dateFormats = map[string]map[string]string{
	"date":     {"usa": "%m.%d.%Y", "jis": "%Y-%m-%d", "iso": "%Y-%m-%d", "eur": "%d.%m.%Y", "internal": "%Y%m%d"},
	"datetime": {"usa": "%Y-%m-%d %H.%i.%s", "jis": "%Y-%m-%d %H:%i:%s", "iso": "%Y-%m-%d %H:%i:%s", "eur": "%Y-%m-%d %H.%i.%s", "internal": "%Y%m%d%H%i%s"},
	"time":     {"usa": "%h:%i:%s %p", "jis": "%H:%i:%s", "iso": "%H:%i:%s", "eur": "%H.%i.%s", "internal": "%H%i%s"},
}

// getFormat is GET_FORMAT(DATE, 'USA') as the text it gives.
func getFormat(node *sqlparser.FuncExpr) (string, bool) {
	if !node.Name.EqualString("get_format") || len(node.Exprs) != 2 {
		return "", false
	}
	kind, isName := node.Exprs[0].(*sqlparser.ColName)
	standard, isText := node.Exprs[1].(*sqlparser.Literal)
	if !isName || !isText {
		return "", false
	}
	word := kind.Name.Lowered()
	if word == "timestamp" {
		word = "datetime"
	}
	format, ok := dateFormats[word][strings.ToLower(standard.Val)]
	return format, ok
}

// formatQuantified prints x > ALL (query) and x > ANY (query) as the question whether a row of the query decides it:
//
//	CASE WHEN EXISTS (SELECT 1 FROM (query) AS d(c) WHERE (x > d.c) IS FALSE) THEN FALSE
//	     WHEN EXISTS (SELECT 1 FROM (query) AS d(c) WHERE (x > d.c) IS NULL) THEN NULL ELSE TRUE END
func formatQuantified(buf *sqlparser.TrackedBuffer, node *sqlparser.ComparisonExpr) {
	decides, otherwise, word := sqlparser.IsFalseOp, "true", "false"
	if node.Modifier == sqlparser.Any {
		decides, otherwise, word = sqlparser.IsTrueOp, "false", "true"
	}
	query := node.Right.(*sqlparser.Subquery)
	compared := &sqlparser.ComparisonExpr{Operator: node.Operator, Left: node.Left,
		Right: sqlparser.NewColNameWithQualifier("quantified_value", sqlparser.NewTableName("quantified"))}
	exists := func(op sqlparser.IsExprOperator) {
		buf.Myprintf("exists (select 1 from %v as quantified(quantified_value) where %v)", query, &sqlparser.IsExpr{Left: compared, Right: op})
	}
	buf.WriteString("case when ")
	exists(decides)
	buf.WriteString(" then " + word + " when ")
	exists(sqlparser.IsNullOp)
	buf.WriteString(" then null else " + otherwise + " end")
}

// isQuantified reports whether a comparison is with all or any rows of a query, but for = ANY and <> ALL.
func isQuantified(node *sqlparser.ComparisonExpr) bool {
	_, isQuery := node.Right.(*sqlparser.Subquery)
	return isQuery && asMembership(node).Modifier != sqlparser.Missing
}

// windowsByAlias sorts by the alias of a window function that is selected: to the engine it is ambiguous when it is said twice.
// One without an alias is given one: the names of the result come from the statement as it was.
func windowsByAlias(sel *sqlparser.Select) (*sqlparser.SelectExprs, sqlparser.OrderBy) {
	if sel.SelectExprs == nil {
		return sel.SelectExprs, sel.OrderBy
	}
	exprs := append([]sqlparser.SelectExpr(nil), sel.SelectExprs.Exprs...)
	order := append(sqlparser.OrderBy(nil), sel.OrderBy...)
	for i, o := range order {
		if !isWindowed(o.Expr) {
			continue
		}
		for n, e := range sel.SelectExprs.Exprs {
			a, ok := e.(*sqlparser.AliasedExpr)
			if !ok || !sameExpr(a.Expr, o.Expr) {
				continue
			}
			name := a.As.String()
			if name == "" {
				name = "window_" + strconv.Itoa(n)
				exprs[n] = &sqlparser.AliasedExpr{Expr: a.Expr, As: sqlparser.NewIdentifierCI(name)}
			}
			order[i] = &sqlparser.Order{Expr: sqlparser.NewColName(name), Direction: o.Direction}
			break
		}
	}
	return &sqlparser.SelectExprs{Exprs: exprs}, order
}

// positionsByExpression has SELECT DISTINCT sort by the expressions whose positions ORDER BY gives: the engine looks for these in
// the rows before DISTINCT.
func positionsByExpression(sel *sqlparser.Select, exprs *sqlparser.SelectExprs, order sqlparser.OrderBy) sqlparser.OrderBy {
	if !sel.Distinct || exprs == nil {
		return order
	}
	fresh := append(sqlparser.OrderBy(nil), order...)
	for i, o := range order {
		lit, ok := o.Expr.(*sqlparser.Literal)
		if !ok || lit.Type != sqlparser.IntVal {
			continue
		}
		n, err := strconv.Atoi(lit.Val)
		if err != nil || n < 1 || n > len(exprs.Exprs) {
			continue
		}
		for _, e := range exprs.Exprs[:n] {
			if _, isColumn := e.(*sqlparser.AliasedExpr); !isColumn {
				return order // a star before it moves the positions
			}
		}
		chosen := exprs.Exprs[n-1].(*sqlparser.AliasedExpr)
		if chosen.As.NotEmpty() {
			fresh[i] = &sqlparser.Order{Expr: sqlparser.NewColName(chosen.As.String()), Direction: o.Direction}
		} else {
			fresh[i] = &sqlparser.Order{Expr: chosen.Expr, Direction: o.Direction}
		}
	}
	return fresh
}

// plainWindow is a window without the empty list of partitions that rewriting a statement leaves in it.
func plainWindow(w *sqlparser.WindowSpecification) *sqlparser.WindowSpecification {
	if len(w.PartitionClause) > 0 {
		return w
	}
	c := *w
	c.PartitionClause = nil
	return &c
}

// rewrittenText prints a statement that was rewritten.
func rewrittenText(node sqlparser.SQLNode) string {
	buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, node sqlparser.SQLNode) {
		if w, ok := node.(*sqlparser.WindowSpecification); ok {
			node = plainWindow(w)
		}
		node.Format(buf)
	})
	buf.Myprintf("%v", node)
	return buf.String()
}

// inlineWindows puts the definition of a named window where it is used: the engine resolves names too late for us to
// give the window its frame.
func inlineWindows(stmt sqlparser.Statement) sqlparser.Statement {
	sel, ok := stmt.(*sqlparser.Select)
	if !ok || len(sel.Windows) == 0 {
		return stmt
	}
	specs := make(map[string]*sqlparser.WindowSpecification)
	for _, named := range sel.Windows {
		for _, def := range named.Windows {
			if def.WindowSpec == nil || def.WindowSpec.Name.NotEmpty() {
				return stmt
			}
			specs[def.Name.Lowered()] = def.WindowSpec
		}
	}
	return sqlparser.CopyOnRewrite(sel, nil, func(c *sqlparser.CopyOnWriteCursor) {
		over, ok := c.Node().(*sqlparser.OverClause)
		if ok && over.WindowName.NotEmpty() && specs[over.WindowName.Lowered()] != nil {
			c.Replace(&sqlparser.OverClause{WindowSpec: specs[over.WindowName.Lowered()]})
		}
	}, nil).(*sqlparser.Select)
}
