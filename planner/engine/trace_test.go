package engine

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

func TestTraceCountsCallsRowsAndShards(t *testing.T) {
	env, shards := newFakeEnv()
	env.Trace = NewTrace()
	shards.answers["user/-80 q"] = result("id", "int64", "1", "2")
	shards.answers["user/80- q"] = result("id", "int64", "3")
	shards.answers["r"] = result("v", "int64", "7")
	join := &Join{
		Left: NewRoute(opcode.Scatter, userKeyspace, "q", "fq"), Right: NewRoute(opcode.Unsharded, mainKeyspace, "r", "fr"),
		Cols: []int{-1, 1},
	}
	got, err := Collect(t.Context(), env, join, nil)
	require.NoError(t, err)
	assert.Len(t, got.Rows, 3)
	text, err := json.Marshal(env.Trace.Describe(join))
	require.NoError(t, err)
	assert.JSONEq(t, `{"OperatorType":"Join","Variant":"Join","JoinColumnIndexes":"L:0,R:0",
		"NoOfCalls":1,"AvgNumberOfRows":3,"MedianNumberOfRows":3,"Inputs":[
		{"OperatorType":"Route","Variant":"Scatter","Keyspace":{"Name":"user","Sharded":true},"Query":"q","FieldQuery":"fq",
		"NoOfCalls":1,"AvgNumberOfRows":3,"MedianNumberOfRows":3,"ShardsQueried":2},
		{"OperatorType":"Route","Variant":"Unsharded","Keyspace":{"Name":"main","Sharded":false},"Query":"r","FieldQuery":"fr",
		"NoOfCalls":3,"AvgNumberOfRows":1,"MedianNumberOfRows":1,"ShardsQueried":3}]}`, string(text))
}

func TestMedian(t *testing.T) {
	assert.InDelta(t, 2.5, median([]int{4, 1, 3, 2}), 0)
	assert.InDelta(t, 3, median([]int{4, 1, 3}), 0)
}
