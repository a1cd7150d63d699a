package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
)

// consider looks whether a predicate gives a value to a vindex, and tells whether one became complete by it:
//
//	id = 5            EqualUnique or Equal        id in (1, 2)             IN
//	id is null        EqualUnique or Equal        (a, id) in ((1, 2))      MultiEqual
//	id between 1 and 5  Between                   name like 'a%'           Equal, through the prefix vindex
func (r *ShardedRouting) consider(ctx *Context, pred sqlparser.Expr) bool {
	switch pred := pred.(type) {
	case *sqlparser.ComparisonExpr:
		switch pred.Operator {
		case sqlparser.EqualOp:
			return r.considerEqual(ctx, pred)
		case sqlparser.InOp:
			return r.considerIn(ctx, pred)
		case sqlparser.LikeOp:
			return r.considerLike(ctx, pred)
		}
	case *sqlparser.IsExpr:
		return r.considerIsNull(ctx, pred)
	case *sqlparser.BetweenExpr:
		return r.considerBetween(ctx, pred)
	}
	return false
}

// byEquality is how one value per column uses a vindex.
func byEquality(cv *vindexes.ColumnVindex) (opcode.Opcode, vindexes.Vindex) {
	switch {
	case cv.IsPartialVindex():
		return opcode.SubShard, cv.Vindex
	case cv.IsUnique():
		return opcode.EqualUnique, cv.Vindex
	}
	return opcode.Equal, cv.Vindex
}

// by uses a vindex through one opcode, whatever it is.
func by(code opcode.Opcode) vindexUse {
	return func(cv *vindexes.ColumnVindex) (opcode.Opcode, vindexes.Vindex) { return code, cv.Vindex }
}

func (r *ShardedRouting) considerEqual(ctx *Context, cmp *sqlparser.ComparisonExpr) bool {
	col, ok := cmp.Left.(*sqlparser.ColName)
	other := cmp.Right
	if !ok {
		if col, ok = cmp.Right.(*sqlparser.ColName); !ok {
			return false
		}
		other = cmp.Left
	}
	value := ctx.evaluable(other)
	return value != nil && r.offer(ctx, cmp, other, col, value, byEquality)
}

func (r *ShardedRouting) considerIn(ctx *Context, cmp *sqlparser.ComparisonExpr) bool {
	switch left := cmp.Left.(type) {
	case *sqlparser.ColName:
		if list, ok := cmp.Right.(sqlparser.ValTuple); ok && len(list) == 1 {
			return r.considerEqual(ctx, &sqlparser.ComparisonExpr{Operator: sqlparser.EqualOp, Left: left, Right: list[0]})
		}
		value := ctx.evaluable(cmp.Right)
		return value != nil && r.offer(ctx, cmp, cmp.Right, left, value, by(opcode.IN))
	case sqlparser.ValTuple:
		switch right := cmp.Right.(type) {
		case sqlparser.ValTuple:
			return r.considerTuples(ctx, cmp, left, right, nil)
		case sqlparser.ListArg:
			return r.considerTupleArg(ctx, cmp, left, right)
		}
	}
	return false
}

// considerTuples takes the values of one column out of each tuple of a list. path leads to a tuple inside of tuples.
func (r *ShardedRouting) considerTuples(ctx *Context, cmp *sqlparser.ComparisonExpr, left, right sqlparser.ValTuple, path []int) bool {
	completed := false
	for i, e := range left {
		at := append(slices.Clone(path), i)
		switch e := e.(type) {
		case sqlparser.ValTuple:
			return r.considerTuples(ctx, cmp, e, right, at) || completed
		case *sqlparser.ColName:
			if !r.usesColumn(e) {
				continue
			}
			values := make(sqlparser.ValTuple, len(right))
			for row, tuple := range right {
				value := elementAt(tuple, at)
				if value == nil {
					return false
				}
				values[row] = value
			}
			value := ctx.evaluable(values)
			if value == nil {
				return false
			}
			completed = r.offer(ctx, cmp, values, e, value, by(opcode.MultiEqual)) || completed
		}
	}
	return completed
}

// elementAt follows a path into nested tuples, nil where there is no such element.
func elementAt(expr sqlparser.Expr, path []int) sqlparser.Expr {
	for _, i := range path {
		tuple, ok := expr.(sqlparser.ValTuple)
		if !ok || i >= len(tuple) {
			return nil
		}
		expr = tuple[i]
	}
	return expr
}

// considerTupleArg takes the values of one column out of a bind variable that holds tuples.
func (r *ShardedRouting) considerTupleArg(ctx *Context, cmp *sqlparser.ComparisonExpr, left sqlparser.ValTuple, right sqlparser.ListArg) bool {
	completed := false
	for i, e := range left {
		col, ok := e.(*sqlparser.ColName)
		if !ok || !r.usesColumn(col) {
			continue
		}
		value := &evalengine.TupleBindVariable{Key: right.String(), Index: i}
		if typ, ok := ctx.TypeOf(col); ok {
			value.Collation = typ.Collation()
		}
		completed = r.offer(ctx, cmp, nil, col, value, by(opcode.MultiEqual)) || completed
	}
	return completed
}

func (r *ShardedRouting) usesColumn(col *sqlparser.ColName) bool {
	return slices.ContainsFunc(r.usable, func(u *usableVindex) bool {
		return slices.ContainsFunc(u.column.Columns, col.Name.Equal)
	})
}

// considerIsNull routes by NULL, except through lookups: they hold no NULLs, so the row may be anywhere.
func (r *ShardedRouting) considerIsNull(ctx *Context, is *sqlparser.IsExpr) bool {
	col, ok := is.Left.(*sqlparser.ColName)
	if !ok || is.Right != sqlparser.IsNullOp {
		return false
	}
	null := &sqlparser.NullVal{}
	return r.offer(ctx, is, null, col, ctx.evaluable(null), func(cv *vindexes.ColumnVindex) (opcode.Opcode, vindexes.Vindex) {
		if _, isLookup := cv.Vindex.(vindexes.Lookup); isLookup {
			return opcode.Scatter, nil
		}
		return byEquality(cv)
	})
}

func (r *ShardedRouting) considerBetween(ctx *Context, between *sqlparser.BetweenExpr) bool {
	col, ok := between.Left.(*sqlparser.ColName)
	if !ok || !between.IsBetween {
		return false
	}
	bounds := sqlparser.ValTuple{between.From, between.To}
	value := ctx.evaluable(bounds)
	return value != nil && r.offer(ctx, between, bounds, col, value, func(cv *vindexes.ColumnVindex) (opcode.Opcode, vindexes.Vindex) {
		if _, ok := cv.Vindex.(vindexes.Sequential); ok {
			return opcode.Between, cv.Vindex
		}
		return opcode.Scatter, nil
	})
}

func (r *ShardedRouting) considerLike(ctx *Context, like *sqlparser.ComparisonExpr) bool {
	col, ok := like.Left.(*sqlparser.ColName)
	if !ok {
		return false
	}
	value := ctx.evaluable(like.Right)
	return value != nil && r.offer(ctx, like, like.Right, col, value, func(cv *vindexes.ColumnVindex) (opcode.Opcode, vindexes.Vindex) {
		if prefixable, ok := cv.Vindex.(vindexes.Prefixable); ok {
			return opcode.Equal, prefixable.PrefixVindex()
		}
		return opcode.Scatter, nil
	})
}
