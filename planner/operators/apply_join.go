package operators

import (
	"maps"
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
)

type (
	// ApplyJoin is a nested loop at the gateway: the right side runs with values of the left side's rows as bind variables.
	//
	//	select u.a, e.b + u.c from u, e where u.id = e.uid      e not on u's shard
	//
	//	ApplyJoin   columns:    L:a    R: e.b + :u_c  (u.c from the left)
	//	            predicates: R: :u_id = e.uid      (u.id from the left)
	ApplyJoin struct {
		LHS, RHS Operator
		JoinType sqlparser.JoinType

		// columns are what the join returns; predicates what pairs rows; both split over the sides.
		columns, predicates []joinColumn
		// extra are values of the left side that something deep in the right side needs.
		extra []boundExpr

		// Cols and Vars are set once offsets are planned: what to return, -1, -2, ... from the left and 1, 2, ... from the
		// right, and which left column, from 0, fills which bind variable.
		Cols []int
		Vars map[string]int
	}

	// joinColumn is an expression over a join, split into what the left side must return and what the right side evaluates.
	joinColumn struct {
		original sqlparser.Expr
		left     []boundExpr
		right    sqlparser.Expr // nil: the left side has it all
		group    bool
		// pred is the predicate on the right side that this column put there, nil if it put none.
		pred *JoinPredicate
	}

	// boundExpr is an expression whose value travels as a bind variable.
	boundExpr struct {
		name string
		expr sqlparser.Expr
	}
)

func newApplyJoin(lhs, rhs Operator, joinType sqlparser.JoinType) *ApplyJoin {
	return &ApplyJoin{LHS: lhs, RHS: rhs, JoinType: joinType, Vars: map[string]int{}}
}

// Inputs are the sides.
func (j *ApplyJoin) Inputs() []Operator { return []Operator{j.LHS, j.RHS} }

// SetInputs replaces the sides.
func (j *ApplyJoin) SetInputs(in []Operator) { j.LHS, j.RHS = in[0], in[1] }

// Clone copies the join.
func (j *ApplyJoin) Clone(in []Operator) Operator {
	c := *j
	c.LHS, c.RHS = in[0], in[1]
	c.columns, c.predicates, c.extra = slices.Clone(j.columns), slices.Clone(j.predicates), slices.Clone(j.extra)
	c.Cols, c.Vars = slices.Clone(j.Cols), maps.Clone(j.Vars)
	return &c
}

func (j *ApplyJoin) sides() (Operator, Operator) { return j.LHS, j.RHS }
func (j *ApplyJoin) setSides(lhs, rhs Operator)  { j.LHS, j.RHS = lhs, rhs }
func (j *ApplyJoin) isInner() bool               { return j.JoinType.IsInner() }
func (j *ApplyJoin) makeInner()                  { j.JoinType = sqlparser.NormalJoinType }
func (j *ApplyJoin) addJoinPredicate(ctx *Context, pred sqlparser.Expr) {
	j.addPredicates(ctx, []sqlparser.Expr{pred}, true)
}

// addPredicates splits predicates over the sides. With push the right side gets its part as a predicate of its own; without,
// both sides are in one route, and a part that had been pushed is printed with the join instead.
func (j *ApplyJoin) addPredicates(ctx *Context, preds []sqlparser.Expr, push bool) {
	rhs := j.RHS
	for _, pred := range sqlparser.SplitAndExpression(nil, ctx.Sem.And(preds...)) {
		col := splitAcrossJoin(ctx, pred, tablesOf(j.LHS))
		if push {
			col.pred = newJoinPredicate(col.right)
			rhs = addPredicate(ctx, rhs, col.pred)
		}
		j.predicates = append(j.predicates, col)
	}
	j.RHS = rhs
}

// splitAcrossJoin replaces what comes from the left tables by bind variables.
func splitAcrossJoin(ctx *Context, expr sqlparser.Expr, left semantics.TableSet) joinColumn {
	col := joinColumn{original: expr}
	col.right = sqlparser.CopyOnRewrite(expr, nil, func(c *sqlparser.CopyOnWriteCursor) {
		e, ok := c.Node().(sqlparser.Expr)
		if !ok || !ctx.mustFetch(e) || !ctx.Sem.RecursiveDeps(e).IsSolvedBy(left) {
			return
		}
		name := ctx.argumentFor(e)
		col.left = append(col.left, boundExpr{name, e})
		arg := ctx.typedArgument(name, e)
		ctx.Sem.CopyType(e, arg)
		c.Replace(arg)
	}, nil).(sqlparser.Expr)
	return col
}

// columnFor decides which side evaluates an expression.
func (j *ApplyJoin) columnFor(ctx *Context, original, expr sqlparser.Expr, group bool) joinColumn {
	left, right := tablesOf(j.LHS), tablesOf(j.RHS)
	deps := ctx.Sem.RecursiveDeps(expr)
	var col joinColumn
	switch {
	case deps.IsSolvedBy(left):
		col.left = []boundExpr{{expr: expr}}
	case deps.IsSolvedBy(right):
		col.right = expr
	case deps.IsSolvedBy(left.Merge(right)):
		col = splitAcrossJoin(ctx, expr, left)
	default:
		refuse(vterrors.VT13001("expression depends on tables outside of the join: " + sqlparser.String(expr)))
	}
	col.original, col.group = original, group
	return col
}

func (c joinColumn) onlyLeft() bool  { return c.right == nil }
func (c joinColumn) onlyRight() bool { return len(c.left) == 0 }

func leftColumn(expr sqlparser.Expr) joinColumn {
	return joinColumn{original: expr, left: []boundExpr{{expr: expr}}}
}

func rightColumn(expr sqlparser.Expr) joinColumn { return joinColumn{original: expr, right: expr} }

// Columns are what the join returns.
func (j *ApplyJoin) Columns(ctx *Context) []*sqlparser.AliasedExpr {
	if len(j.Cols) == 0 {
		cols := make([]*sqlparser.AliasedExpr, len(j.columns))
		for i, col := range j.columns {
			cols[i] = wrap(col.original)
		}
		return cols
	}
	var left, right []*sqlparser.AliasedExpr
	cols := make([]*sqlparser.AliasedExpr, len(j.Cols))
	for i, at := range j.Cols {
		if at < 0 {
			if left == nil {
				left = j.LHS.Columns(ctx)
			}
			cols[i] = left[-at-1]
			continue
		}
		if right == nil {
			right = j.RHS.Columns(ctx)
		}
		cols[i] = right[at-1]
	}
	return cols
}

// FindColumn finds a column that the join returns.
func (j *ApplyJoin) FindColumn(ctx *Context, expr sqlparser.Expr, _ bool) int {
	return slices.IndexFunc(j.columns, func(c joinColumn) bool { return ctx.Sem.EqualsWithDeps(c.original, expr) })
}

// AddColumn makes the join return an expression of either side or of both.
func (j *ApplyJoin) AddColumn(ctx *Context, col *sqlparser.AliasedExpr, mode ColumnMode) int {
	if mode.Reuse {
		if at := j.FindColumn(ctx, col.Expr, false); at >= 0 {
			return at
		}
	}
	j.columns = append(j.columns, j.columnFor(ctx, col.Expr, col.Expr, mode.Group))
	return len(j.columns) - 1
}

// AddWeightString asks the side that the column comes from.
func (j *ApplyJoin) AddWeightString(ctx *Context, offset int, underRoute bool) int {
	j.planOffsets(ctx)
	ws := weightString(j.columns[offset].original)
	if at := j.FindColumn(ctx, ws, false); at >= 0 {
		return at
	}
	if at := j.Cols[offset]; at < 0 {
		j.Cols = append(j.Cols, -1-j.LHS.AddWeightString(ctx, -at-1, underRoute))
		j.columns = append(j.columns, leftColumn(ws))
	} else {
		j.Cols = append(j.Cols, 1+j.RHS.AddWeightString(ctx, at-1, underRoute))
		j.columns = append(j.columns, rightColumn(ws))
	}
	return len(j.Cols) - 1
}

// SelectExprs are the columns.
func (j *ApplyJoin) SelectExprs(ctx *Context) []sqlparser.SelectExpr {
	return asSelectExprs(j.Columns(ctx))
}

// OrderedBy is the order of the left side: the right side's rows come in between.
func (j *ApplyJoin) OrderedBy(ctx *Context) []OrderBy { return j.LHS.OrderedBy(ctx) }

// planOffsets asks the sides for all columns and bind variables that they were not asked for before.
func (j *ApplyJoin) planOffsets(ctx *Context) Operator {
	for len(j.Cols) < len(j.columns) {
		j.planColumn(ctx, j.columns[len(j.Cols)])
	}
	for _, pred := range j.predicates {
		j.planVars(ctx, pred.left)
	}
	j.planVars(ctx, j.extra)
	return nil
}

func (j *ApplyJoin) planColumn(ctx *Context, col joinColumn) {
	mode := ColumnMode{Reuse: true, Group: col.group}
	if col.onlyLeft() {
		j.Cols = append(j.Cols, -1-j.LHS.AddColumn(ctx, wrap(col.left[0].expr), mode))
		return
	}
	for _, l := range col.left {
		j.Vars[l.name] = j.LHS.AddColumn(ctx, wrap(l.expr), mode)
	}
	j.Cols = append(j.Cols, 1+j.RHS.AddColumn(ctx, wrap(col.right), mode))
}

func (j *ApplyJoin) planVars(ctx *Context, exprs []boundExpr) {
	for _, e := range exprs {
		if _, ok := j.Vars[e.name]; !ok {
			j.Vars[e.name] = j.LHS.AddColumn(ctx, wrap(e.expr), ColumnMode{Reuse: true})
		}
	}
}

// bindLeftColumn makes sure that a column of the left side travels to the right, and returns the name it has there.
func (j *ApplyJoin) bindLeftColumn(ctx *Context, col *sqlparser.ColName) string {
	same := func(e boundExpr) bool { return ctx.Sem.Equals(e.expr, col) }
	for i, c := range j.columns {
		at := slices.IndexFunc(c.left, same)
		if at < 0 {
			continue
		}
		if c.onlyLeft() {
			j.columns[i].left = slices.Clone(c.left)
			j.columns[i].left[at].name = ctx.argumentFor(c.left[at].expr)
			if !j.carries(j.columns[i].left[at].name) {
				j.extra = append(j.extra, j.columns[i].left[at])
			}
		}
		return j.columns[i].left[at].name
	}
	for _, c := range append(slices.Clone(j.predicates), joinColumn{left: j.extra}) {
		if at := slices.IndexFunc(c.left, same); at >= 0 {
			return c.left[at].name
		}
	}
	e := boundExpr{ctx.argumentFor(col), col}
	j.extra = append(j.extra, e)
	return e.name
}

// carries tells whether a bind variable is filled from the left side already.
func (j *ApplyJoin) carries(name string) bool {
	named := func(e boundExpr) bool { return e.name == name }
	for _, c := range j.columns {
		if !c.onlyLeft() && slices.ContainsFunc(c.left, named) {
			return true
		}
	}
	for _, c := range j.predicates {
		if slices.ContainsFunc(c.left, named) {
			return true
		}
	}
	return slices.ContainsFunc(j.extra, named)
}

// Describe lists predicates and columns.
func (j *ApplyJoin) Describe() string {
	list := func(cols []joinColumn) string {
		texts := make([]string, len(cols))
		for i, c := range cols {
			texts[i] = sqlparser.String(c.original)
		}
		return strings.Join(texts, ", ")
	}
	return "ApplyJoin on " + list(j.predicates) + " columns " + list(j.columns)
}

// mergeApplyJoin makes one route of a join whose sides became routes that go to the same shards.
func mergeApplyJoin(ctx *Context, j *ApplyJoin) (Operator, string) {
	left, ok := j.LHS.(*Route)
	if !ok {
		return j, ""
	}
	merger := &joinMerger{joinType: j.JoinType}
	for _, p := range j.predicates {
		merger.preds = append(merger.preds, p.original)
	}
	route := merger.merge(ctx, j.LHS, j.RHS)
	if route == nil {
		return j, ""
	}
	join := route.Source.(*ApplyJoin)
	join.predicates = j.predicates
	restore := map[*predicateState]sqlparser.Expr{}
	for _, p := range j.predicates {
		if p.pred != nil {
			restore[p.pred.state] = p.pred.state.current
			p.pred.state.current = p.original
		}
	}
	route.Routing = route.Routing.reset(ctx)
	if _, dual := left.Routing.(*DualRouting); dual && !j.isInner() && !route.IsSingleShard() {
		for state, expr := range restore {
			state.current = expr
		}
		return j, ""
	}
	return route, "pushed apply join under route"
}
