package sqlengine

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// checkSafeUpdate refuses an UPDATE or DELETE under sql_safe_updates that neither finds its rows by a key nor has a LIMIT.
func (s *Session) checkSafeUpdate(stmt sqlparser.Statement) error {
	v, set := s.sql.vars["sql_safe_updates"]
	if n, ok := bigInt(v.Val); !set || !ok || n.Sign() == 0 {
		return nil
	}
	var from []sqlparser.TableExpr
	var where *sqlparser.Where
	var targets map[string]bool
	switch ast := stmt.(type) {
	case *sqlparser.Update:
		if ast.Limit != nil {
			return nil
		}
		from, where, targets = ast.TableExprs, ast.Where, updateTargets(ast)
	case *sqlparser.Delete:
		if ast.Limit != nil {
			return nil
		}
		from, where, targets = ast.TableExprs, ast.Where, deleteTargets(ast)
	default:
		return nil
	}
	conditions := onConditions(from)
	if where != nil {
		conditions = append(conditions, sqlparser.SplitAndExpression(nil, where.Expr)...)
	}
	for table := range targets {
		if t := s.sql.tableNamed(table); t != nil && !metaOf(t.Def).usesKey(conditions) {
			return mysqlError(1175, "HY000", "You are using safe update mode and you tried to update a table without a WHERE that uses a KEY column. ")
		}
	}
	return nil
}

// onConditions returns the conditions of ON clauses.
func onConditions(from []sqlparser.TableExpr) []sqlparser.Expr {
	var all []sqlparser.Expr
	for _, t := range from {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			if join, ok := node.(*sqlparser.JoinTableExpr); ok && join.Condition != nil && join.Condition.On != nil {
				all = append(all, sqlparser.SplitAndExpression(nil, join.Condition.On)...)
			}
			return true, nil
		}, t)
	}
	return all
}

// usesKey reports whether one of the conditions compares the first column of a key.
func (m *tableMeta) usesKey(conditions []sqlparser.Expr) bool {
	for _, c := range conditions {
		for _, name := range comparedColumns(c) {
			at := m.columns.IndexOfColName(name)
			if at >= 0 && (len(m.pk) > 0 && m.pk[0] == at || m.leads(name)) {
				return true
			}
		}
	}
	return false
}

// leads reports whether a column is the first of an index.
func (m *tableMeta) leads(column string) bool {
	for _, idx := range m.indexes {
		if strings.EqualFold(idx.columns[0], column) {
			return true
		}
	}
	return false
}

// comparedColumns returns the columns whose values a condition limits.
func comparedColumns(e sqlparser.Expr) []string {
	name := func(e sqlparser.Expr) []string {
		if col, ok := e.(*sqlparser.ColName); ok {
			return []string{col.Name.String()}
		}
		return nil
	}
	switch e := e.(type) {
	case *sqlparser.ComparisonExpr:
		switch e.Operator {
		case sqlparser.EqualOp, sqlparser.NullSafeEqualOp, sqlparser.LessThanOp, sqlparser.LessEqualOp, sqlparser.GreaterThanOp, sqlparser.GreaterEqualOp:
			return append(name(e.Left), name(e.Right)...)
		case sqlparser.InOp, sqlparser.LikeOp:
			return name(e.Left)
		}
	case *sqlparser.BetweenExpr:
		if e.IsBetween {
			return name(e.Left)
		}
	case *sqlparser.IsExpr:
		if e.Right == sqlparser.IsNullOp {
			return name(e.Left)
		}
	}
	return nil
}
