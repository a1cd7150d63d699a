package planner

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/operators"
)

// aggregator makes a scalar aggregation, or one over sorted groups.
func (b *builder) aggregator(ctx *operators.Context, op *operators.Aggregator) (engine.Primitive, error) {
	if op.Rollup {
		return nil, vterrors.VT12001("GROUP BY WITH ROLLUP not supported for sharded queries")
	}
	src, err := b.transform(ctx, op.Source)
	if err != nil {
		return nil, err
	}
	var aggregates []*engine.AggregateParams
	for _, aggr := range op.Aggregations {
		param, err := b.aggregate(ctx, aggr)
		if err != nil {
			return nil, err
		}
		aggregates = append(aggregates, param)
	}
	if len(op.Grouping) == 0 {
		return &engine.ScalarAggregate{Aggregates: aggregates, TruncateColumnCount: op.ResultColumns, Input: src}, nil
	}
	ordered := &engine.OrderedAggregate{Aggregates: aggregates, TruncateColumnCount: op.ResultColumns, Input: src}
	for _, g := range op.Grouping {
		typ, _ := ctx.TypeOf(g.Inner)
		ordered.GroupByKeys = append(ordered.GroupByKeys, &engine.GroupByParams{
			KeyCol: g.Offset, WeightStringCol: g.WeightString, Expr: g.Inner, Type: typ, CollationEnv: b.pc.Env.CollationEnv(),
		})
	}
	return ordered, nil
}

func (b *builder) aggregate(ctx *operators.Context, aggr operators.Aggr) (*engine.AggregateParams, error) {
	env := b.pc.Env.CollationEnv()
	switch aggr.Opcode {
	case opcode.AggregateUnassigned:
		return nil, vterrors.VT12001("in scatter query: aggregation function '" + sqlparser.String(aggr.Original) + "'")
	case opcode.AggregateUDF:
		return nil, vterrors.VT12001("Aggregate UDF '" + sqlparser.String(aggr.Original.Expr) + "' must be pushed down to MySQL")
	case opcode.AggregateConstant:
		expr, err := evalengine.Translate(aggr.Original.Expr, &evalengine.Config{
			Collation: b.pc.ConnCollation(), Environment: b.pc.Env,
			ResolveColumn: func(*sqlparser.ColName) (int, error) { return aggr.Offset, nil },
		})
		if err != nil {
			return nil, err
		}
		return engine.NewAggregateParam(aggr.Opcode, aggr.Offset, expr, aggr.Alias, env), nil
	}
	param := engine.NewAggregateParam(aggr.Opcode, aggr.Offset, nil, aggr.Alias, env)
	if concat, ok := aggr.Func.(*sqlparser.GroupConcatExpr); ok {
		if len(concat.OrderBy) > 0 || concat.Distinct || concat.Limit != nil {
			// Lists that shards ordered cannot be put together by the gateway; Vitess does and gets the order wrong.
			return nil, vterrors.VT12001("GROUP_CONCAT with DISTINCT, ORDER BY or LIMIT over shards")
		}
		if concat.Separator == "" {
			concat.Separator = sqlparser.GroupConcatDefaultSeparator
		}
	}
	param.Func, param.Original, param.OrigOpcode = aggr.Func, aggr.Original, aggr.Asked
	param.WCol, param.Type = aggr.WeightString, aggr.Type(ctx)
	return param, nil
}
