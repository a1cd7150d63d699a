package operators

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/semantics"
)

type (
	// Projection computes columns.
	Projection struct {
		unary
		Exprs []*ProjExpr
		// Stars is set instead of Exprs where columns are not known.
		Stars []sqlparser.SelectExpr
		// DT is the derived table whose select list this is, nil for none.
		DT *DerivedTable
		// multiplies marks a projection that combines the aggregates of both sides of a join; it must stay above the join.
		multiplies bool
	}

	// ProjExpr is one column.
	ProjExpr struct {
		Original *sqlparser.AliasedExpr // what the user asked for; names the column
		Eval     sqlparser.Expr         // what is computed
		Col      sqlparser.Expr         // what operators above know the column as

		state      projState
		Offset     int             // state passesOffset: the input's column
		Evaluable  evalengine.Expr // state evaluated
		subqueries []*SubQuery     // state holdsSubqueries: those that Eval refers to
	}

	// DerivedTable names the derived table that an operator is the select list of.
	DerivedTable struct {
		ID      semantics.TableSet
		Alias   string
		Columns sqlparser.Columns
	}

	projState int
)

const (
	unplanned projState = iota
	passesOffset
	evaluated
	holdsSubqueries
)

func newProjection(src Operator) *Projection { return &Projection{unary: unary{src}} }

func newProjExpr(ae *sqlparser.AliasedExpr) *ProjExpr {
	return &ProjExpr{Original: sqlparser.Clone(ae), Eval: ae.Expr, Col: ae.Expr}
}

// inside rewrites an expression over the derived table to one over what it selects.
func (dt *DerivedTable) inside(ctx *Context, expr sqlparser.Expr) sqlparser.Expr {
	if dt == nil {
		return expr
	}
	return semantics.RewriteDerived(expr, must(ctx.Sem.Info(dt.ID)))
}

func (dt *DerivedTable) name() string {
	if dt == nil {
		return ""
	}
	return dt.Alias
}

func (dt *DerivedTable) introducesTables() semantics.TableSet {
	if dt == nil {
		return semantics.TableSet{}
	}
	return dt.ID
}

// Clone copies the projection.
func (p *Projection) Clone(in []Operator) Operator {
	c := *p
	c.Source = in[0]
	c.Exprs = make([]*ProjExpr, len(p.Exprs))
	for i, pe := range p.Exprs {
		copied := *pe
		c.Exprs[i] = &copied
	}
	return &c
}

func (p *Projection) introducesTables() semantics.TableSet { return p.DT.introducesTables() }

func (p *Projection) derivedName() string { return p.DT.name() }

func (p *Projection) add(pe *ProjExpr) int {
	if p.Stars != nil {
		refuse(vterrors.VT09015())
	}
	p.Exprs = append(p.Exprs, pe)
	return len(p.Exprs) - 1
}

// exprs are the columns. VT09015 for a star.
func (p *Projection) exprs() []*ProjExpr {
	if p.Stars != nil {
		refuse(vterrors.VT09015())
	}
	return p.Exprs
}

// FindColumn looks at what operators above know the columns as.
func (p *Projection) FindColumn(ctx *Context, expr sqlparser.Expr, underRoute bool) int {
	exprs := p.exprs()
	if underRoute && p.DT != nil {
		return -1
	}
	return slices.IndexFunc(exprs, func(pe *ProjExpr) bool { return ctx.Sem.EqualsWithDeps(pe.Col, expr) })
}

// AddColumn adds a column and asks the input for it.
func (p *Projection) AddColumn(ctx *Context, col *sqlparser.AliasedExpr, mode ColumnMode) int {
	return p.addColumn(ctx, col, mode, true)
}

func (p *Projection) addWithoutPushing(ctx *Context, col *sqlparser.AliasedExpr, _ ColumnMode) int {
	return p.addColumn(ctx, col, ColumnMode{Reuse: true}, false)
}

func (p *Projection) addColumn(ctx *Context, col *sqlparser.AliasedExpr, mode ColumnMode, push bool) int {
	expr := p.DT.inside(ctx, col.Expr)
	if mode.Reuse {
		if at := p.FindColumn(ctx, expr, false); at >= 0 {
			return at
		}
	}
	if ws, ok := expr.(*sqlparser.WeightStringFuncExpr); ok {
		for _, pe := range p.exprs() {
			if ctx.Sem.EqualsWithDeps(ws.Expr, pe.Col) {
				ws.Expr = pe.Eval
			}
		}
	}
	pe := &ProjExpr{Original: col, Eval: expr, Col: col.Expr}
	if !push {
		return p.add(pe)
	}
	if ctx.isConstant(expr) {
		at := p.Source.FindColumn(ctx, expr, false)
		if at < 0 {
			return p.add(pe)
		}
		pe.Offset = at
	} else {
		pe.Offset = p.Source.AddColumn(ctx, col, ColumnMode{Reuse: true, Group: mode.Group})
	}
	pe.state = passesOffset
	return p.add(pe)
}

// AddWeightString adds the sort key of a column.
func (p *Projection) AddWeightString(ctx *Context, offset int, underRoute bool) int {
	expr := p.exprs()[offset].Eval
	ws := weightString(expr)
	if at := p.FindColumn(ctx, ws, underRoute); at >= 0 {
		return at
	}
	pe := &ProjExpr{Original: wrap(ws), Eval: ws, Col: ws}
	if underRoute {
		return p.add(pe)
	}
	at := p.Source.FindColumn(ctx, expr, false)
	if _, isCol := expr.(*sqlparser.ColName); isCol && at < 0 && isAboveRoutes(p.Source) {
		at = p.Source.AddColumn(ctx, wrap(expr), ColumnMode{Reuse: true})
	}
	if at >= 0 {
		pe.Offset, pe.state = p.Source.AddWeightString(ctx, at, false), passesOffset
	}
	return p.add(pe)
}

// isAboveRoutes tells whether an operator is the gateway's, not part of a route.
func isAboveRoutes(op Operator) bool {
	if _, isRoute := op.(*Route); isRoute {
		return true
	}
	in := op.Inputs()
	return len(in) > 0 && !slices.ContainsFunc(in, func(op Operator) bool { return !isAboveRoutes(op) })
}

// Columns are what the user asked for.
func (p *Projection) Columns(*Context) []*sqlparser.AliasedExpr {
	exprs := p.exprs()
	cols := make([]*sqlparser.AliasedExpr, len(exprs))
	for i, pe := range exprs {
		cols[i] = pe.Original
	}
	return cols
}

// SelectExprs are the columns as SQL selects them: what is computed, under the name that was asked for.
func (p *Projection) SelectExprs(*Context) []sqlparser.SelectExpr {
	if p.Stars != nil {
		return p.Stars
	}
	var out []sqlparser.SelectExpr
	for _, pe := range p.Exprs {
		ae := wrap(pe.Eval)
		if pe.Original.As.NotEmpty() {
			ae.As = pe.Original.As
		} else if !sqlparser.Equals.Expr(pe.Eval, pe.Original.Expr) {
			ae.As = sqlparser.NewIdentifierCI(pe.Original.ColumnName())
		}
		out = append(out, ae)
	}
	return out
}

// Offsets returns which input columns are passed on, under which names (empty: the same), or nil if anything is computed.
func (p *Projection) Offsets() (offsets []int, names []string) {
	if p.Stars != nil {
		return nil, nil
	}
	for _, pe := range p.Exprs {
		if pe.state != passesOffset {
			return nil, nil
		}
		offsets = append(offsets, pe.Offset)
		names = append(names, pe.Original.As.String())
	}
	return offsets, names
}

// isNeeded is false for a projection that returns what it gets.
func (p *Projection) isNeeded() bool {
	if p.Stars != nil {
		return true
	}
	for i, pe := range p.Exprs {
		if pe.state != passesOffset || pe.Offset != i || pe.Original.As.NotEmpty() {
			return true
		}
	}
	return false
}

// evaluates tells whether a column is computed here, rather than passed on.
func (p *Projection) evaluates(ctx *Context, expr sqlparser.Expr) bool {
	if p.Stars != nil {
		return true
	}
	for _, pe := range p.Exprs {
		if ctx.Sem.EqualsWithDeps(pe.Col, expr) {
			return !ctx.Sem.EqualsWithDeps(pe.Col, pe.Eval)
		}
	}
	return false
}

// evaluatesPartOf tells whether a column that an expression uses is computed here.
func (p *Projection) evaluatesPartOf(ctx *Context, expr sqlparser.Expr) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		found = found || ctx.mustFetch(node) && p.evaluates(ctx, node.(sqlparser.Expr))
		return !found, nil
	}, expr)
	return found
}

func (p *Projection) planOffsets(ctx *Context) Operator {
	for _, pe := range p.exprs() {
		if pe.state == evaluated {
			continue
		}
		pe.Eval = useOffsets(ctx, pe.Eval, p.Source)
		if pe.state == passesOffset {
			continue
		}
		if at, ok := pe.Eval.(*sqlparser.Offset); ok {
			pe.Offset, pe.state = at.V, passesOffset
			continue
		}
		pe.Evaluable, pe.state = must(evalengine.Translate(asNumbers(ctx, pe.Eval), ctx.evalConfig())), evaluated
	}
	return nil
}

// Describe lists the columns.
func (p *Projection) Describe() string {
	var texts []string
	for _, e := range p.Stars {
		texts = append(texts, sqlparser.String(e))
	}
	for _, pe := range p.Exprs {
		texts = append(texts, sqlparser.String(pe.Eval))
	}
	return "Projection " + p.derivedName() + " " + strings.Join(texts, ", ")
}
