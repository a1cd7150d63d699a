package engine

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
)

func TestPlanJSONIsVitesssPlanDescription(t *testing.T) {
	env := collations.MySQL8()
	collation := env.LookupByName("utf8mb4_0900_ai_ci")
	text := evalengine.NewType(sqltypes.VarChar, collation)
	route := NewRoute(opcode.Scatter, &vindexes.Keyspace{Name: "user", Sharded: true},
		"select a, b from t where a > 1 order by a asc", "select a, b from t where 1 != 1")
	route.OrderBy = evalengine.Comparison{
		{Col: 0, WeightStringCol: -1, Type: text, CollationEnv: env},
		{Col: 1, WeightStringCol: 2, Desc: true, CollationEnv: env},
	}
	route.TruncateColumnCount = 2
	count := NewAggregateParam(opcode.AggregateSum, 1, nil, "count(*)", env)
	count.OrigOpcode = opcode.AggregateCountStar
	agg := &OrderedAggregate{
		Aggregates:  []*AggregateParams{count},
		GroupByKeys: []*GroupByParams{{KeyCol: 0, WeightStringCol: 2, Type: text, CollationEnv: env}},
		Input:       route,
	}
	limit := &Limit{Count: evalengine.NewLiteralInt(5), Input: agg}
	stmt, err := sqlparser.NewTestParser().Parse("select 1")
	require.NoError(t, err)

	got, err := json.Marshal(NewPlan("select 1 < 2", stmt, limit, nil, []string{"user.t"}))
	require.NoError(t, err)
	require.JSONEq(t, `{"Type":"Complex","QueryType":"SELECT","Original":"select 1 < 2","Instructions":{
		"OperatorType":"Limit","Count":"5","Inputs":[{
		"OperatorType":"Aggregate","Variant":"Ordered","Aggregates":"sum_count_star(1) AS count(*)",
		"GroupBy":"(0|2) COLLATE utf8mb4_0900_ai_ci","Inputs":[{
		"OperatorType":"Route","Variant":"Scatter","Keyspace":{"Name":"user","Sharded":true},
		"FieldQuery":"select a, b from t where 1 != 1","OrderBy":"0 ASC COLLATE utf8mb4_0900_ai_ci, (1|2) DESC",
		"Query":"select a, b from t where a > 1 order by a asc","ResultColumns":2}]}]},
		"TablesUsed":["user.t"]}`, string(got))
}

func TestEmptyAttributesAreLeftOut(t *testing.T) {
	join := &Join{Left: &SingleRow{}, Right: &SingleRow{}}
	got, err := json.Marshal(Describe(join))
	require.NoError(t, err)
	require.JSONEq(t, `{"OperatorType":"Join","Variant":"Join","Inputs":[{"OperatorType":"SingleRow"},{"OperatorType":"SingleRow"}]}`, string(got))
}

func TestSetOpsPrintTheirKind(t *testing.T) {
	set := &Set{Input: &SingleRow{}, Ops: []SetOp{
		&UserDefinedVariable{Name: "foo", Expr: evalengine.NewLiteralInt(42)},
		&SysVarReservedConn{Name: "sql_mode", Keyspace: &vindexes.Keyspace{Name: "main"}, Expr: "''", SupportSetVar: true},
	}}
	got, err := json.Marshal(Describe(set))
	require.NoError(t, err)
	require.JSONEq(t, `{"OperatorType":"Set","Ops":[{"Type":"UserDefinedVariable","Name":"foo","Expr":"42"},
		{"Type":"SysVarSet","Name":"sql_mode","Keyspace":{"Name":"main","Sharded":false},"Expr":"''","SupportSetVar":true}],
		"Inputs":[{"OperatorType":"SingleRow"}]}`, string(got))
}
