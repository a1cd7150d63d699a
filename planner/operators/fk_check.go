package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes"
)

// verify puts the checks of an UPDATE before it.
func (k *updateKeeper) verify(ctx *Context, change Operator, forbidding []vindexes.ChildFKInfo) Operator {
	if len(k.keys.Parents)+len(forbidding) == 0 {
		return change
	}
	out := &FkVerify{Change: change}
	for _, fk := range k.keys.Parents {
		out.Checks = append(out.Checks, FkCheck{planApart(ctx, k.orphans(fk), keptKeys{}), true})
	}
	for _, fk := range forbidding {
		if !ctx.keepsAllKeys {
			refuse(vterrors.VT12002(QualifiedName(k.target.VTable), QualifiedName(fk.Table)))
		}
		out.Checks = append(out.Checks, FkCheck{planApart(ctx, k.parentsWithChildren(fk), keptKeys{}), false})
	}
	return out
}

// orphans finds rows whose new values are no parent's. Here p_a becomes b + 1, and p_b stays:
//
//	select 1 from c as child left join p as parent on parent.a = child.b + 1 and parent.b = child.p_b
//	where parent.a is null and child.b + 1 is not null and parent.b is null and child.p_b is not null
//	and not (child.p_a) <=> (child.b + 1) and ... limit 1
func (k *updateKeeper) orphans(fk vindexes.ParentFKInfo) *sqlparser.Select {
	parent, child := alias("parent"), alias("child")
	var on, where, olds, news []sqlparser.Expr
	for i, column := range fk.ChildColumns {
		parentColumn := sqlparser.NewColNameWithQualifier(fk.ParentColumns[i].String(), parent)
		var value sqlparser.Expr = sqlparser.NewColNameWithQualifier(column.String(), child)
		if at := slices.IndexFunc(k.stmt.Exprs, func(set *sqlparser.UpdateExpr) bool { return column.Equal(set.Name.Name) }); at >= 0 {
			value = qualified(k.inColumnType(k.stmt.Exprs[at]), child)
			olds, news = append(olds, qualified(k.stmt.Exprs[at].Name, child)), append(news, value)
		}
		on = append(on, sqlparser.NewComparisonExpr(sqlparser.EqualOp, parentColumn, value, nil))
		where = append(where,
			&sqlparser.IsExpr{Left: parentColumn, Right: sqlparser.IsNullOp}, &sqlparser.IsExpr{Left: value, Right: sqlparser.IsNotNullOp})
	}
	same := sqlparser.NewComparisonExpr(sqlparser.NullSafeEqualOp, sqlparser.ValTuple(olds), sqlparser.ValTuple(news), nil)
	where = append(where, &sqlparser.NotExpr{Expr: same})
	from := sqlparser.NewJoinTableExpr(
		sqlparser.NewAliasedTableExpr(k.target.VTable.GetTableName(), "child"), sqlparser.LeftJoinType,
		sqlparser.NewAliasedTableExpr(fk.Table.GetTableName(), "parent"),
		sqlparser.NewJoinCondition(sqlparser.AndExpressions(on...), nil))
	return k.anyRow(from, append(where, k.changedRows(child)...))
}

// parentsWithChildren finds rows that change and have children which forbid it:
//
//	select 1 from p as parent join c as child on parent.a = child.p_a where ... and (:a is null or (child.p_a) not in ((:a)))
func (k *updateKeeper) parentsWithChildren(fk vindexes.ChildFKInfo) *sqlparser.Select {
	parent, child := alias("parent"), alias("child")
	var on []sqlparser.Expr
	for i, column := range fk.ParentColumns {
		on = append(on, sqlparser.NewComparisonExpr(sqlparser.EqualOp,
			sqlparser.NewColNameWithQualifier(column.String(), parent),
			sqlparser.NewColNameWithQualifier(fk.ChildColumns[i].String(), child), nil))
	}
	sets := settingAny(k.stmt.Exprs, fk.ParentColumns)
	values := make([]sqlparser.Expr, len(sets))
	for i, set := range sets {
		values[i] = qualified(k.inColumnType(set), parent)
	}
	where := k.changedRows(parent)
	changed := changedTo(fk, sets, values, func(column sqlparser.IdentifierCI) sqlparser.Expr {
		return sqlparser.NewColNameWithQualifier(column.String(), child)
	})
	if changed != nil {
		where = append(where, changed)
	}
	from := sqlparser.NewJoinTableExpr(
		sqlparser.NewAliasedTableExpr(k.target.VTable.GetTableName(), "parent"), sqlparser.NormalJoinType,
		sqlparser.NewAliasedTableExpr(fk.Table.GetTableName(), "child"),
		sqlparser.NewJoinCondition(sqlparser.AndExpressions(on...), nil))
	return k.anyRow(from, where)
}

// changedRows are the predicates of the UPDATE, on its table under another name. It has no other table.
func (k *updateKeeper) changedRows(table sqlparser.TableName) []sqlparser.Expr {
	if k.stmt.Where == nil {
		return nil
	}
	return []sqlparser.Expr{qualified(k.stmt.Where.Expr, table)}
}

// anyRow is the query for whether there is such a row. It locks what it reads, so that the answer holds until the change.
func (k *updateKeeper) anyRow(from sqlparser.TableExpr, where []sqlparser.Expr) *sqlparser.Select {
	find := &selection{}
	find.add(sqlparser.NewIntLiteral("1"))
	lock := sqlparser.ForShareLock
	if len(k.target.VTable.UniqueKeys) > 0 {
		lock = sqlparser.ForShareLockNoWait
	}
	query := find.query([]sqlparser.TableExpr{from}, nil, nil, lock)
	if len(where) > 0 {
		query.Where = sqlparser.NewWhere(sqlparser.WhereClause, sqlparser.AndExpressions(where...))
	}
	query.Limit = sqlparser.NewLimitWithoutOffset(1)
	return query
}

func alias(name string) sqlparser.TableName { return sqlparser.NewTableName(name) }

// qualified makes all columns of an expression a table's.
func qualified(expr sqlparser.Expr, table sqlparser.TableName) sqlparser.Expr {
	return sqlparser.CopyOnRewrite(expr, nil, func(c *sqlparser.CopyOnWriteCursor) {
		if col, ok := c.Node().(*sqlparser.ColName); ok {
			c.Replace(sqlparser.NewColNameWithQualifier(col.Name.String(), table))
		}
	}, nil).(sqlparser.Expr)
}
