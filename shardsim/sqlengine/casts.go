package sqlengine

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	dolttypes "github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"
	"vitess.io/vitess/go/vt/sqlparser"
)

// CAST to DECIMAL, DATETIME and TIME round to the digits that are asked for (manual, 14.10: Cast Functions and Operators): the
// engine keeps what digits there are. They are calls of functions of ours:
//
//	cast(x as decimal(6))    ->   cast_decimal(x, 6, 0)
//	cast(x as datetime(3))   ->   cast_datetime(x, 3)
//	cast(x as char(3))       ->   cast_char(x, 3), as the engine counts bytes
//	cast(x as json)          ->   cast_json(x)

var castFunctions = map[string]scalarFunction{
	"cast_decimal":  {min: 3, max: 3, typ: castDecimalType, eval: castDecimal},
	"cast_datetime": {min: 2, max: 2, typ: castDatetimeType, eval: castDatetime},
	"cast_time":     {min: 2, max: 2, typ: castTimeType, eval: castTime},
	"cast_char":     {min: 2, max: 2, typ: castCharType, eval: castChar},
	"cast_json":     {min: 1, max: 1, typ: fixedType(types.JSON), eval: castJSON},
}

// formatCast prints a cast. Those that the engine does well it is left.
func formatCast(buf *sqlparser.TrackedBuffer, node sqlparser.SQLNode, expr sqlparser.Expr, typ *sqlparser.ConvertType) {
	length, scale := 0, 0
	if typ.Length != nil {
		length = *typ.Length
	}
	if typ.Scale != nil {
		scale = *typ.Scale
	}
	count := func(n int) sqlparser.Expr { return sqlparser.NewIntLiteral(strconv.Itoa(n)) }
	switch strings.ToLower(typ.Type) {
	case "decimal":
		if length == 0 {
			length = 10
		}
		formatCall(buf, "cast_decimal", expr, count(length), count(scale))
	case "datetime", "time":
		formatCall(buf, "cast_"+strings.ToLower(typ.Type), expr, count(length))
	case "char", "nchar":
		if typ.Length == nil || typ.Charset.Name != "" || typ.Charset.Binary {
			node.Format(buf)
			return
		}
		formatCall(buf, "cast_char", expr, count(length))
	case "json":
		formatCall(buf, "cast_json", expr)
	default:
		node.Format(buf)
	}
}

// checkCasts refuses casts to more digits than there are.
func checkCasts(stmt sqlparser.Statement) error {
	var refused error
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		typ, ok := node.(*sqlparser.ConvertType)
		if !ok || typ == nil || typ.Length == nil {
			return refused == nil, nil
		}
		scale := 0
		if typ.Scale != nil {
			scale = *typ.Scale
		}
		switch strings.ToLower(typ.Type) {
		case "decimal":
			switch {
			case *typ.Length > decimalDigitsMax:
				refused = mysqlError(1426, "42000", "Too-big precision %d specified for 'CAST'. Maximum is 65.", *typ.Length)
			case scale > decimalScaleMax:
				refused = mysqlError(1425, "42000", "Too big scale %d specified for column 'CAST'. Maximum is 30.", scale)
			case scale > *typ.Length:
				refused = mysqlError(1427, "42000", "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '').")
			}
		case "datetime", "time":
			if *typ.Length > 6 {
				refused = mysqlError(1426, "42000", "Too-big precision %d specified for 'CAST'. Maximum is 6.", *typ.Length)
			}
		}
		return refused == nil, nil
	}, stmt)
	return refused
}

// constantCount is an argument that says how many digits there are.
func constantCount(e sql.Expression) int {
	lit, ok := e.(*expression.Literal)
	if !ok {
		return 0
	}
	n, ok := bigInt(lit.Value())
	if !ok || !n.IsInt64() {
		return 0
	}
	return int(n.Int64())
}

func castDecimalType(args []sql.Expression) sql.Type {
	return types.MustCreateDecimalType(uint8(max(constantCount(args[1]), 1)), uint8(constantCount(args[2])))
}

func castDatetimeType(args []sql.Expression) sql.Type {
	return types.MustCreateDatetimeType(dolttypes.Datetime, constantCount(args[1]))
}

func castTimeType(args []sql.Expression) sql.Type { return timeTypeOf(constantCount(args[1])) }

func warnOfCast(ctx *sql.Context, code int, format string, args ...any) {
	ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: code, Message: fmt.Sprintf(format, args...)})
}

func castDecimal(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	from := call.args[0].Type()
	typ := call.Type().(sql.DecimalType)
	n, err := castNumber(ctx, args[0], from)
	if err != nil {
		return nil, err
	}
	d := atScale(n, typ)
	if largest := largestDecimal(typ); d.Abs().GreaterThan(largest) {
		warnOfCast(ctx, 1264, "Out of range value for column '%s' at row 1", shownExpression(call.String()))
		if d.Sign() < 0 {
			return largest.Neg(), nil
		}
		return largest, nil
	}
	return d, nil
}

// largestDecimal is 999.99 for DECIMAL(5,2).
func largestDecimal(typ sql.DecimalType) decimal.Decimal {
	unit := decimal.New(1, -int32(typ.Scale()))
	return decimal.New(1, int32(typ.Precision())-int32(typ.Scale())).Sub(unit)
}

// castNumber reads a value as an exact number; what is none is 0, with a warning.
func castNumber(ctx *sql.Context, v any, from sql.Type) (decimal.Decimal, error) {
	if isDateOrTime(from) {
		if text, ok := v.(string); ok && isDate(from) { // DATE() gives texts
			if at, ok := timeOfText(ctx, text); ok {
				v = at
			}
		}
		if d, ok := decimalOfTime(v, from); ok {
			return d, nil
		}
	}
	if from != nil && types.IsJSON(from) {
		text, err := textOf(ctx, v, from, defaultTextType.(sql.StringType))
		if err != nil {
			return decimal.Zero, err
		}
		v = strings.Trim(shownText(text), `"`)
		switch v {
		case "true":
			v = "1"
		case "false":
			v = "0"
		}
	}
	target := assignTarget{s: fromContext(ctx), ctx: ctx}
	n, ok := target.number(v, from)
	if !ok {
		return decimal.Zero, fmt.Errorf("no number in %T", v)
	}
	if n.more {
		warnOfCast(ctx, 1292, "Truncated incorrect DECIMAL value: '%s'", shownText(v))
	}
	if n.isFloat {
		text := strconv.FormatFloat(n.float, 'g', 15, 64)
		if d, err := decimal.NewFromString(text); err == nil {
			return d, nil
		}
		return decimal.Zero, nil
	}
	return n.exact, nil
}

func castDatetime(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	from := call.args[0].Type()
	target := assignTarget{s: fromContext(ctx), ctx: ctx, typ: types.DatetimeMaxPrecision}
	at, ok := time.Time{}, true
	switch v := args[0].(type) {
	case types.Timespan:
		at = today(ctx).Add(time.Duration(v) * time.Microsecond)
	case decimal.Decimal:
		whole := v.Truncate(0)
		if at, ok = target.timeOf(whole, from, types.DatetimeMaxPrecision.(sql.DatetimeType)); ok && !at.Equal(zeroTime) {
			at = at.Add(time.Duration(v.Sub(whole).Shift(6).Round(0).IntPart()) * time.Microsecond)
		}
	case float64:
		at, ok = target.timeOf(decimal.NewFromFloat(v).Truncate(0), from, types.DatetimeMaxPrecision.(sql.DatetimeType))
	default:
		at, ok = target.timeOf(args[0], from, types.DatetimeMaxPrecision.(sql.DatetimeType))
	}
	if ok && at.Equal(zeroTime) && !target.s.hasMode("NO_ZERO_DATE") {
		return zeroTime, nil
	}
	unit := time.Second
	for range constantCount(call.args[1]) {
		unit /= 10
	}
	rounded := at.Round(unit)
	if !ok || at.Equal(zeroTime) || rounded.Year() > 9999 {
		warnOfCast(ctx, 1292, "Incorrect datetime value: '%s'", shownText(args[0]))
		return nil, nil
	}
	return rounded, nil
}

// today is the current day in the session's time zone, with its time at midnight.
func today(ctx *sql.Context) time.Time {
	now := ctx.QueryTime().UTC()
	if zone := fromContext(ctx).zone(); zone != nil {
		now = now.In(zone)
	}
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
}

func castTime(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	digits := int32(constantCount(call.args[1]))
	switch v := args[0].(type) {
	case decimal.Decimal:
		return castNumberToTime(ctx, v, digits), nil
	case float64:
		return castNumberToTime(ctx, decimal.NewFromFloat(v), digits), nil
	}
	if n, ok := bigInt(args[0]); ok && !isNamedSet(call.args[0].Type()) {
		return castNumberToTime(ctx, decimal.NewFromBigInt(n, 0), digits), nil
	}
	given := textOfNamed(args[0], call.args[0].Type())
	if text, isText := given.(string); isText {
		if clipped, beyond := beyondSpan(strings.TrimSpace(text)); beyond {
			warnOfCast(ctx, 1292, "Truncated incorrect time value: '%s'", text)
			return clipped, nil
		}
	}
	us, ok := clock(ctx, given)
	if !ok {
		return nil, nil
	}
	return withinSpan(ctx, int64(roundTimespan(types.Timespan(us), digits))), nil
}

// castNumberToTime reads a number as HHMMSS, or as a date and time if it is as long as one.
func castNumberToTime(ctx *sql.Context, n decimal.Decimal, digits int32) any {
	whole := n.Abs().Truncate(0).IntPart()
	micros := n.Abs().Sub(decimal.NewFromInt(whole)).Shift(6).Round(0).IntPart()
	if at, ok := timeOfNumber(whole); whole > 10000000000 && ok {
		us, _ := clock(ctx, at)
		return roundTimespan(types.Timespan(us+micros), digits)
	}
	if whole/100%100 > 59 || whole%100 > 59 {
		warnOfCast(ctx, 1292, "Truncated incorrect time value: '%s'", n.String())
		return nil
	}
	us := (whole/10000*3600+whole/100%100*60+whole%100)*1e6 + micros
	if us > int64(spanMax) {
		warnOfCast(ctx, 1292, "Truncated incorrect time value: '%s'", n.String())
		us = int64(spanMax)
	}
	if n.Sign() < 0 {
		us = -us
	}
	return roundTimespan(types.Timespan(us), digits)
}

// castCharType is the type of CAST(x AS CHAR(n)).
func castCharType(args []sql.Expression) sql.Type {
	if n, ok := args[1].(*expression.Literal); ok {
		if length, ok := bigInt(n.Value()); ok {
			if t, err := types.CreateString(dolttypes.VarChar, length.Int64(), defaultCollation); err == nil {
				return t
			}
		}
	}
	return defaultTextType
}

// castChar is the first n characters of a text.
func castChar(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	n, err := integer(ctx, args[1])
	if err != nil {
		return nil, err
	}
	text := characters(call, args[0])
	return resultText(call, text[:min(max(n, 0), int64(len(text)))]...)
}
