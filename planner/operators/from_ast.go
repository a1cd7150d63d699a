package operators

import (
	"fmt"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
)

// fromStatement makes the first, logical tree of a statement: nothing is decided yet.
func fromStatement(ctx *Context, stmt sqlparser.Statement) Operator {
	switch stmt := stmt.(type) {
	case sqlparser.TableStatement:
		return fromQuery(ctx, stmt)
	case *sqlparser.Update:
		return fromUpdate(ctx, stmt)
	case *sqlparser.Delete:
		return fromDelete(ctx, stmt)
	case *sqlparser.Insert:
		return fromInsert(ctx, stmt)
	}
	refuse(vterrors.VT12001(fmt.Sprintf("operator: %T", stmt)))
	return nil
}

func fromQuery(ctx *Context, stmt sqlparser.TableStatement) Operator {
	switch stmt := stmt.(type) {
	case *sqlparser.Select:
		return fromSelect(ctx, stmt)
	case *sqlparser.Union:
		return fromUnion(ctx, stmt)
	}
	refuse(vterrors.VT12001(fmt.Sprintf("operator: %T", stmt)))
	return nil
}

func fromSelect(ctx *Context, sel *sqlparser.Select) *Horizon {
	op := fromTables(ctx, sel.From)
	op = addWhere(ctx, sel.GetWherePredicate(), op)
	if sel.Comments != nil || sel.Lock != sqlparser.NoLock {
		op = newLockAndComment(op, sel.Comments, sel.Lock)
	}
	return newHorizon(op, sel)
}

func fromUnion(ctx *Context, u *sqlparser.Union) *Horizon {
	if _, nested := u.Right.(*sqlparser.Union); nested {
		refuse(vterrors.VT12001("nesting of UNIONs on the right-hand side"))
	}
	if r := ctx.Sem.Recursion(u); r != nil {
		return fromRecursion(ctx, u, r)
	}
	return newHorizon(unionOf(ctx, u), u)
}

// unionOf puts the query blocks of a UNION one after the other.
func unionOf(ctx *Context, u *sqlparser.Union) *Union {
	side := func(stmt sqlparser.TableStatement) Operator {
		op := fromQuery(ctx, stmt)
		if h, ok := op.(*Horizon); ok {
			h.truncates = true
		}
		return op
	}
	sources := []Operator{side(u.Left), side(u.Right)}
	selects := [][]sqlparser.SelectExpr{ctx.Sem.SelectExprs(u.Left), ctx.Sem.SelectExprs(u.Right)}
	return newUnion(sources, selects, ctx.Sem.SelectExprs(u), u.Distinct)
}

// addWhere adds the predicates of a WHERE or HAVING, with their subqueries beside the operator.
func addWhere(ctx *Context, where sqlparser.Expr, op Operator) Operator {
	builder := &subqueryBuilder{}
	return builder.over(addWhereTo(ctx, where, op, builder))
}

func addWhereTo(ctx *Context, where sqlparser.Expr, op Operator, builder *subqueryBuilder) Operator {
	tables := tablesOf(op)
	for _, pred := range sqlparser.SplitAndExpression(nil, where) {
		sqlparser.RemoveKeyspaceInCol(pred)
		pred = foldConstants(ctx, pred)
		if builder.takePredicate(ctx, pred, tables) {
			continue
		}
		if value, known := ctx.constantBool(pred); known {
			if value {
				continue
			}
			pred = intLiteral(0)
		}
		op = addPredicate(ctx, op, pred)
		if cmp, ok := pred.(*sqlparser.ComparisonExpr); ok && cmp.Operator == sqlparser.EqualOp {
			ctx.Sem.AddEquality(cmp.Left, cmp.Right)
		}
	}
	return op
}

// foldConstants simplifies AND and OR with an operand that is always true or always false.
func foldConstants(ctx *Context, expr sqlparser.Expr) sqlparser.Expr {
	for {
		var replacement sqlparser.Expr
		changed := false
		choose := func(operand, ifTrue, ifFalse sqlparser.Expr) bool {
			value, known := ctx.constantBool(operand)
			if known && value {
				replacement = ifTrue
			} else if known {
				replacement = ifFalse
			}
			return known
		}
		down := func(node, _ sqlparser.SQLNode) bool {
			switch node := node.(type) {
			case *sqlparser.OrExpr:
				return !choose(node.Left, intLiteral(1), node.Right) && !choose(node.Right, intLiteral(1), node.Left)
			case *sqlparser.AndExpr:
				return !choose(node.Left, node.Right, intLiteral(0)) && !choose(node.Right, node.Left, intLiteral(0))
			}
			return true
		}
		up := func(c *sqlparser.CopyOnWriteCursor) {
			if replacement != nil {
				c.Replace(replacement)
				replacement, changed = nil, true
			}
		}
		expr = sqlparser.CopyOnRewrite(expr, down, up, ctx.Sem.CopySemanticInfo).(sqlparser.Expr)
		if !changed {
			return expr
		}
	}
}

func fromTables(ctx *Context, exprs []sqlparser.TableExpr) Operator {
	var op Operator
	for _, e := range exprs {
		next := fromTable(ctx, e, len(exprs) == 1)
		if op == nil {
			op = next
			continue
		}
		op = crossJoin(ctx, op, next)
	}
	return op
}

// crossJoin joins two tables of a comma list.
func crossJoin(ctx *Context, lhs, rhs Operator) Operator {
	left, isL := lhs.(*QueryGraph)
	right, isR := rhs.(*QueryGraph)
	if isL && isR {
		return mergeGraphs(ctx, left, right)
	}
	return &Join{LHS: lhs, RHS: rhs}
}

// fromTable makes the operator of one item of FROM; only says that there is no other.
func fromTable(ctx *Context, expr sqlparser.TableExpr, only bool) Operator {
	switch expr := expr.(type) {
	case *sqlparser.AliasedTableExpr:
		return fromAliased(ctx, expr, only)
	case *sqlparser.JoinTableExpr:
		return fromJoin(ctx, expr)
	case *sqlparser.ParenTableExpr:
		return fromTables(ctx, expr.Exprs)
	}
	refuse(vterrors.VT12001(fmt.Sprintf("unable to use: %T table type", expr)))
	return nil
}

func fromAliased(ctx *Context, expr *sqlparser.AliasedTableExpr, only bool) Operator {
	id := ctx.Sem.TableSetFor(expr)
	switch table := expr.Expr.(type) {
	case sqlparser.TableName:
		info := must(ctx.Sem.Info(id))
		if info.Kind == semantics.VindexTable {
			return &Vindex{ID: id, Name: table.Name.String(), Vindex: info.Vindex}
		}
		if info.Kind == semantics.WorkTable {
			dual := sqlparser.TableName{Name: sqlparser.NewIdentifierCS("dual")}
			return &QueryGraph{Tables: []*QueryTable{{ID: id, Alias: expr, Name: dual, IsWork: true}}}
		}
		return &QueryGraph{Tables: []*QueryTable{{ID: id, Alias: expr, Name: table, IsInfSchema: info.IsInfSchema}}}
	case *sqlparser.DerivedTable:
		if only && table.Select.GetLimit() == nil {
			table.Select.SetOrderBy(nil)
		}
		op := fromQuery(ctx, table.Select)
		if h, ok := op.(*Horizon); ok {
			h.ID, h.Alias, h.ColumnAliases = id, expr.As.String(), expr.Columns
			h.parts = newQueryParts(ctx, table.Select)
		}
		return op
	}
	refuse(vterrors.VT12001(fmt.Sprintf("unable to use: %T", expr.Expr)))
	return nil
}

func fromJoin(ctx *Context, join *sqlparser.JoinTableExpr) Operator {
	lhs := fromTable(ctx, join.LeftExpr, false)
	rhs := fromTable(ctx, join.RightExpr, false)
	var on sqlparser.Expr
	if join.Condition != nil {
		on = join.Condition.On
	}
	switch join.Join {
	case sqlparser.NormalJoinType:
		return joinPredicates(ctx, on, crossJoin(ctx, lhs, rhs))
	case sqlparser.StraightJoinType:
		return joinPredicates(ctx, on, &Join{LHS: lhs, RHS: rhs, JoinType: join.Join})
	case sqlparser.RightJoinType:
		lhs, rhs = rhs, lhs
		join.Join = sqlparser.LeftJoinType
		fallthrough
	case sqlparser.LeftJoinType:
		if found, _ := firstSubquery(on); found != nil {
			refuse(vterrors.VT12001("subquery in outer join predicate"))
		}
		ctx.outerTables = ctx.outerTables.Merge(tablesOf(rhs))
		sqlparser.RemoveKeyspaceInCol(on)
		return &Join{LHS: lhs, RHS: rhs, JoinType: join.Join, Predicate: on}
	}
	refuse(vterrors.VT12001(join.Join.ToString()))
	return nil
}

// joinPredicates adds the ON of an inner join as predicates of the tables.
func joinPredicates(ctx *Context, on sqlparser.Expr, op Operator) Operator {
	builder := &subqueryBuilder{}
	tables := tablesOf(op)
	sqlparser.RemoveKeyspaceInCol(on)
	for _, pred := range sqlparser.SplitAndExpression(nil, on) {
		if !builder.takePredicate(ctx, pred, tables) {
			op = addPredicate(ctx, op, pred)
		}
	}
	return builder.over(op)
}
