package engine

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

// byLeft is a route whose answer depends on :x.
type byLeft struct {
	Primitive
	answers map[string]Primitive
}

func (b *byLeft) Execute(ctx context.Context, env *Env, vars BindVars, emit Emit) error {
	if p, ok := b.answers[string(vars["x"].Value)]; ok {
		return p.Execute(ctx, env, vars, emit)
	}
	return b.Primitive.Execute(ctx, env, vars, emit)
}

func TestJoins(t *testing.T) {
	none := rows("rid|rv", "int64|varchar")
	right := &byLeft{Primitive: none, answers: map[string]Primitive{
		"1": rows("rid|rv", "int64|varchar", "1|x", "1|y"),
		"3": rows("rid|rv", "int64|varchar", "3|z"),
	}}
	left := rows("id|v", "int64|varchar", "1|a", "2|b", "3|c")
	vars := map[string]int{"x": 0}
	for _, tc := range []struct {
		name string
		p    Primitive
		want []string
	}{
		{"inner", &Join{Left: left, Right: right, Cols: []int{-2, 2}, Vars: vars}, []string{"a x", "a y", "c z"}},
		{"left", &Join{Opcode: opcode.LeftJoin, Left: left, Right: right, Cols: []int{-2, 2}, Vars: vars}, []string{"a x", "a y", "b NULL", "c z"}},
		{"no left rows", &Join{Left: rows("id|v", "int64|varchar"), Right: right, Cols: []int{-2, 2}, Vars: vars}, []string{}},
		{"semi", &SemiJoin{Left: left, Right: right, Vars: vars}, []string{"1 a", "3 c"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env, _ := newFakeEnv()
			got := mustRun(t, env, tc.p, BindVars{"x": sqltypes.NullBindVariable})
			assert.Equal(t, tc.want, rowTexts(got))
			assert.Len(t, got.Fields, 2, "fields come also without rows")
			fields, err := tc.p.GetFields(context.Background(), env, nil)
			require.NoError(t, err)
			assert.Len(t, fields, 2)
		})
	}
}

func TestHashJoins(t *testing.T) {
	env, _ := newFakeEnv()
	left := rows("id|v", "int64|varchar", "1|A", "2|b", "3|null")
	right := rows("v|n", "varchar|int64", "a|10", "B|20", "null|30", "a|40")
	join := &HashJoin{
		Left: left, Right: right, Cols: []int{-1, 2}, LHSKey: 1, RHSKey: 0, Collation: env.Collation,
		ComparisonType: sqltypes.VarChar, CollationEnv: collations.MySQL8(),
	}
	assert.Equal(t, []string{"1 10", "2 20", "1 40"}, rowTexts(mustRun(t, env, join, nil)), "a is A, NULL is nothing")
	join.Opcode = opcode.LeftJoin
	assert.Equal(t, []string{"1 10", "2 20", "1 40", "3 NULL"}, rowTexts(mustRun(t, env, join, nil)))
	env.MemoryRowsMax = 2
	_, err := run(t, env, join, nil)
	require.ErrorContains(t, err, "in-memory row count exceeded allowed limit of 2")
}

func TestLimit(t *testing.T) {
	five := []string{"1", "2", "3", "4", "5"}
	for _, tc := range []struct {
		count, offset string
		want          []string
	}{
		{"2", "", five[:2]}, {"2", "1", five[1:3]}, {"10", "3", five[3:]}, {"2", "9", []string{}}, {"0", "", []string{}},
		{"18446744073709551615", "4", five[4:]},
	} {
		t.Run(tc.count+" from "+tc.offset, func(t *testing.T) {
			env, shards := newFakeEnv()
			shards.pieceRows = 2
			shards.answers["q"] = result("id", "int64", five...)
			limit := &Limit{Count: expr(t, tc.count), Input: NewRoute(opcode.Unsharded, mainKeyspace, "q", "fq")}
			if tc.offset != "" {
				limit.Offset = expr(t, tc.offset)
			}
			got := mustRun(t, env, limit, nil)
			assert.Equal(t, tc.want, rowTexts(got))
			assert.Len(t, got.Fields, 1)
		})
	}
	env, shards := newFakeEnv()
	limit := &Limit{Count: expr(t, ":n"), Offset: expr(t, "3"), Input: NewRoute(opcode.Unsharded, mainKeyspace, "q", "fq")}
	mustRun(t, env, limit, BindVars{"n": sqltypes.Int64BindVariable(4)})
	assert.Equal(t, []string{"main/0 q {__upper_limit=INT64(7) n=INT64(4)}"}, shards.taken())
	_, err := run(t, env, limit, BindVars{"n": sqltypes.Int64BindVariable(-4)})
	require.ErrorContains(t, err, "requested limit is out of range")
}

func TestMemorySort(t *testing.T) {
	env, _ := newFakeEnv()
	var lines []string
	for i := range 5000 {
		lines = append(lines, fmt.Sprintf("%d|%d", (i*7919)%10, i))
	}
	in := rows("k|n", "int64|int64", lines...)
	all := mustRun(t, env, &MemorySort{OrderBy: ascending(0), Input: in}, nil)
	require.Len(t, all.Rows, 5000)
	first := mustRun(t, env, &MemorySort{OrderBy: ascending(0), UpperLimit: expr(t, "700"), Input: in}, nil)
	assert.Equal(t, rowTexts(all)[:700], rowTexts(first), "equal rows keep their order, limited or not")
	env.MemoryRowsMax = 100
	_, err := run(t, env, &MemorySort{OrderBy: ascending(0), Input: in}, nil)
	require.Error(t, err)
}

func TestDistinct(t *testing.T) {
	env, _ := newFakeEnv()
	text := evalengine.NewType(sqltypes.VarChar, env.Collation)
	distinct := &Distinct{
		Source:    rows("v|n", "varchar|int64", "a|1", "A|1", "b|1", "null|1", "null|1", "a|2"),
		CheckCols: []CheckCol{{Col: 0, Type: text, CollationEnv: collations.MySQL8()}, {Col: 1, CollationEnv: collations.MySQL8()}},
	}
	assert.Equal(t, []string{"a 1", "b 1", "NULL 1", "a 2"}, rowTexts(mustRun(t, env, distinct, nil)))
	weight := 1
	unknown := evalengine.NewType(sqltypes.VarChar, collations.Unknown)
	distinct = &Distinct{
		Source:    rows("v|w", "varchar|varbinary", "a|x", "A|x", "b|y"),
		CheckCols: []CheckCol{{Col: 0, WsCol: &weight, Type: unknown, CollationEnv: collations.MySQL8()}}, Truncate: 1,
	}
	assert.Equal(t, []string{"a", "b"}, rowTexts(mustRun(t, env, distinct, nil)), "weight strings where there is no collation")
}

func TestFilterAndProjections(t *testing.T) {
	env, _ := newFakeEnv()
	in := rows("n|v", "int64|int64", "1|10", "2|null", "3|30")
	filter := &Filter{Predicate: expr(t, "b > :min"), Input: in, Truncate: 1}
	vars := BindVars{"min": sqltypes.Int64BindVariable(15)}
	assert.Equal(t, []string{"3"}, rowTexts(mustRun(t, env, filter, vars)))
	projection := &Projection{Cols: []string{"sum", "x"}, Exprs: exprs(t, "a + b", "'k'"), Input: in}
	got := mustRun(t, env, projection, nil)
	assert.Equal(t, []string{"11 k", "NULL k", "33 k"}, rowTexts(got))
	assert.Equal(t, "sum", got.Fields[0].Name)
	assert.Equal(t, sqltypes.Int64, got.Fields[0].Type)
	simple := &SimpleProjection{Cols: []int{1, 0, 1}, ColNames: []string{"", "renamed", ""}, Input: in}
	got = mustRun(t, env, simple, nil)
	assert.Equal(t, []string{"10 1 10", "NULL 2 NULL", "30 3 30"}, rowTexts(got))
	assert.Equal(t, "renamed", got.Fields[1].Name)
	renamed := NewRenameField([]string{"other"}, []int{1}, in)
	assert.Equal(t, "other", mustRun(t, env, renamed, nil).Fields[1].Name)
}

func TestConcatenateBringsTypesTogether(t *testing.T) {
	env, _ := newFakeEnv()
	union := NewConcatenate([]Primitive{rows("a|w", "int64|varbinary", "1|x"), rows("b|w", "varchar|varbinary", "t|y"), rows("c|w", "int64|varbinary")}, []int{1})
	got := mustRun(t, env, union, nil)
	assert.Equal(t, []string{"1 x", "t y"}, rowTexts(got))
	assert.Equal(t, "a", got.Fields[0].Name)
	assert.True(t, sqltypes.IsText(got.Rows[0][0].Type()), "the number became text")
	_, err := run(t, env, NewConcatenate([]Primitive{rows("a", "int64"), rows("a|b", "int64|int64")}, nil), nil)
	require.ErrorContains(t, err, "different number of columns")
}

func TestUncorrelatedSubqueries(t *testing.T) {
	one, two, none := rows("v", "int64", "7"), rows("v", "int64", "7", "8"), rows("v", "int64")
	for _, tc := range []struct {
		code opcode.PulloutOpcode
		sub  Primitive
		want string
	}{
		{opcode.PulloutValue, one, "main/0 q {sq=INT64(7)}"},
		{opcode.PulloutValue, none, "main/0 q {sq=NULL}"},
		{opcode.PulloutIn, two, "main/0 q {has=INT64(1) sq=(7,8)}"},
		{opcode.PulloutNotIn, none, "main/0 q {has=INT64(0) sq=(0)}"},
		{opcode.PulloutExists, two, "main/0 q {has=INT64(1)}"},
		{opcode.PulloutExists, none, "main/0 q {has=INT64(0)}"},
	} {
		t.Run(tc.code.String()+" "+tc.want, func(t *testing.T) {
			env, shards := newFakeEnv()
			us := &UncorrelatedSubquery{Opcode: tc.code, Subquery: tc.sub, Outer: NewRoute(opcode.Unsharded, mainKeyspace, "q", "fq")}
			if tc.code != opcode.PulloutExists {
				us.SubqueryResult = "sq"
			}
			if tc.code != opcode.PulloutValue {
				us.HasValues = "has"
			}
			mustRun(t, env, us, nil)
			assert.Equal(t, []string{tc.want}, shards.taken())
		})
	}
	env, _ := newFakeEnv()
	_, err := run(t, env, &UncorrelatedSubquery{Subquery: two, SubqueryResult: "sq", Outer: one}, nil)
	require.ErrorContains(t, err, "subquery returned more than one row")
}

func TestRecursion(t *testing.T) {
	env, _ := newFakeEnv()
	next := &Projection{Cols: []string{"n"}, Exprs: exprs(t, ":x + 1"), Input: &SingleRow{}}
	below := &Filter{Predicate: expr(t, "a < 5"), Input: next}
	cte := &RecurseCTE{Seed: rows("n", "int64", "1"), Term: below, Vars: map[string]int{"x": 0}}
	assert.Equal(t, []string{"1", "2", "3", "4"}, rowTexts(mustRun(t, env, cte, nil)))
	_, err := run(t, env, &RecurseCTE{Seed: rows("n", "int64", "1"), Term: next, Vars: map[string]int{"x": 0}}, nil)
	require.ErrorContains(t, err, "1000 iterations")
}

func TestFoundRowsAreCounted(t *testing.T) {
	env, _ := newFakeEnv()
	found := &SQLCalcFoundRows{LimitPrimitive: rows("v", "int64", "1"), CountPrimitive: rows("n", "int64", "99")}
	assert.Equal(t, []string{"1"}, rowTexts(mustRun(t, env, found, nil)))
	assert.Equal(t, uint64(99), env.Session.(*fakeSession).foundRows)
}

func TestVindexFunction(t *testing.T) {
	env, _ := newFakeEnv()
	vf := &VindexFunc{
		Opcode: VindexMap, Vindex: hashVindex(t), Value: expr(t, "(1, 4, null)"), Cols: []int{0, 4, 5},
		Fields: result("id|hex_keyspace_id|shard", "varbinary|varbinary|varbinary").Fields,
	}
	assert.Equal(t, []string{"1 166b40b44aba4bd6 -80", "4 d2fd8867d50d2dfe 80-"}, rowTexts(mustRun(t, env, vf, nil)))
}
