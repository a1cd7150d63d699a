package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/semantics"
)

// This file pushes aggregation below a join, after Galindo-Legaria and Joshi, "Orthogonal Optimization of Subqueries and
// Aggregation" (SIGMOD 2001). Each side aggregates its own rows, grouped by what it is joined on; a row of one side then
// stands for as many rows as the other side counted, so counts and sums are multiplied:
//
//	count(*)                   sum(count(*))
//	  Join           →           Projection  l.count(*) * r.count(*)
//	    L   R                      Join
//	                                 count(*) group by l.id     count(*) [group by r.x]
//	                                   L                          R

type (
	// joinAggregation is the pushing of one aggregator below one join.
	joinAggregation struct {
		left, right *sideAggregation
		proj        *Projection
		outer       bool
		// addLeft and addRight make the join return a column of a side.
		addLeft, addRight func(sqlparser.Expr)
	}

	// sideAggregation is what one side aggregates.
	sideAggregation struct {
		above   *Aggregator
		pushed  *Aggregator
		tables  semantics.TableSet
		offsets map[int]int // columns of above that the side has, by their offsets there
		count   *sqlparser.AliasedExpr
	}
)

func newSideAggregation(above *Aggregator, side Operator) *sideAggregation {
	return &sideAggregation{
		above: above, tables: tablesOf(side), offsets: map[int]int{},
		pushed: &Aggregator{unary: unary{side}, QP: above.QP},
	}
}

func aggregateInJoin(ctx *Context, a *Aggregator, join *ApplyJoin) (Operator, string) {
	var cols []joinColumn
	ja := &joinAggregation{
		left: newSideAggregation(a, join.LHS), right: newSideAggregation(a, join.RHS),
		proj: newProjection(join), outer: !join.isInner(),
		addLeft:  func(e sqlparser.Expr) { cols = append(cols, leftColumn(e)) },
		addRight: func(e sqlparser.Expr) { cols = append(cols, rightColumn(e)) },
	}
	if !ja.splitColumns(ctx, a) {
		return a, ""
	}
	for _, g := range a.Grouping {
		if !ja.splitGrouping(ctx, g) {
			split := splitAcrossJoin(ctx, g.Inner, ja.left.tables)
			for _, l := range split.left {
				ja.left.addGrouping(newGroupBy(l.expr))
			}
			ja.right.addGrouping(newGroupBy(split.right))
		}
	}
	ja.left.groupByPredicates(ctx, join.predicates)
	join.columns = cols
	join.LHS, join.RHS = ja.left.pushed, ja.right.pushed
	return ja.finish(a, "join")
}

func aggregateInHashJoin(ctx *Context, a *Aggregator, join *HashJoin) (Operator, string) {
	var cols []hashJoinColumn
	ja := &joinAggregation{
		left: newSideAggregation(a, join.LHS), right: newSideAggregation(a, join.RHS),
		proj: newProjection(join), outer: join.LeftJoin,
		addLeft:  func(e sqlparser.Expr) { cols = append(cols, hashJoinColumn{expr: e, side: leftSide}) },
		addRight: func(e sqlparser.Expr) { cols = append(cols, hashJoinColumn{expr: e, side: rightSide}) },
	}
	for _, g := range a.Grouping {
		deps := ctx.Sem.RecursiveDeps(g.Inner)
		if !deps.IsSolvedBy(ja.left.tables) && !deps.IsSolvedBy(ja.right.tables) {
			return a, ""
		}
	}
	if !ja.splitColumns(ctx, a) {
		return a, ""
	}
	for _, cmp := range join.Comparisons {
		ja.left.addGrouping(newGroupBy(cmp.Left))
		ja.addLeft(cmp.Left)
		ja.right.addGrouping(newGroupBy(cmp.Right))
		ja.addRight(cmp.Right)
	}
	for _, g := range a.Grouping {
		ja.splitGrouping(ctx, g)
	}
	join.LHS, join.RHS, join.columns = ja.left.pushed, ja.right.pushed, cols
	return ja.finish(a, "hash join")
}

func (ja *joinAggregation) finish(a *Aggregator, what string) (Operator, string) {
	if !a.original {
		return ja.proj, "push aggregation under " + what + ", remove original"
	}
	a.combineAllLater()
	a.Source = ja.proj
	return a, "push aggregation under " + what
}

// splitColumns gives each column to the side that has it. It is false, and nothing was changed, where that cannot be done.
func (ja *joinAggregation) splitColumns(ctx *Context, a *Aggregator) bool {
	ja.proj.multiplies = true
	for offset, col := range a.Cols {
		at := slices.IndexFunc(a.Aggregations, func(g Aggr) bool { return g.Offset == offset })
		if at < 0 {
			ja.proj.add(&ProjExpr{Original: col, Eval: col.Expr, Col: col.Expr})
			continue
		}
		if !ja.splitAggr(ctx, a.Aggregations[at]) {
			return false
		}
	}
	return true
}

func (ja *joinAggregation) splitAggr(ctx *Context, g Aggr) bool {
	deps := ctx.Sem.RecursiveDeps(g.Original.Expr)
	onLeft, onRight := deps.IsSolvedBy(ja.left.tables), deps.IsSolvedBy(ja.right.tables)
	switch g.Opcode {
	case opcode.AggregateCountStar:
		ja.multiply(ja.leftCount(ctx).Expr, ja.rightCount(ctx).Expr, g, true)
		return true
	case opcode.AggregateCount, opcode.AggregateSum:
		switch {
		case onLeft:
			ja.pushLeft(g)
			ja.multiply(g.Original.Expr, ja.rightCount(ctx).Expr, g, ja.outer)
		case onRight:
			ja.pushRight(g)
			ja.multiply(ja.leftCount(ctx).Expr, g.Original.Expr, g, false)
		}
		return onLeft || onRight
	case opcode.AggregateMax, opcode.AggregateMin, opcode.AggregateAnyValue, opcode.AggregateConstant:
		ja.proj.add(&ProjExpr{Original: g.Original, Eval: g.Original.Expr, Col: g.Original.Expr})
		switch {
		case onLeft:
			ja.pushLeft(g)
		case onRight:
			ja.pushRight(g)
		}
		return onLeft || onRight
	case opcode.AggregateGroupConcat:
		if fn := g.Func.(*sqlparser.GroupConcatExpr); fn.Distinct || len(fn.OrderBy) > 0 {
			refuse(vterrors.VT12001("cannot evaluate group concat with distinct or order by"))
		}
		return false
	case opcode.AggregateUnassigned:
		refuse(vterrors.VT12001("in scatter query: aggregation function '" + sqlparser.String(g.Original) + "'"))
	case opcode.AggregateGtid:
		refuse(vterrors.VT13001("cannot do join with vgtid"))
	}
	refuse(vterrors.VT12001("aggregation not planned: " + g.Opcode.String()))
	return false
}

func (ja *joinAggregation) pushLeft(g Aggr) {
	ja.left.push(g)
	ja.addLeft(g.Original.Expr)
}

func (ja *joinAggregation) pushRight(g Aggr) {
	ja.right.push(g)
	ja.addRight(g.Original.Expr)
}

func (ja *joinAggregation) leftCount(ctx *Context) *sqlparser.AliasedExpr {
	count, added := ja.left.countStar(ctx)
	if added {
		ja.addLeft(count.Expr)
	}
	return count
}

func (ja *joinAggregation) rightCount(ctx *Context) *sqlparser.AliasedExpr {
	count, added := ja.right.countStar(ctx)
	if added {
		ja.addRight(count.Expr)
	}
	return count
}

// multiply computes an aggregate of the join from one of each side. A left row without a partner counts once.
func (ja *joinAggregation) multiply(left, right sqlparser.Expr, g Aggr, atLeastOne bool) {
	if ja.outer && atLeastOne {
		right = sqlparser.NewFuncExpr("coalesce", right, sqlparser.NewIntLiteral("1"))
	}
	ja.proj.add(&ProjExpr{
		Original: &sqlparser.AliasedExpr{Expr: g.Original.Expr, As: sqlparser.NewIdentifierCI(g.Original.ColumnName())},
		Eval:     &sqlparser.BinaryExpr{Operator: sqlparser.MultOp, Left: left, Right: right},
		Col:      g.Original.Expr,
	})
}

// splitGrouping groups the side that has the expression, and is false if neither has.
func (ja *joinAggregation) splitGrouping(ctx *Context, g GroupBy) bool {
	deps := ctx.Sem.RecursiveDeps(g.Inner)
	switch {
	case deps.IsSolvedBy(ja.left.tables):
		ja.left.addGrouping(g)
		ja.addLeft(g.Inner)
	case deps.IsSolvedBy(ja.right.tables):
		ja.right.addGrouping(g)
		ja.addRight(g.Inner)
	case deps.IsSolvedBy(ja.left.tables.Merge(ja.right.tables)):
		return false
	default:
		refuse(vterrors.VT13001("grouping depends on tables outside of the join: " + sqlparser.String(g.Inner)))
	}
	return true
}

// countStar counts the rows of the side.
func (s *sideAggregation) countStar(ctx *Context) (count *sqlparser.AliasedExpr, added bool) {
	if s.count != nil {
		return s.count, false
	}
	star := &sqlparser.CountStar{}
	ctx.Sem.SetDeps(star, s.tables)
	s.count = wrap(star)
	g := newAggr(opcode.AggregateCountStar, star, wrap(star), "")
	g.Offset = len(s.pushed.Cols)
	s.pushed.Cols = append(s.pushed.Cols, g.Original)
	s.pushed.Aggregations = append(s.pushed.Aggregations, g)
	return s.count, true
}

func (s *sideAggregation) push(g Aggr) {
	own := newAggr(g.Opcode, g.Func, g.Original, g.Alias)
	own.Offset = len(s.pushed.Cols)
	s.pushed.Cols = append(s.pushed.Cols, own.Original)
	s.pushed.Aggregations = append(s.pushed.Aggregations, own)
}

func (s *sideAggregation) addGrouping(g GroupBy) {
	if g.Offset == -1 {
		g.Offset = len(s.pushed.Cols)
		s.pushed.Cols = append(s.pushed.Cols, wrap(g.Inner))
	} else {
		g.Offset = s.take(g.Offset)
	}
	s.pushed.Grouping = append(s.pushed.Grouping, g)
}

// take makes a column of the aggregator above one of the side.
func (s *sideAggregation) take(offset int) int {
	at, ok := s.offsets[offset]
	if !ok {
		at = len(s.pushed.Cols)
		s.offsets[offset] = at
		s.pushed.Cols = append(s.pushed.Cols, s.above.Cols[offset])
	}
	return at
}

// groupByPredicates groups by what the join compares.
func (s *sideAggregation) groupByPredicates(ctx *Context, preds []joinColumn) {
	for _, pred := range preds {
		for _, l := range pred.left {
			at := slices.IndexFunc(s.pushed.Cols, func(c *sqlparser.AliasedExpr) bool { return ctx.Sem.EqualsWithDeps(l.expr, c.Expr) })
			if at < 0 {
				at = len(s.pushed.Cols)
				s.pushed.Cols = append(s.pushed.Cols, wrap(l.expr))
			}
			if !slices.ContainsFunc(s.pushed.Grouping, func(g GroupBy) bool { return ctx.Sem.EqualsWithDeps(l.expr, g.Inner) }) {
				s.pushed.Grouping = append(s.pushed.Grouping, GroupBy{Inner: l.expr, Offset: at, WeightString: -1})
			}
		}
	}
}
