package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/semantics"
)

type (
	// HashJoin joins at the gateway by a table of the left side's rows, for sides that cannot take the other's values as bind
	// variables.
	HashJoin struct {
		LHS, RHS Operator
		LeftJoin bool
		// Comparisons are the equalities that pair rows.
		Comparisons []Comparison
		columns     []hashJoinColumn

		// Cols (as ApplyJoin.Cols) and the offsets of the compared columns are set once offsets are planned.
		Cols              []int
		LeftKey, RightKey []int
		planned           bool
	}

	// Comparison is an equality between the sides.
	Comparison struct{ Left, Right sqlparser.Expr }

	hashJoinColumn struct {
		expr sqlparser.Expr
		side joinSide
	}

	joinSide int
)

const (
	eitherSide joinSide = iota
	leftSide
	rightSide
)

func newHashJoin(ctx *Context, lhs, rhs Operator, preds []sqlparser.Expr, leftJoin bool) *HashJoin {
	j := &HashJoin{LHS: lhs, RHS: rhs, LeftJoin: leftJoin}
	for _, pred := range preds {
		j.addJoinPredicate(ctx, pred)
	}
	return j
}

// Inputs are the sides.
func (j *HashJoin) Inputs() []Operator { return []Operator{j.LHS, j.RHS} }

// SetInputs replaces the sides.
func (j *HashJoin) SetInputs(in []Operator) { j.LHS, j.RHS = in[0], in[1] }

// Clone copies the join.
func (j *HashJoin) Clone(in []Operator) Operator {
	c := *j
	c.LHS, c.RHS = in[0], in[1]
	c.Comparisons, c.columns = slices.Clone(j.Comparisons), slices.Clone(j.columns)
	return &c
}

func (j *HashJoin) sides() (Operator, Operator) { return j.LHS, j.RHS }
func (j *HashJoin) setSides(lhs, rhs Operator)  { j.LHS, j.RHS = lhs, rhs }
func (j *HashJoin) isInner() bool               { return !j.LeftJoin }
func (j *HashJoin) makeInner()                  { j.LeftJoin = false }

func (j *HashJoin) addJoinPredicate(ctx *Context, pred sqlparser.Expr) {
	cmp, ok := pred.(*sqlparser.ComparisonExpr)
	if !ok || (cmp.Operator != sqlparser.EqualOp) {
		refuse(vterrors.VT12001("can't use [" + sqlparser.String(pred) + "] with hash joins"))
	}
	left, right := tablesOf(j.LHS), tablesOf(j.RHS)
	deps := func(e sqlparser.Expr) semantics.TableSet { return ctx.Sem.RecursiveDeps(e) }
	switch {
	case deps(cmp.Left).IsSolvedBy(left) && deps(cmp.Right).IsSolvedBy(right):
		j.Comparisons = append(j.Comparisons, Comparison{cmp.Left, cmp.Right})
	case deps(cmp.Left).IsSolvedBy(right) && deps(cmp.Right).IsSolvedBy(left):
		j.Comparisons = append(j.Comparisons, Comparison{cmp.Right, cmp.Left})
	default:
		refuse(vterrors.VT12001("can't use [" + sqlparser.String(pred) + "] with hash joins"))
	}
}

// Predicate is the join's condition, for printing.
func (j *HashJoin) Predicate() sqlparser.Expr {
	exprs := make([]sqlparser.Expr, len(j.Comparisons))
	for i, cmp := range j.Comparisons {
		exprs[i] = &sqlparser.ComparisonExpr{Left: cmp.Left, Right: cmp.Right}
	}
	return sqlparser.AndExpressions(exprs...)
}

// AddColumn makes the join return an expression.
func (j *HashJoin) AddColumn(ctx *Context, col *sqlparser.AliasedExpr, mode ColumnMode) int {
	if mode.Reuse {
		if at := j.FindColumn(ctx, col.Expr, false); at >= 0 {
			return at
		}
	}
	j.columns = append(j.columns, hashJoinColumn{expr: col.Expr})
	return len(j.columns) - 1
}

// FindColumn finds an expression that the join returns.
func (j *HashJoin) FindColumn(ctx *Context, expr sqlparser.Expr, _ bool) int {
	return slices.IndexFunc(j.columns, func(c hashJoinColumn) bool { return ctx.Sem.EqualsWithDeps(expr, c.expr) })
}

// AddWeightString asks the side that the column comes from.
func (j *HashJoin) AddWeightString(ctx *Context, offset int, underRoute bool) int {
	j.planOffsets(ctx)
	ws := weightString(j.columns[offset].expr)
	if at := j.FindColumn(ctx, ws, false); at >= 0 {
		return at
	}
	if at := j.Cols[offset]; at < 0 {
		j.Cols = append(j.Cols, -1-j.LHS.AddWeightString(ctx, -at-1, underRoute))
	} else {
		j.Cols = append(j.Cols, 1+j.RHS.AddWeightString(ctx, at-1, underRoute))
	}
	return len(j.Cols) - 1
}

// Columns are what the join returns.
func (j *HashJoin) Columns(*Context) []*sqlparser.AliasedExpr {
	cols := make([]*sqlparser.AliasedExpr, len(j.columns))
	for i, c := range j.columns {
		cols[i] = wrap(c.expr)
	}
	return cols
}

// SelectExprs are the columns.
func (j *HashJoin) SelectExprs(ctx *Context) []sqlparser.SelectExpr {
	return asSelectExprs(j.Columns(ctx))
}

// OrderedBy is no order.
func (j *HashJoin) OrderedBy(*Context) []OrderBy { return nil }

// planOffsets asks the sides for columns. Expressions over both sides are computed by a projection above the join.
func (j *HashJoin) planOffsets(ctx *Context) Operator {
	if j.planned {
		return nil
	}
	j.planned = true
	reuse := ColumnMode{Reuse: true}
	for _, cmp := range j.Comparisons {
		j.LeftKey = append(j.LeftKey, j.LHS.AddColumn(ctx, wrap(cmp.Left), reuse))
		j.RightKey = append(j.RightKey, j.RHS.AddColumn(ctx, wrap(cmp.Right), reuse))
	}
	proj := newProjection(j)
	pure := true
	for _, c := range j.columns {
		expr := j.fetch(ctx, c)
		_, isOffset := expr.(*sqlparser.Offset)
		pure = pure && isOffset
		proj.add(&ProjExpr{
			Original: wrap(c.expr), Eval: expr, Col: expr,
			Evaluable: must(evalengine.Translate(expr, ctx.evalConfig())), state: evaluated,
		})
	}
	if pure {
		return nil
	}
	return proj
}

// fetch replaces what an expression takes from the sides by offsets of the join.
func (j *HashJoin) fetch(ctx *Context, c hashJoinColumn) sqlparser.Expr {
	var found *sqlparser.Offset
	left, right := tablesOf(j.LHS), tablesOf(j.RHS)
	down := func(node, _ sqlparser.SQLNode) bool {
		expr, ok := node.(sqlparser.Expr)
		if !ok {
			return true
		}
		deps := ctx.Sem.RecursiveDeps(expr)
		at := 0
		if c.side != rightSide && deps.IsSolvedBy(left) {
			at = -1 - sideColumn(ctx, j.LHS, expr, -1)
		}
		if at == 0 && c.side != leftSide && deps.IsSolvedBy(right) {
			at = 1 + sideColumn(ctx, j.RHS, expr, -1)
		}
		if at == 0 {
			return true
		}
		found = sqlparser.NewOffset(len(j.Cols), expr)
		j.Cols = append(j.Cols, at)
		return false
	}
	up := func(cur *sqlparser.CopyOnWriteCursor) {
		if found != nil {
			cur.Replace(found)
			found = nil
		}
	}
	return sqlparser.CopyOnRewrite(c.expr, down, up, ctx.Sem.CopySemanticInfo).(sqlparser.Expr)
}

// sideColumn is where a side returns an expression; none if it does not and the expression is not one that it must compute.
func sideColumn(ctx *Context, side Operator, expr sqlparser.Expr, none int) int {
	if at := side.FindColumn(ctx, expr, false); at >= 0 {
		return at
	}
	if !ctx.mustFetch(expr) {
		return none
	}
	return side.AddColumn(ctx, wrap(expr), ColumnMode{})
}

// Describe prints the condition.
func (j *HashJoin) Describe() string { return "HashJoin on " + sqlparser.String(j.Predicate()) }

// projectHashJoin makes the join return the columns of a projection that computes nothing.
func projectHashJoin(ctx *Context, p *Projection, j *HashJoin) (Operator, string) {
	for _, pe := range p.exprs() {
		if !ctx.Sem.EqualsWithDeps(pe.Eval, pe.Col) {
			return p, ""
		}
	}
	for _, pe := range p.Exprs {
		j.columns = append(j.columns, hashJoinColumn{expr: pe.Col})
	}
	return j, "merged projection into hash join"
}
