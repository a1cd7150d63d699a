package opcode

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

func TestNamesInPlans(t *testing.T) {
	text, err := json.Marshal([]any{
		MultiEqual, ByDestination, Opcode(99), LeftJoin, InnerJoin, PulloutNotExists, InsertSharded, AggregateCountStar, AggregateUDF,
	})
	require.NoError(t, err)
	assert.JSONEq(t, `["MultiEqual", "ByDestination", "", "LeftJoin", "Join", "PulloutNotExists", "Sharded", "count_star", "ERROR"]`, string(text))
}

func TestAggregateTypesAreMySQLs(t *testing.T) {
	for _, tc := range []struct {
		code AggregateOpcode
		of   querypb.Type
		want querypb.Type
	}{
		{AggregateCount, sqltypes.VarChar, sqltypes.Int64},
		{AggregateSum, sqltypes.Int32, sqltypes.Decimal},
		{AggregateSum, sqltypes.VarChar, sqltypes.Float64},
		{AggregateSumDistinct, sqltypes.Unknown, sqltypes.Unknown},
		{AggregateMax, sqltypes.Date, sqltypes.Date},
		{AggregateGroupConcat, sqltypes.VarBinary, sqltypes.Blob},
		{AggregateGroupConcat, sqltypes.Int64, sqltypes.Text},
		{AggregateUDF, sqltypes.Int64, sqltypes.Unknown},
	} {
		assert.Equal(t, tc.want, tc.code.SQLType(tc.of), "%s of %s", tc.code, tc.of)
	}
	env := collations.MySQL8()
	mean := AggregateAvg.ResolveType(evalengine.NewTypeEx(sqltypes.Decimal, collations.CollationBinaryID, true, 10, 2, nil), env)
	assert.Equal(t, int32(6), mean.Scale(), "an average has four more digits")
	assert.False(t, AggregateCount.Nullable())
	assert.True(t, AggregateSum.Nullable())
}

func TestAggregateByName(t *testing.T) {
	code, ok := AggregateByName("group_concat")
	assert.True(t, ok)
	assert.Equal(t, AggregateGroupConcat, code)
	_, ok = AggregateByName("concat")
	assert.False(t, ok)
	_, ok = AggregateByName("")
	assert.False(t, ok)
}

func TestWhichRoutesReachOneShard(t *testing.T) {
	for code := Unsharded; code <= ByDestination; code++ {
		want := code == Unsharded || code == EqualUnique || code == Next || code == DBA || code == Reference
		assert.Equal(t, want, code.IsSingleShard(), code.String())
	}
}
