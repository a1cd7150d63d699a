package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

func param(code opcode.AggregateOpcode, col int) *AggregateParams {
	return NewAggregateParam(code, col, nil, "", collations.MySQL8())
}

// partial is an aggregate over what shards counted or added up.
func partial(code, original opcode.AggregateOpcode, col int) *AggregateParams {
	p := param(code, col)
	p.OrigOpcode = original
	return p
}

func TestScalarAggregates(t *testing.T) {
	concat := param(opcode.AggregateGroupConcat, 5)
	concat.Func = &sqlparser.GroupConcatExpr{Separator: "; "}
	aggregates := []*AggregateParams{
		partial(opcode.AggregateSum, opcode.AggregateCountStar, 0), partial(opcode.AggregateSum, opcode.AggregateSum, 1),
		param(opcode.AggregateMin, 2), param(opcode.AggregateMax, 3), param(opcode.AggregateAnyValue, 4), concat,
	}
	names, types := "n|s|lo|hi|any|list", "int64|decimal|int64|varchar|varchar|varchar"
	aggregates[3].Type = evalengine.NewType(sqltypes.VarChar, collations.MySQL8().DefaultConnectionCharset())
	for _, tc := range []struct {
		name string
		in   Primitive
		want string
	}{
		{"shards' parts", rows(names, types, "2|1.50|4|a|x|p", "3|2.25|-1|B|y|q"), "5 3.75 -1 B x p; q"},
		{"NULL parts", rows(names, types, "0|null|null|null|null|null", "1|2.25|3|c|z|q"), "1 2.25 3 c NULL q"},
		{"only NULL", rows(names, types, "0|null|null|null|null|null"), "0 NULL NULL NULL NULL NULL"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env, _ := newFakeEnv()
			got := mustRun(t, env, &ScalarAggregate{Aggregates: aggregates, Input: tc.in}, nil)
			assert.Equal(t, []string{tc.want}, rowTexts(got))
			assert.Equal(t, sqltypes.Int64, got.Fields[0].Type)
			assert.Equal(t, sqltypes.Decimal, got.Fields[1].Type)
		})
	}
}

// MIN and MAX of an ENUM compare texts, not places in the declaration.
func TestExtremesOfEnumsAreTexts(t *testing.T) {
	members := evalengine.EnumSetValues{"'zeta'", "'alpha'", "'Mid'"}
	lo, hi := param(opcode.AggregateMin, 0), param(opcode.AggregateMax, 1)
	lo.Type = evalengine.NewTypeEx(sqltypes.Enum, collations.MySQL8().DefaultConnectionCharset(), true, 0, 0, &members)
	hi.Type = lo.Type
	env, _ := newFakeEnv()
	in := rows("lo|hi", "enum|enum", "zeta|zeta", "null|null", "alpha|alpha", "Mid|Mid")
	got := mustRun(t, env, &ScalarAggregate{Aggregates: []*AggregateParams{lo, hi}, Input: in}, nil)
	assert.Equal(t, []string{"alpha zeta"}, rowTexts(got))
	assert.Equal(t, sqltypes.Enum, got.Rows[0][0].Type())
}

func TestAScalarAggregateOfNothingIsARow(t *testing.T) {
	env, _ := newFakeEnv()
	agg := &ScalarAggregate{Input: rows("n|s", "int64|int64"), Aggregates: []*AggregateParams{
		param(opcode.AggregateCountStar, 0), param(opcode.AggregateSum, 1),
	}}
	assert.Equal(t, []string{"0 NULL"}, rowTexts(mustRun(t, env, agg, nil)))
}

func TestOrderedAggregate(t *testing.T) {
	env, _ := newFakeEnv()
	text := evalengine.NewType(sqltypes.VarChar, env.Collation)
	agg := &OrderedAggregate{
		Aggregates:  []*AggregateParams{NewAggregateParam(opcode.AggregateSum, 1, nil, "total", collations.MySQL8())},
		GroupByKeys: []*GroupByParams{{KeyCol: 0, WeightStringCol: -1, Type: text, CollationEnv: collations.MySQL8()}},
		Input:       rows("k|n|w", "varchar|int64|varbinary", "null|1|w", "null|2|w", "a|3|w", "A|4|w", "b|5|w"), TruncateColumnCount: 2,
	}
	got := mustRun(t, env, agg, nil)
	assert.Equal(t, []string{"NULL 3", "a 7", "b 5"}, rowTexts(got), "NULLs are one group, and so are a and A")
	assert.Equal(t, "total", got.Fields[1].Name)
	agg.Aggregates = nil
	assert.Equal(t, []string{"NULL 1", "a 3", "b 5"}, rowTexts(mustRun(t, env, agg, nil)), "each group's first row")
	agg.Input = rows("k|n|w", "varchar|int64|varbinary")
	empty := mustRun(t, env, agg, nil)
	assert.Empty(t, empty.Rows)
	assert.Len(t, empty.Fields, 2)
}

func TestDistinctAggregatesCountRunsOnce(t *testing.T) {
	env, _ := newFakeEnv()
	text := evalengine.NewType(sqltypes.VarChar, env.Collation)
	count, sum := param(opcode.AggregateCountDistinct, 1), param(opcode.AggregateSumDistinct, 2)
	count.Type = text
	agg := &OrderedAggregate{
		Aggregates:  []*AggregateParams{count, sum},
		GroupByKeys: []*GroupByParams{{KeyCol: 0, WeightStringCol: -1, CollationEnv: collations.MySQL8()}},
		Input:       rows("g|v|n", "int64|varchar|int64", "1|a|5", "1|A|5", "1|b|6", "1|null|null", "2|a|5"),
	}
	assert.Equal(t, []string{"1 2 11", "2 1 5"}, rowTexts(mustRun(t, env, agg, nil)))
}

func TestGroupConcatIsCutBetweenCharacters(t *testing.T) {
	env, _ := newFakeEnv()
	env.Session = &fakeSession{variables: map[string]string{"group_concat_max_len": "4"}}
	agg := &ScalarAggregate{Aggregates: []*AggregateParams{param(opcode.AggregateGroupConcat, 0)}, Input: rows("v", "varchar", "ab", "é")}
	assert.Equal(t, []string{"ab,"}, rowTexts(mustRun(t, env, agg, nil)))
}

func TestAggregatesThatCanNotBeAddedUpAreRefused(t *testing.T) {
	env, _ := newFakeEnv()
	agg := &ScalarAggregate{Aggregates: []*AggregateParams{param(opcode.AggregateUDF, 0)}, Input: rows("v", "int64", "1")}
	_, err := run(t, env, agg, nil)
	require.ErrorContains(t, err, "VT12001")
}
