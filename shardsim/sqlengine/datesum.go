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
)

// dateSum is DATE_ADD or DATE_SUB, which date + INTERVAL and TIMESTAMPADD are too (manual, 14.7: Date and Time Functions). A
// TIME with hours, minutes and seconds is a TIME, a DATE with years, months and days a DATE, any other date or time a DATETIME,
// and what is no date or time by its type a text.
type dateSum struct {
	date sql.Expression
	by   sql.Expression
	unit intervalUnit
	sign int64 // -1 for DATE_SUB
}

var _ sql.FunctionExpression = (*dateSum)(nil)

// dateSumFunction is DATE_ADD or DATE_SUB for the engine's registry. ADDDATE and SUBDATE take a number of days too.
func dateSumFunction(name string, sign int64) sql.Function {
	return sql.FunctionN{Name: name, Fn: func(args ...sql.Expression) (sql.Expression, error) {
		if len(args) != 2 {
			return nil, sql.ErrInvalidArgumentNumber.New(name, 2, len(args))
		}
		sum := &dateSum{date: args[0], by: args[1], unit: dayUnit, sign: sign}
		if interval, ok := args[1].(*expression.Interval); ok {
			unit, known := intervalUnits[strings.ToLower(interval.Unit)]
			if !known {
				return nil, mysqlError(1064, "42000", "You have an error in your SQL syntax; '%s' is no unit of an interval", interval.Unit)
			}
			sum.by, sum.unit = interval.Child, unit
		}
		return sum, nil
	}}
}

func (d *dateSum) FunctionName() string {
	if d.sign < 0 {
		return "date_sub"
	}
	return "date_add"
}

func (d *dateSum) Description() string        { return "adds an interval to a date or time" }
func (d *dateSum) Resolved() bool             { return d.date.Resolved() && d.by.Resolved() }
func (d *dateSum) IsNullable() bool           { return true }
func (d *dateSum) Children() []sql.Expression { return []sql.Expression{d.date, d.by} }

// String is in the engine's words, as the text of a column's default is read again.
func (d *dateSum) String() string {
	return d.FunctionName() + "(" + d.date.String() + ",interval " + d.by.String() + " " + unitText(d.unit.name) + ")"
}

// unitText is a unit in the engine's words: as a name where it has parts, as its grammar knows that word elsewhere alone.
func unitText(unit string) string {
	if strings.Contains(unit, "_") {
		return "`" + unit + "`"
	}
	return unit
}

func (d *dateSum) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(d, len(children), 2)
	}
	return &dateSum{date: children[0], by: children[1], unit: d.unit, sign: d.sign}, nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (d *dateSum) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return ctx.GetCollation(), 4
}

// digits is how many fractional digits the interval has.
func (d *dateSum) digits() int {
	switch {
	case d.unit.micros:
		return 6
	case d.unit.name == "second":
		if _, isText := d.by.Type().(sql.StringType); isText {
			return 6
		}
		return fractionDigits(d.by)
	}
	return 0
}

// Type implements sql.Expression.
func (d *dateSum) Type() sql.Type {
	switch t := d.date.Type().(type) {
	case types.TimeType:
		digits := max(int(timeDigits(t)), d.digits())
		if !d.unit.hasDate {
			return timeTypeOf(digits)
		}
		return types.MustCreateDatetimeType(dolttypes.Datetime, digits)
	case sql.DatetimeType:
		if types.IsDateType(t) {
			if !d.unit.hasTime {
				return t
			}
			return types.MustCreateDatetimeType(dolttypes.Datetime, d.digits())
		}
		return types.MustCreateDatetimeType(dolttypes.Datetime, max(t.Precision(), d.digits()))
	}
	return defaultTextType
}

// timeTypeOf is TIME with so many fractional digits.
func timeTypeOf(digits int) sql.Type {
	if digits == 0 {
		return types.Time
	}
	return preciseTime{TimeType: types.Time, digits: int32(min(digits, 6))}
}

// fractionDigits is how many digits of a second an expression has: of a text that is constant those it is written with.
func fractionDigits(e sql.Expression) int {
	switch t := e.Type().(type) {
	case types.TimeType:
		return int(timeDigits(t))
	case sql.DatetimeType:
		if types.IsDateType(t) {
			return 0
		}
		return t.Precision()
	case sql.DecimalType:
		return min(int(t.Scale()), 6)
	case sql.NumberType:
		if t.IsFloat() {
			return 6
		}
		return 0
	case sql.StringType:
		if lit, ok := e.(*expression.Literal); ok {
			text, _ := lit.Value().(string)
			_, fraction, _ := strings.Cut(text, ".")
			return min(len(fraction), 6)
		}
		return 6
	}
	return 0
}

// Eval implements sql.Expression.
func (d *dateSum) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	date, err := evalPlain(ctx, d.date, row)
	if err != nil || date == nil {
		return nil, err
	}
	by, err := evalPlain(ctx, d.by, row)
	if err != nil || by == nil {
		return nil, err
	}
	interval, ok := d.unit.read(ctx, by)
	if !ok {
		return nil, nil
	}
	interval = interval.times(d.sign)
	if span, isSpan := date.(types.Timespan); isSpan {
		return d.addToSpan(ctx, span, interval)
	}
	at, dateOnly, ok := d.dateOf(ctx, date)
	if !ok {
		ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 1292, Message: fmt.Sprintf("Incorrect datetime value: '%s'", shownText(date))})
		return nil, nil
	}
	if at.Equal(zeroTime) {
		return nil, nil
	}
	sum, ok := interval.addTo(at, d.unit)
	if !ok {
		return nil, overflown(ctx, "datetime")
	}
	if isDate(d.Type()) {
		return sum, nil
	}
	if dateOnly && !d.unit.hasTime {
		return sum.Format(time.DateOnly), nil
	}
	conv := converter{typ: types.Datetime, scale: anyFraction}
	return string(conv.time(sum)), nil
}

func evalPlain(ctx *sql.Context, e sql.Expression, row sql.Row) (any, error) {
	v, err := e.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	return sql.UnwrapAny(ctx, v)
}

// overflown warns that a sum is out of range.
func overflown(ctx *sql.Context, what string) error {
	ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 1441, Message: "Datetime function: " + what + " field overflow"})
	return nil
}

// dateOf reads what is added to; dateOnly tells that it has no time of day.
func (d *dateSum) dateOf(ctx *sql.Context, v any) (at time.Time, dateOnly, ok bool) {
	target := assignTarget{s: fromContext(ctx), ctx: ctx, typ: types.DatetimeMaxPrecision}
	at, ok = target.timeOf(v, d.date.Type(), types.DatetimeMaxPrecision.(sql.DatetimeType))
	switch v := v.(type) {
	case string:
		text := strings.TrimSpace(v)
		dateOnly = !strings.ContainsAny(text, " T:") && len(text) <= 10
	case time.Time:
	default:
		dateOnly = len(shownText(v)) <= 8
	}
	return at, dateOnly, ok && at.Year() <= 9999
}

// addToSpan adds to a TIME; with days, months and years it is the time of the current day.
func (d *dateSum) addToSpan(ctx *sql.Context, span types.Timespan, by interval) (any, error) {
	if !d.unit.hasDate {
		us := by.hour*3600e6 + by.minute*60e6 + by.second*1e6 + by.micro
		if by.isLong() || abs(int64(span)+us) > int64(spanMax) {
			return nil, overflown(ctx, "time")
		}
		return span + types.Timespan(us), nil
	}
	sum, ok := by.addTo(today(ctx).Add(time.Duration(span)*time.Microsecond), d.unit)
	if !ok {
		return nil, overflown(ctx, "datetime")
	}
	return sum, nil
}

// interval is a count of each unit, all of one sign.
type interval struct{ year, month, day, hour, minute, second, micro int64 }

func (i interval) times(n int64) interval {
	return interval{i.year * n, i.month * n, i.day * n, i.hour * n, i.minute * n, i.second * n, i.micro * n}
}

// daysMax is the number of 9999-12-31, counted from year 0.
const daysMax = 3652424

// isLong reports whether an interval is longer than there are dates.
func (i interval) isLong() bool {
	return abs(i.day) > daysMax || abs(i.hour)/24 > daysMax || abs(i.minute)/24/60 > daysMax || abs(i.second)/24/3600 > daysMax ||
		abs(i.year) > 10000 || abs(i.month) > math.MaxInt32
}

// addTo adds to a date and time; false if there is no such date.
func (i interval) addTo(at time.Time, unit intervalUnit) (time.Time, bool) {
	if i.isLong() {
		return at, false
	}
	if !unit.hasTime && (unit.name != "day" && unit.name != "week") {
		months := int64(at.Year())*12 + int64(at.Month()) - 1 + i.year*12 + i.month
		if months < 0 || months >= 120000 {
			return at, false
		}
		first := time.Date(int(months/12), time.Month(months%12+1), 1, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC)
		return first.AddDate(0, 0, min(at.Day(), first.AddDate(0, 1, -1).Day())-1), true
	}
	seconds := (i.day*24+i.hour)*3600 + i.minute*60 + i.second + i.micro/1e6
	sum := time.Unix(at.Unix()+seconds, int64(at.Nanosecond())+i.micro%1e6*1000).UTC()
	return sum, sum.Year() > 0 && sum.Year() <= 9999
}
