package sqlengine

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// ownFunction returns our version of a function, or false. SUM and AVG are exact over integers and decimals and have
// MySQL's precision and scale: the engine's are double.
func ownFunction(name string) (sql.Function, bool) {
	switch name {
	case "sum":
		return sql.Function1{Name: "sum", Fn: func(e sql.Expression) sql.Expression {
			return aggregation.NewSum(newExactArg(e, sumType))
		}}, true
	case "avg":
		return sql.Function1{Name: "avg", Fn: func(e sql.Expression) sql.Expression {
			return aggregation.NewAvg(newExactArg(e, avgType))
		}}, true
	case "date_add", "adddate":
		return dateSumFunction(name, 1), true
	case "date_sub", "subdate":
		return dateSumFunction(name, -1), true
	case "rand":
		return sql.FunctionN{Name: "rand", Fn: newRandomCall}, true
	case windowCarrier:
		return sql.FunctionN{Name: windowCarrier, Fn: newWindowCall}, true
	}
	if f, ok := bitFunction(name); ok {
		return f, true
	}
	if f, ok := spreadFunction(name); ok {
		return f, true
	}
	for _, table := range []map[string]scalarFunction{ownFunctions, timeFunctions, stringFunctions, jsonFunctions, spatialFunctions, spatialParts, doubleFunctions, trigonometry, matchFunctions, characterFunctions, searchFunctions, numeralFunctions, digestFunctions, castFunctions} {
		if f, ok := table[name]; ok {
			return f.function(name), true
		}
	}
	return nil, false
}

// spreadFunction returns STD, VARIANCE and their kind, which are doubles: the engine gives them their argument's type.
func spreadFunction(name string) (sql.Function, bool) {
	var aggregate func(e sql.Expression) sql.Expression
	switch name {
	case "std", "stddev", "stddev_pop":
		aggregate = func(e sql.Expression) sql.Expression { return aggregation.NewStdDevPop(e) }
	case "stddev_samp":
		aggregate = func(e sql.Expression) sql.Expression { return aggregation.NewStdDevSamp(e) }
	case "variance", "var_pop":
		aggregate = func(e sql.Expression) sql.Expression { return aggregation.NewVarPop(e) }
	case "var_samp":
		aggregate = func(e sql.Expression) sql.Expression { return aggregation.NewVarSamp(e) }
	default:
		return nil, false
	}
	double := func(sql.Type) sql.Type { return types.Float64 }
	return sql.Function1{Name: name, Fn: func(e sql.Expression) sql.Expression {
		return aggregate(newExactArg(e, double))
	}}, true
}

// bitFunction returns BIT_AND, BIT_OR and BIT_XOR, which take numbers as the operators do: the engine's take no text, and of
// decimals what is stored.
func bitFunction(name string) (sql.Function, bool) {
	var aggregate func(e sql.Expression) sql.Expression
	switch name {
	case "bit_and":
		aggregate = func(e sql.Expression) sql.Expression { return aggregation.NewBitAnd(e) }
	case "bit_or":
		aggregate = func(e sql.Expression) sql.Expression { return aggregation.NewBitOr(e) }
	case "bit_xor":
		aggregate = func(e sql.Expression) sql.Expression { return aggregation.NewBitXor(e) }
	default:
		return nil, false
	}
	return sql.Function1{Name: name, Fn: func(e sql.Expression) sql.Expression {
		return aggregate(bitsArgument.call("bits", []sql.Expression{e}))
	}}, true
}

// bitsArgument is a value as 64 bits.
var bitsArgument = scalarFunction{typ: fixedType(types.Uint64), eval: func(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	return unsigned(ctx, args[0])
}}

// sumDigits is what MySQL adds to the precision of a sum: room for 2^64 rows.
const sumDigits = 22

// avgDigits is div_precision_increment.
const avgDigits = 4

const (
	decimalDigitsMax = 65
	decimalScaleMax  = 30
)

func sumType(arg sql.Type) sql.Type {
	precision, scale, exact := exactDigits(arg)
	if !exact {
		return types.Float64
	}
	return types.MustCreateDecimalType(uint8(min(precision+sumDigits, decimalDigitsMax)), uint8(scale))
}

func avgType(arg sql.Type) sql.Type {
	precision, scale, exact := exactDigits(arg)
	if !exact {
		return types.Float64
	}
	scale = min(scale+avgDigits, decimalScaleMax)
	return types.MustCreateDecimalType(uint8(min(precision+avgDigits, decimalDigitsMax)), uint8(scale))
}

// exactDigits returns the precision and scale of an exact number type.
func exactDigits(t sql.Type) (precision, scale int, exact bool) {
	switch t := t.(type) {
	case sql.DecimalType:
		return int(t.Precision()), int(t.Scale()), true
	case sql.NumberType:
		if t.IsFloat() {
			return 0, 0, false
		}
		switch t {
		case types.Boolean:
			return 1, 0, true
		case types.Int8, types.Uint8:
			return 3, 0, true
		case types.Int16, types.Uint16:
			return 5, 0, true
		case types.Int24, types.Uint24:
			return 8, 0, true
		case types.Int32, types.Uint32:
			return 10, 0, true
		case types.Uint64:
			return 20, 0, true
		}
		return 19, 0, true
	case types.YearType_:
		return 4, 0, true
	case types.BitType:
		return 20, 0, true
	}
	return 0, 0, false
}

// exactArg is the argument of SUM or AVG. Its type is what the aggregate gives, and its values are decimals, which the
// engine's aggregates add up exactly, or doubles.
type exactArg struct {
	child  sql.Expression
	typeOf func(arg sql.Type) sql.Type
	typ    sql.Type
	scale  int32 // of the argument
}

var _ sql.Expression = (*exactArg)(nil)

func newExactArg(child sql.Expression, typeOf func(sql.Type) sql.Type) *exactArg {
	if isDateOrTime(child.Type()) {
		if distinct, ok := child.(*expression.DistinctExpression); ok {
			child = expression.NewDistinctExpression(asNumber(distinct.Child))
		} else {
			child = asNumber(child)
		}
	}
	_, scale, _ := exactDigits(child.Type())
	return &exactArg{child: child, typeOf: typeOf, typ: typeOf(child.Type()), scale: int32(scale)}
}

func (a *exactArg) Resolved() bool             { return a.child.Resolved() }
func (a *exactArg) String() string             { return a.child.String() }
func (a *exactArg) Type() sql.Type             { return a.typ }
func (a *exactArg) IsNullable() bool           { return a.child.IsNullable() }
func (a *exactArg) Children() []sql.Expression { return []sql.Expression{a.child} }

// Dispose clears what a DISTINCT below has seen.
func (a *exactArg) Dispose() {
	if d, ok := a.child.(sql.Disposable); ok {
		d.Dispose()
	}
}

func (a *exactArg) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	return newExactArg(children[0], a.typeOf), nil
}

func (a *exactArg) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := a.child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	if a.typ == types.Float64 {
		return numberArg(ctx, v)
	}
	d, err := exactDecimal(v)
	if err != nil {
		return nil, err
	}
	// Adding a zero of the right scale keeps the sum's scale whatever the values' are.
	return d.Add(decimal.New(0, -a.scale)), nil
}

func exactDecimal(v any) (decimal.Decimal, error) {
	switch v := v.(type) {
	case decimal.Decimal:
		return v, nil
	case int64:
		return decimal.NewFromInt(v), nil
	case int32:
		return decimal.NewFromInt32(v), nil
	case int16:
		return decimal.NewFromInt32(int32(v)), nil
	case int8:
		return decimal.NewFromInt32(int32(v)), nil
	case uint64:
		return decimal.RequireFromString(fmt.Sprint(v)), nil
	case uint32:
		return decimal.NewFromInt(int64(v)), nil
	case uint16:
		return decimal.NewFromInt32(int32(v)), nil
	case uint8:
		return decimal.NewFromInt32(int32(v)), nil
	case bool:
		if v {
			return decimal.NewFromInt(1), nil
		}
		return decimal.Zero, nil
	case string:
		return decimal.NewFromString(v)
	}
	return decimal.Zero, fmt.Errorf("no decimal value of %T", v)
}
