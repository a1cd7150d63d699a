package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// operandsAsNumbers gives what takes numbers the number of a date or time, YYYYMMDDhhmmss or hhmmss, and what asks whether a
// time or a text is true that number, or the one it starts with.
func operandsAsNumbers(e sql.Expression) (sql.Expression, error) {
	switch e.(type) {
	case *function.If, *expression.Case, *aggregation.Sum, *aggregation.Avg, *expression.Div, *expression.IntDiv,
		*expression.UnaryMinus, *expression.IsTrue, *expression.Not, *expression.And, *expression.Or, *expression.Xor, *expression.BitOp,
		*expression.Mod:
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
		if a == nil || !asksNumber(e, i) {
			continue
		}
		if isDateOrTime(a.Type()) {
			fresh[i], changed = asNumber(a), true
		} else if number, ok := leadingNumber(a); ok && readsTexts(e) {
			fresh[i], changed = number, true
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
	case *function.If, *aggregation.Sum, *aggregation.Avg:
		return at == 0 // the others are the window's
	case *expression.Case:
		return e.Expr == nil && at < 2*len(e.Branches) && at%2 == 0
	}
	return true
}

// readsTexts reports whether an expression reckons with the number a text starts with, or asks whether it is 0.
func readsTexts(e sql.Expression) bool {
	switch e.(type) {
	case *function.If, *expression.Case, *expression.UnaryMinus, *expression.Mod, *expression.IsTrue, *expression.Not, *expression.And, *expression.Or, *expression.Xor:
		return true
	}
	return false
}

// filterNumber is an expression that rows are filtered by, as the number it is true by.
func filterNumber(e sql.Expression) sql.Expression {
	if isDateOrTime(e.Type()) {
		return asNumber(e)
	}
	if number, ok := leadingNumber(e); ok {
		return number
	}
	return e
}

// leadingNumber is the number that a text starts with. A literal of bits is a number by itself.
func leadingNumber(e sql.Expression) (sql.Expression, bool) {
	if _, isText := plainString(e.Type()); !isText {
		return nil, false
	}
	if lit, ok := e.(*expression.Literal); ok {
		if _, isBits := lit.Value().([]byte); isBits {
			return nil, false
		}
	}
	return &numericPrefix{child: e, typ: types.Float64, warns: true}, true
}

// asNumber is the number of a date or time, with a fraction if its type has one.
func asNumber(e sql.Expression) sql.Expression {
	digits := 0
	switch t := e.Type().(type) {
	case types.TimeType:
		digits = int(timeDigits(t))
	case sql.DatetimeType:
		_, isColumn := e.(*expression.GetField)
		if !types.IsDateType(t) && (isColumn || e.Type() != types.DatetimeMaxPrecision) {
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
