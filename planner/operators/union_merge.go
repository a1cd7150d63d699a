package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

// pushUnion flattens unions of unions and makes one route of sources that go to the same shards.
func pushUnion(ctx *Context, u *Union) (Operator, string) {
	if u.flatten() {
		return u, "merged unions"
	}
	before := len(u.Sources)
	m := &unionMerger{ctx: ctx, distinct: u.distinct, sources: slices.Clone(u.Sources), selects: slices.Clone(u.selects)}
	if u.distinct {
		m.mergeAny()
	} else {
		m.mergeNeighbours()
	}
	switch len(m.sources) {
	case before:
		return u, ""
	case 1:
		route := m.sources[0].(*Route)
		if u.distinct && !route.IsSingleShard() {
			return newDistinct(route, true), "push union under route"
		}
		return route, "push union under route"
	}
	return newUnion(m.sources, m.selects, u.columns, u.distinct), "merge union inputs"
}

// flatten takes the sources of an inner union that means the same as part of this one.
func (u *Union) flatten() bool {
	if u.distinct {
		for i, src := range u.Sources {
			if d, ok := src.(*Distinct); ok && d.required {
				u.Sources[i] = d.Source
			}
		}
	}
	var sources []Operator
	var selects [][]sqlparser.SelectExpr
	changed := false
	for i, src := range u.Sources {
		inner, ok := src.(*Union)
		if ok && (u.distinct || !inner.distinct) {
			sources, selects, changed = append(sources, inner.Sources...), append(selects, inner.selects...), true
			continue
		}
		sources, selects = append(sources, src), append(selects, u.selects[i])
	}
	if changed {
		u.Sources, u.selects = sources, selects
	}
	return changed
}

// unionMerger makes routes out of pairs of sources.
type unionMerger struct {
	ctx      *Context
	distinct bool
	sources  []Operator
	selects  [][]sqlparser.SelectExpr
}

// mergeAny merges sources wherever they stand: the order of rows does not matter.
func (m *unionMerger) mergeAny() {
	for i := 0; i < len(m.sources); i++ {
		merged := false
		for j := i + 1; j < len(m.sources); {
			if m.mergeAt(i, j) {
				merged = true
				continue
			}
			j++
		}
		if !merged {
			return
		}
	}
}

// mergeNeighbours merges only sources that follow each other, so that rows keep their order.
func (m *unionMerger) mergeNeighbours() {
	for changed := true; changed; {
		changed = false
		for i := 0; i+1 < len(m.sources); i++ {
			changed = m.mergeAt(i, i+1) || changed
		}
	}
}

// mergeAt makes one source of two.
func (m *unionMerger) mergeAt(i, j int) bool {
	p, ok := pairRoutes(m.ctx, m.sources[i], m.sources[j])
	if !ok {
		return false
	}
	routing := m.commonRouting(p)
	if routing == nil {
		return false
	}
	union := m.unionOf(p, m.selects[i], m.selects[j])
	m.sources[i] = &Route{unary: unary{union}, MergedWith: []*Route{p.right}, Routing: routing}
	m.selects[i] = union.columns
	m.sources = slices.Delete(m.sources, j, j+1)
	m.selects = slices.Delete(m.selects, j, j+1)
	return true
}

// commonRouting is where both query blocks can run, nil if there is no such place.
func (m *unionMerger) commonRouting(p routePair) Routing {
	l, r := p.left.Routing, p.right.Routing
	switch {
	case p.kindL == sequenceKind || p.kindR == sequenceKind:
		return nil
	case (p.kindL == dualKind || p.kindR == dualKind) && !m.distinct && !bothSingle(p):
		return nil // each shard would return dual's rows
	case p.kindR == dualKind, p.kindR == anyShardKind && p.sameKeyspace && (m.distinct || p.left.IsSingleShard()), p.kindR == noneKind && p.sameKeyspace:
		return l
	case p.kindL == dualKind, p.kindL == anyShardKind && p.sameKeyspace && (m.distinct || p.right.IsSingleShard()), p.kindL == noneKind && p.sameKeyspace:
		return r
	case p.kindL == shardedKind && p.kindR == shardedKind && p.sameKeyspace:
		return m.shardedRouting(l.(*ShardedRouting), r.(*ShardedRouting))
	}
	return nil
}

func bothSingle(p routePair) bool {
	return (p.kindL == dualKind || p.left.IsSingleShard()) && (p.kindR == dualKind || p.right.IsSingleShard())
}

// shardedRouting lets both blocks scatter if one does, else wants the same values of the same vindex.
func (m *unionMerger) shardedRouting(l, r *ShardedRouting) Routing {
	switch {
	case l.code == opcode.Scatter:
		return l
	case r.code == opcode.Scatter:
		return r
	case l.code != r.code || !l.sameVindex(r):
		return nil
	}
	switch l.code {
	case opcode.EqualUnique, opcode.Equal, opcode.IN:
		if equalValues(m.ctx, l.values(), r.values()) {
			return l
		}
	}
	return nil
}

// unionOf puts both query blocks below one route. Its columns get the types of both.
func (m *unionMerger) unionOf(p routePair, left, right []sqlparser.SelectExpr) *Union {
	ctx := m.ctx
	cols := make([]sqlparser.SelectExpr, len(left))
	known := len(left) == len(right)
	for i, e := range left {
		l, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			cols[i], known = e, false
			continue
		}
		name := sqlparser.NewColName(l.ColumnName())
		cols[i] = wrap(name)
		if !known {
			continue
		}
		r, ok := right[i].(*sqlparser.AliasedExpr)
		if !ok {
			known = false
			continue
		}
		ctx.Sem.SetRecursiveDeps(name, ctx.Sem.RecursiveDeps(l.Expr).Merge(ctx.Sem.RecursiveDeps(r.Expr)))
		lt, okL := ctx.TypeOf(l.Expr)
		rt, okR := ctx.TypeOf(r.Expr)
		if !okL || !okR {
			continue
		}
		env := ctx.Schema.Environment().CollationEnv()
		var both evalengine.TypeAggregator
		must(0, both.Add(rt, env))
		must(0, both.Add(lt, env))
		ctx.Sem.SetType(name, both.Type())
	}
	return newUnion([]Operator{p.left.Source, p.right.Source}, [][]sqlparser.SelectExpr{left, right}, cols, m.distinct)
}

// distinctAboveUnions takes the DISTINCT out of unions that stayed above the routes.
func distinctAboveUnions(ctx *Context, root Operator) Operator {
	return topDown(ctx, root, aboveRoutes, func(op Operator) (Operator, string) {
		u, ok := op.(*Union)
		if !ok || !u.distinct {
			return op, ""
		}
		u.distinct = false
		return newDistinct(u, true), "pulled distinct out of union"
	})
}

// dropHelperDistincts removes those that were to save rows but found no route to go into.
func dropHelperDistincts(ctx *Context, root Operator) Operator {
	out, _ := bottomUp(ctx, root, aboveRoutes, func(op Operator) (Operator, string) {
		if d, ok := op.(*Distinct); ok && !d.required {
			return d.Source, "removed distinct that saves nothing"
		}
		return op, ""
	})
	return out
}
