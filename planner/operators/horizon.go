package operators

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
)

// Horizon is all that a query block asks for beside its tables and WHERE: select list, grouping, HAVING, DISTINCT, ORDER BY,
// LIMIT. As long as nobody knows whether a shard can do all of it, it is kept in one piece; then it goes below a route whole,
// or is taken apart by expandHorizon.
type Horizon struct {
	unary
	Query sqlparser.TableStatement
	// ID is the derived table that the query block is; empty for one that is none.
	ID            semantics.TableSet
	Alias         string
	ColumnAliases sqlparser.Columns

	parts *QueryParts
	// truncates says that helper columns must not leave the query block, as it is one side of a union.
	truncates bool
}

func newHorizon(src Operator, query sqlparser.TableStatement) *Horizon {
	return &Horizon{unary: unary{src}, Query: query}
}

// Clone copies the horizon.
func (h *Horizon) Clone(in []Operator) Operator {
	c := *h
	c.Source = in[0]
	return &c
}

func (h *Horizon) introducesTables() semantics.TableSet { return h.ID }

func (h *Horizon) isDerived() bool { return !h.ID.IsEmpty() }

// queryParts are the clauses in the planner's terms.
func (h *Horizon) queryParts(ctx *Context) *QueryParts {
	if h.parts == nil {
		h.parts = newQueryParts(ctx, h.Query)
	}
	return h.parts
}

// isMergeable tells whether a predicate above the query block may be applied inside of it.
func (h *Horizon) isMergeable(ctx *Context) bool { return isMergeable(ctx, h.Query, h) }

func isMergeable(ctx *Context, query sqlparser.TableStatement, h *Horizon) bool {
	if query.GetLimit() != nil {
		return false
	}
	switch query := query.(type) {
	case *sqlparser.Union:
		return isMergeable(ctx, query.Left, h) && isMergeable(ctx, query.Right, h)
	case *sqlparser.Select:
		if ctx.containsWindow(query) {
			return false
		}
		if query.GroupBy != nil && len(query.GroupBy.Exprs) > 0 {
			for _, e := range query.GroupBy.Exprs {
				vindex := vindexOf(ctx, h, columnIn(e))
				if vindex != nil && vindex.IsUnique() && !ctx.Sem.RecursiveDeps(e).IsOverlapping(ctx.outerTables) {
					return true
				}
			}
			return false
		}
		return !ctx.containsAggr(query.SelectExprs) && !(query.Having != nil && ctx.containsAggr(query.Having))
	}
	return false
}

var errHorizonIsClosed = vterrors.VT13001("columns cannot be added to a whole query block")

// AddColumn finds a column of the select list; none can be added.
func (h *Horizon) AddColumn(ctx *Context, col *sqlparser.AliasedExpr, mode ColumnMode) int {
	if name, ok := col.Expr.(*sqlparser.ColName); ok && mode.Reuse {
		if at := h.FindColumn(ctx, name, false); at >= 0 {
			return at
		}
	}
	panic(refusal{errHorizonIsClosed})
}

// AddWeightString adds the sort key of a column to the select list.
func (h *Horizon) AddWeightString(ctx *Context, offset int, _ bool) int {
	sel, ok := h.Query.(*sqlparser.Select)
	cols := h.Columns(ctx)
	if !ok || offset >= len(cols) {
		panic(refusal{errHorizonIsClosed})
	}
	sel.AddSelectExpr(wrap(weightString(cols[offset].Expr)))
	return len(cols)
}

// FindColumn looks in the select list. What is below a route and derived is known by other names above.
func (h *Horizon) FindColumn(ctx *Context, expr sqlparser.Expr, underRoute bool) int {
	if underRoute && h.isDerived() {
		return -1
	}
	for i, e := range firstSelect(h.Query).GetColumns() {
		ae, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			refuse(vterrors.VT09015())
		}
		if ctx.Sem.EqualsWithDeps(ae.Expr, expr) {
			return i
		}
	}
	return -1
}

// Columns are the select list.
func (h *Horizon) Columns(ctx *Context) []*sqlparser.AliasedExpr {
	exprs := ctx.Sem.SelectExprs(h.Query)
	cols := make([]*sqlparser.AliasedExpr, len(exprs))
	for i, e := range exprs {
		ae, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			refuse(vterrors.VT09015())
		}
		cols[i] = ae
	}
	return cols
}

// SelectExprs are the select list of the first query block.
func (h *Horizon) SelectExprs(*Context) []sqlparser.SelectExpr {
	return firstSelect(h.Query).GetColumns()
}

// OrderedBy is the ORDER BY.
func (h *Horizon) OrderedBy(ctx *Context) []OrderBy { return h.queryParts(ctx).OrderBy }

// Describe names the derived table, if it is one.
func (h *Horizon) Describe() string { return "Horizon " + h.Alias }

// firstSelect is the leftmost query block.
func firstSelect(stmt sqlparser.TableStatement) *sqlparser.Select {
	sel, err := sqlparser.GetFirstSelect(stmt)
	return must(sel, err)
}

// pushOrExpandHorizon pushes a query block below a route that can answer it whole, and takes it apart else.
func pushOrExpandHorizon(ctx *Context, h *Horizon) (Operator, string) {
	route, isRoute := h.Source.(*Route)
	if h.isDerived() && isRoute && (route.IsSingleShard() || h.isMergeable(ctx)) && !distinctIsLost(ctx, h, route) {
		return swap(h, route, "push derived table under route")
	}
	if !ctx.reached(initialPlanning) {
		return h, ""
	}
	if ctx.Sem.Signature.SubQueries {
		return expandHorizon(ctx, h)
	}
	if isRoute && (route.IsSingleShard() || needsNothing(ctx, h)) {
		return swap(h, route, "push horizon into route")
	}
	return expandHorizon(ctx, h)
}

// distinctIsLost tells whether duplicates from different shards would stay if each shard dropped its own only. Vitess pushes
// such a derived table all the same and returns them.
func distinctIsLost(ctx *Context, h *Horizon, route *Route) bool {
	if route.IsSingleShard() || !isDistinctQuery(h.Query) {
		return false
	}
	for _, col := range firstSelect(h.Query).GetColumns() {
		if ae, ok := col.(*sqlparser.AliasedExpr); ok && hasUniqueVindex(ctx, ae.Expr) {
			return false
		}
	}
	return true
}

// needsNothing tells whether a query block only selects: rows of several shards need no more than to be put together.
func needsNothing(ctx *Context, h *Horizon) bool {
	sel, isSel := h.Query.(*sqlparser.Select)
	parts := h.queryParts(ctx)
	return !(isSel && sel.Having != nil) && len(parts.OrderBy) == 0 && !parts.needsAggregation() && !parts.HasWindow &&
		!isDistinctQuery(h.Query) && h.Query.GetLimit() == nil
}
