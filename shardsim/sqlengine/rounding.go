package sqlengine

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// roundType is the type of ROUND(x) and ROUND(x, d): of a decimal, one with d digits after the point.
func roundType(args []sql.Expression) sql.Type {
	if len(args) == 2 {
		return truncateType(args)
	}
	return wholeType(args)
}

// wholeType is the type of FLOOR, CEIL and ROUND(x): whole numbers of exact ones, doubles of others.
func wholeType(args []sql.Expression) sql.Type {
	switch t := args[0].Type().(type) {
	case sql.DecimalType:
		return types.MustCreateDecimalType(min(t.Precision()-t.Scale()+1, decimalDigitsMax), 0)
	case sql.NumberType:
		switch {
		case t.IsFloat():
		case t.IsSigned():
			return types.Int64
		default:
			return types.Uint64
		}
	}
	return types.Float64
}

// floorType is the type of FLOOR and CEIL: integers of decimals that fit one.
func floorType(args []sql.Expression) sql.Type {
	t := wholeType(args)
	if d, ok := t.(sql.DecimalType); ok && d.Precision() <= 18 {
		return types.Int64
	}
	return t
}

// roundNumber is ROUND: exact numbers away from zero at a half, doubles to the even neighbour.
func roundNumber(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	places := int64(0)
	if len(args) == 2 {
		v, _, err := types.Int64.Convert(ctx, args[1])
		if err != nil {
			return nil, err
		}
		places = min(max(v.(int64), -decimalDigitsMax), decimalScaleMax)
	}
	return onNumber(ctx, call, args[0],
		func(d decimal.Decimal) decimal.Decimal { return d.Round(int32(places)) },
		func(f float64) float64 { return roundDouble(f, places) })
}

// roundDouble rounds to so many digits after the point, a half to the even neighbour.
func roundDouble(f float64, places int64) float64 {
	unit := math.Pow(10, math.Abs(float64(places)))
	if places < 0 {
		return math.RoundToEven(f/unit) * unit
	}
	if r := math.RoundToEven(f*unit) / unit; !math.IsInf(r, 0) && !math.IsNaN(r) {
		return r
	}
	return f
}

func floorNumber(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	return onNumber(ctx, call, args[0], decimal.Decimal.Floor, math.Floor)
}

func ceilNumber(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	return onNumber(ctx, call, args[0], decimal.Decimal.Ceil, math.Ceil)
}

// onNumber applies one of two functions to a number, by the call's type, which the result has.
func onNumber(ctx *sql.Context, call *scalarCall, v any, exact func(decimal.Decimal) decimal.Decimal, double func(float64) float64) (any, error) {
	typ := call.Type()
	if typ != types.Float64 {
		d, err := exactDecimal(v)
		if err != nil {
			return nil, err
		}
		d = exact(d)
		if dt, ok := typ.(sql.DecimalType); ok {
			return atScale(d, dt), nil
		}
		n, _, err := typ.Convert(ctx, d)
		return n, err
	}
	if text, ok := v.(string); ok {
		f, _ := prefixFloat(text)
		return double(f), nil
	}
	f, err := floatOf(ctx, v)
	if err != nil {
		return nil, err
	}
	return double(f), nil
}

// extremeType is the type of GREATEST and LEAST.
func extremeType(args []sql.Expression) sql.Type {
	all := make([]sql.Type, len(args))
	for i, a := range args {
		all[i] = a.Type()
	}
	return unify(all...)
}

// extreme is GREATEST with sign 1 and LEAST with -1.
func extreme(sign int) func(*sql.Context, *scalarCall, []any) (any, error) {
	return func(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
		typ := call.Type()
		var best any
		for i, a := range args {
			v, err := convertTo(ctx, a, call.args[i].Type(), typ)
			if err != nil {
				return nil, err
			}
			if best == nil {
				best = v
				continue
			}
			cmp, err := typ.Compare(ctx, v, best)
			if err != nil {
				return nil, err
			}
			if cmp*sign > 0 {
				best = v
			}
		}
		return best, nil
	}
}
