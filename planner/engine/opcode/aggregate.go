package opcode

import (
	"encoding/json"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// AggregateOpcode says what an aggregate does with the values of a group.
type AggregateOpcode int

// The aggregates. The last ones are the planner's own: they do not exist as SQL functions of that name.
const (
	// AggregateUnassigned is the zero value: no aggregate chosen.
	AggregateUnassigned AggregateOpcode = iota
	// AggregateCount counts values that are not NULL.
	AggregateCount
	// AggregateSum adds values up; NULL where there are none.
	AggregateSum
	// AggregateMin takes the least value.
	AggregateMin
	// AggregateMax takes the greatest value.
	AggregateMax
	// AggregateCountDistinct counts different values; its input arrives sorted.
	AggregateCountDistinct
	// AggregateSumDistinct adds different values up; its input arrives sorted.
	AggregateSumDistinct
	// AggregateGtid collects the positions of shards into one text.
	AggregateGtid
	// AggregateAnyValue takes the first value that comes.
	AggregateAnyValue
	// AggregateCountStar counts rows.
	AggregateCountStar
	// AggregateGroupConcat joins values with a separator.
	AggregateGroupConcat
	// AggregateAvg is a mean. The planner splits it into a sum and a count before it comes to running.
	AggregateAvg
	// AggregateUDF is a user's own aggregate, known to the shards only.
	AggregateUDF
	// AggregateConstant is an expression beside aggregates that needs no column.
	AggregateConstant
)

var aggregateNames = [...]string{
	AggregateUnassigned: "", AggregateCount: "count", AggregateSum: "sum", AggregateMin: "min", AggregateMax: "max",
	AggregateCountDistinct: "count_distinct", AggregateSumDistinct: "sum_distinct", AggregateGtid: "vgtid",
	AggregateAnyValue: "any_value", AggregateCountStar: "count_star", AggregateGroupConcat: "group_concat",
	AggregateAvg: "avg", AggregateUDF: "", AggregateConstant: "constant_aggr",
}

// AggregateByName returns the opcode of an SQL function's lower-case name, false for functions that do not aggregate.
func AggregateByName(name string) (AggregateOpcode, bool) {
	if name == "" {
		return AggregateUnassigned, false
	}
	for code, known := range aggregateNames {
		if known == name {
			return AggregateOpcode(code), true
		}
	}
	return AggregateUnassigned, false
}

// String returns the name as it stands in plans; opcodes without one read ERROR, as in Vitess.
func (code AggregateOpcode) String() string {
	if name := nameOf(aggregateNames[:], int(code)); name != "" {
		return name
	}
	return "ERROR"
}

// MarshalJSON writes the name.
func (code AggregateOpcode) MarshalJSON() ([]byte, error) { return json.Marshal(code.String()) }

// SQLType returns the type of the aggregate over values of type typ; sqltypes.Unknown where that can not be told.
func (code AggregateOpcode) SQLType(typ querypb.Type) querypb.Type {
	switch code {
	case AggregateCount, AggregateCountStar, AggregateCountDistinct:
		return sqltypes.Int64
	case AggregateMin, AggregateMax, AggregateAnyValue:
		return typ
	case AggregateSum, AggregateSumDistinct, AggregateAvg:
		return sumType(typ)
	case AggregateGroupConcat:
		return concatType(typ)
	case AggregateGtid:
		return sqltypes.VarChar
	case AggregateUnassigned:
		return sqltypes.Null
	default:
		return sqltypes.Unknown
	}
}

// sumType follows MySQL: exact numbers, which dates, times and bits are too, add up to a DECIMAL, all else to a DOUBLE.
func sumType(typ querypb.Type) querypb.Type {
	switch {
	case typ == sqltypes.Unknown:
		return sqltypes.Unknown
	case sqltypes.IsDecimal(typ), sqltypes.IsIntegral(typ), sqltypes.IsDateOrTime(typ), typ == sqltypes.Bit:
		return sqltypes.Decimal
	default:
		return sqltypes.Float64
	}
}

// concatType keeps bytes bytes and makes all else text.
func concatType(typ querypb.Type) querypb.Type {
	switch {
	case typ == sqltypes.Unknown:
		return sqltypes.Unknown
	case sqltypes.IsBinary(typ):
		return sqltypes.Blob
	default:
		return sqltypes.Text
	}
}

// Nullable reports whether the aggregate of no values is NULL rather than zero.
func (code AggregateOpcode) Nullable() bool {
	return code != AggregateCount && code != AggregateCountStar
}

// ResolveType returns the type of the aggregate over an expression of type t, scale and collation included.
func (code AggregateOpcode) ResolveType(t evalengine.Type, env *collations.Environment) evalengine.Type {
	typ := code.SQLType(t.Type())
	scale := t.Scale()
	if code == AggregateAvg {
		// MySQL's div_precision_increment.
		scale += 4
	}
	collation := collations.CollationForType(typ, env.DefaultConnectionCharset())
	return evalengine.NewTypeEx(typ, collation, code.Nullable(), t.Size(), scale, t.Values())
}

// NeedsComparableValues reports whether the aggregate compares values and so needs a collation or weight strings.
func (code AggregateOpcode) NeedsComparableValues() bool {
	return code.IsDistinct() || code == AggregateMin || code == AggregateMax
}

// IsDistinct reports whether equal values count once.
func (code AggregateOpcode) IsDistinct() bool {
	return code == AggregateCountDistinct || code == AggregateSumDistinct
}
