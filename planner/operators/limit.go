package operators

import (
	"slices"
	"strconv"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

// Limit lets a number of rows through.
type Limit struct {
	unary
	AST *sqlparser.Limit
	// top is set for the LIMIT of a query block, not for those that were pushed down from it.
	top bool
	// pushed is set once the shards have been told.
	pushed bool
}

func newLimit(src Operator, ast *sqlparser.Limit, top bool) *Limit {
	return &Limit{unary: unary{src}, AST: ast, top: top}
}

// Clone copies the limit.
func (l *Limit) Clone(in []Operator) Operator {
	c := *l
	c.Source, c.AST = in[0], sqlparser.Clone(l.AST)
	return &c
}

// Describe prints the limit.
func (l *Limit) Describe() string { return "Limit" + sqlparser.String(l.AST) }

// pushLimit lets shards and inputs return no more rows than can be needed.
func pushLimit(ctx *Context, l *Limit) (Operator, string) {
	switch src := l.Source.(type) {
	case *Route:
		return pushLimitIntoRoute(ctx, l, src)
	case *Aggregator:
		return l, "" // it needs all rows
	case *ApplyJoin:
		if l.pushed {
			return l, ""
		}
		src.RHS = inputLimit(ctx, src.RHS, l)
		if !src.isInner() {
			src.LHS = inputLimit(ctx, src.LHS, l) // every left row makes at least one row
		}
		if !l.top {
			return src, "push limit into apply join"
		}
		l.pushed = true
		return l, "add limit to inputs of apply join"
	case *Limit:
		if merged := mergeLimits(l.AST, src.AST); merged != nil {
			l.AST, l.Source = merged, src.Source
			return l, "merged two limits"
		}
	}
	return pushUpperLimit(ctx, l)
}

func pushLimitIntoRoute(ctx *Context, l *Limit, route *Route) (Operator, string) {
	switch {
	case route.IsSingleShard() || route.Routing.Opcode() == opcode.ByDestination:
		return swap(l, route, "push limit under route")
	case sqlparser.IsDMLStatement(ctx.Statement):
		return pushUpperLimit(ctx, l)
	case l.pushed:
		return l, ""
	}
	route.Source = inputLimit(ctx, route.Source, l)
	l.pushed = true
	return l, "pushed limit under route"
}

// inputLimit limits an input to the rows that the limit above can need: count and offset added up.
func inputLimit(ctx *Context, src Operator, above *Limit) *Limit {
	ast := sqlparser.Clone(above.AST)
	if ast.Offset != nil {
		ast.Rowcount = sumForLimit(ctx, ast.Rowcount, ast.Offset)
		ast.Offset = nil
	}
	return newLimit(src, ast, false)
}

// sumForLimit is the sum of two constants; where they are not known yet, the bind variable that the Limit primitive sets.
func sumForLimit(ctx *Context, count, offset sqlparser.Expr) sqlparser.Expr {
	sum := &sqlparser.BinaryExpr{Operator: sqlparser.PlusOp, Left: count, Right: offset}
	translated := must(evalengine.Translate(sum, &evalengine.Config{Environment: ctx.Schema.Environment()}))
	if lit, ok := translated.(*evalengine.Literal); ok {
		return lit
	}
	return sqlparser.NewArgument(opcode.UpperLimit)
}

// pushUpperLimit tells the routes below how many rows can be needed, where nothing in between needs more.
func pushUpperLimit(ctx *Context, l *Limit) (Operator, string) {
	if l.pushed {
		return l, ""
	}
	l.pushed = true
	if !(upperLimit{}).push(ctx, l.Source) {
		return l, ""
	}
	return l, "push upper limit under route"
}

// upperLimit is what stands between a limit and the routes below it.
type upperLimit struct {
	// order is that of the lowest sort: each shard must return its first rows by it.
	order []OrderBy
	// distinct: of the rows of a shard only different ones count.
	distinct bool
}

// push limits the routes below and reports whether there were any. It goes no further where rows are dropped, paired, grouped
// or, of several inputs, sorted: there the first rows of a shard may not be those that are needed.
func (u upperLimit) push(ctx *Context, op Operator) bool {
	switch op := op.(type) {
	case *Projection:
		u.order = orderInside(ctx, u.order, op.DT)
		return u.push(ctx, op.Source)
	case *Ordering:
		u.order = slices.Clone(op.Order)
		return u.push(ctx, op.Source)
	case *Distinct:
		u.distinct = true
		return u.push(ctx, op.Source)
	case *Aggregator:
		return len(op.Grouping) == 0 && op.pushed && op.DistinctExpr == nil && (upperLimit{}).push(ctx, op.Source)
	case *Union:
		pushed := false
		for _, src := range op.Sources {
			pushed = u.order == nil && u.push(ctx, src) || pushed
		}
		return pushed
	case *Route:
		return u.limitRoute(op)
	}
	return false
}

func (u upperLimit) limitRoute(route *Route) bool {
	src := route.Source
	if u.distinct && !isDistinct(src) {
		return false
	}
	if u.order != nil {
		src = newOrdering(src, u.order)
	}
	route.Source = newLimit(src, &sqlparser.Limit{Rowcount: sqlparser.NewArgument(opcode.UpperLimit)}, false)
	return true
}

// mergeLimits makes one limit of an outer and an inner one, nil where their numbers are not known yet.
func mergeLimits(outer, inner *sqlparser.Limit) *sqlparser.Limit {
	if outer.Rowcount == nil || inner.Rowcount == nil {
		return nil
	}
	oc, ok1 := constantLimit(outer.Rowcount)
	ic, ok2 := constantLimit(inner.Rowcount)
	oo, ok3 := constantLimit(outer.Offset)
	io, ok4 := constantLimit(inner.Offset)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return nil
	}
	merged := &sqlparser.Limit{Rowcount: intLiteral(max(min(oc, ic-oo), 0))}
	if oo+io > 0 {
		merged.Offset = intLiteral(oo + io)
	}
	return merged
}

// constantLimit is the number of a literal, 0 for none.
func constantLimit(e sqlparser.Expr) (int, bool) {
	if e == nil {
		return 0, true
	}
	lit, ok := e.(*sqlparser.Literal)
	if !ok || lit.Type != sqlparser.IntVal {
		return 0, false
	}
	n, err := strconv.Atoi(lit.Val)
	return n, err == nil
}

func intLiteral(n int) sqlparser.Expr { return sqlparser.NewIntLiteral(strconv.Itoa(n)) }
