package engine

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

// manyRows is a result of rows made by number.
func manyRows(fields, types string, count int, row func(i int) string) *sqltypes.Result {
	texts := make([]string, count)
	for i := range texts {
		texts[i] = row(i)
	}
	return sqltypes.MakeTestResult(sqltypes.MakeTestFields(fields, types), texts...)
}

// batchOf is a right side that is asked for lists by key.
func batchOf(key evalengine.Type) *Batch {
	return &Batch{Right: NewRoute(opcode.Scatter, userKeyspace, "many", "no many"), Var: "x", Key: key}
}

func TestJoinBatches(t *testing.T) {
	number := evalengine.NewType(sqltypes.Int64, collations.CollationBinaryID)
	text := evalengine.NewType(sqltypes.VarChar, collations.MySQL8().LookupByName("utf8mb4_0900_ai_ci"))
	right := sqltypes.MakeTestResult(sqltypes.MakeTestFields("rv|key", "varchar|int64"), "x|1", "z|3", "y|1")
	texts := sqltypes.MakeTestResult(sqltypes.MakeTestFields("rv|key", "varchar|varchar"), "x|Abc", "y|é")
	for _, tc := range []struct {
		name   string
		join   Join
		answer *sqltypes.Result
		want   []string
		asked  string
	}{
		{"inner, in the order of the left rows", Join{Left: rows("id|v", "int64|varchar", "3|c", "1|a", "1|b", "2|d"), Batch: batchOf(number)},
			right, []string{"c z", "a x", "a y", "b x", "b y"}, "user/-80 many {x=(3,1,2)}"},
		{"left rows without a partner", Join{Opcode: opcode.LeftJoin, Left: rows("id|v", "int64|varchar", "2|b", "null|n", "3|c"), Batch: batchOf(number)},
			right, []string{"b NULL", "n NULL", "c z"}, "user/-80 many {x=(2,3)}"},
		{"texts of one collation", Join{Left: rows("id|v", "varchar|varchar", "abc|a", "E|b", "ABC|c"), Batch: batchOf(text)},
			texts, []string{"a x", "b y", "c x"}, "user/-80 many {x=(abc,E,ABC)}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env, shards := newFakeEnv()
			shards.answers = map[string]*sqltypes.Result{"user/-80 many": tc.answer, "user/80- many": {Fields: tc.answer.Fields}}
			join := tc.join
			join.Right, join.Cols, join.Vars = NewRoute(opcode.Scatter, userKeyspace, "one", "no"), []int{-2, 1}, map[string]int{"x": 0}
			assert.Equal(t, tc.want, rowTexts(mustRun(t, env, &join, nil)))
			assert.Contains(t, shards.taken(), tc.asked)
		})
	}
}

// A thousand left rows make a few rounds, not a thousand.
func TestJoinOfManyRowsMakesFewRounds(t *testing.T) {
	env, shards := newFakeEnv()
	shards.pieceRows = 100
	shards.answers = map[string]*sqltypes.Result{
		"main/0 left":   manyRows("id|v", "int64|varchar", 1000, func(i int) string { return fmt.Sprintf("%d|v%d", i, i) }),
		"user/-80 many": manyRows("rv|key", "varchar|int64", 1000, func(i int) string { return fmt.Sprintf("r%d|%d", i, i) }),
		"user/80- many": {Fields: sqltypes.MakeTestFields("rv|key", "varchar|int64")},
	}
	join := &Join{
		Left: NewRoute(opcode.Unsharded, mainKeyspace, "left", "no left"), Right: NewRoute(opcode.Scatter, userKeyspace, "one", "no"),
		Cols: []int{-2, 1}, Vars: map[string]int{"x": 0}, Batch: batchOf(evalengine.NewType(sqltypes.Int64, collations.CollationBinaryID)),
	}
	got := rowTexts(mustRun(t, env, join, nil))
	assert.Len(t, got, 1000)
	assert.Equal(t, "v999 r999", got[999])
	assert.Len(t, shards.taken(), 1+2*1000/batchRowsMax)
}

// A right side of too many rows for memory is asked row by row.
func TestJoinGivesBatchesUp(t *testing.T) {
	env, shards := newFakeEnv()
	shards.answers = map[string]*sqltypes.Result{
		"user/-80 many": manyRows("rv|key", "varchar|int64", batchRightMax+1, func(int) string { return "r|1" }),
		"user/-80 one":  sqltypes.MakeTestResult(sqltypes.MakeTestFields("rv", "varchar"), "x"),
		"user/80- one":  {Fields: sqltypes.MakeTestFields("rv", "varchar")},
	}
	join := &Join{
		Left: rows("id|v", "int64|varchar", "1|a", "2|b"), Right: NewRoute(opcode.Scatter, userKeyspace, "one", "no"),
		Cols: []int{-2, 1}, Vars: map[string]int{"x": 0}, Batch: batchOf(evalengine.NewType(sqltypes.Int64, collations.CollationBinaryID)),
	}
	assert.Equal(t, []string{"a x", "b x"}, rowTexts(mustRun(t, env, join, nil)))
}
