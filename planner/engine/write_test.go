package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

func hashColumn(t testing.TB) []*vindexes.ColumnVindex {
	t.Helper()
	return []*vindexes.ColumnVindex{vindexes.NewColumnVindex("hash", hashVindex(t), false, []sqlparser.IdentifierCI{sqlparser.NewIdentifierCI("id")})}
}

// shardedInsert inserts rows (id, v) with ids from the bind variables a, b, c.
func shardedInsert(t testing.TB, ids ...string) *Insert {
	t.Helper()
	ins := &Insert{InsertCommon: InsertCommon{
		Opcode: opcode.InsertSharded, Keyspace: userKeyspace, ColVindexes: hashColumn(t), Prefix: "insert into u(id, v) values ",
	}, Query: "whole"}
	ins.VindexValues = append(ins.VindexValues, nil)
	ins.VindexValues[0] = append(ins.VindexValues[0], exprs(t, ids...))
	for i := range ids {
		ins.Mid = append(ins.Mid, sqlparser.ValTuple{sqlparser.NewArgument(opcode.InsertVar(sqlparser.NewIdentifierCI("id"), i)), sqlparser.NewIntLiteral("9")})
	}
	return ins
}

func TestInsertSplitsRowsByShard(t *testing.T) {
	env, shards := newFakeEnv()
	shards.answers["user/-80 insert into u(id, v) values (:_id_0, 9), (:_id_2, 9)"] = &sqltypes.Result{RowsAffected: 2, Info: "Records: 2  Duplicates: 0  Warnings: 0"}
	shards.answers["user/80- insert into u(id, v) values (:_id_1, 9)"] = &sqltypes.Result{RowsAffected: 1}
	got := mustRun(t, env, shardedInsert(t, "1", "4", "2"), nil)
	assert.Equal(t, uint64(3), got.RowsAffected)
	assert.Equal(t, "Records: 3  Duplicates: 0  Warnings: 0", got.Info, "one shard's lone row counts too")
	assert.Equal(t, []string{
		"user/-80 insert into u(id, v) values (:_id_0, 9), (:_id_2, 9) {_id_0=INT64(1) _id_1=INT64(4) _id_2=INT64(2)}",
		"user/80- insert into u(id, v) values (:_id_1, 9) {_id_0=INT64(1) _id_1=INT64(4) _id_2=INT64(2)}",
	}, shards.taken())
	assert.True(t, shards.opts[0].Write)
	assert.False(t, shards.opts[0].Autocommit, "two shards need a transaction")
	mustRun(t, env, shardedInsert(t, "1"), nil)
	assert.True(t, shards.opts[2].Autocommit, "one shard commits by itself")
	mustRun(t, env.withMoreWrites(), shardedInsert(t, "1"), nil)
	assert.False(t, shards.opts[3].Autocommit, "unless other writes follow")
}

func TestInsertWithoutAPlaceIsRefused(t *testing.T) {
	env, _ := newFakeEnv()
	_, err := run(t, env, shardedInsert(t, "null"), nil)
	require.ErrorContains(t, err, "VT09023: could not map [NULL] to a keyspace id")
	_, err = run(t, env, &Insert{InsertCommon: InsertCommon{Opcode: opcode.InsertSharded, Keyspace: userKeyspace}}, nil)
	require.ErrorContains(t, err, "VT09001")
	_, err = run(t, env, &Insert{InsertCommon: InsertCommon{Keyspace: userKeyspace}}, nil)
	require.ErrorContains(t, err, "VT09022")
}

func TestInsertTakesSequenceValues(t *testing.T) {
	env, shards := newFakeEnv()
	shards.answers["next"] = result("nextval", "int64", "50")
	ins := shardedInsert(t, ":__seq0", ":__seq1", ":__seq2", ":__seq3")
	ins.Generate = &Generate{Keyspace: mainKeyspace, Query: "next", Values: expr(t, "(null, 7, 0, null)")}
	got := mustRun(t, env, ins, nil)
	assert.Equal(t, uint64(50), got.InsertID)
	log := shards.taken()
	assert.Equal(t, "main/0 next {n=INT64(3)}", log[0], "NULL and 0 ask for a value")
	assert.Contains(t, log[1], "_id_0=INT64(50) _id_1=INT64(7) _id_2=INT64(51) _id_3=INT64(52)")
	assert.True(t, shards.opts[0].Standalone)
	env.Facts = fakeFacts{VCursor: env.Facts, mode: "NO_AUTO_VALUE_ON_ZERO"}
	mustRun(t, env, ins, nil)
	assert.Equal(t, "main/0 next {n=INT64(2)}", shards.taken()[0])
}

func TestInsertSelect(t *testing.T) {
	for _, whole := range []bool{false, true} {
		env, shards := newFakeEnv()
		ins := &InsertSelect{
			InsertCommon: InsertCommon{
				Opcode: opcode.InsertSharded, Keyspace: userKeyspace, ColVindexes: hashColumn(t), Prefix: "insert into u(v, id) ",
				ForceNonStreaming: whole,
			},
			Input: rows("v|id", "varchar|int64", "a|1", "b|4"), VindexValueOffset: [][]int{{1}},
		}
		mustRun(t, env, ins, nil)
		assert.Equal(t, []string{
			`user/-80 insert into u(v, id) values (:_c0_0, :_c0_1) {_c0_0=VARCHAR("a") _c0_1=INT64(1)}`,
			`user/80- insert into u(v, id) values (:_c1_0, :_c1_1) {_c1_0=VARCHAR("b") _c1_1=INT64(4)}`,
		}, shards.taken())
		ins.Generate = &Generate{Keyspace: mainKeyspace, Query: "next", Offset: 1}
		ins.Input = rows("v", "varchar", "a", "b")
		shards.answers["next"] = result("nextval", "int64", "4")
		assert.Equal(t, uint64(4), mustRun(t, env, ins, nil).InsertID, "the column is added where the SELECT has none")
		ins.Input = rows("v", "varchar")
		shards.taken()
		mustRun(t, env, ins, nil)
		assert.Empty(t, shards.taken(), "no rows, no insert")
	}
}

func routedDML(code opcode.Opcode) *DML {
	dml := NewDML()
	dml.Opcode, dml.Keyspace, dml.Query = code, userKeyspace, "dml"
	return dml
}

func TestUpdateAndDelete(t *testing.T) {
	env, shards := newFakeEnv()
	shards.answers["dml"] = &sqltypes.Result{RowsAffected: 2, Info: "Rows matched: 3  Changed: 2  Warnings: 0"}
	got := mustRun(t, env, &Update{DML: routedDML(opcode.Scatter)}, nil)
	assert.Equal(t, uint64(4), got.RowsAffected)
	assert.Equal(t, "Rows matched: 6  Changed: 4  Warnings: 0", got.Info)
	got = mustRun(t, env, &Delete{DML: routedDML(opcode.Reference)}, nil)
	assert.Equal(t, uint64(2), got.RowsAffected, "both shards changed their copy of the same rows")
	assert.Len(t, shards.taken(), 4)
	mustRun(t, env, &Delete{DML: routedDML(opcode.None)}, nil)
	assert.Empty(t, shards.taken())
}

// lookup is an owned vindex that notes what happens to it.
type lookup struct {
	vindexes.SingleColumn
	log []string
}

func (l *lookup) Create(_ context.Context, _ vindexes.VCursor, rows [][]sqltypes.Value, _ [][]byte, _ bool) error {
	l.log = append(l.log, "create "+rowTexts(&sqltypes.Result{Rows: rows})[0])
	return nil
}

func (l *lookup) Delete(_ context.Context, _ vindexes.VCursor, rows [][]sqltypes.Value, _ []byte) error {
	l.log = append(l.log, "delete "+rowTexts(&sqltypes.Result{Rows: rows})[0])
	return nil
}

func (l *lookup) Update(_ context.Context, _ vindexes.VCursor, from []sqltypes.Value, _ []byte, to []sqltypes.Value) error {
	l.log = append(l.log, "update "+rowTexts(&sqltypes.Result{Rows: []sqltypes.Row{from, to}})[0]+" "+to[0].ToString())
	return nil
}

func TestOwnedVindexesFollowTheRows(t *testing.T) {
	env, shards := newFakeEnv()
	owned := &lookup{SingleColumn: hashVindex(t)}
	column := vindexes.NewColumnVindex("lookup", owned, true, []sqlparser.IdentifierCI{sqlparser.NewIdentifierCI("name")})
	column.Name = "by_name"
	dml := routedDML(opcode.Scatter)
	dml.KsidVindex, dml.KsidLength, dml.OwnedVindexQuery, dml.Vindexes = hashVindex(t), 1, "owned", []*vindexes.ColumnVindex{column}
	shards.answers["user/-80 owned"] = result("id|name|same", "int64|varchar|int64", "1|old|0", "2|new|1")
	shards.answers["user/80- owned"] = result("id|name|same", "int64|varchar|int64")
	mustRun(t, env, &Delete{DML: dml}, nil)
	mustRun(t, env, &Update{DML: dml, ChangedVindexValues: map[string]*VindexValues{"by_name": {
		Offset: 2, EvalExprMap: map[string]evalengine.Expr{"name": expr(t, "'new'")},
	}}}, nil)
	assert.Equal(t, []string{"delete old", "delete new", "update old new"}, owned.log, "a row that has the value already is left alone")
	ins := shardedInsert(t, "1")
	ins.ColVindexes = append(ins.ColVindexes, column)
	ins.VindexValues = append(ins.VindexValues, nil)
	ins.VindexValues[1] = append(ins.VindexValues[1], exprs(t, "'fresh'"))
	mustRun(t, env, ins, nil)
	assert.Equal(t, "create fresh", owned.log[3])
}

func TestSend(t *testing.T) {
	env, shards := newFakeEnv()
	send := &Send{Keyspace: userKeyspace, TargetDestination: key.DestinationAllShards{}, Query: "q", ShardNameNeeded: true}
	shards.answers["q"] = result("n", "int64", "1")
	assert.Len(t, mustRun(t, env, send, nil).Rows, 2)
	assert.ElementsMatch(t, []string{`user/-80 q {__vt_shard=VARCHAR("-80")}`, `user/80- q {__vt_shard=VARCHAR("80-")}`}, shards.taken())
	send.SingleShardOnly = true
	_, err := run(t, env, send, nil)
	require.Error(t, err)
	dml := &Send{Keyspace: userKeyspace, TargetDestination: key.DestinationShard("-80"), Query: "d", IsDML: true}
	assert.True(t, dml.NeedsTransaction())
	shards.opts = nil
	mustRun(t, env, dml, nil)
	assert.True(t, shards.opts[0].Autocommit)
}

func TestWritesOfWrites(t *testing.T) {
	env, shards := newFakeEnv()
	shards.answers["dml"] = &sqltypes.Result{RowsAffected: 1}
	one := func() Primitive {
		dml := routedDML(opcode.ByDestination)
		dml.TargetDestination = key.DestinationShard("-80")
		return &Update{DML: dml}
	}
	assert.Equal(t, uint64(2), mustRun(t, env, NewSequential([]Primitive{one(), one()}), nil).RowsAffected)
	withInput := &DMLWithInput{Input: rows("id|v", "int64|int64", "1|5", "2|6"), DMLs: []Primitive{one()}, OutputCols: [][]int{{0}}}
	shards.taken()
	mustRun(t, env, withInput, nil)
	assert.Equal(t, []string{"user/-80 dml {dml_vals=(1,2)}"}, shards.taken())
	withInput.BVList = []map[string]int{{"new": 1}}
	mustRun(t, env, withInput, nil)
	assert.Equal(t, []string{"user/-80 dml {dml_vals=(1) new=INT64(5)}", "user/-80 dml {dml_vals=(2) new=INT64(6)}"}, shards.taken())
	upsert := &Upsert{}
	upsert.AddUpsert(shardedInsert(t, "1"), one())
	shards.errs["user/-80 insert into u(id, v) values (:_id_0, 9)"] = sqlerror.NewSQLError(sqlerror.ERDupEntry, "23000", "dup")
	assert.Equal(t, uint64(2), mustRun(t, env, upsert, nil).RowsAffected, "an updated row counts twice")
	for _, opts := range shards.opts {
		assert.False(t, opts.Autocommit, "parts of a statement do not commit by themselves")
	}
}

func TestForeignKeys(t *testing.T) {
	env, shards := newFakeEnv()
	dml := routedDML(opcode.Scatter)
	child := &FkChild{BVName: "fkc_vals", Cols: []int{0}, Exec: &Delete{DML: dml}}
	cascade := &FkCascade{Selection: rows("id", "int64", "1", "2"), Children: []*FkChild{child}, Parent: &Delete{DML: dml}}
	mustRun(t, env, cascade, nil)
	assert.Len(t, shards.taken(), 4)
	cascade.Selection = rows("id", "int64")
	mustRun(t, env, cascade, nil)
	assert.Empty(t, shards.taken(), "no parents, nothing to do")
	verify := &FkVerify{Verify: []*Verify{{Exec: rows("n", "int64", "1"), Typ: ChildVerify}}, Exec: &Delete{DML: dml}}
	_, err := run(t, env, verify, nil)
	require.ErrorContains(t, err, "Cannot delete or update a parent row")
	assert.Empty(t, shards.taken())
}

func TestCascadeOfComputedValues(t *testing.T) {
	env, shards := newFakeEnv()
	dml := routedDML(opcode.Unsharded)
	dml.Keyspace = mainKeyspace
	child := &FkChild{BVName: "fkc_vals", Cols: []int{0}, Exec: &Update{DML: dml}, NonLiteralInfo: []NonLiteralUpdateInfo{
		{CompExprCol: 1, UpdateExprCol: 2, UpdateExprBvName: "fkc_upd"},
	}}
	for _, c := range []struct {
		name string
		rows []string // code|is as it will be|new code
		want []string // old and new code of each statement, in order
	}{
		{"in any order where no row takes another's place", []string{"1|0|5", "2|0|6"}, []string{"1 5", "2 6"}},
		{"a row comes after the one whose place it takes", []string{"1|0|2", "2|0|3", "3|0|4"}, []string{"3 4", "2 3", "1 2"}},
		{"and that also if it came before", []string{"2|0|1", "3|0|2"}, []string{"2 1", "3 2"}},
		{"rows that stay have no statement", []string{"1|1|1", "2|0|3"}, []string{"2 3"}},
	} {
		cascade := &FkCascade{
			Selection: rows("code|same|new", "int64|int64|int64", c.rows...), Children: []*FkChild{child}, Parent: &Update{DML: dml},
		}
		mustRun(t, env, cascade, nil)
		var want []string
		for _, pair := range c.want {
			before, after, _ := strings.Cut(pair, " ")
			want = append(want, "main/0 dml"+printBindVars(BindVars{
				"fkc_upd":  sqltypes.ValueBindVariable(sqltypes.MakeTrusted(sqltypes.Int64, []byte(after))),
				"fkc_vals": tuplesVariable([]sqltypes.Row{{sqltypes.MakeTrusted(sqltypes.Int64, []byte(before))}}, []int{0}),
			}))
		}
		assert.Equal(t, append(want, "main/0 dml"), shards.taken(), c.name)
	}
	circle := &FkCascade{Selection: rows("code|same|new", "int64|int64|int64", "1|0|2", "2|0|1"), Children: []*FkChild{child}}
	_, err := run(t, env, circle, nil)
	require.ErrorContains(t, err, "VT12001")
	assert.Empty(t, shards.taken())
}
