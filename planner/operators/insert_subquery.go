package operators

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

// pullOutOfInsert takes subqueries out of the values of an INSERT and of its ON DUPLICATE KEY UPDATE: they run once, before it.
// A shard would answer them from its own rows. Those in values that read nothing but what each shard of the table holds stay.
func pullOutOfInsert(ctx *Context, stmt *sqlparser.Insert, vtable *vindexes.Table) []*SubQuery {
	builder := &subqueryBuilder{}
	target := ctx.Sem.TableSetFor(stmt.Table)
	take := func(expr sqlparser.Expr) sqlparser.Expr {
		expr, subqueries := builder.pullOut(ctx, expr, target, true)
		return guardLists(ctx, expr, subqueries)
	}
	if rows, ok := stmt.Rows.(sqlparser.Values); ok {
		for _, row := range rows {
			for i := range row {
				if !isLocal(ctx, row[i], vtable) {
					row[i] = take(row[i])
				}
			}
		}
	}
	for _, set := range stmt.OnDup {
		set.Expr = take(set.Expr)
	}
	return builder.inner
}

// isLocal reports whether each shard that holds rows of a table holds all that an expression reads.
func isLocal(ctx *Context, expr sqlparser.Expr, vtable *vindexes.Table) bool {
	local := true
	for _, id := range tablesNamed(ctx, expr).Constituents() {
		local = local && isBeside(must(ctx.Sem.Info(id)), vtable)
	}
	return local
}

func isBeside(info *semantics.TableInfo, vtable *vindexes.Table) bool {
	switch other := info.VTable; {
	case info.Kind != semantics.BaseTable || other == nil:
		return info.Kind == semantics.DerivedTable // its own tables are asked about too
	case other.Name.String() == "dual":
		return true
	case other.Keyspace != vtable.Keyspace:
		return false
	}
	return !vtable.Keyspace.Sharded || info.VTable.Type == vindexes.TypeReference
}

// runFirst puts subqueries before an operator that knows them by their bind variables.
func runFirst(ctx *Context, subqueries []*SubQuery, op Operator) Operator {
	for _, sq := range subqueries {
		sq.Outer = sq.settle(ctx, op)
		sq.Subquery = newLockAndComment(sq.Subquery, nil, sqlparser.ShareModeLock)
		op = sq
	}
	return op
}
