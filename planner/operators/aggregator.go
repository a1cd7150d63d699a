package operators

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/semantics"
)

// Aggregator groups rows and aggregates the groups. Each column is a grouping expression or an aggregation, which know its
// offset. Rows must arrive sorted by the grouping.
type Aggregator struct {
	unary
	truncated
	Cols         []*sqlparser.AliasedExpr
	Grouping     []GroupBy
	Aggregations []Aggr
	Rollup       bool
	// DistinctExpr is what the one DISTINCT aggregate that shards cannot answer compares; rows must be sorted by it too.
	DistinctExpr sqlparser.Expr
	QP           *QueryParts
	DT           *DerivedTable

	// pushed is set once inputs aggregate too and this one combines.
	pushed bool
	// original is the aggregation of the statement, not one that was made to be pushed down.
	original bool
	// truncates drops helper columns from what is returned.
	truncates bool
	planned   bool
}

// Clone copies the aggregator.
func (a *Aggregator) Clone(in []Operator) Operator {
	c := *a
	c.Source = in[0]
	c.Cols, c.Grouping, c.Aggregations = slices.Clone(a.Cols), slices.Clone(a.Grouping), slices.Clone(a.Aggregations)
	return &c
}

func (a *Aggregator) introducesTables() semantics.TableSet { return a.DT.introducesTables() }

func (a *Aggregator) derivedName() string { return a.DT.name() }

// below is an aggregator of the same shape that an input of this one will be.
func (a *Aggregator) below(ctx *Context, src Operator) *Aggregator {
	c := a.Clone([]Operator{src}).(*Aggregator)
	c.pushed, c.original, c.DT = false, false, nil
	for i, col := range c.Cols {
		c.Cols[i] = cloneSem(ctx, col)
	}
	for i := range c.Aggregations {
		c.Aggregations[i].Original = cloneSem(ctx, c.Aggregations[i].Original)
	}
	for i := range c.Grouping {
		c.Grouping[i].Inner = cloneSem(ctx, c.Grouping[i].Inner)
	}
	return c
}

func (a *Aggregator) addWithoutPushing(ctx *Context, col *sqlparser.AliasedExpr, mode ColumnMode) int {
	offset := len(a.Cols)
	a.Cols = append(a.Cols, col)
	if mode.Group {
		g := newGroupBy(col.Expr)
		g.Offset = offset
		a.Grouping = append(a.Grouping, g)
		return offset
	}
	aggr := aggrFromPlain(col)
	if fn, ok := col.Expr.(sqlparser.AggrFunc); ok {
		aggr = aggrFromFunc(fn, col)
	} else if ctx.isAggr(col.Expr) {
		aggr = newAggr(opcode.AggregateUDF, nil, col, col.ColumnName())
	}
	aggr.Offset = offset
	a.Aggregations = append(a.Aggregations, aggr)
	return offset
}

// FindColumn finds a column, which is returned from then on.
func (a *Aggregator) FindColumn(ctx *Context, expr sqlparser.Expr, underRoute bool) int {
	if underRoute && a.DT != nil {
		return -1
	}
	expr = a.DT.inside(ctx, expr)
	at := slices.IndexFunc(a.Cols, func(c *sqlparser.AliasedExpr) bool { return ctx.Sem.EqualsWithDeps(expr, c.Expr) })
	if at >= 0 {
		a.extendTo(at)
	}
	return at
}

// extendTo makes sure that a column is not dropped.
func (a *Aggregator) extendTo(offset int) {
	if a.ResultColumns > 0 && a.ResultColumns <= offset {
		a.ResultColumns = offset + 1
	}
}

// AddColumn adds a column that comes from the input: a weight string of a grouping expression belongs to the grouping, of all
// else any value of the group will do.
func (a *Aggregator) AddColumn(ctx *Context, col *sqlparser.AliasedExpr, mode ColumnMode) int {
	a.planOffsets(ctx)
	asked := col.Expr
	expr := a.DT.inside(ctx, asked)
	col = &sqlparser.AliasedExpr{Expr: expr, As: col.As}
	if mode.Reuse {
		if at := a.FindColumn(ctx, asked, false); at >= 0 {
			return at
		}
		if mode.Group {
			refuse(vterrors.VT13001("did not expect to add group by here: " + sqlparser.String(expr)))
		}
	}
	group := mode.Group
	if ws, ok := expr.(*sqlparser.WeightStringFuncExpr); ok {
		at := slices.IndexFunc(a.Grouping, func(g GroupBy) bool { return ctx.Sem.EqualsWithDeps(ws.Expr, g.Inner) })
		if at >= 0 {
			a.Grouping[at].WeightString = len(a.Cols)
			group = true
		}
	}
	offset := len(a.Cols)
	if !group {
		aggr := aggrFromPlain(col)
		aggr.Offset = offset
		a.Aggregations = append(a.Aggregations, aggr)
	}
	a.Cols = append(a.Cols, col)
	a.sameOffset(offset, a.Source.AddColumn(ctx, col, ColumnMode{Group: group}), col)
	a.extendTo(offset)
	return offset
}

// sameOffset makes sure that a column stands where the input has it: groups are made of whole rows of the input.
func (a *Aggregator) sameOffset(want, got int, col *sqlparser.AliasedExpr) {
	if want != got {
		refuse(vterrors.VT12001("failed to plan aggregation on: " + sqlparser.String(col)))
	}
}

// AddWeightString adds the sort key of a column.
func (a *Aggregator) AddWeightString(ctx *Context, offset int, underRoute bool) int {
	if !underRoute {
		a.planOffsets(ctx)
	}
	slot := a.weightStringOf(offset)
	if slot == nil {
		refuse(vterrors.VT13001("no column at the offset"))
	}
	if *slot >= 0 {
		return *slot
	}
	ws := wrap(weightString(a.Cols[offset].Expr))
	*slot = len(a.Cols)
	added := *slot
	a.Cols = append(a.Cols, ws)
	if underRoute {
		return added
	}
	a.sameOffset(added, a.Source.AddWeightString(ctx, offset, false), ws)
	a.extendTo(added)
	return added
}

// weightStringOf is where the grouping or aggregation of a column keeps the offset of its weight string.
func (a *Aggregator) weightStringOf(offset int) *int {
	for i := range a.Grouping {
		if a.Grouping[i].Offset == offset {
			return &a.Grouping[i].WeightString
		}
	}
	for i := range a.Aggregations {
		if a.Aggregations[i].Offset == offset {
			return &a.Aggregations[i].WeightString
		}
	}
	return nil
}

// Columns are those of the aggregator, and what else its input returns behind them once that is made for it.
func (a *Aggregator) Columns(ctx *Context) []*sqlparser.AliasedExpr {
	if !a.pushed && !a.planned {
		return keep(&a.truncated, a.Cols)
	}
	if cols := a.Source.Columns(ctx); len(cols) > len(a.Cols) {
		a.Cols = append(a.Cols, cols[len(a.Cols):]...)
	}
	return keep(&a.truncated, a.Cols)
}

// SelectExprs are the columns.
func (a *Aggregator) SelectExprs(ctx *Context) []sqlparser.SelectExpr {
	return asSelectExprs(a.Columns(ctx))
}

func (a *Aggregator) planOffsets(ctx *Context) Operator {
	if a.planned {
		return nil
	}
	a.planned = true
	if !a.pushed {
		a.fetchInput(ctx)
	}
	a.planGrouping(ctx)
	for i, aggr := range a.Aggregations {
		if aggr.WeightString != -1 || !aggr.needsWeightString(ctx) {
			continue
		}
		switch {
		case !a.pushed:
			a.Aggregations[i].WeightString = a.fetchWeightString(ctx, aggr.Offset, aggr.argument())
		case aggr.pushed:
			a.Aggregations[i].WeightString = a.fetch(ctx, weightString(aggr.Func), false)
		default:
			a.Aggregations[i].WeightString = a.fetch(ctx, weightString(aggr.argument()), true)
		}
	}
	return nil
}

func (a *Aggregator) planGrouping(ctx *Context) {
	for i := range a.Grouping {
		g := &a.Grouping[i]
		if g.Offset == -1 {
			g.Offset = a.fetch(ctx, g.Inner, false)
		}
		if g.WeightString != -1 || !ctx.needsWeightString(g.Inner) {
			continue
		}
		if a.pushed {
			g.WeightString = a.fetch(ctx, weightString(g.Inner), true)
		} else {
			g.WeightString = a.fetchWeightString(ctx, g.Offset, g.Inner)
		}
	}
}

// fetchInput makes the input return, at the same offsets, what the columns are made of.
func (a *Aggregator) fetchInput(ctx *Context) {
	a.Source = newProjection(a.Source)
	for offset, col := range a.Cols {
		group := slices.ContainsFunc(a.Grouping, func(g GroupBy) bool { return g.Offset == offset })
		if !group {
			at := slices.IndexFunc(a.Aggregations, func(g Aggr) bool { return g.Offset == offset })
			if at < 0 {
				refuse(vterrors.VT13001("failed to find the corresponding column"))
			}
			col = wrap(a.Aggregations[at].argument())
		}
		a.sameOffset(offset, a.Source.AddColumn(ctx, col, ColumnMode{Group: group}), a.Cols[offset])
	}
}

func (a *Aggregator) fetch(ctx *Context, expr sqlparser.Expr, group bool) int {
	a.truncateHere()
	offset := a.Source.AddColumn(ctx, wrap(expr), ColumnMode{Reuse: true, Group: group})
	if offset == len(a.Cols) {
		a.Cols = append(a.Cols, wrap(expr))
	}
	return offset
}

func (a *Aggregator) fetchWeightString(ctx *Context, of int, expr sqlparser.Expr) int {
	a.truncateHere()
	offset := a.Source.AddWeightString(ctx, of, false)
	if offset == len(a.Cols) {
		a.Cols = append(a.Cols, wrap(weightString(expr)))
	}
	return offset
}

func (a *Aggregator) truncateHere() {
	if a.truncates && a.ResultColumns == 0 {
		a.ResultColumns = len(a.Cols)
	}
}

// argument is what the input must return for an aggregation.
func (a Aggr) argument() sqlparser.Expr {
	switch a.Opcode {
	case opcode.AggregateAnyValue, opcode.AggregateConstant:
		return a.Original.Expr
	case opcode.AggregateCountStar:
		return sqlparser.NewIntLiteral("1")
	}
	if a.Func == nil {
		return a.Original.Expr
	}
	if args := a.Func.GetArgs(); len(args) > 1 {
		if a.Opcode == opcode.AggregateGroupConcat {
			refuse(vterrors.VT12001("group_concat with more than 1 column"))
		}
		refuse(vterrors.VT03001(sqlparser.String(a.Func)))
	}
	return a.Func.GetArg()
}

// pullOutSubqueries lets subqueries in the arguments run before the aggregation.
func (a *Aggr) pullOutSubqueries(ctx *Context, builder *subqueryBuilder, tables semantics.TableSet) {
	var args []sqlparser.Expr
	switch {
	case a.Func == nil && a.Opcode != opcode.AggregateUDF:
		args = []sqlparser.Expr{a.Original.Expr}
	case a.Func != nil && a.Opcode != opcode.AggregateCountStar:
		args = a.Func.GetArgs()
	}
	replaced := make([]sqlparser.Expr, len(args))
	for i, arg := range args {
		expr, subqueries := builder.pullOut(ctx, arg, tables, false)
		replaced[i] = expr
		a.subqueries = append(a.subqueries, subqueries...)
	}
	switch {
	case len(a.subqueries) == 0:
	case a.Func == nil:
		a.Original.Expr = replaced[0]
	default:
		if err := a.Func.SetArgs(replaced); err != nil {
			refuse(err)
		}
	}
}

// Describe lists columns and grouping.
func (a *Aggregator) Describe() string {
	var cols, groups []string
	for _, col := range a.Cols {
		cols = append(cols, sqlparser.String(col))
	}
	for _, g := range a.Grouping {
		groups = append(groups, sqlparser.String(g.Inner))
	}
	return "Aggregator " + strings.Join(cols, ", ") + " group by " + strings.Join(groups, ", ")
}
