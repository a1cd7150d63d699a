package sqlengine

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	dolttypes "github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"
	"vitess.io/vitess/go/mysql/datetime"
)

// timeFunctions are functions of times and of dates that the engine lacks or has otherwise than MySQL.
var timeFunctions = map[string]scalarFunction{
	"addtime":           {min: 2, max: 2, typ: sumOfTimesType, eval: addTimes(1)},
	"subtime":           {min: 2, max: 2, typ: sumOfTimesType, eval: addTimes(-1)},
	"makedate":          {min: 2, max: 2, typ: fixedType(types.Date), eval: makeDate},
	"maketime":          {min: 3, max: 3, typ: spanTypeOf(2), eval: makeTime},
	"sec_to_time":       {min: 1, max: 1, typ: spanTypeOf(0), eval: secToTime},
	"time":              {min: 1, max: 1, typ: spanTypeOf(0), eval: timeOnly},
	"timediff":          {min: 2, max: 2, typ: timeDiffType, eval: timeDiff},
	"time_to_sec":       {min: 1, max: 1, typ: fixedType(types.Int64), eval: clockPart(func(us int64) int64 { return us / 1e6 })},
	"hour":              {min: 1, max: 1, typ: fixedType(types.Int64), eval: clockPart(func(us int64) int64 { return abs(us) / 3600e6 })},
	"minute":            {min: 1, max: 1, typ: fixedType(types.Int64), eval: clockPart(func(us int64) int64 { return abs(us) / 60e6 % 60 })},
	"second":            {min: 1, max: 1, typ: fixedType(types.Int64), eval: clockPart(func(us int64) int64 { return abs(us) / 1e6 % 60 })},
	"microsecond":       {min: 1, max: 1, typ: fixedType(types.Int64), eval: clockPart(func(us int64) int64 { return abs(us) % 1e6 })},
	"period_add":        {min: 2, max: 2, typ: fixedType(types.Int64), eval: periodAdd},
	"period_diff":       {min: 2, max: 2, typ: fixedType(types.Int64), eval: periodDiff},
	"to_seconds":        {min: 1, max: 1, typ: fixedType(types.Int64), eval: toSeconds},
	"to_days":           {min: 1, max: 1, typ: fixedType(types.Int64), eval: toDays},
	"time_format":       {min: 2, max: 2, typ: fixedType(defaultTextType), eval: timeFormat},
	"utc_date":          {min: 0, max: 0, typ: fixedType(types.Date), eval: utcDate},
	"utc_time":          {min: 0, max: 1, typ: fixedType(types.Time), eval: utcClock},
	"decimal_literal":   {min: 1, max: 1, typ: literalDecimalType, eval: exactDecimalOf},
	"date_literal":      {min: 1, max: 1, typ: fixedType(types.Date), eval: dateLiteral},
	"time_literal":      {min: 1, max: 1, typ: spanTypeOf(0), eval: timeLiteral},
	"timestamp_literal": {min: 1, max: 1, typ: literalTimeType, eval: dateLiteral},
	"utc_timestamp":     {min: 0, max: 1, typ: utcTimestampType, eval: utcTimestamp},
}

func abs(n int64) int64 { return max(n, -n) }

// integer returns an argument as an integer: the digits a text starts with, the nearest one of another number, the ends of the
// range for those beyond it.
func integer(ctx *sql.Context, v any) (int64, error) {
	switch x := v.(type) {
	case string:
		return prefixInteger(x, false).(int64), nil
	case float32:
		return nearestInteger(float64(x)), nil
	case float64:
		return nearestInteger(x), nil
	case uint64:
		return int64(min(x, math.MaxInt64)), nil
	case decimal.Decimal:
		whole := x.Round(0).BigInt()
		if !whole.IsInt64() {
			return nearestInteger(x.InexactFloat64()), nil
		}
		return whole.Int64(), nil
	}
	n, _, err := types.Int64.Convert(ctx, v)
	if err != nil {
		return 0, err
	}
	return n.(int64), nil
}

func nearestInteger(f float64) int64 {
	switch f = math.RoundToEven(f); {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// clock returns the time of day, or the time, of a value in microseconds; false with a warning if it has none.
func clock(ctx *sql.Context, v any) (int64, bool) {
	switch t := v.(type) {
	case types.Timespan:
		return t.AsMicroseconds(), true
	case time.Time:
		return t.Sub(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())).Microseconds(), true
	case []byte:
		return clock(ctx, string(t))
	case string:
		if strings.ContainsAny(t, "- T") && !strings.HasPrefix(t, "-") {
			if dt, _, ok := datetime.ParseDateTime(t, -1); ok {
				return clock(ctx, dt.ToStdTime(time.Time{}))
			}
		}
	}
	if text, ok := v.(string); ok {
		if t, _, state := datetime.ParseTime(strings.TrimSpace(text), -1); state == datetime.TimeOK {
			return t.ToDuration().Microseconds(), true
		}
	}
	span, _, err := types.Time.Convert(ctx, v)
	if s, ok := span.(types.Timespan); ok && err == nil {
		return s.AsMicroseconds(), true
	}
	ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 1292, Message: fmt.Sprintf("Truncated incorrect time value: '%s'", shownText(v))})
	return 0, false
}

func clockPart(part func(micros int64) int64) func(*sql.Context, *scalarCall, []any) (any, error) {
	return func(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
		us, ok := clock(ctx, args[0])
		if !ok {
			return nil, nil
		}
		return part(us), nil
	}
}

// sumOfTimesType is the type of ADDTIME: its first argument's with the digits of both, and text if that is text.
func sumOfTimesType(args []sql.Expression) sql.Type {
	digits := max(fractionDigits(args[0]), fractionDigits(args[1]))
	switch args[0].Type().(type) {
	case sql.DatetimeType:
		return types.MustCreateDatetimeType(dolttypes.Datetime, digits)
	case types.TimeType:
		return timeTypeOf(digits)
	}
	return defaultTextType
}

func addTimes(sign int64) func(*sql.Context, *scalarCall, []any) (any, error) {
	return func(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
		if text, ok := args[1].(string); ok && len(text) > 10 && strings.Count(text, "-") == 2 {
			return nil, nil // a date cannot be added
		}
		by, ok := clock(ctx, args[1])
		if !ok {
			return nil, nil
		}
		by *= sign
		at, isTime := args[0].(time.Time)
		text, isText := args[0].(string)
		if isText && len(text) >= 10 && strings.Count(text, "-") == 2 {
			if at, isTime = timeOfText(ctx, text); !isTime {
				return nil, nil
			}
		}
		if isTime {
			sum := at.Add(time.Duration(by) * time.Microsecond)
			if !isText {
				return sum, nil
			}
			conv := converter{scale: anyFraction}
			return string(conv.time(sum)), nil
		}
		us, ok := clock(ctx, args[0])
		if !ok {
			return nil, nil
		}
		span := withinSpan(ctx, us+by)
		if isText {
			return string(formatTimespan(span, 0)), nil
		}
		return span, nil
	}
}

func makeDate(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	year, err := integer(ctx, args[0])
	if err != nil {
		return nil, err
	}
	day, err := integer(ctx, args[1])
	if err != nil || day < 1 || year < 0 || year > 9999 {
		return nil, err
	}
	if year < 70 {
		year += 2000
	} else if year < 100 {
		year += 1900
	}
	at := time.Date(int(year), 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(min(day, 4e6))-1)
	if at.Year() > 9999 {
		return nil, nil
	}
	return at, nil
}

func makeTime(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	var n [2]int64
	for i := range n {
		v, err := integer(ctx, args[i])
		if err != nil {
			return nil, err
		}
		n[i] = v
	}
	seconds, _, err := types.Float64.Convert(ctx, args[2])
	if err != nil {
		return nil, err
	}
	s := seconds.(float64)
	if n[1] < 0 || n[1] > 59 || s < 0 || s >= 60 {
		return nil, nil
	}
	us := abs(n[0])*3600e6 + n[1]*60e6 + int64(s*1e6+0.5)
	if n[0] < 0 {
		us = -us
	}
	return types.Timespan(min(max(us, -int64(spanMax)), int64(spanMax))), nil
}

func secToTime(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	if text, ok := args[0].(string); ok {
		args[0], _ = prefixFloat(text)
	}
	seconds, _, err := types.Float64.Convert(ctx, args[0])
	if err != nil {
		return nil, err
	}
	us := seconds.(float64) * 1e6
	return types.Timespan(min(max(us, -float64(spanMax)), float64(spanMax))), nil
}

// months counts the months of a period YYMM or YYYYMM from year 0.
func months(period int64) int64 {
	year, month := period/100, period%100
	if year < 70 {
		year += 2000
	} else if year < 100 {
		year += 1900
	}
	return year*12 + month - 1
}

func periods(ctx *sql.Context, args []any) (a, b int64, err error) {
	if a, err = integer(ctx, args[0]); err != nil {
		return 0, 0, err
	}
	b, err = integer(ctx, args[1])
	return a, b, err
}

func periodAdd(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	period, n, err := periods(ctx, args)
	if err != nil {
		return nil, err
	}
	if period <= 0 || period%100 == 0 || period%100 > 12 {
		return nil, mysqlError(1210, "HY000", "Incorrect arguments to %s", call.name)
	}
	m := months(period) + n
	return m/12*100 + m%12 + 1, nil
}

func periodDiff(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	a, b, err := periods(ctx, args)
	if err != nil {
		return nil, err
	}
	for _, p := range []int64{a, b} {
		if p <= 0 || p%100 == 0 || p%100 > 12 {
			return nil, mysqlError(1210, "HY000", "Incorrect arguments to %s", call.name)
		}
	}
	return months(a) - months(b), nil
}

// toSeconds counts the seconds since year 0.
func toSeconds(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	t := assignTarget{s: fromContext(ctx), ctx: ctx, typ: types.DatetimeMaxPrecision}
	at, ok := t.timeOf(args[0], types.DatetimeMaxPrecision, types.DatetimeMaxPrecision.(sql.DatetimeType))
	if !ok || at.Equal(zeroTime) {
		return nil, nil
	}
	const unixEpoch = 719528 * 86400
	return at.Unix() + unixEpoch, nil
}

// toDays counts the days since year 0.
func toDays(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	seconds, err := toSeconds(ctx, call, args)
	if n, ok := seconds.(int64); ok {
		return n / 86400, err
	}
	return nil, err
}

func utcDate(ctx *sql.Context, _ *scalarCall, _ []any) (any, error) {
	now := ctx.QueryTime().UTC()
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC), nil
}

func utcClock(ctx *sql.Context, _ *scalarCall, _ []any) (any, error) {
	us, _ := clock(ctx, ctx.QueryTime().UTC())
	return types.Timespan(us / 1e6 * 1e6), nil
}

// utcTimestampType is DATETIME with as many fractional digits as asked for.
func utcTimestampType(args []sql.Expression) sql.Type {
	digits := int64(0)
	if len(args) == 1 {
		if lit, ok := args[0].(*expression.Literal); ok {
			if n, ok := bigInt(lit.Value()); ok && n.IsInt64() {
				digits = min(max(n.Int64(), 0), 6)
			}
		}
	}
	return types.MustCreateDatetimeType(dolttypes.Datetime, int(digits))
}

func utcTimestamp(ctx *sql.Context, call *scalarCall, _ []any) (any, error) {
	unit := time.Second
	for range call.Type().(sql.DatetimeType).Precision() {
		unit /= 10
	}
	return ctx.QueryTime().UTC().Truncate(unit), nil
}

// timestampDiff is TIMESTAMPDIFF(unit, a, b): how many whole units lie between two times.
var timestampDiff = scalarFunction{min: 3, max: 3, typ: fixedType(types.Int64), eval: wholeUnits}

func wholeUnits(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	target := assignTarget{s: fromContext(ctx), ctx: ctx, typ: types.DatetimeMaxPrecision}
	var at [2]time.Time
	for i := range at {
		t, ok := target.timeOf(args[i+1], types.DatetimeMaxPrecision, types.DatetimeMaxPrecision.(sql.DatetimeType))
		if !ok {
			ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 1292, Message: fmt.Sprintf("Incorrect datetime value: '%s'", shownText(args[i+1]))})
			return nil, nil
		}
		at[i] = t
	}
	unit := strings.ToLower(strings.TrimPrefix(strings.ToUpper(shownText(args[0])), "SQL_TSI_"))
	if perUnit, ok := map[string]int64{"month": 1, "quarter": 3, "year": 12}[unit]; ok {
		return wholeMonths(at[0], at[1]) / perUnit, nil
	}
	size, ok := map[string]int64{"microsecond": 1, "second": 1e6, "minute": 60e6, "hour": 3600e6, "day": 86400e6, "week": 7 * 86400e6}[unit]
	if !ok {
		return nil, errUnsupported("TIMESTAMPDIFF in " + unit)
	}
	return (at[1].UnixMicro() - at[0].UnixMicro()) / size, nil
}

// wholeMonths counts months; one that is not over does not count.
func wholeMonths(a, b time.Time) int64 {
	if b.Before(a) {
		return -wholeMonths(b, a)
	}
	n := int64(b.Year()-a.Year())*12 + int64(b.Month()-a.Month())
	clockA := a.Sub(time.Date(a.Year(), a.Month(), a.Day(), 0, 0, 0, 0, time.UTC))
	clockB := b.Sub(time.Date(b.Year(), b.Month(), b.Day(), 0, 0, 0, 0, time.UTC))
	if b.Day() < a.Day() || b.Day() == a.Day() && clockB < clockA {
		n--
	}
	return n
}

// timeFormat is TIME_FORMAT(time, format): DATE_FORMAT of hours, which may be more than a day has, minutes and seconds. Of what
// a time does not have, it gives zeros or NULL.
func timeFormat(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	us, ok := clock(ctx, args[0])
	if !ok {
		return nil, nil
	}
	hour, minute, second, micros := abs(us)/3600e6, abs(us)/60e6%60, abs(us)/1e6%60, abs(us)%1e6
	half, hour12 := "AM", (hour+11)%12+1
	if hour%24 >= 12 {
		half = "PM"
	}
	var out strings.Builder
	if us < 0 {
		out.WriteString("-")
	}
	format := shownText(args[1])
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out.WriteByte(format[i])
			continue
		}
		i++
		switch format[i] {
		case 'H':
			fmt.Fprintf(&out, "%02d", hour)
		case 'k':
			fmt.Fprintf(&out, "%d", hour)
		case 'h', 'I':
			fmt.Fprintf(&out, "%02d", hour12)
		case 'l':
			fmt.Fprintf(&out, "%d", hour12)
		case 'i':
			fmt.Fprintf(&out, "%02d", minute)
		case 's', 'S':
			fmt.Fprintf(&out, "%02d", second)
		case 'f':
			fmt.Fprintf(&out, "%06d", micros)
		case 'p':
			out.WriteString(half)
		case 'r':
			fmt.Fprintf(&out, "%02d:%02d:%02d %s", hour12, minute, second, half)
		case 'T':
			fmt.Fprintf(&out, "%02d:%02d:%02d", hour, minute, second)
		case 'c', 'e':
			out.WriteString("0")
		case 'd', 'm', 'y':
			out.WriteString("00")
		case 'Y':
			out.WriteString("0000")
		case 'a', 'b', 'D', 'j', 'M', 'U', 'u', 'V', 'v', 'W', 'w', 'X', 'x':
			return nil, nil
		default:
			out.WriteByte(format[i])
		}
	}
	return out.String(), nil
}

// dateLiteral is DATE '...' or TIMESTAMP '...', timeLiteral is TIME '...'. Their texts have been checked.
func dateLiteral(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	at, ok := timeOfText(ctx, shownText(args[0]))
	if !ok {
		return nil, nil
	}
	return at, nil
}

func timeLiteral(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	us, ok := clock(ctx, shownText(args[0]))
	if !ok {
		return nil, nil
	}
	return types.Timespan(us), nil
}

func literalTimeType(args []sql.Expression) sql.Type {
	return types.MustCreateDatetimeType(dolttypes.Datetime, fractionDigits(args[0]))
}

// spanTypeOf is TIME with the digits of an argument.
func spanTypeOf(at int) func([]sql.Expression) sql.Type {
	return func(args []sql.Expression) sql.Type { return timeTypeOf(fractionDigits(args[at])) }
}

// timeOnly is TIME(x): the time of day of a date and time, or the time.
func timeOnly(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	us, ok := clock(ctx, args[0])
	if !ok {
		return nil, nil
	}
	return types.Timespan(us), nil
}

func timeDiffType(args []sql.Expression) sql.Type {
	return timeTypeOf(max(fractionDigits(args[0]), fractionDigits(args[1])))
}

// timeDiff is TIMEDIFF(a, b) of two times, or two dates with times; NULL of one and the other.
func timeDiff(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
	var micros [2]int64
	var dated [2]bool
	for i, v := range args {
		text, isText := v.(string)
		at, isTime := v.(time.Time)
		if isText && len(text) >= 10 && strings.Count(text, "-") == 2 {
			if at, isTime = timeOfText(ctx, text); !isTime {
				return nil, nil
			}
		}
		if dated[i] = isTime; isTime {
			micros[i] = at.UnixMicro()
			continue
		}
		us, ok := clock(ctx, v)
		if !ok {
			return nil, nil
		}
		micros[i] = us
	}
	if dated[0] != dated[1] {
		return nil, nil
	}
	return withinSpan(ctx, micros[0]-micros[1]), nil
}

// withinSpan is a time, or the end of TIME with a warning.
func withinSpan(ctx *sql.Context, us int64) types.Timespan {
	span := types.Timespan(min(max(us, -int64(spanMax)), int64(spanMax)))
	if int64(span) != us {
		ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 1292,
			Message: fmt.Sprintf("Truncated incorrect time value: '%s'", formatTimespan(types.Timespan(us), 0))})
	}
	return span
}
