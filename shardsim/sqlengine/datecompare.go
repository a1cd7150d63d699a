package sqlengine

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// compareDates settles comparisons of dates with constants and numbers as MySQL has them: a text must be a date, else it
// is error 1525; a number that reads as a date is one, and with any other number the date is compared as a number.
//
//	placed = 'fr'        error 1525
//	created > 20240102   created > '2024-01-02 00:00:00'
//	placed > 5           20240301 > 5
func compareDates(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	switch c := e.(type) {
	case *expression.Equals, *expression.NullSafeEquals, *expression.GreaterThan, *expression.GreaterThanOrEqual,
		*expression.LessThan, *expression.LessThanOrEqual, *expression.Between:
		return compareDatesOf(ctx, e, e.Children())
	case *expression.InTuple:
		list, ok := c.Right().(expression.Tuple)
		if !ok || !isDate(c.Left().Type()) {
			return e, nil
		}
		fresh := make(expression.Tuple, len(list))
		for i, item := range list {
			constant, _, err := dateConstant(ctx, c.Left().Type(), item)
			if err != nil {
				return nil, err
			}
			fresh[i] = constant
		}
		return e.WithChildren(c.Left(), fresh)
	}
	return e, nil
}

// compareDatesOf settles a comparison of which the first operand, or one of two, is a date.
func compareDatesOf(ctx *sql.Context, e sql.Expression, operands []sql.Expression) (sql.Expression, error) {
	date := 0
	if len(operands) == 2 && !isDate(operands[0].Type()) {
		date = 1
	}
	if !isDate(operands[date].Type()) {
		return e, nil
	}
	fresh := append([]sql.Expression(nil), operands...)
	changed, asNumber := false, false
	for i, o := range operands {
		if i == date {
			continue
		}
		constant, number, err := dateConstant(ctx, operands[date].Type(), o)
		if err != nil {
			return nil, err
		}
		changed = changed || constant != o
		asNumber = asNumber || number
		fresh[i] = constant
	}
	if asNumber {
		fresh = append(fresh[:0], operands...)
		fresh[date] = &converted{child: operands[date], typ: types.Int64}
	} else if !changed {
		return e, nil
	}
	return e.WithChildren(fresh...)
}

// dateConstant returns what a date is compared with, and whether that is a number which is no date.
func dateConstant(ctx *sql.Context, date sql.Type, e sql.Expression) (constant sql.Expression, number bool, err error) {
	lit, ok := e.(*expression.Literal)
	if !ok {
		return e, isNumeric(e.Type()), nil
	}
	if text, ok := lit.Value().(string); ok {
		if _, _, err := types.DatetimeMaxPrecision.Convert(ctx, text); err != nil {
			name := "DATETIME"
			if types.IsDateType(date) {
				name = "DATE"
			}
			return nil, false, mysqlError(1525, "HY000", "Incorrect %s value: '%s'", name, text)
		}
		return e, false, nil
	}
	if lit.Value() == nil || !isNumeric(lit.Type()) {
		return e, false, nil
	}
	n, ok := bigInt(lit.Value())
	if !ok || !n.IsInt64() {
		return e, true, nil
	}
	t, ok := timeOfNumber(n.Int64())
	if !ok {
		return e, true, nil
	}
	return expression.NewLiteral(t, types.DatetimeMaxPrecision), false, nil
}

// timeOfNumber reads a number as YYYYMMDD, YYMMDD, YYYYMMDDhhmmss or YYMMDDhhmmss.
func timeOfNumber(n int64) (time.Time, bool) {
	clock := int64(0)
	if n > 99991231 {
		n, clock = n/1000000, n%1000000
	}
	if n < 101 || n > 99991231 {
		return time.Time{}, false
	}
	year, month, day := int(n/10000), int(n/100%100), int(n%100)
	if n <= 991231 {
		year += 1900
		if year < 1970 {
			year += 100
		}
	} else if n < 10000101 {
		return time.Time{}, false
	}
	hour, minute, second := int(clock/10000), int(clock/100%100), int(clock%100)
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	valid := int(t.Month()) == month && t.Day() == day && hour < 24 && minute < 60 && second < 60
	return t, valid
}

// numberOfTime is a date as the number YYYYMMDD, or YYYYMMDDhhmmss if it has a time.
func numberOfTime(t time.Time, typ sql.Type) int64 {
	date := int64(t.Year()*10000 + int(t.Month())*100 + t.Day())
	if types.IsDateType(typ) {
		return date
	}
	return date*1000000 + int64(t.Hour()*10000+t.Minute()*100+t.Second())
}
