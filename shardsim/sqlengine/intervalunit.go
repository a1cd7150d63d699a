package sqlengine

import (
	"fmt"
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// intervalUnit is the unit of an INTERVAL. parts are what its value has, the largest first.
type intervalUnit struct {
	name             string
	parts            []func(*interval) *int64
	factor           int64 // what one of the unit is of the part
	hasDate, hasTime bool
	micros           bool // its last part is microseconds
}

var dayUnit = intervalUnits["day"]

var intervalUnits = func() map[string]intervalUnit {
	parts := map[string]func(*interval) *int64{
		"year": func(i *interval) *int64 { return &i.year }, "month": func(i *interval) *int64 { return &i.month },
		"day": func(i *interval) *int64 { return &i.day }, "hour": func(i *interval) *int64 { return &i.hour },
		"minute": func(i *interval) *int64 { return &i.minute }, "second": func(i *interval) *int64 { return &i.second },
		"microsecond": func(i *interval) *int64 { return &i.micro },
	}
	units := map[string]intervalUnit{
		"week":    {name: "week", parts: []func(*interval) *int64{parts["day"]}, factor: 7, hasDate: true},
		"quarter": {name: "quarter", parts: []func(*interval) *int64{parts["month"]}, factor: 3, hasDate: true},
	}
	names := []string{"year", "month", "day", "hour", "minute", "second", "microsecond"}
	add := func(name string, from, to int) {
		unit := intervalUnit{name: name, factor: 1, hasDate: from < 3, hasTime: to >= 3, micros: to == 6}
		for _, part := range names[from : to+1] {
			unit.parts = append(unit.parts, parts[part])
		}
		units[name] = unit
	}
	for i, name := range names {
		add(name, i, i)
		for j := i + 1; j < len(names); j++ {
			if j == 1 || i >= 2 {
				add(name+"_"+names[j], i, j)
			}
		}
	}
	return units
}()

// read reads the value of an interval; false if it is none.
func (u intervalUnit) read(ctx *sql.Context, v any) (interval, bool) {
	if len(u.parts) > 1 {
		return u.fields(shownText(v))
	}
	var out interval
	if u.name == "second" {
		exact, ok := exactSeconds(v)
		if !ok || exact.Abs().Cmp(decimal.New(math.MaxInt32, 4)) > 0 {
			return out, false
		}
		out.second = exact.IntPart()
		out.micro = exact.Sub(decimal.NewFromInt(out.second)).Shift(6).IntPart()
		return out, true
	}
	n, ok := wholeCount(ctx, v)
	*u.parts[0](&out) = n * u.factor
	return out, ok && abs(n) < math.MaxInt64/64
}

// exactSeconds is a value with its fraction.
func exactSeconds(v any) (decimal.Decimal, bool) {
	switch n := v.(type) {
	case string:
		f, _ := prefixFloat(n)
		return decimal.NewFromFloat(f), true
	case []byte:
		return exactSeconds(string(n))
	case float64:
		return decimal.NewFromFloat(n), !math.IsInf(n, 0) && !math.IsNaN(n)
	case float32:
		return exactSeconds(float64(n))
	case types.Timespan:
		return decimal.NewFromInt(numberOfSpan(n)), true
	}
	d, err := exactDecimal(v)
	return d, err == nil
}

// wholeCount is a value as an integer: a number is rounded, a text is what it begins with.
func wholeCount(ctx *sql.Context, v any) (int64, bool) {
	switch n := v.(type) {
	case []byte:
		return wholeCount(ctx, string(n))
	case string:
		whole, _ := prefixInteger(n, false).(int64)
		if fmt.Sprint(whole) != strings.TrimPrefix(strings.TrimSpace(n), "+") {
			ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 1292, Message: fmt.Sprintf("Truncated incorrect INTEGER value: '%s'", n)})
		}
		return whole, true
	case float64:
		return int64(math.RoundToEven(n)), math.Abs(n) < math.MaxInt64
	case types.Timespan:
		return numberOfSpan(n), true
	}
	d, err := exactDecimal(v)
	if err != nil {
		return 0, false
	}
	return d.Round(0).IntPart(), true
}

// fields reads numbers with anything between them. The last one is of the smallest part; too many are no interval.
func (u intervalUnit) fields(text string) (interval, bool) {
	var out interval
	sign := int64(1)
	text = strings.TrimLeft(text, " ")
	if strings.HasPrefix(text, "-") {
		sign = -1
	}
	digits := strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if len(digits) > len(u.parts) {
		return out, false
	}
	for i, field := range digits {
		n := int64(0)
		for _, c := range field {
			if n = n*10 + int64(c-'0'); n > math.MaxInt64/10000 {
				return out, false
			}
		}
		at := len(u.parts) - len(digits) + i
		if u.micros && at == len(u.parts)-1 {
			for range 6 - len(field) {
				n *= 10
			}
		}
		*u.parts[at](&out) = n
	}
	return out.times(sign), true
}
