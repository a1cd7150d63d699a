package operators

import (
	"bytes"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

type (
	// routePair is two routes that may become one. Where a reference table has a copy in the other's keyspace, the copy is
	// already in its place.
	routePair struct {
		left, right  *Route
		kindL, kindR routingKind
		sameKeyspace bool
	}

	// combiner makes one route of two; joins, unions and subqueries differ in how.
	combiner interface {
		combine(ctx *Context, left, right *Route, routing Routing) *Route
		combineSharded(ctx *Context, left, right *Route, l, r *ShardedRouting) *Route
	}

	routingKind int
)

const (
	shardedKind routingKind = iota
	infoSchemaKind
	anyShardKind
	noneKind
	dualKind
	targetedKind
	sequenceKind
)

func kindOf(r Routing) routingKind {
	switch r.(type) {
	case *InfoSchemaRouting:
		return infoSchemaKind
	case *AnyShardRouting:
		return anyShardKind
	case *NoneRouting:
		return noneKind
	case *DualRouting:
		return dualKind
	case *TargetedRouting:
		return targetedKind
	case *SequenceRouting:
		return sequenceKind
	}
	return shardedKind
}

// pairRoutes is false unless both operators are routes.
func pairRoutes(ctx *Context, a, b Operator) (routePair, bool) {
	left, isL := a.(*Route)
	right, isR := b.(*Route)
	if !isL || !isR {
		return routePair{}, false
	}
	p := routePair{left: left, right: right}
	ksL, ksR := left.Routing.Keyspace(), right.Routing.Keyspace()
	p.sameKeyspace = ksL == ksR
	if !p.sameKeyspace && ksL != nil && ksR != nil {
		if alt := copyIn(ctx, left, ksR); alt != nil {
			p.left, p.sameKeyspace = alt, true
		} else if alt := copyIn(ctx, right, ksL); alt != nil {
			p.right, p.sameKeyspace = alt, true
		}
	}
	p.kindL, p.kindR = kindOf(p.left.Routing), kindOf(p.right.Routing)
	return p, true
}

// copyIn is a route over the copies of its tables in another keyspace, nil if there are none, or if a table is about to be changed.
func copyIn(ctx *Context, r *Route, ks *vindexes.Keyspace) *Route {
	any, ok := r.Routing.(*AnyShardRouting)
	if !ok || tablesOf(r).IsOverlapping(ctx.Sem.DMLTargets) {
		return nil
	}
	copies := any.alternate(ks)
	if copies == nil {
		return nil
	}
	source := overTables(r.Source, copies.Source)
	if source == nil {
		return nil
	}
	out := *copies
	out.Source = source
	return &out
}

// overTables puts what was pushed over the tables of a route over other tables; nil where it cannot be told what was.
func overTables(op, tables Operator) Operator {
	switch op.(type) {
	case *Table, *ApplyJoin:
		return tables
	}
	in := op.Inputs()
	if len(in) != 1 {
		return nil
	}
	below := overTables(in[0], tables)
	if below == nil {
		return nil
	}
	return op.Clone([]Operator{below})
}

// joinMerger makes one route of the two sides of a join.
type joinMerger struct {
	preds    []sqlparser.Expr
	joinType sqlparser.JoinType
}

// merge returns one route over both sides, nil if they cannot be one.
func (m *joinMerger) merge(ctx *Context, lhs, rhs Operator) *Route {
	p, ok := pairRoutes(ctx, lhs, rhs)
	if !ok {
		return nil
	}
	switch {
	case p.kindL == sequenceKind || p.kindR == sequenceKind:
		return nil
	case p.kindL == dualKind:
		return m.mergeWithDual(ctx, p)
	case p.kindR == dualKind:
		return m.combine(ctx, p.left, p.right, p.left.Routing)
	case p.kindL == anyShardKind && p.kindR == anyShardKind && p.sameKeyspace:
		return m.combine(ctx, p.left, p.right, m.mergeAnyShard(ctx, p))
	case p.kindL == anyShardKind && p.sameKeyspace, p.kindR == noneKind && p.sameKeyspace && p.kindL != noneKind:
		return m.combine(ctx, p.left, p.right, p.right.Routing)
	case p.kindR == anyShardKind && p.sameKeyspace, p.kindL == noneKind && p.sameKeyspace:
		return m.combine(ctx, p.left, p.right, p.left.Routing)
	case p.kindL == infoSchemaKind && p.kindR == infoSchemaKind:
		return mergeInfoSchema(ctx, p, m)
	case p.kindL == shardedKind && p.kindR == shardedKind:
		return mergeSharded(ctx, p.left, p.right, m, m.preds)
	}
	return nil
}

// mergeWithDual lets the join's predicates route the right side, as dual brings nothing of its own. A left join must go to one
// shard: each shard would return dual's row.
func (m *joinMerger) mergeWithDual(ctx *Context, p routePair) *Route {
	routing := p.right.Routing.clone()
	tables := tablesOf(p.right)
	for _, pred := range m.preds {
		if ctx.Sem.DirectDeps(pred).IsSolvedBy(tables) {
			routing = narrowRouting(ctx, pred, routing)
		}
	}
	if !m.joinType.IsInner() && !routing.Opcode().IsSingleShard() {
		return nil
	}
	return m.combine(ctx, p.left, p.right, routing)
}

// mergeAnyShard keeps those copies of both tables that can be joined too.
func (m *joinMerger) mergeAnyShard(ctx *Context, p routePair) *AnyShardRouting {
	l, r := p.left.Routing.(*AnyShardRouting), p.right.Routing.(*AnyShardRouting)
	merged := &AnyShardRouting{fixed: l.fixed, Alternates: map[*vindexes.Keyspace]*Route{}}
	for ks, left := range l.Alternates {
		if right, ok := r.Alternates[ks]; ok {
			if route := m.merge(ctx, left, right); route != nil {
				merged.Alternates[ks] = route
			}
		}
	}
	return merged
}

// combine puts the join below one route. Predicates that had been split for two routes take their original form again.
func (m *joinMerger) combine(ctx *Context, left, right *Route, routing Routing) *Route {
	join := newApplyJoin(left.Source, right.Source, m.joinType)
	join.addPredicates(ctx, m.preds, false)
	return &Route{unary: unary{join}, MergedWith: []*Route{right}, Routing: routing}
}

func (m *joinMerger) combineSharded(ctx *Context, left, right *Route, l, r *ShardedRouting) *Route {
	merged := &ShardedRouting{
		keyspace: l.keyspace,
		code:     l.code,
		usable:   append(l.usable[:len(l.usable):len(l.usable)], r.usable...),
		seen:     append(l.seen[:len(l.seen):len(l.seen)], r.seen...),
	}
	if l.sameVindex(r) {
		merged.Selected = l.Selected
	} else {
		merged.choose()
	}
	return m.combine(ctx, left, right, merged)
}

// mergeSharded combines two routes of one keyspace that always meet on the same shard: both go by the same value of the same
// vindex, or a predicate equates columns of one unique vindex.
func mergeSharded(ctx *Context, left, right *Route, c combiner, preds []sqlparser.Expr) *Route {
	l, r := left.Routing.(*ShardedRouting), right.Routing.(*ShardedRouting)
	if l.keyspace != r.keyspace {
		return nil
	}
	switch l.code {
	case opcode.EqualUnique:
		if r.code == opcode.EqualUnique && l.sameVindex(r) && equalValues(ctx, l.values(), r.values()) {
			return c.combineSharded(ctx, left, right, l, r)
		}
	case opcode.Scatter, opcode.IN, opcode.None:
	default:
		return nil
	}
	for _, pred := range preds {
		for _, p := range sqlparser.SplitAndExpression(nil, pred) {
			if equatesVindex(ctx, left, right, p) {
				return c.combineSharded(ctx, left, right, l, r)
			}
		}
	}
	return nil
}

// equatesVindex tells whether a predicate says a.x = b.y where one unique vindex hashes both x and y.
func equatesVindex(ctx *Context, left, right *Route, pred sqlparser.Expr) bool {
	cmp, ok := pred.(*sqlparser.ComparisonExpr)
	if !ok || cmp.Operator != sqlparser.EqualOp {
		return false
	}
	a, b := columnIn(cmp.Left), columnIn(cmp.Right)
	vindex := vindexOf(ctx, left, a)
	if vindex == nil {
		a, b = b, a
		vindex = vindexOf(ctx, left, a)
	}
	if vindex == nil || !vindex.IsUnique() {
		return false
	}
	other := vindexOf(ctx, right, b)
	return other != nil && other == vindex
}

// columnIn is the column of an expression whose value is one of the column's values.
func columnIn(expr sqlparser.Expr) *sqlparser.ColName {
	switch expr := expr.(type) {
	case *sqlparser.ColName:
		return expr
	case *sqlparser.Max:
		return columnIn(expr.Arg)
	case *sqlparser.Min:
		return columnIn(expr.Arg)
	}
	return nil
}

// vindexOf is the single-column vindex of a column, or of one that predicates make equal to it, among the tables below op.
func vindexOf(ctx *Context, op Operator, col *sqlparser.ColName) vindexes.SingleColumn {
	if col = throughDerived(ctx, col); col == nil {
		return nil
	}
	var found vindexes.SingleColumn
	for _, e := range ctx.Sem.EqualExprs(col) {
		same, ok := e.(*sqlparser.ColName)
		if !ok {
			continue
		}
		deps := ctx.Sem.RecursiveDeps(same)
		visit(op, func(op Operator) bool {
			t, ok := op.(tableIntroducer)
			if found != nil || !ok || !deps.IsSolvedBy(t.introducesTables()) {
				return found == nil
			}
			found = singleVindex(ctx, t.introducesTables(), same)
			return found == nil
		})
		if found != nil {
			return found
		}
	}
	return nil
}

func singleVindex(ctx *Context, id semantics.TableSet, col *sqlparser.ColName) vindexes.SingleColumn {
	info, err := ctx.Sem.Info(id)
	if err != nil || info.VTable == nil {
		return nil
	}
	for _, cv := range info.VTable.ColumnVindexes {
		if single, ok := cv.Vindex.(vindexes.SingleColumn); ok && cv.Columns[0].Equal(col.Name) {
			return single
		}
	}
	return nil
}

// throughDerived follows a column of a derived table to the column of the table inside, nil if it is none.
func throughDerived(ctx *Context, col *sqlparser.ColName) *sqlparser.ColName {
	for col != nil {
		info, err := ctx.Sem.InfoForExpr(col)
		if err != nil {
			return nil
		}
		if info.Kind != semantics.DerivedTable {
			return col
		}
		col = columnIn(semantics.RewriteDerived(col, info))
	}
	return nil
}

func equalValues(ctx *Context, a, b []sqlparser.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equalValue(ctx, a[i], b[i]) {
			return false
		}
	}
	return true
}

// equalValue tells whether two expressions have the same value whatever the rows and bind variables are.
func equalValue(ctx *Context, a, b sqlparser.Expr) bool {
	switch a := a.(type) {
	case sqlparser.ValTuple:
		b, ok := b.(sqlparser.ValTuple)
		return ok && equalValues(ctx, a, b)
	case sqlparser.ListArg:
		b, ok := b.(sqlparser.ListArg)
		return ok && a == b
	case *sqlparser.ColName:
		b, ok := b.(*sqlparser.ColName)
		return ok && a.Name.Equal(b.Name) && ctx.Sem.DirectDeps(a) == ctx.Sem.DirectDeps(b)
	case *sqlparser.Argument:
		b, ok := b.(*sqlparser.Argument)
		return ok && a.Name == b.Name
	case *sqlparser.Literal:
		b, ok := b.(*sqlparser.Literal)
		return ok && equalLiterals(a, b)
	}
	return false
}

func equalLiterals(a, b *sqlparser.Literal) bool {
	if a.Type == sqlparser.HexVal || b.Type == sqlparser.HexVal {
		va, okA := bytesOf(a)
		vb, okB := bytesOf(b)
		return okA && okB && bytes.Equal(va, vb)
	}
	return a.Type == b.Type && (a.Type == sqlparser.StrVal || a.Type == sqlparser.IntVal) && a.Val == b.Val
}

func bytesOf(l *sqlparser.Literal) ([]byte, bool) {
	switch l.Type {
	case sqlparser.StrVal:
		return l.Bytes(), true
	case sqlparser.HexVal:
		v, err := l.HexDecode()
		return v, err == nil
	}
	return nil, false
}
