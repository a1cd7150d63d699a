package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/vindexes"
)

// Window marks that rows below are seen together by window functions. The gateway has none, so all rows of a partition must
// be on one shard: the operator goes below a route of which that is true, and one that is left above it cannot be planned.
type Window struct {
	unary
	parts *QueryParts
}

func newWindow(src Operator, parts *QueryParts) *Window {
	return &Window{unary: unary{src}, parts: parts}
}

// Clone copies the operator.
func (w *Window) Clone(in []Operator) Operator { return newWindow(in[0], w.parts) }

// Describe names it.
func (w *Window) Describe() string { return "Window" }

func pushWindow(ctx *Context, w *Window) (Operator, string) {
	switch src := w.Source.(type) {
	case *Route:
		if src.IsSingleShard() || w.partitionsStayOnShards(src) {
			return swap(w, src, "push window under route")
		}
	case *SubQuery:
		// What it filters is below it by then, unless it runs for each row.
		if ctx.reached(subquerySettling) && !src.IsCorrelated(ctx) {
			src.Outer, w.Source = w, src.Outer
			return src, "push window into outer side of subquery"
		}
	}
	return w, ""
}

// partitionsStayOnShards tells whether every window function below route partitions by a vindex, so that shards can evaluate
// it on their own.
func (w *Window) partitionsStayOnShards(route *Route) bool {
	var tables []*Table
	visit(route, func(op Operator) bool {
		if t, ok := op.(*Table); ok {
			tables = append(tables, t)
		}
		return true
	})
	stay := true
	for _, s := range w.parts.Select {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			if isWindow(node) {
				stay = stay && partitionsByVindex(node.(sqlparser.WindowFunc), tables)
			}
			return true, nil
		}, s.Col)
	}
	return stay
}

func partitionsByVindex(fn sqlparser.WindowFunc, tables []*Table) bool {
	spec := fn.GetOverClause().WindowSpec
	if spec == nil || len(spec.PartitionClause) == 0 {
		return false
	}
	for _, t := range tables {
		cols := partitionColumns(spec.PartitionClause, t, len(tables) == 1)
		for i, cv := range t.VTable.ColumnVindexes {
			if (i == 0 || cv.IsUnique()) && coversVindex(cv, cols) {
				return true
			}
		}
	}
	return false
}

// partitionColumns are the columns of one table that a window partitions by.
func partitionColumns(partition []sqlparser.Expr, t *Table, only bool) []*sqlparser.ColName {
	name := t.Query.Alias.As.String()
	if name == "" {
		name = t.Query.Name.Name.String()
	}
	var cols []*sqlparser.ColName
	for _, e := range partition {
		col, ok := e.(*sqlparser.ColName)
		if !ok || (!col.Qualifier.IsEmpty() && col.Qualifier.Name.String() != name) {
			continue
		}
		known := !t.VTable.ColumnListAuthoritative || t.VTable.FindColumn(col.Name) != nil
		switch {
		case known:
			cols = append(cols, col)
		case only || !col.Qualifier.IsEmpty():
			return nil
		}
	}
	return cols
}

func coversVindex(cv *vindexes.ColumnVindex, cols []*sqlparser.ColName) bool {
	for _, want := range cv.Columns {
		if !slices.ContainsFunc(cols, func(c *sqlparser.ColName) bool { return c.Name.Equal(want) }) {
			return false
		}
	}
	return true
}
