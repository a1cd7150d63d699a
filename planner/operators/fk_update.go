package operators

import (
	"fmt"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes"
)

// newKeyValue is the bind variable with a parent's new value.
const newKeyValue = "fkc_upd"

// updateKeeper keeps the foreign keys of a table that an UPDATE changes:
//
//	update p set code = 'b' where ...
//	    FkVerify   rows that would have no parent, or whose children forbid it       fk_check.go
//	      FkCascade
//	        select p.code from p where ... for update
//	        update c set p_code = 'b' where (p_code) in ::fkc_vals                   ON UPDATE CASCADE
//	        update d set p_code = null where (p_code) in ::fkc_vals and ...          ON UPDATE SET NULL
//	        update p set code = 'b' where ...
type updateKeeper struct {
	stmt   *sqlparser.Update // free of what the planning of the UPDATE does to its own
	target TargetTable
	keys   ForeignKeys
}

// takeValue sets the value that a subquery of an assignment returned in the subquery's place.
func (k *updateKeeper) takeValue(assignment int, value sqlparser.Expr) {
	if k.stmt != nil {
		k.stmt.Exprs[assignment].Expr = value
	}
}

// keep puts the checks and cascades around an update. VT12002 for keys across shards that forbid it, VT09016 for SET DEFAULT,
// VT12001 for IGNORE with cascades: it would keep parents whose children have followed.
func (k *updateKeeper) keep(ctx *Context, upd Operator) Operator {
	var cascading, forbidding []vindexes.ChildFKInfo
	for _, fk := range k.keys.Children {
		if fk.OnUpdate.IsRestrict() {
			forbidding = append(forbidding, fk)
		} else {
			cascading = append(cascading, fk)
		}
	}
	return k.verify(ctx, k.cascade(ctx, upd, cascading), forbidding)
}

func (k *updateKeeper) cascade(ctx *Context, upd Operator, children []vindexes.ChildFKInfo) Operator {
	if len(children) == 0 {
		return upd
	}
	if k.stmt.Ignore {
		refuse(vterrors.VT12001("UPDATE IGNORE with foreign keys that cascade"))
	}
	find := &selection{}
	cascade := &FkCascade{Parent: upd}
	for _, fk := range children {
		child := FkChild{Cols: find.columns(fk.ParentColumns, k.target.Name)}
		sets := settingAny(k.stmt.Exprs, fk.ParentColumns)
		computed := !allLiterals(sets)
		if computed {
			child.Computed = k.computed(find, fk, sets)
		}
		child.BindVar = ctx.Reserved.ReserveVariable(foreignKeyValues)
		values := make([]sqlparser.Expr, len(sets))
		for i, set := range sets {
			values[i] = k.inColumnType(set)
			if computed {
				child.Computed[i].BindVar = ctx.Reserved.ReserveVariable(newKeyValue)
				values[i] = sqlparser.NewArgument(child.Computed[i].BindVar)
			}
		}
		child.Planned = k.child(ctx, fk, sets, values, child.BindVar, computed)
		cascade.Children = append(cascade.Children, child)
	}
	query := find.query(k.stmt.TableExprs, k.stmt.Where, k.stmt.OrderBy, lockToChange(k.target.VTable))
	cascade.Selection = planApart(ctx, query, keptKeys{})
	return cascade
}

func allLiterals(sets sqlparser.UpdateExprs) bool {
	for _, set := range sets {
		if !sqlparser.IsLiteral(set.Expr) {
			return false
		}
	}
	return true
}

// computed makes the selection return new values that are not the same for all rows.
func (k *updateKeeper) computed(find *selection, fk vindexes.ChildFKInfo, sets sqlparser.UpdateExprs) []ComputedValue {
	values := make([]ComputedValue, len(sets))
	for i, set := range sets {
		value := k.inColumnType(set)
		same := sqlparser.NewComparisonExpr(sqlparser.NullSafeEqualOp, set.Name, value, nil)
		values[i] = ComputedValue{Same: find.add(same), Value: find.add(value), At: fk.ParentColumns.FindColumn(set.Name.Name)}
	}
	return values
}

// child plans what happens to the child rows. A row cannot have a parent yet when it follows its parent's change, so the
// shards must not look, and the gateway checks all other keys of the child.
func (k *updateKeeper) child(ctx *Context, fk vindexes.ChildFKInfo, sets sqlparser.UpdateExprs, values []sqlparser.Expr, bindVar string, computed bool) Planned {
	where := childOfListed(fk, bindVar)
	switch fk.OnUpdate {
	case sqlparser.Cascade:
		upd := &sqlparser.Update{
			Comments: setForeignKeyChecks(nil, "OFF").Parsed(), TableExprs: onlyTable(fk.Table),
			Where: sqlparser.NewWhere(sqlparser.WhereClause, where),
		}
		for i, set := range sets {
			value := set.Expr
			if computed {
				value = values[i]
			}
			column := fk.ChildColumns[fk.ParentColumns.FindColumn(set.Name.Name)]
			upd.Exprs = append(upd.Exprs, &sqlparser.UpdateExpr{Name: sqlparser.NewColName(column.String()), Expr: value})
		}
		return planApart(ctx, upd, keptKeys{all: true, except: fk.String(k.target.VTable)})
	case sqlparser.SetNull:
		changed := changedTo(fk, sets, values, func(column sqlparser.IdentifierCI) sqlparser.Expr {
			return sqlparser.NewColName(column.String())
		})
		return planApart(ctx, setNull(ctx, fk, sqlparser.AndExpressions(where, changed)), keptKeys{})
	}
	refuse(vterrors.VT09016())
	return Planned{}
}

// changedTo tells of child rows whether their parent's columns become others than they are, nil for always:
//
//	:a is null or (:b is null or (p_a, p_b) not in ((:a, :b)))
//
// The values may turn out to be NULL when the statement runs.
func changedTo(fk vindexes.ChildFKInfo, sets sqlparser.UpdateExprs, values []sqlparser.Expr, childColumn func(sqlparser.IdentifierCI) sqlparser.Expr) sqlparser.Expr {
	var columns, news sqlparser.ValTuple
	for i, set := range sets {
		if sqlparser.IsNull(set.Expr) {
			return nil
		}
		columns = append(columns, childColumn(fk.ChildColumns[fk.ParentColumns.FindColumn(set.Name.Name)]))
		news = append(news, values[i])
	}
	var cond sqlparser.Expr = sqlparser.NewComparisonExpr(sqlparser.NotInOp, columns, sqlparser.ValTuple{news}, nil)
	for _, value := range news {
		cond = &sqlparser.OrExpr{Left: &sqlparser.IsExpr{Left: value, Right: sqlparser.IsNullOp}, Right: cond}
	}
	return cond
}

// inColumnType is the new value of a column as the column will hold it, which is what a key compares.
func (k *updateKeeper) inColumnType(set *sqlparser.UpdateExpr) sqlparser.Expr {
	for _, column := range k.target.VTable.Columns {
		if !column.Name.Equal(set.Name.Name) {
			continue
		}
		if typ := castType(column); typ != nil {
			return &sqlparser.CastExpr{Expr: set.Expr, Type: typ}
		}
	}
	return set.Expr
}

// castType is what CAST calls the type of a column, nil if it has no name for it.
func castType(column vindexes.Column) *sqlparser.ConvertType {
	switch typ := column.Type; {
	case sqltypes.IsNull(typ):
		return nil
	case sqltypes.IsSigned(typ):
		return &sqlparser.ConvertType{Type: "SIGNED"}
	case sqltypes.IsUnsigned(typ):
		return &sqlparser.ConvertType{Type: "UNSIGNED"}
	case sqltypes.IsFloat(typ):
		return &sqlparser.ConvertType{Type: "FLOAT"}
	case sqltypes.IsDecimal(typ):
		decimal := &sqlparser.ConvertType{Type: "DECIMAL"}
		if column.Size > 0 {
			// Without them CAST would round to whole numbers.
			size, scale := int(column.Size), int(column.Scale)
			decimal.Length, decimal.Scale = &size, &scale
		}
		return decimal
	case typ == sqltypes.Time:
		return &sqlparser.ConvertType{Type: "TIME"}
	case sqltypes.IsDateOrTime(typ):
		return &sqlparser.ConvertType{Type: "DATETIME"}
	case sqltypes.IsBinary(typ):
		return &sqlparser.ConvertType{Type: "BINARY"}
	case sqltypes.IsText(typ):
		return &sqlparser.ConvertType{Type: "CHAR"}
	}
	return nil
}

// refuseDependentKeys refuses an UPDATE that computes a key's column from columns that it changes too, or sets it twice: what
// the column becomes depends on the order of the assignments.
func refuseDependentKeys(ctx *Context, stmt *sqlparser.Update) {
	for i, set := range stmt.Exprs {
		if !ctx.foreignKeys[ctx.Sem.DirectDeps(set.Name)].use(set.Name.Name) {
			continue
		}
		for _, other := range stmt.Exprs[:i] {
			if ctx.Sem.Equals(set.Name, other.Name) {
				refuse(vterrors.VT03015(set.Name.Name))
			}
		}
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			col, ok := node.(*sqlparser.ColName)
			if !ok || ctx.Sem.Equals(set.Name, col) {
				return true, nil
			}
			for _, other := range stmt.Exprs {
				if ctx.Sem.Equals(other.Name, col) {
					refuse(vterrors.VT12001(fmt.Sprintf("%s column referenced in foreign key column %s is itself updated",
						sqlparser.String(col), sqlparser.String(set.Name))))
				}
			}
			return true, nil
		}, set.Expr)
	}
}
