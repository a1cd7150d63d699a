package semantics

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// joinExpr analyses both sides of a join, then its condition, which sees both.
func (a *analyzer) joinExpr(join *sqlparser.JoinTableExpr, s *scope) error {
	switch join.Join {
	case sqlparser.NaturalJoinType, sqlparser.NaturalLeftJoinType, sqlparser.NaturalRightJoinType:
		return vterrors.VT12001(join.Join.ToString())
	}
	if err := a.tableExpr(join.LeftExpr, s); err != nil {
		return err
	}
	left := len(s.tables)
	if err := a.tableExpr(join.RightExpr, s); err != nil {
		return err
	}
	cond := join.Condition
	if cond == nil {
		return nil
	}
	if len(cond.Using) > 0 {
		if err := a.using(cond, s, left); err != nil {
			return err
		}
	}
	on, err := a.expr(cond.On, s)
	if err != nil {
		return err
	}
	cond.On = on
	return nil
}

// using turns USING (a, b) into ON l.a = r.a AND l.b = r.b; the first left tables of the scope are those left of the join.
func (a *analyzer) using(cond *sqlparser.JoinCondition, s *scope, left int) error {
	var preds []sqlparser.Expr
	for _, name := range cond.Using {
		holders := tablesWith(name, s.tables[:left])
		rights := tablesWith(name, s.tables[left:])
		if len(holders) == 0 || len(rights) == 0 {
			return a.soften(unlessUnsharded(vterrors.VT09015()))
		}
		holders = append(holders, rights...)
		var shared TableSet
		for i, l := range holders {
			shared = shared.Merge(l.ID)
			for _, r := range holders[i+1:] {
				preds = append(preds, &sqlparser.ComparisonExpr{
					Operator: sqlparser.EqualOp,
					Left:     sqlparser.NewColNameWithQualifier(name.String(), l.TableName()),
					Right:    sqlparser.NewColNameWithQualifier(name.String(), r.TableName()),
				})
			}
		}
		s.using[name.Lowered()] = shared
	}
	cond.On = sqlparser.AndExpressions(preds...)
	cond.Using = nil
	return nil
}

func tablesWith(name sqlparser.IdentifierCI, tables []*TableInfo) []*TableInfo {
	var out []*TableInfo
	for _, t := range tables {
		if _, ok := t.column(name.String()); ok {
			out = append(out, t)
		}
	}
	return out
}
