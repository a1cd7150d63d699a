package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// numberFunctions take numbers. The engine gives them a date as seconds since 1970 and cannot give them a time.
var numberFunctions = map[string]bool{
	"abs": true, "sign": true, "floor": true, "ceil": true, "ceiling": true, "round": true, "truncate": true, "mod": true,
	"pow": true, "power": true, "sqrt": true, "exp": true, "ln": true, "log": true, "log2": true, "log10": true,
	"sin": true, "cos": true, "tan": true, "cot": true, "asin": true, "acos": true, "atan": true, "degrees": true, "radians": true,
}

// datesAsNumbers gives what takes numbers the number of a date or time, YYYYMMDDhhmmss or hhmmss, and what asks whether a time
// is true that number too.
func datesAsNumbers(e sql.Expression) (sql.Expression, error) {
	switch f := e.(type) {
	case *function.If, *expression.Case:
	case sql.FunctionExpression:
		if !numberFunctions[f.FunctionName()] {
			return e, nil
		}
	case *aggregation.Sum, *aggregation.Avg, *expression.Div, *expression.IntDiv, *expression.UnaryMinus, *expression.IsTrue,
		*expression.Not, *expression.And, *expression.Or, *expression.Xor:
	case *expression.Equals, *expression.NullSafeEquals, *expression.GreaterThan, *expression.GreaterThanOrEqual,
		*expression.LessThan, *expression.LessThanOrEqual, *expression.Between:
		return compareTimes(e)
	default:
		return e, nil
	}
	args := e.Children()
	fresh := append([]sql.Expression(nil), args...)
	changed := false
	for i, a := range args {
		if a != nil && isDateOrTime(a.Type()) && asksNumber(e, i) {
			fresh[i], changed = asNumber(a), true
		}
	}
	if !changed {
		return e, nil
	}
	return e.WithChildren(fresh...)
}

// asksNumber reports whether an operand is taken as a number: all are but for those that IF and CASE give.
func asksNumber(e sql.Expression, at int) bool {
	switch e := e.(type) {
	case *function.If:
		return at == 0
	case *expression.Case:
		return e.Expr == nil && at < 2*len(e.Branches) && at%2 == 0
	}
	return true
}

// asNumber is the number of a date or time, with a fraction if its type has one.
func asNumber(e sql.Expression) sql.Expression {
	digits := 0
	switch t := e.Type().(type) {
	case types.TimeType:
		digits = int(timeDigits(t))
	case sql.DatetimeType:
		if !types.IsDateType(t) && e.Type() != types.DatetimeMaxPrecision {
			digits = t.Precision()
		}
	}
	if digits == 0 {
		return &converted{child: e, typ: types.Int64}
	}
	return &converted{child: e, typ: types.MustCreateDecimalType(uint8(14+digits), uint8(digits))}
}

// compareTimes settles comparisons of computed times, which the engine takes for other numbers than those of columns: with
// numbers the time is one, with texts a text.
func compareTimes(e sql.Expression) (sql.Expression, error) {
	operands := e.Children()
	fresh := append([]sql.Expression(nil), operands...)
	changed := false
	for i, o := range operands {
		if _, isTime := o.Type().(types.TimeType); !isTime {
			continue
		}
		if _, stored := o.(*expression.GetField); stored {
			continue
		}
		other := operands[(i+1)%len(operands)].Type()
		switch {
		case isNumeric(other):
			fresh[i], changed = &converted{child: o, typ: types.MustCreateDecimalType(20, 6)}, true
		case isCharacter(other):
			fresh[i], changed = &converted{child: o, typ: defaultTextType}, true
		}
	}
	if !changed {
		return e, nil
	}
	return e.WithChildren(fresh...)
}
