package operators

import (
	"fmt"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

type (
	// Route is the border between gateway and shards: what is below becomes one SQL text, what is above runs at the gateway.
	Route struct {
		unary
		truncated
		// Routing says which shards get the query.
		Routing Routing
		// MergedWith are the routes that became part of this one.
		MergedWith []*Route
		// Ordering is how rows of several shards are merged.
		Ordering []RouteOrder
		Comments *sqlparser.ParsedComments
		Lock     sqlparser.Lock
	}

	// RouteOrder is one term of the order by which the rows of several shards are merged. WeightString is -1 for none.
	RouteOrder struct {
		Expr                 sqlparser.Expr
		Offset, WeightString int
		Direction            sqlparser.OrderDirection
	}

	// Routing says which shards of which keyspace a route goes to. Predicates narrow it.
	Routing interface {
		Opcode() opcode.Opcode
		// Keyspace is nil where any will do.
		Keyspace() *vindexes.Keyspace
		cost() int
		clone() Routing
		// narrow takes a predicate into account. It may change the routing in place and returns what takes its place.
		narrow(ctx *Context, pred sqlparser.Expr) Routing
		// reset considers all predicates anew, after some changed their form.
		reset(ctx *Context) Routing
	}
)

// Clone copies the route.
func (r *Route) Clone(in []Operator) Operator {
	c := *r
	c.Source = in[0]
	c.Routing = r.Routing.clone()
	return &c
}

// IsSingleShard tells whether the route never reaches two shards.
func (r *Route) IsSingleShard() bool { return r.Routing.Opcode().IsSingleShard() }

func (r *Route) introducesTables() semantics.TableSet {
	var ts semantics.TableSet
	for _, other := range r.MergedWith {
		ts = ts.Merge(tablesOf(other))
	}
	return ts
}

// Columns are the source's, without those that only serve the merge.
func (r *Route) Columns(ctx *Context) []*sqlparser.AliasedExpr {
	return keep(&r.truncated, r.Source.Columns(ctx))
}

// SelectExprs are the source's, without those that only serve the merge.
func (r *Route) SelectExprs(ctx *Context) []sqlparser.SelectExpr {
	return keep(&r.truncated, r.Source.SelectExprs(ctx))
}

// FindColumn looks below, where the query is SQL.
func (r *Route) FindColumn(ctx *Context, expr sqlparser.Expr, _ bool) int {
	return r.Source.FindColumn(ctx, expr, true)
}

// AddColumn adds a column to the SQL, in a projection of its own if nothing below can take it.
func (r *Route) AddColumn(ctx *Context, col *sqlparser.AliasedExpr, mode ColumnMode) int {
	if mode.Reuse {
		if offset := r.FindColumn(ctx, col.Expr, true); offset >= 0 {
			return offset
		}
	}
	added := addToSQL(ctx, r.Source, col, mode)
	if added.replaces != nil {
		r.Source = added.replaces
	}
	if added.offset >= 0 {
		return added.offset
	}
	proj := projectAll(ctx, r.Source, added.derived)
	r.Source = proj
	return proj.addWithoutPushing(ctx, col, mode)
}

// AddWeightString adds the sort key of a column to the SQL.
func (r *Route) AddWeightString(ctx *Context, offset int, _ bool) int {
	cols := r.Columns(ctx)
	if found := r.FindColumn(ctx, weightString(cols[offset].Expr), true); found >= 0 {
		return found
	}
	if added, ok := addWeightStringToSQL(ctx, r.Source, offset); ok {
		return added
	}
	proj := wrapInDerivedTable(ctx, r.Source)
	r.Source = proj
	return proj.AddWeightString(ctx, offset, true)
}

// planOffsets finds the columns by which rows of several shards are merged.
func (r *Route) planOffsets(ctx *Context) Operator {
	if r.IsSingleShard() {
		return nil
	}
	for _, order := range r.Source.OrderedBy(ctx) {
		if ordersNothing(order) {
			continue
		}
		merge := RouteOrder{Expr: order.Inner.Expr, WeightString: -1, Direction: order.Inner.Direction}
		merge.Offset = r.AddColumn(ctx, wrap(order.Expr), ColumnMode{Reuse: true})
		if ctx.needsWeightString(order.Expr) {
			merge.WeightString = r.AddColumn(ctx, wrap(weightString(order.Expr)), ColumnMode{Reuse: true})
		}
		r.Ordering = append(r.Ordering, merge)
	}
	return nil
}

// ordersNothing tells whether rows need not be merged by a term: NULL and RAND() put them in any order.
func ordersNothing(order OrderBy) bool {
	if sqlparser.IsNull(order.Inner.Expr) {
		return true
	}
	fn, ok := order.Inner.Expr.(*sqlparser.FuncExpr)
	return ok && fn.Name.Lowered() == "rand"
}

// Describe names opcode and keyspace.
func (r *Route) Describe() string {
	where := ""
	if ks := r.Routing.Keyspace(); ks != nil {
		where = " on " + ks.Name
	}
	return fmt.Sprintf("Route %s%s", r.Routing.Opcode(), where)
}
