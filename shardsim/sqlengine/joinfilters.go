package sqlengine

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// liftJoinFilters moves to WHERE what ON of an inner join says of single tables, where an outer join stands beside it: the
// engine would have the outer join find fewer rows instead.
//
//	x LEFT JOIN y ON x.a = y.a JOIN z ON z.a = x.a AND y.b > 1   ->   x LEFT JOIN y ON x.a = y.a JOIN z ON z.a = x.a WHERE y.b > 1
func liftJoinFilters(stmt sqlparser.Statement) sqlparser.Statement {
	return sqlparser.CopyOnRewrite(stmt, nil, func(c *sqlparser.CopyOnWriteCursor) {
		switch node := c.Node().(type) {
		case *sqlparser.Select:
			if from, where := liftedFrom(node.From, node.Where); where != node.Where {
				lifted := *node
				lifted.From, lifted.Where = from, where
				c.Replace(&lifted)
			}
		case *sqlparser.Update:
			if from, where := liftedFrom(node.TableExprs, node.Where); where != node.Where {
				lifted := *node
				lifted.TableExprs, lifted.Where = from, where
				c.Replace(&lifted)
			}
		case *sqlparser.Delete:
			if from, where := liftedFrom(node.TableExprs, node.Where); where != node.Where {
				lifted := *node
				lifted.TableExprs, lifted.Where = from, where
				c.Replace(&lifted)
			}
		}
	}, nil).(sqlparser.Statement)
}

// liftedFrom returns what FROM and WHERE become; the same WHERE if nothing moves.
func liftedFrom(from []sqlparser.TableExpr, where *sqlparser.Where) ([]sqlparser.TableExpr, *sqlparser.Where) {
	var lifted []sqlparser.Expr
	out := make([]sqlparser.TableExpr, len(from))
	for i, t := range from {
		out[i] = liftFrom(t, len(from) == 1, &lifted)
	}
	if len(lifted) == 0 {
		return from, where
	}
	if where != nil {
		lifted = append([]sqlparser.Expr{where.Expr}, lifted...)
	}
	return out, sqlparser.NewWhere(sqlparser.WhereClause, sqlparser.AndExpressions(lifted...))
}

// liftFrom takes the filters out of the inner joins whose rows all reach WHERE. whole tells that t is all of FROM: only then
// names without table mean in WHERE what they mean in ON.
func liftFrom(t sqlparser.TableExpr, whole bool, lifted *[]sqlparser.Expr) sqlparser.TableExpr {
	switch t := t.(type) {
	case *sqlparser.ParenTableExpr:
		out := &sqlparser.ParenTableExpr{}
		for _, e := range t.Exprs {
			out.Exprs = append(out.Exprs, liftFrom(e, whole && len(t.Exprs) == 1, lifted))
		}
		return out
	case *sqlparser.JoinTableExpr:
		out := *t
		switch t.Join {
		case sqlparser.LeftJoinType:
			out.LeftExpr = liftFrom(t.LeftExpr, false, lifted)
		case sqlparser.RightJoinType:
			out.RightExpr = liftFrom(t.RightExpr, false, lifted)
		case sqlparser.NormalJoinType, sqlparser.StraightJoinType:
			if t.Condition != nil && t.Condition.On != nil && (hasOuterJoin(t.LeftExpr) || hasOuterJoin(t.RightExpr)) {
				out.Condition = &sqlparser.JoinCondition{On: liftOn(t.Condition.On, whole, lifted)}
			}
			out.LeftExpr, out.RightExpr = liftFrom(t.LeftExpr, false, lifted), liftFrom(t.RightExpr, false, lifted)
		}
		return &out
	}
	return t
}

// liftOn splits ON: what is about one table is lifted. It returns nil if nothing stays.
func liftOn(on sqlparser.Expr, whole bool, lifted *[]sqlparser.Expr) (kept sqlparser.Expr) {
	for _, e := range sqlparser.SplitAndExpression(nil, on) {
		tables := make(map[string]bool)
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			if col, ok := node.(*sqlparser.ColName); ok {
				tables[strings.ToLower(col.Qualifier.Name.String())] = true
			}
			return true, nil
		}, e)
		switch {
		case len(tables) == 1 && (whole || !tables[""]):
			*lifted = append(*lifted, e)
		case kept == nil:
			kept = e
		default:
			kept = &sqlparser.AndExpr{Left: kept, Right: e}
		}
	}
	return kept
}

func hasOuterJoin(t sqlparser.TableExpr) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.DerivedTable:
			return false, nil
		case *sqlparser.JoinTableExpr:
			found = found || node.Join == sqlparser.LeftJoinType || node.Join == sqlparser.RightJoinType ||
				node.Join == sqlparser.NaturalLeftJoinType || node.Join == sqlparser.NaturalRightJoinType
		}
		return !found, nil
	}, t)
	return found
}
