package sqlengine

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
	"vitess.io/vitess/go/mysql/datetime"
)

// assignDatetime converts to DATE, DATETIME and TIMESTAMP.
func (t *assignTarget) assignDatetime(v any, from sql.Type, typ sql.DatetimeType) (any, error) {
	given := v
	at, ok := t.timeOf(v, from, typ)
	if !ok {
		text, isText := given.(string)
		if isText && hasZeroPart(text) && !t.s.hasMode("NO_ZERO_IN_DATE") {
			return nil, errUnsupported("dates of month or day 0")
		}
		if isText && t.s.hasMode("ALLOW_INVALID_DATES") && isPossibleDay(text) {
			return nil, errUnsupported("ALLOW_INVALID_DATES and days that their month does not have")
		}
		return t.refuse(t.incorrectTime(given), zeroTime)
	}
	if at.Equal(zeroTime) {
		if t.s.hasMode("NO_ZERO_DATE") {
			if !t.lenient {
				return nil, t.incorrectTime(given)
			}
			t.s.warnError("Warning", t.outOfRange())
		}
		return zeroTime, nil
	}
	if types.IsDateType(typ) {
		if at.Hour() != 0 || at.Minute() != 0 || at.Second() != 0 || at.Nanosecond() != 0 {
			t.s.warnError("Note", t.truncated())
		}
		return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC), nil
	}
	conv, _, err := typ.Convert(t.ctx, at)
	if err != nil {
		return t.refuse(t.incorrectTime(given), zeroTime)
	}
	return conv, nil
}

// timeOf reads a value as a date and time.
func (t *assignTarget) timeOf(v any, from sql.Type, typ sql.DatetimeType) (time.Time, bool) {
	if b, ok := v.([]byte); ok {
		v = string(b)
	}
	v = textOfNamed(v, from)
	switch given := v.(type) {
	case time.Time:
		return given.UTC(), true
	case string:
		return timeOfText(t.ctx, given)
	case types.Timespan:
		at, err := types.DatetimeMaxPrecision.ConvertWithoutRangeCheck(t.ctx, given)
		return at, err == nil
	}
	n, ok := t.number(v, from)
	if !ok || n.isFloat {
		return zeroTime, false
	}
	if n.exact.IsZero() {
		return zeroTime, true
	}
	if n.exact.IsInteger() && n.exact.BigInt().IsInt64() {
		return timeOfNumber(n.exact.IntPart())
	}
	return zeroTime, false
}

// timeOfText reads a date and time as MySQL writes them, also with one digit or other separators.
func timeOfText(ctx context.Context, text string) (time.Time, bool) {
	if hasZeroPart(text) && strings.Trim(text, "0-: .") != "" {
		return zeroTime, false
	}
	if dt, _, ok := datetime.ParseDateTime(text, -1); ok {
		if dt.IsZero() {
			return zeroTime, true
		}
		return dt.ToStdTime(time.Time{}), dt.Date.Month() > 0 && dt.Date.Day() > 0
	}
	if d, ok := datetime.ParseDate(text); ok {
		if d.IsZero() {
			return zeroTime, true
		}
		return d.ToStdTime(time.UTC), d.Month() > 0 && d.Day() > 0
	}
	at, err := types.DatetimeMaxPrecision.ConvertWithoutRangeCheck(ctx, text)
	return at, err == nil
}

// incorrectTime is the error of a value that is no date, or a warning's text.
func (t *assignTarget) incorrectTime(v any) error {
	if t.lenient {
		if text, isText := v.(string); isText && !looksLikeDate(text) {
			return t.truncated()
		}
		return t.outOfRange()
	}
	word := "datetime"
	if types.IsDateType(t.typ) {
		word = "date"
	}
	return mysqlError(1292, "22007", "Incorrect %s value: '%s' for column '%s' at row %d", word, shownText(v), t.column, t.s.givenRow)
}

// looksLikeDate tells a date that does not exist from what is no date at all.
func looksLikeDate(text string) bool {
	digits := 0
	for _, c := range text {
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	return digits >= 5
}

// hasZeroPart reports whether a text is a date with a month or a day of 0, which MySQL keeps if the SQL mode allows it.
func hasZeroPart(text string) bool {
	date, _, _ := strings.Cut(text, " ")
	parts := strings.Split(date, "-")
	return len(parts) == 3 && (strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "")
}

// isPossibleDay reports whether a text is a date with a month up to 12 and a day up to 31, of which some do not exist.
func isPossibleDay(text string) bool {
	date, _, _ := strings.Cut(text, " ")
	parts := strings.Split(date, "-")
	if len(parts) != 3 {
		return false
	}
	month, isMonth := parseInt([]byte(parts[1]))
	day, isDay := parseInt([]byte(parts[2]))
	return isMonth && isDay && month >= 1 && month <= 12 && day >= 1 && day <= 31
}

// spanMax is the end of TIME: 838:59:59.
const spanMax = types.Timespan((838*3600 + 59*60 + 59) * 1_000_000)

// assignSpan converts to TIME. Of a date and time it keeps the time.
func (t *assignTarget) assignSpan(v any, from sql.Type) (any, error) {
	given := textOfNamed(v, from)
	if b, ok := given.([]byte); ok {
		given = string(b)
	}
	span, ok := types.Timespan(0), false
	switch g := given.(type) {
	case types.Timespan:
		return g, nil
	case time.Time:
		t.s.warnError("Note", t.truncated())
		return timeOfDay(g), nil
	case string:
		span, ok = t.spanOfText(g)
	default:
		span, ok = t.spanOfNumber(v, from)
	}
	if ok {
		return span, nil
	}
	var err error = mysqlError(1292, "22007", "Incorrect time value: '%s' for column '%s' at row %d", shownText(v), t.column, t.s.givenRow)
	if t.lenient && (span == spanMax || span == -spanMax) {
		err = t.outOfRange()
	} else if t.lenient {
		err = t.truncated()
	}
	return t.refuse(err, span)
}

func timeOfDay(at time.Time) types.Timespan {
	return types.Timespan(at.Sub(time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)).Microseconds())
}

// fullTimestamp is the length from which a text may be a date and time.
const fullTimestamp = 12

// spanOfText reads a time. What is false is as much of it as there is, or the end of the range.
func (t *assignTarget) spanOfText(text string) (types.Timespan, bool) {
	text = strings.TrimSpace(text)
	if len(text) >= fullTimestamp && !strings.HasPrefix(text, "-") {
		if dt, _, ok := datetime.ParseDateTime(text, -1); ok {
			t.s.warnError("Note", t.truncated())
			return timeOfDay(dt.ToStdTime(time.Time{})), true
		}
	}
	if clipped, beyond := beyondSpan(text); beyond {
		return clipped, false
	}
	parsed, _, state := datetime.ParseTime(text, -1)
	if state == datetime.TimeInvalid {
		return 0, false
	}
	span := types.Timespan(parsed.ToDuration().Microseconds())
	if span > spanMax || span < -spanMax {
		return min(max(span, -spanMax), spanMax), false
	}
	return span, state == datetime.TimeOK
}

// spanOfNumber reads HHMMSS.
func (t *assignTarget) spanOfNumber(v any, from sql.Type) (types.Timespan, bool) {
	n, ok := t.number(v, from)
	if !ok {
		return 0, false
	}
	d := n.exact
	if n.isFloat {
		if math.Abs(n.float) > spanNumberMax {
			return types.Timespan(math.Copysign(float64(spanMax), n.float)), false
		}
		d = decimal.NewFromFloat(n.float)
	}
	if d.Abs().GreaterThan(decimal.NewFromInt(spanNumberMax)) {
		if d.Sign() < 0 {
			return -spanMax, false
		}
		return spanMax, false
	}
	whole := d.Abs().IntPart()
	if whole%100 > 59 || whole/100%100 > 59 {
		return 0, false
	}
	micros := d.Abs().Sub(decimal.NewFromInt(whole)).Shift(6).Round(0).IntPart()
	span := types.Timespan((whole/10000*3600+whole/100%100*60+whole%100)*1e6 + micros)
	if d.Sign() < 0 {
		span = -span
	}
	return span, true
}

// spanNumberMax is the end of TIME as a number.
const spanNumberMax = 838_59_59

// beyondSpan reports whether a text is a time past the end of TIME, and which end.
func beyondSpan(text string) (types.Timespan, bool) {
	hours, _, colon := strings.Cut(strings.TrimLeft(text, "-"), ":")
	n, fits := parseInt([]byte(hours))
	if !colon {
		fits, n = fits && n > spanNumberMax, n/10000
	}
	if !fits || n < 838 || colon && n == 838 {
		return 0, false
	}
	if strings.HasPrefix(text, "-") {
		return -spanMax, true
	}
	return spanMax, true
}
