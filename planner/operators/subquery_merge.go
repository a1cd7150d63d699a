package operators

import (
	"io"
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// pushSubqueries tries to make each subquery part of a route of the outer query, or to move it to the side of a join that it
// belongs to.
func pushSubqueries(ctx *Context, c *SubQueryContainer) (Operator, string) {
	if !ctx.reached(initialPlanning) {
		return c, ""
	}
	var rest []*SubQuery
	done := ""
	for _, sq := range c.Inner {
		outer, did := pushOrMergeSubquery(ctx, sq, c.Outer)
		if did == "" {
			rest = append(rest, sq)
			continue
		}
		c.Outer, done = outer, did
	}
	if len(rest) == 0 {
		return c.Outer, done
	}
	c.Inner = rest
	return c, done
}

func pushOrMergeSubquery(ctx *Context, sq *SubQuery, outer Operator) (Operator, string) {
	switch outer := outer.(type) {
	case *Route:
		return mergeSubquery(ctx, sq, outer)
	case *ApplyJoin:
		return pushSubqueryIntoJoin(ctx, sq, outer)
	}
	return outer, ""
}

// mergeSubquery makes the subquery part of the outer query's SQL.
func mergeSubquery(ctx *Context, sq *SubQuery, outer *Route) (Operator, string) {
	switch inner := sq.Subquery.(type) {
	case *Route:
		return mergeSubqueryRoute(ctx, sq, outer, inner)
	case *SubQueryContainer:
		return mergeNestedSubqueries(ctx, sq, outer, inner)
	}
	return outer, ""
}

func mergeSubqueryRoute(ctx *Context, sq *SubQuery, outer, inner *Route) (Operator, string) {
	if upd, ok := outer.Source.(*Update); ok && slices.Contains(upd.SubqueriesInVindexes, sq.ArgName) {
		return outer, "" // the gateway needs the value to change the lookup row
	}
	m := &subqueryMerger{outer: outer, original: sq.original, sq: sq}
	route := m.merge(ctx, inner, outer, sq.mergePredicates())
	if route == nil {
		return outer, ""
	}
	if !sq.isArgument {
		route.Source = newFilter(outer.Source, sq.original)
	}
	route.Comments, route.Lock = outer.Comments, outer.Lock
	ctx.merged[sq.ArgName] = sq.query
	return route, "merged subquery with outer"
}

// mergeNestedSubqueries merges a subquery that has subqueries of its own, all or nothing.
func mergeNestedSubqueries(ctx *Context, sq *SubQuery, outer *Route, inner *SubQueryContainer) (Operator, string) {
	m := &subqueryMerger{outer: outer, original: sq.original, sq: sq}
	route := m.merge(ctx, inner.Outer, outer, sq.mergePredicates())
	if route == nil {
		return outer, ""
	}
	route = cloneTree(route)
	route.Source = outer.Source
	for _, nested := range inner.Inner {
		merged, done := mergeSubquery(ctx, nested, route)
		if done == "" {
			return outer, ""
		}
		route = merged.(*Route)
	}
	route.Source = newFilter(outer.Source, sq.original)
	ctx.merged[sq.ArgName] = sq.query
	return route, "merged subquery and those inside of it"
}

// pushSubqueryIntoJoin moves a subquery to the side of a join whose columns it uses; the other side's become bind variables.
func pushSubqueryIntoJoin(ctx *Context, sq *SubQuery, join *ApplyJoin) (Operator, string) {
	if mergeIntoRight(ctx, sq, join) {
		return join, "merged subquery with right side of join"
	}
	if _, isProj := sq.Subquery.(*Projection); isProj {
		return join, ""
	}
	left, right := tablesOf(join.LHS), tablesOf(join.RHS)
	deps := left.Remove(left)
	for _, pred := range sq.mergePredicates() {
		deps = deps.Merge(ctx.Sem.RecursiveDeps(pred))
	}
	deps = deps.Remove(tablesOf(sq.Subquery))
	switch {
	case deps.IsSolvedBy(left):
		join.LHS = withSubquery(join.LHS, sq)
		return join, "push subquery into left side of join"
	case !join.isInner() || len(sq.predicates) == 0:
		return join, ""
	case deps.IsSolvedBy(right):
		join.RHS = withSubquery(join.RHS, sq)
		return join, "push subquery into right side of join"
	case deps.IsSolvedBy(left.Merge(right)):
		sq.mapExprs(func(expr sqlparser.Expr) sqlparser.Expr {
			col := splitAcrossJoin(ctx, expr, left)
			for _, l := range col.left {
				if !join.carries(l.name) {
					join.extra = append(join.extra, l)
				}
			}
			return col.right
		})
		join.RHS = withSubquery(join.RHS, sq)
		return join, "push subquery into right side of join, rewriting predicates"
	}
	return join, ""
}

func withSubquery(op Operator, sq *SubQuery) Operator {
	if c, ok := op.(*SubQueryContainer); ok {
		c.add(sq)
		return c
	}
	return &SubQueryContainer{unaryOuter: unaryOuter{op}, Inner: []*SubQuery{sq}}
}

// mergeIntoRight makes the subquery part of the right side's route.
func mergeIntoRight(ctx *Context, sq *SubQuery, join *ApplyJoin) bool {
	outer, okOuter := join.RHS.(*Route)
	inner, okInner := sq.Subquery.(*Route)
	if !join.isInner() || !okOuter || !okInner {
		return false
	}
	left, extra := tablesOf(join.LHS), slices.Clone(join.extra)
	original := sqlparser.CopyOnRewrite(sq.original, nil, func(c *sqlparser.CopyOnWriteCursor) {
		col, ok := c.Node().(*sqlparser.ColName)
		if ok && ctx.Sem.RecursiveDeps(col) == left {
			c.Replace(ctx.typedArgument(join.bindLeftColumn(ctx, col), col))
		}
	}, nil).(sqlparser.Expr)
	m := &subqueryMerger{outer: outer, original: original, sq: sq}
	route := m.merge(ctx, inner, outer, sq.mergePredicates())
	if route == nil {
		join.extra = extra
		return false
	}
	join.RHS = route
	ctx.merged[sq.ArgName] = sq.query
	return true
}

// subqueryMerger makes one route of a subquery and its outer query.
type subqueryMerger struct {
	outer    *Route
	original sqlparser.Expr
	sq       *SubQuery
}

func (m *subqueryMerger) merge(ctx *Context, inner, outer Operator, preds []sqlparser.Expr) *Route {
	if recurses(inner) {
		return nil // its text has bind variables in the place of columns
	}
	p, ok := pairRoutes(ctx, inner, outer)
	if !ok {
		return nil
	}
	switch {
	case p.kindL == sequenceKind || p.kindR == sequenceKind:
		return nil
	case p.kindL == dualKind, p.kindL == anyShardKind && p.sameKeyspace, p.kindR == noneKind && p.sameKeyspace && p.kindL != noneKind:
		return m.combine(ctx, p.left, p.right, p.right.Routing)
	case p.kindL == noneKind && p.sameKeyspace,
		p.left.IsSingleShard() && (p.kindR == dualKind || p.kindR == anyShardKind && p.sameKeyspace):
		return m.combine(ctx, p.left, p.right, p.left.Routing)
	case p.kindL == infoSchemaKind && p.kindR == infoSchemaKind:
		return mergeInfoSchema(ctx, p, m)
	case p.kindL == shardedKind && p.kindR == shardedKind:
		return mergeSharded(ctx, p.left, p.right, m, preds)
	}
	return nil
}

func (m *subqueryMerger) combine(ctx *Context, inner, outer *Route, routing Routing) *Route {
	route := &Route{
		unary: unary{outer.Source}, truncated: outer.truncated,
		Routing: outer.Routing, Ordering: outer.Ordering,
		MergedWith: slices.Concat(inner.MergedWith, []*Route{inner, outer}, outer.MergedWith),
	}
	if !m.sq.topLevel {
		return route
	}
	route.Routing, route.Ordering, route.truncated = routing, m.outer.Ordering, m.outer.truncated
	route.unary = unary{m.outer.Source}
	if _, isSharded := routing.(*ShardedRouting); !isSharded {
		route.Source = m.withRoutedNames(ctx, inner)
	} else if !m.sq.isArgument {
		route.Source = newFilter(m.outer.Source, m.original)
	}
	return route
}

// combineSharded routes by the predicates of both, leaving out those of the subquery that use the outer row.
func (m *subqueryMerger) combineSharded(ctx *Context, inner, outer *Route, l, r *ShardedRouting) *Route {
	merged := &ShardedRouting{
		keyspace: l.keyspace, code: l.code,
		usable: slices.Concat(l.usable, r.usable),
		seen:   slices.Clone(r.seen),
	}
	if m.sq.topLevel {
		merged.seen = nil
		for _, pred := range slices.Concat(l.seen, r.seen) {
			if !m.usesOuterRow(ctx, pred) {
				merged.seen = append(merged.seen, pred)
			}
		}
	}
	return m.combine(ctx, inner, outer, merged.reset(ctx))
}

func (m *subqueryMerger) usesOuterRow(ctx *Context, pred sqlparser.Expr) bool {
	if !ctx.Sem.RecursiveDeps(pred).IsOverlapping(tablesOf(m.sq.Subquery)) {
		return false
	}
	uses := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		arg, ok := node.(*sqlparser.Argument)
		if !ok {
			return true, nil
		}
		for _, join := range m.sq.joins {
			if slices.ContainsFunc(join.left, func(l boundExpr) bool { return l.name == arg.Name }) {
				uses = true
				return false, io.EOF
			}
		}
		return true, nil
	}, pred)
	return uses
}

// withRoutedNames prints the subquery anew: a routing rule or a reference table may have given its tables other names.
func (m *subqueryMerger) withRoutedNames(ctx *Context, inner *Route) Operator {
	stmt, _ := toStatement(ctx, inner.Source)
	query, ok := stmt.(sqlparser.TableStatement)
	if !ok {
		refuse(vterrors.VT13001("subqueries should only be select statement"))
	}
	own := tablesOf(m.sq.Subquery)
	query = sqlparser.CopyOnRewrite(query, nil, func(c *sqlparser.CopyOnWriteCursor) {
		arg, ok := c.Node().(*sqlparser.Argument)
		if !ok {
			return
		}
		for _, reserved := range ctx.arguments {
			if reserved.name == arg.Name && !ctx.Sem.RecursiveDeps(reserved.expr).IsSolvedBy(own) {
				c.Replace(reserved.expr)
			}
		}
	}, nil).(sqlparser.TableStatement)
	if m.sq.isArgument {
		ctx.Sem.CopySemanticInfo(m.sq.query.Select, query)
		m.sq.query.Select = query
		return m.outer.Source
	}
	pred := sqlparser.CopyOnRewrite(m.original, skipSubqueries, func(c *sqlparser.CopyOnWriteCursor) {
		if sub, ok := c.Node().(*sqlparser.Subquery); ok {
			sub.Select = query
			c.Replace(sub)
		}
	}, ctx.Sem.CopySemanticInfo).(sqlparser.Expr)
	return newFilter(m.outer.Source, pred)
}
