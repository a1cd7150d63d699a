package sqlengine

import (
	"math/big"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// numberTypes gives expressions that are integers in MySQL their type, where the engine has others: the remainder of
// integers and whole seconds are decimals to it, the length of a text has 32 bits.
func numberTypes(e sql.Expression) sql.Expression {
	switch n := e.(type) {
	case *expression.Mod:
		return remainder(n)
	case *function.UnixTimestamp:
		for _, arg := range n.Children() {
			if t, ok := arg.Type().(sql.DatetimeType); !ok || t.Precision() > 0 {
				return e
			}
		}
		return &converted{child: e, typ: types.Int64}
	case *expression.Arithmetic:
		return timesAsNumbers(n)
	case sql.Aggregation, *scalarCall, *choice:
		return e
	case *function.If, *function.IfNull, *function.Coalesce, *function.NullIf:
		// Their type is that of all their values together.
		return e
	case sql.WindowAdaptableExpression:
		return e
	case sql.FunctionExpression:
		if n.Type() == types.Int32 {
			return &converted{child: e, typ: types.Int64}
		}
	}
	return e
}

// remainder is a % b of integers, an integer with the sign of a.
func remainder(n *expression.Mod) sql.Expression {
	unsigned, left := integerType(n.LeftChild.Type())
	_, right := integerType(n.RightChild.Type())
	if !left || !right {
		return n
	}
	typ := sql.Type(types.Int64)
	if unsigned {
		typ = types.Uint64
	}
	return &scalarCall{name: "mod", fn: scalarFunction{typ: fixedType(typ), eval: integerRemainder}, args: n.Children()}
}

func integerRemainder(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	a, okA := bigInt(args[0])
	b, okB := bigInt(args[1])
	if !okA || !okB {
		return nil, nil
	}
	if b.Sign() == 0 {
		ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 1365, Message: "Division by 0"})
		return nil, nil
	}
	rest := new(big.Int).Rem(a, b)
	if call.Type() == types.Uint64 {
		return rest.Uint64(), nil
	}
	return rest.Int64(), nil
}

// timesAsNumbers lets arithmetic take a time as HHMMSS and a date as YYYYMMDD. Intervals are added to dates as such.
func timesAsNumbers(a *expression.Arithmetic) sql.Expression {
	children := append([]sql.Expression(nil), a.Children()...)
	changed := false
	for i, c := range children {
		if _, isInterval := c.(*expression.Interval); isInterval {
			return a
		}
		var number sql.Type = types.Int64
		switch t := c.Type().(type) {
		case types.TimeType:
			if n := timeDigits(t); n > 0 {
				number = types.MustCreateDecimalType(uint8(7+n), uint8(n))
			}
		case sql.DatetimeType:
			if n := t.Precision(); n > 0 && c.Type() != types.DatetimeMaxPrecision {
				number = types.MustCreateDecimalType(uint8(14+n), uint8(n))
			}
		default:
			continue
		}
		children[i], changed = &converted{child: c, typ: number}, true
	}
	if !changed {
		return a
	}
	number, err := a.WithChildren(children...)
	if err != nil {
		return a
	}
	return number
}
