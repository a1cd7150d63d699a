package planner

import (
	"fmt"
	"slices"

	"vitess.io/vitess/go/mysql/collations"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/planner/operators"
	"github.com/vitrodb/vitro/vindexes"
)

// transform makes primitives of a planned operator tree.
func (b *builder) transform(ctx *operators.Context, op operators.Operator) (engine.Primitive, error) {
	switch op := op.(type) {
	case *operators.Route:
		return b.route(ctx, op)
	case *operators.ApplyJoin:
		return b.applyJoin(ctx, op)
	case *operators.HashJoin:
		return b.hashJoin(ctx, op)
	case *operators.Projection:
		return b.projection(ctx, op)
	case *operators.Filter:
		return b.filter(ctx, op)
	case *operators.Limit:
		return b.limit(ctx, op)
	case *operators.Ordering:
		return b.ordering(ctx, op)
	case *operators.Aggregator:
		return b.aggregator(ctx, op)
	case *operators.Distinct:
		return b.distinct(ctx, op)
	case *operators.Union:
		return b.union(ctx, op)
	case *operators.RecurseCTE:
		return b.recurseCTE(ctx, op)
	case *operators.SubQuery:
		return b.subquery(ctx, op)
	case *operators.Window:
		return nil, vterrors.VT12001("window functions are only supported for single-shard queries")
	case *operators.Vindex:
		return b.vindexFunc(ctx, op)
	case *operators.InsertSelection:
		return b.insertSelection(ctx, op)
	case *operators.DMLWithInput:
		return b.dmlWithInput(ctx, op)
	case *operators.FkCascade:
		return b.fkCascade(ctx, op)
	case *operators.FkVerify:
		return b.fkVerify(ctx, op)
	case *operators.Upsert:
		return b.upsert(op)
	case *operators.Sequential:
		return b.sequential(op)
	}
	return nil, vterrors.VT13001(fmt.Sprintf("no primitive for %T", op))
}

// transformAll makes primitives of several operators.
func (b *builder) transformAll(ctx *operators.Context, ops []operators.Operator) ([]engine.Primitive, error) {
	out := make([]engine.Primitive, len(ops))
	for i, op := range ops {
		p, err := b.transform(ctx, op)
		if err != nil {
			return nil, err
		}
		out[i] = p
	}
	return out, nil
}

func (b *builder) projection(ctx *operators.Context, op *operators.Projection) (engine.Primitive, error) {
	src, err := b.transform(ctx, op.Source)
	if err != nil {
		return nil, err
	}
	if cols, names := op.Offsets(); cols != nil {
		if len(op.Source.Columns(ctx)) == len(cols) && inOrder(cols) {
			cols = nil
		}
		return &engine.SimpleProjection{Input: src, Cols: cols, ColNames: names}, nil
	}
	proj := &engine.Projection{Input: src}
	for _, pe := range op.Exprs {
		expr := pe.Evaluable
		if expr == nil {
			typ, _ := ctx.TypeOf(pe.Eval)
			expr = evalengine.NewColumn(pe.Offset, typ, pe.Eval)
		}
		proj.Exprs, proj.Cols = append(proj.Exprs, expr), append(proj.Cols, pe.Original.ColumnName())
	}
	return proj, nil
}

func inOrder(cols []int) bool {
	for i, col := range cols {
		if i != col {
			return false
		}
	}
	return true
}

func (b *builder) filter(ctx *operators.Context, op *operators.Filter) (engine.Primitive, error) {
	src, err := b.transform(ctx, op.Source)
	if err != nil {
		return nil, err
	}
	return &engine.Filter{
		Input: src, Predicate: op.Evaluable, ASTPredicate: ctx.Sem.And(op.Predicates...), Truncate: op.ResultColumns,
	}, nil
}

func (b *builder) limit(ctx *operators.Context, op *operators.Limit) (engine.Primitive, error) {
	src, err := b.transform(ctx, op.Source)
	if err != nil {
		return nil, err
	}
	cfg := &evalengine.Config{Collation: b.pc.ConnCollation(), Environment: b.pc.Env}
	count, err := evalengine.Translate(op.AST.Rowcount, cfg)
	if err != nil {
		return nil, vterrors.Wrap(err, "unexpected expression in LIMIT")
	}
	limit := &engine.Limit{Input: src, Count: count, RequireCompleteInput: ctx.Sem.Signature.LastInsertIDArg}
	if op.AST.Offset != nil {
		if limit.Offset, err = evalengine.Translate(op.AST.Offset, cfg); err != nil {
			return nil, vterrors.Wrap(err, "unexpected expression in OFFSET")
		}
	}
	return limit, nil
}

func (b *builder) ordering(ctx *operators.Context, op *operators.Ordering) (engine.Primitive, error) {
	src, err := b.transform(ctx, op.Source)
	if err != nil {
		return nil, err
	}
	sort := &engine.MemorySort{Input: src, TruncateColumnCount: op.ResultColumns}
	for i, order := range op.Order {
		typ, _ := ctx.TypeOf(order.Expr)
		sort.OrderBy = append(sort.OrderBy, b.orderBy(op.Offsets[i], op.WeightStrings[i], order.Inner.Direction, typ))
	}
	return sort, nil
}

func (b *builder) orderBy(col, ws int, direction sqlparser.OrderDirection, typ evalengine.Type) evalengine.OrderByParams {
	return evalengine.OrderByParams{
		Col: col, WeightStringCol: ws, Desc: direction == sqlparser.DescOrder, Type: typ, CollationEnv: b.pc.Env.CollationEnv(),
	}
}

func (b *builder) distinct(ctx *operators.Context, op *operators.Distinct) (engine.Primitive, error) {
	src, err := b.transform(ctx, op.Source)
	if err != nil {
		return nil, err
	}
	return &engine.Distinct{Source: src, Truncate: op.ResultColumns, CheckCols: b.checkCols(op.Checks)}, nil
}

func (b *builder) checkCols(checks []operators.DistinctColumn) []engine.CheckCol {
	var cols []engine.CheckCol
	for _, check := range checks {
		cols = append(cols, engine.CheckCol{
			Col: check.Offset, WsCol: check.WeightString, Type: check.Type, CollationEnv: b.pc.Env.CollationEnv(),
		})
	}
	return cols
}

func (b *builder) recurseCTE(ctx *operators.Context, op *operators.RecurseCTE) (engine.Primitive, error) {
	in, err := b.transformAll(ctx, op.Sources)
	if err != nil {
		return nil, err
	}
	return &engine.RecurseCTE{Seed: in[0], Term: in[1], Vars: op.Vars, CheckCols: b.checkCols(op.Checks)}, nil
}

func (b *builder) union(ctx *operators.Context, op *operators.Union) (engine.Primitive, error) {
	in, err := b.transformAll(ctx, op.Sources)
	if err != nil {
		return nil, err
	}
	if len(in) == 1 {
		return in[0], nil
	}
	return engine.NewConcatenate(in, nil), nil
}

func (b *builder) subquery(ctx *operators.Context, op *operators.SubQuery) (engine.Primitive, error) {
	in, err := b.transformAll(ctx, op.Inputs())
	if err != nil {
		return nil, err
	}
	if op.IsCorrelated(ctx) {
		return &engine.SemiJoin{Left: in[0], Right: in[1], Vars: op.Vars}, nil
	}
	return &engine.UncorrelatedSubquery{
		Opcode: op.Kind, SubqueryResult: op.ValueName, HasValues: op.HasValues, Outer: in[0], Subquery: in[1],
	}, nil
}

// vindexColumns are the columns of a vindex that is queried as a table, in the order of engine.VindexFunc.
var vindexColumns = []string{"id", "keyspace_id", "range_start", "range_end", "hex_keyspace_id", "shard"}

func (b *builder) vindexFunc(ctx *operators.Context, op *operators.Vindex) (engine.Primitive, error) {
	single, ok := op.Vindex.(vindexes.SingleColumn)
	if !ok {
		return nil, vterrors.VT12001("multi-column vindexes not supported")
	}
	value, err := evalengine.Translate(op.Value, &evalengine.Config{
		Collation: ctx.Sem.Collation, ResolveType: ctx.TypeOf, Environment: b.pc.Env,
	})
	if err != nil {
		return nil, err
	}
	fn := &engine.VindexFunc{Opcode: engine.VindexMap, Vindex: single, Value: value}
	for _, col := range op.Cols {
		at := slices.IndexFunc(vindexColumns, col.Name.EqualString)
		if at < 0 {
			return nil, vterrors.VT03016(col.Name.String())
		}
		fn.Cols = append(fn.Cols, at)
		fn.Fields = append(fn.Fields, &querypb.Field{
			Name: col.Name.String(), Type: querypb.Type_VARBINARY, Flags: uint32(querypb.MySqlFlag_BINARY_FLAG),
			Charset: uint32(collations.CollationBinaryID),
		})
	}
	return fn, nil
}
