package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes/key"
)

// Under vindex hash, ids 1, 2 and 3 live on -80 and 4, 5 and 6: 80-, 80-, -80.

func TestRouteFindsShards(t *testing.T) {
	one, list, null := exprs(t, "4"), exprs(t, "(1, 4, 2, 4)"), exprs(t, "null")
	for _, tc := range []struct {
		name   string
		code   opcode.Opcode
		values []evalengine.Expr
		dest   key.Destination
		want   []string
	}{
		{name: "EqualUnique", code: opcode.EqualUnique, values: one, want: []string{"user/80- q"}},
		{name: "NULL reaches no shard but tells fields", code: opcode.EqualUnique, values: null,
			want: []string{"user/-80 fq {__upper_limit=INT64(0) __vals=()}"}},
		{name: "IN gives each shard its own values", code: opcode.IN, values: list,
			want: []string{"user/-80 q {__vals=(1,2)}", "user/80- q {__vals=(4,4)}"}},
		{name: "MultiEqual leaves the query alone", code: opcode.MultiEqual, values: list, want: []string{"user/-80 q", "user/80- q"}},
		{name: "Scatter", code: opcode.Scatter, want: []string{"user/-80 q", "user/80- q"}},
		{name: "Reference", code: opcode.Reference, want: []string{"user/-80 q"}},
		{name: "None", code: opcode.None, want: []string{"user/-80 fq {__upper_limit=INT64(0) __vals=()}"}},
		{name: "ByDestination", code: opcode.ByDestination, dest: key.DestinationShard("80-"), want: []string{"user/80- q"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env, shards := newFakeEnv()
			route := NewRoute(tc.code, userKeyspace, "q", "fq")
			route.Values, route.TargetDestination = tc.values, tc.dest
			if tc.values != nil {
				route.Vindex = hashVindex(t)
			}
			shards.answers["q"] = result("id", "int64")
			shards.answers["fq"] = result("id", "int64")
			got := mustRun(t, env, route, nil)
			require.Len(t, got.Fields, 1)
			log := shards.taken()
			slices.Sort(log)
			assert.Equal(t, tc.want, log)
		})
	}
}

func TestRouteToSeveralShardsOfAnUnshardedKeyspaceIsRefused(t *testing.T) {
	env, _ := newFakeEnv()
	_, err := run(t, env, NewRoute(opcode.Unsharded, userKeyspace, "q", "fq"), nil)
	require.ErrorContains(t, err, "Keyspace 'user' does not have exactly one shard")
}

func TestRouteAsksAShardWhereNoRowsMeanARow(t *testing.T) {
	env, shards := newFakeEnv()
	route := NewRoute(opcode.EqualUnique, userKeyspace, "select count(*)", "fq")
	route.Vindex, route.Values, route.NoRoutesSpecialHandling = hashVindex(t), exprs(t, "null"), true
	shards.answers["select count(*)"] = result("n", "int64", "0")
	assert.Equal(t, []string{"0"}, rowTexts(mustRun(t, env, route, nil)))
}

func TestScatterEmitsInShardOrder(t *testing.T) {
	env, shards := newFakeEnv()
	shards.pieceRows = 2
	shards.answers["user/-80 q"] = result("id", "int64", "1", "2", "3")
	shards.answers["user/80- q"] = result("id", "int64", "4", "5")
	got := mustRun(t, env, NewRoute(opcode.Scatter, userKeyspace, "q", "fq"), nil)
	assert.Equal(t, []string{"1", "2", "3", "4", "5"}, rowTexts(got))
}

func TestScatterMergesAndDropsHelperColumns(t *testing.T) {
	env, shards := newFakeEnv()
	shards.pieceRows = 1
	shards.answers["user/-80 q"] = result("v|w", "varchar|int64", "a|1", "b|2", "c|5")
	shards.answers["user/80- q"] = result("v|w", "varchar|int64", "x|2", "y|3")
	route := NewRoute(opcode.Scatter, userKeyspace, "q", "fq")
	route.OrderBy, route.TruncateColumnCount = ascending(1), 1
	got := mustRun(t, env, route, nil)
	assert.Equal(t, []string{"a", "b", "x", "y", "c"}, rowTexts(got), "b before x: equal rows keep shard order")
	assert.Len(t, got.Fields, 1)
}

func TestRouteErrors(t *testing.T) {
	env, shards := newFakeEnv()
	broken := errors.New("broken")
	shards.errs["user/80- q"] = broken
	shards.answers["user/-80 q"] = result("id", "int64", "1")
	route := NewRoute(opcode.Scatter, userKeyspace, "q", "fq")
	_, err := run(t, env, route, nil)
	require.ErrorIs(t, err, broken)
	route.OrderBy = ascending(0)
	_, err = run(t, env, route, nil)
	require.ErrorIs(t, err, broken)
	route.ScatterErrorsAsWarnings = true
	assert.Equal(t, []string{"1"}, rowTexts(mustRun(t, env, route, nil)))
}

func TestEmitErrorStopsAScatter(t *testing.T) {
	env, shards := newFakeEnv()
	shards.pieceRows = 1
	for _, shard := range []string{"-80", "80-"} {
		shards.answers["user/"+shard+" q"] = result("id", "int64", strings.Split(strings.Repeat("7 ", 50)[:99], " ")...)
	}
	enough := errors.New("enough")
	err := NewRoute(opcode.Scatter, userKeyspace, "q", "fq").Execute(context.Background(), env, nil, func(piece *sqltypes.Result) error {
		if len(piece.Rows) > 0 {
			return enough
		}
		return nil
	})
	require.ErrorIs(t, err, enough)
}

// TestMergeEqualsSortOfTheUnion merges random sorted streams and compares with a stable sort of all rows in stream order.
func TestMergeEqualsSortOfTheUnion(t *testing.T) {
	const seed = 42
	random := rand.New(rand.NewSource(seed))
	for round := range 200 {
		var streams [][]sqltypes.Row
		var all []sqltypes.Row
		for range 1 + random.Intn(7) {
			var stream []sqltypes.Row
			for range random.Intn(40) {
				stream = append(stream, sqltypes.Row{sqltypes.NewInt64(int64(random.Intn(10))), sqltypes.NewInt64(int64(len(all) + len(stream)))})
			}
			slices.SortStableFunc(stream, ascending(0).Compare)
			streams = append(streams, stream)
			all = append(all, stream...)
		}
		slices.SortStableFunc(all, ascending(0).Compare)
		fields := result("k|n", "int64|int64").Fields
		next := func(i int) (*sqltypes.Result, error) {
			if len(streams[i]) == 0 {
				return nil, nil
			}
			n := min(1+random.Intn(5), len(streams[i]))
			piece := &sqltypes.Result{Fields: fields, Rows: streams[i][:n]}
			streams[i] = streams[i][n:]
			return piece, nil
		}
		merged := &sqltypes.Result{}
		require.NoError(t, merge(len(streams), ascending(0), next, func(piece *sqltypes.Result) error {
			appendPiece(merged, piece)
			return nil
		}))
		want := rowTexts(&sqltypes.Result{Rows: all})
		require.Equal(t, want, rowTexts(merged), fmt.Sprintf("seed %d round %d", seed, round))
	}
}

func TestMultiColumnRouting(t *testing.T) {
	assert.Equal(t, [][]sqltypes.Value{}, combinations([][]sqltypes.Value{{}}))
	one, two, three := sqltypes.NewInt64(1), sqltypes.NewInt64(2), sqltypes.NewInt64(3)
	pairs := combinations([][]sqltypes.Value{{one, two}, {one, three}})
	assert.Equal(t, []string{"1 1", "1 3", "2 1", "2 3"}, rowTexts(&sqltypes.Result{Rows: pairs}))
	zipped, err := zip([][]sqltypes.Value{{one, two}, {two, three}})
	require.NoError(t, err)
	assert.Equal(t, []string{"1 2", "2 3"}, rowTexts(&sqltypes.Result{Rows: zipped}))
	_, err = zip([][]sqltypes.Value{{one}, {one, two}})
	require.Error(t, err)
	vars := columnLists(nil, pairs, []int{0, 1}, []bool{false, true})
	assert.Equal(t, " {__vals0=(1)}", printBindVars(vars))
}

func TestSystemTablesAreAskedWhereTheirSchemaIs(t *testing.T) {
	env, shards := newFakeEnv()
	shards.answers["q"] = result("n", "int64", "1")
	route := NewRoute(opcode.DBA, mainKeyspace, "q", "fq")
	mustRun(t, env, route, nil)
	route.SysTableTableSchema = exprs(t, "'user'")
	mustRun(t, env, route, nil)
	route.SysTableTableSchema = exprs(t, "'information_schema'")
	mustRun(t, env, route, nil)
	assert.Equal(t, []string{
		"main/0 q", `user/-80 q {__vtschemaname=VARCHAR("user")}`, `main/0 q {__vtschemaname=VARCHAR("information_schema")}`,
	}, shards.taken())
	route.SysTableTableSchema = exprs(t, "'user'", "'main'")
	_, err := run(t, env, route, nil)
	require.ErrorContains(t, err, "two different database")
}
