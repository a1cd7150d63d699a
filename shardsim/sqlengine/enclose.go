package sqlengine

import (
	"vitess.io/vitess/go/vt/sqlparser"
)

// enclosed puts a union that has an order or a limit of its own into a derived table, where it stands to the left in
// another union: the engine would take them for the whole's.
//
//	(a union b limit 3) union c    select * from (a union b limit 3) as __left union c
func enclosed(left sqlparser.TableStatement) sqlparser.TableStatement {
	u, ok := left.(*sqlparser.Union)
	if !ok || len(u.OrderBy) == 0 && u.Limit == nil {
		return left
	}
	return &sqlparser.Select{
		SelectExprs: &sqlparser.SelectExprs{Exprs: []sqlparser.SelectExpr{&sqlparser.StarExpr{}}},
		From: []sqlparser.TableExpr{&sqlparser.AliasedTableExpr{
			Expr: &sqlparser.DerivedTable{Select: u},
			As:   sqlparser.NewIdentifierCS("__left"),
		}},
	}
}

// formatFunc gives WEEK(date) the mode that the session has as its default: the engine takes 0.
func formatFunc(buf *sqlparser.TrackedBuffer, node *sqlparser.FuncExpr) {
	if format, ok := getFormat(node); ok {
		buf.Myprintf("%v", sqlparser.NewStrLiteral(format))
		return
	}
	if node.Name.EqualString("timestamp") && len(node.Exprs) == 2 {
		microseconds := 6
		date := &sqlparser.CastExpr{Expr: node.Exprs[0], Type: &sqlparser.ConvertType{Type: "datetime", Length: &microseconds}}
		formatCall(buf, "addtime", date, node.Exprs[1])
		return
	}
	if node.Name.EqualString("week") && len(node.Exprs) == 1 && node.Qualifier.IsEmpty() {
		c := *node
		c.Exprs = []sqlparser.Expr{node.Exprs[0], sqlparser.NewVariableExpression("default_week_format", sqlparser.DoubleAt)}
		node = &c
	}
	node.Format(buf)
}

// asMembership says = ANY and <> ALL as IN and NOT IN, which are the same: the engine has no ANY and ALL.
func asMembership(node *sqlparser.ComparisonExpr) *sqlparser.ComparisonExpr {
	c := *node
	switch {
	case node.Modifier == sqlparser.Any && node.Operator == sqlparser.EqualOp:
		c.Modifier, c.Operator = sqlparser.Missing, sqlparser.InOp
	case node.Modifier == sqlparser.All && node.Operator == sqlparser.NotEqualOp:
		c.Modifier, c.Operator = sqlparser.Missing, sqlparser.NotInOp
	default:
		return node
	}
	return &c
}
