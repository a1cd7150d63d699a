package sqlengine

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	doltquery "github.com/dolthub/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

// plainValue returns what a column keeps for a value that fits in as it is: a small integer in an integer column, or an
// ASCII text in a VARCHAR or TEXT. Most values written are; ok is false for all others, which assign takes.
func plainValue(column sql.Type, typ querypb.Type, text []byte) (v any, ok bool) {
	if sqltypes.IsIntegral(typ) {
		return plainInteger(column, text)
	}
	if typ != querypb.Type_VARCHAR && typ != querypb.Type_CHAR && typ != querypb.Type_TEXT {
		return nil, false
	}
	to, isText := column.(sql.StringType)
	if !isText || to.Type() != doltquery.Type_VARCHAR && to.Type() != doltquery.Type_TEXT || int64(len(text)) > to.Length() {
		return nil, false
	}
	for _, c := range text {
		if c >= 0x80 {
			return nil, false
		}
	}
	return string(text), true
}

func plainInteger(column sql.Type, text []byte) (any, bool) {
	n, ok := parseInt(text)
	if !ok {
		return nil, false
	}
	switch column {
	case types.Int64:
		return n, true
	case types.Int32:
		return int32(n), n >= math.MinInt32 && n <= math.MaxInt32
	case types.Int16:
		return int16(n), n >= math.MinInt16 && n <= math.MaxInt16
	case types.Int8:
		return int8(n), n >= math.MinInt8 && n <= math.MaxInt8
	case types.Uint64:
		return uint64(n), n >= 0
	case types.Uint32:
		return uint32(n), n >= 0 && n <= math.MaxUint32
	}
	return nil, false
}
