package operators

import (
	"slices"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
)

// MySQL's errors for SELECT DISTINCT sorted by what is not selected.
const (
	errOrderColumnNotSelected    = sqlerror.ErrorCode(3065)
	errOrderAggregateNotSelected = sqlerror.ErrorCode(3066)
)

// checkDistinctOrder refuses a SELECT DISTINCT that is sorted by what its rows do not tell, as shards refuse it under
// ONLY_FULL_GROUP_BY: the gateway would have to sort by a column that is among those which make rows distinct.
func (h *Horizon) checkDistinctOrder(ctx *Context, sel *sqlparser.Select, parts *QueryParts) {
	if !sel.Distinct || parts.isUnique(ctx, sel) || slices.ContainsFunc(parts.Select, SelectExpr.isStar) {
		return
	}
	for i, o := range sel.OrderBy {
		if parts.selects(ctx, o.Expr) {
			continue
		}
		if isRandom(o.Expr) {
			refuse(vterrors.VT12001("SELECT DISTINCT sorted by " + sqlparser.String(o.Expr) + " over several shards"))
		}
		refuseErr(parts.checkOrderParts(ctx, o.Expr, i+1, tablesOf(h.Source)))
	}
}

// isUnique reports whether rows are distinct without DISTINCT: there is one, or one for each value of what is selected.
func (p *QueryParts) isUnique(ctx *Context, sel *sqlparser.Select) bool {
	if sel.GroupBy == nil || len(sel.GroupBy.Exprs) == 0 {
		return p.HasAggr
	}
	return !p.Rollup && !slices.ContainsFunc(sel.GroupBy.Exprs, func(e sqlparser.Expr) bool { return !p.selects(ctx, e) })
}

// checkOrderParts looks for what is not selected in the n-th term of the order.
func (p *QueryParts) checkOrderParts(ctx *Context, expr sqlparser.Expr, n int, tables semantics.TableSet) error {
	return sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		part, isExpr := node.(sqlparser.Expr)
		if isExpr && p.selects(ctx, part) {
			return false, nil
		}
		if ctx.isAggr(node) && !isWindow(node) {
			return false, sqlerror.NewSQLErrorf(errOrderAggregateNotSelected, sqlerror.SSUnknownSQLState,
				"Expression #%d of ORDER BY clause is not in SELECT list, contains aggregate function; this is incompatible with DISTINCT", n)
		}
		if col, ok := node.(*sqlparser.ColName); ok && ctx.Sem.RecursiveDeps(col).IsOverlapping(tables) {
			return false, sqlerror.NewSQLErrorf(errOrderColumnNotSelected, sqlerror.SSUnknownSQLState,
				"Expression #%d of ORDER BY clause is not in SELECT list, references column '%s' which is not in SELECT list; this is incompatible with DISTINCT",
				n, fullName(ctx, col))
		}
		return true, nil
	}, expr)
}

// fullName is a column's name with its table and database, as MySQL's errors have it.
func fullName(ctx *Context, col *sqlparser.ColName) string {
	info, err := ctx.Sem.InfoForExpr(col)
	switch {
	case err != nil:
		return sqlparser.String(col)
	case info.VTable != nil:
		return info.VTable.Keyspace.Name + "." + info.Name + "." + col.Name.String()
	}
	return info.Name + "." + col.Name.String()
}

// isRandom reports whether an expression has another value each time.
func isRandom(expr sqlparser.Expr) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if f, ok := node.(*sqlparser.FuncExpr); ok {
			found = found || f.Name.EqualString("rand") || f.Name.EqualString("uuid") || f.Name.EqualString("random_bytes")
		}
		return !found, nil
	}, expr)
	return found
}
