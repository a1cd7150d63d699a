package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

func TestStoredValues(t *testing.T) {
	for _, c := range []struct {
		value, want sqltypes.Value
		lenient     bool
	}{
		{value: sqltypes.NewVarChar("x"), want: sqltypes.NewVarChar("x")},
		{value: sqltypes.NewVarChar("x"), want: sqltypes.NewInt64(0), lenient: true},
		{value: sqltypes.NewVarChar("12abc"), want: sqltypes.NewVarChar("12abc")},
		{value: sqltypes.NewVarChar("12abc"), want: sqltypes.NewInt64(12), lenient: true},
		{value: sqltypes.NewVarChar(""), want: sqltypes.NewVarChar("")},
		{value: sqltypes.NewVarBinary(" 13 "), want: sqltypes.NewInt64(13)},
		{value: sqltypes.NewVarChar("-1.5e1"), want: sqltypes.NewInt64(-15)},
		{value: sqltypes.NewVarChar("99999999999999999999"), want: sqltypes.NewVarChar("99999999999999999999")},
		{value: sqltypes.NewDecimal("1e20"), want: sqltypes.NewDecimal("1e20")},
		{value: sqltypes.NewDecimal("2.5"), want: sqltypes.NewInt64(3)},
		{value: sqltypes.NewDate("2024-01-31"), want: sqltypes.NewInt64(20240131)},
		{value: sqltypes.NewDatetime("2024-01-31 10:11:12.6"), want: sqltypes.NewInt64(20240131101113)},
	} {
		assert.Equal(t, c.want, storedValue(sqltypes.Int64, c.value, c.lenient), "%v, lenient %v", c.value, c.lenient)
	}
	assert.Equal(t, sqltypes.NewVarChar("x"), storedValue(sqltypes.VarChar, sqltypes.NewVarChar("x"), true))
}

// A literal of bytes is a number for a number's column; a binary string is the number it spells.
func TestByteLiteralsAreNumbers(t *testing.T) {
	env, shards := newFakeEnv()
	ins := shardedInsert(t, ":hex", ":val", ":bits", ":text")
	ins.ColumnTypes = [][]querypb.Type{{sqltypes.Int64}}
	vars := BindVars{
		"hex": {Type: sqltypes.HexNum, Value: []byte("0x04")}, "val": {Type: sqltypes.HexVal, Value: []byte("x'01'")},
		"bits": {Type: sqltypes.BitNum, Value: []byte("0b0100")}, "text": sqltypes.BytesBindVariable([]byte("4")),
	}
	mustRun(t, env, ins, vars)
	log := shards.taken()
	assert.Len(t, log, 2)
	assert.Contains(t, log[0], "_id_0=UINT64(4) _id_1=UINT64(1) _id_2=UINT64(4) _id_3=INT64(4)")

	list := &querypb.BindVariable{Type: sqltypes.Tuple, Values: []*querypb.Value{
		{Type: sqltypes.HexNum, Value: []byte("0x20")}, {Type: sqltypes.Blob, Value: []byte(" ")}, {Type: sqltypes.Int64, Value: []byte("7")},
	}}
	values := []sqltypes.Value{sqltypes.NewVarBinary(" "), sqltypes.NewVarBinary(" "), sqltypes.NewInt64(7)}
	got := literalNumbers(sqltypes.Int64, &evalengine.BindVariable{Key: "l"}, BindVars{"l": list}, values)
	assert.Equal(t, []sqltypes.Value{sqltypes.NewUint64(32), values[1], values[2]}, got)
	assert.Equal(t, sqltypes.NewVarBinary(" "), values[0], "the input stays")
	assert.Equal(t, values, literalNumbers(sqltypes.VarChar, &evalengine.BindVariable{Key: "l"}, BindVars{"l": list}, values))
	tuple := evalengine.TupleExpr{&evalengine.BindVariable{Key: "hex"}, &evalengine.BindVariable{Key: "text"}}
	assert.Equal(t, []sqltypes.Value{sqltypes.NewUint64(4), sqltypes.NewVarBinary("4")}, literalNumbers(sqltypes.Int64, tuple, vars,
		[]sqltypes.Value{sqltypes.NewVarBinary("\x04"), sqltypes.NewVarBinary("4")}))
	long := sqltypes.NewVarBinary("123456789")
	assert.Equal(t, long, numberOfBytes(long))
}
