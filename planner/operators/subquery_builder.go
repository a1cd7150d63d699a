package operators

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/semantics"
)

// subqueryBuilder collects the subqueries of a query block while its clauses are made into operators.
type subqueryBuilder struct {
	inner []*SubQuery
}

// over puts the collected subqueries beside the operator that uses them.
func (b *subqueryBuilder) over(op Operator) Operator {
	if len(b.inner) == 0 {
		return op
	}
	return &SubQueryContainer{unaryOuter: unaryOuter{op}, Inner: b.inner}
}

// takePredicate collects the first subquery of a predicate, which then stands for the whole predicate. It is false for a
// predicate without one. outer are the tables of the query block.
func (b *subqueryBuilder) takePredicate(ctx *Context, pred sqlparser.Expr, outer semantics.TableSet) bool {
	found, parent := firstSubquery(pred)
	if found == nil {
		return false
	}
	kind, other := subqueryKind(parent, found)
	name := ctx.Reserved.ReserveSubQuery()
	topLevel := ctx.Sem.Equals(pred, parent)
	original := cloneSem(ctx, pred)
	sq := newSubQuery(ctx, found, outer)
	sq.original = original
	sq.query, _ = firstSubquery(original)
	sq.Kind, sq.ArgName, sq.topLevel = kind, name, topLevel
	if ae, ok := found.Select.GetColumns()[0].(*sqlparser.AliasedExpr); ok && other != nil {
		sq.outerPredicate = &sqlparser.ComparisonExpr{Operator: sqlparser.EqualOp, Left: other, Right: ae.Expr}
	}
	b.inner = append(b.inner, sq)
	return true
}

// firstSubquery finds a subquery, and the expression that it is an operand of (NOT included).
func firstSubquery(expr sqlparser.Expr) (found *sqlparser.Subquery, parent sqlparser.Expr) {
	leaving := false
	_ = sqlparser.Rewrite(expr, func(c *sqlparser.Cursor) bool {
		sub, ok := c.Node().(*sqlparser.Subquery)
		if !ok || found != nil {
			return found == nil
		}
		found, parent, leaving = sub, sub, true
		if around, ok := c.Parent().(sqlparser.Expr); ok {
			parent = around
		}
		return false
	}, func(c *sqlparser.Cursor) bool {
		if !leaving {
			return true
		}
		if not, ok := c.Parent().(*sqlparser.NotExpr); ok {
			parent = not
		}
		return false
	})
	return found, parent
}

// subqueryKind says how the result is used; other is the other side of a comparison.
func subqueryKind(parent sqlparser.Expr, sub *sqlparser.Subquery) (kind opcode.PulloutOpcode, other sqlparser.Expr) {
	switch parent := parent.(type) {
	case *sqlparser.NotExpr:
		if _, ok := parent.Expr.(*sqlparser.ExistsExpr); ok {
			return opcode.PulloutNotExists, nil
		}
	case *sqlparser.ExistsExpr:
		return opcode.PulloutExists, nil
	case *sqlparser.ComparisonExpr:
		other = parent.Left
		if parent.Left == sqlparser.Expr(sub) {
			other = parent.Right
		}
		return comparisonKind(parent), other
	}
	return opcode.PulloutValue, nil
}

func comparisonKind(cmp *sqlparser.ComparisonExpr) opcode.PulloutOpcode {
	switch cmp.Operator {
	case sqlparser.InOp:
		return opcode.PulloutIn
	case sqlparser.NotInOp:
		return opcode.PulloutNotIn
	}
	return opcode.PulloutValue
}

// newSubQuery makes the operators of a subquery, with the predicates that need outer columns taken out.
func newSubQuery(ctx *Context, sub *sqlparser.Subquery, outer semantics.TableSet) *SubQuery {
	inner := tablesNamed(ctx, sub.Select)
	c := &correlation{ctx: ctx, builder: &subqueryBuilder{}, inner: inner, all: inner.Merge(outer), outer: outer}
	c.takeFrom(sub.Select)
	sq := &SubQuery{
		predicates: c.preds,
		joins:      c.joins,
		joinsFor:   outer,
		correlated: ctx.Sem.RecursiveDeps(sub).IsOverlapping(outer),
	}
	sq.Subquery = c.builder.over(fromQuery(ctx, sub.Select))
	return sq
}

// tablesNamed are all tables that a query names.
func tablesNamed(ctx *Context, node sqlparser.SQLNode) semantics.TableSet {
	var ts semantics.TableSet
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if t, ok := node.(*sqlparser.AliasedTableExpr); ok {
			ts = ts.Merge(ctx.Sem.TableSetFor(t))
		}
		return true, nil
	}, node)
	return ts
}

// correlation takes the predicates that use outer columns out of a subquery: there they become bind variables.
type correlation struct {
	ctx               *Context
	builder           *subqueryBuilder
	inner, outer, all semantics.TableSet
	preds             []sqlparser.Expr
	joins             []joinColumn
}

func (c *correlation) takeFrom(stmt sqlparser.TableStatement) {
	switch stmt := stmt.(type) {
	case *sqlparser.Union:
		c.takeFrom(stmt.Left)
		c.takeFrom(stmt.Right)
	case *sqlparser.Select:
		stmt.Where = c.where(stmt.Where)
		stmt.Having = c.where(stmt.Having)
		for i, item := range stmt.From {
			stmt.From[i] = sqlparser.CopyOnRewrite(item, skipSubqueries, func(cur *sqlparser.CopyOnWriteCursor) {
				if cond, ok := cur.Node().(*sqlparser.JoinCondition); ok && cond.On != nil {
					cond.On = c.split(cond.On)
				}
			}, c.ctx.Sem.CopySemanticInfo).(sqlparser.TableExpr)
		}
	}
}

func (c *correlation) where(where *sqlparser.Where) *sqlparser.Where {
	if where == nil {
		return nil
	}
	if where.Expr = c.split(where.Expr); where.Expr == nil {
		return nil
	}
	return where
}

// split returns what of a condition stays in the subquery, nil for nothing.
func (c *correlation) split(cond sqlparser.Expr) sqlparser.Expr {
	var stay []sqlparser.Expr
	for _, pred := range sqlparser.SplitAndExpression(nil, cond) {
		sqlparser.RemoveKeyspaceInCol(pred)
		if c.builder.takePredicate(c.ctx, pred, c.all) {
			continue
		}
		deps := c.ctx.Sem.RecursiveDeps(pred)
		if !deps.IsSolvedBy(c.inner) && deps.IsSolvedBy(c.all) {
			join := splitAcrossJoin(c.ctx, pred, c.outer)
			c.preds, c.joins = append(c.preds, pred), append(c.joins, join)
			pred = join.right
		}
		stay = append(stay, pred)
	}
	return sqlparser.AndExpressions(stay...)
}

// alwaysHasRow reports whether a query has exactly one row whatever the tables hold.
func alwaysHasRow(query sqlparser.TableStatement) bool {
	sel, ok := query.(*sqlparser.Select)
	return ok && sel.GroupBy == nil && sel.Having == nil && sel.Limit == nil && sqlparser.ContainsAggregation(sel.SelectExprs)
}

// pullOut collects the subqueries of an expression whose value is used, but for those within others, and returns the expression with their names in their
// place: as columns, which later become bind variables, or in UPDATE (isDML) as bind variables at once.
func (b *subqueryBuilder) pullOut(ctx *Context, expr sqlparser.Expr, outer semantics.TableSet, isDML bool) (sqlparser.Expr, []*SubQuery) {
	if found, _ := firstSubquery(expr); found == nil {
		return expr, nil
	}
	original := sqlparser.Clone(expr)
	var all []*SubQuery
	take := func(c *sqlparser.Cursor, sub *sqlparser.Subquery, kind opcode.PulloutOpcode) {
		name := ctx.Reserved.ReserveSubQuery()
		query := cloneSem(ctx, sub)
		sq := newSubQuery(ctx, sub, outer)
		sq.original, sq.query = cloneSem(ctx, original), query
		sq.Kind, sq.ArgName, sq.isArgument, sq.topLevel = kind, name, true, true
		switch {
		case kind.NeedsListArg() && !alwaysHasRow(query.Select):
			sq.reserveHasValues(ctx)
		case kind == opcode.PulloutExists && isDML:
			sq.HasValues = name
		}
		all, b.inner = append(all, sq), append(b.inner, sq)
		switch {
		case !isDML:
			c.Replace(sqlparser.NewColName(name))
		case kind.NeedsListArg():
			c.Replace(sqlparser.NewListArg(name))
		default:
			c.Replace(sqlparser.NewArgument(name))
		}
	}
	out := sqlparser.Rewrite(expr, func(c *sqlparser.Cursor) bool {
		switch node := c.Node().(type) {
		case *sqlparser.ExistsExpr:
			take(c, node.Subquery, opcode.PulloutExists)
			return false
		case *sqlparser.Subquery:
			kind := opcode.PulloutValue
			if cmp, ok := c.Parent().(*sqlparser.ComparisonExpr); ok {
				kind = comparisonKind(cmp)
			}
			take(c, node, kind)
			return false
		}
		return true
	}, nil).(sqlparser.Expr)
	return out, all
}
