package engine

import (
	"regexp"
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/decimal"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"github.com/vitrodb/vitro/vindexes/key"
)

// Vindexes map what a column holds, byte for byte, while SQL compares by value: 2.0, '2' and 2e0 all find the row with 2, and
// storing '02' in a BIGINT column stores 2. So values are made what the column would hold before they are mapped. Vitess maps
// them as they are written and misses rows.

// numberPrefix is the part of a text that MySQL reads as its number.
var numberPrefix = regexp.MustCompile(`^[ \t\n\r]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?`)

// dateMarks are left out where a date or time is a number: 2024-01-31 is 20240131.
var dateMarks = strings.NewReplacer("-", "", ":", "", " ", "")

// comparedValue returns the value that a column of the type holds if it equals value: NULL if it can hold none. It is false
// where several values of the column are equal to it, as texts are to a number.
func comparedValue(typ querypb.Type, value sqltypes.Value) (sqltypes.Value, bool) {
	switch {
	case value.IsNull():
		return value, true
	case sqltypes.IsIntegral(typ):
		if sqltypes.IsIntegral(value.Type()) || isLiteralBytes(value.Type()) {
			return value, true
		}
		number, ok := numberOf(value)
		if !ok {
			return value, false
		}
		if whole := number.Round(0); !whole.Equal(number) {
			return sqltypes.NULL, true
		}
		return integer(number), true
	case sqltypes.IsText(typ):
		return value, !sqltypes.IsNumber(value.Type())
	}
	return value, true
}

// storedValue returns what a column of the type holds once value is stored in it. What the column refuses stays as it is, so
// that the shard says so; a lenient column (INSERT IGNORE) takes the number that a text begins with.
func storedValue(typ querypb.Type, value sqltypes.Value, lenient bool) sqltypes.Value {
	if value.IsNull() || !sqltypes.IsIntegral(typ) || sqltypes.IsIntegral(value.Type()) || isLiteralBytes(value.Type()) {
		return value
	}
	if !lenient && isTextual(value.Type()) && !isNumeric(value.ToString()) {
		return value
	}
	number, ok := numberOf(value)
	if !ok {
		return value
	}
	if stored := integer(number.Round(0)); !stored.IsNull() {
		return stored
	}
	return value
}

// isTextual tells whether values of the type are texts or bytes that may spell a number.
func isTextual(typ querypb.Type) bool {
	return sqltypes.IsQuoted(typ) && !sqltypes.IsDateOrTime(typ)
}

// isNumeric tells whether a text is a number from its beginning to its end.
func isNumeric(text string) bool {
	prefix := numberPrefix.FindString(text)
	return prefix != "" && strings.Trim(text[len(prefix):], " \t\n\r") == ""
}

// numberOf reads a number as MySQL does: of a text its numeric beginning, or 0; of a date its digits.
func numberOf(value sqltypes.Value) (decimal.Decimal, bool) {
	if !sqltypes.IsNumber(value.Type()) && !sqltypes.IsQuoted(value.Type()) {
		return decimal.Decimal{}, false
	}
	text := value.ToString()
	if sqltypes.IsDateOrTime(value.Type()) {
		text = dateMarks.Replace(text)
	}
	text = numberPrefix.FindString(text)
	if text == "" {
		return decimal.Zero, true
	}
	text = strings.TrimLeft(text, " \t\n\r+")
	if !strings.ContainsAny(text, "eE") {
		number, err := decimal.NewFromMySQL([]byte(text))
		return number, err == nil
	}
	number, err := strconv.ParseFloat(text, 64)
	return decimal.NewFromFloat(number), err == nil
}

// integer makes a value of a whole number, signed where it fits.
func integer(number decimal.Decimal) sqltypes.Value {
	text := number.StringFixed(0)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return sqltypes.NewInt64(n)
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return sqltypes.NewUint64(n)
	}
	return sqltypes.NULL // no integer column holds it
}

// columnType is the type of the vindex's column at a position, NULL_TYPE if it is not known.
func (rp *RoutingParameters) columnType(at int) querypb.Type {
	if at < len(rp.ColumnTypes) {
		return rp.ColumnTypes[at]
	}
	return querypb.Type_NULL_TYPE
}

// comparedValues makes the values of a column what the column would hold. The input is not changed.
func comparedValues(typ querypb.Type, values []sqltypes.Value) ([]sqltypes.Value, bool) {
	out := values
	for i, value := range values {
		held, ok := comparedValue(typ, value)
		if !ok {
			return nil, false
		}
		if held.Type() == value.Type() {
			continue
		}
		if &out[0] == &values[0] {
			out = append([]sqltypes.Value(nil), values...)
		}
		out[i] = held
	}
	return out, true
}

// everywhere is where rows are that no vindex finds.
var everywhere = key.DestinationAllShards{}

// storedRows makes the values of a vindex what its columns will hold, in place.
func storedRows(types []querypb.Type, rows [][]sqltypes.Value, lenient bool) {
	for _, row := range rows {
		for i := range min(len(row), len(types)) {
			row[i] = storedValue(types[i], row[i], lenient)
		}
	}
}
