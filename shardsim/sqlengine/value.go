package sqlengine

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"github.com/vitrodb/vitro/shardsim/store"
)

// zeroTime is how the engine keeps 0000-00-00 00:00:00.
var zeroTime = time.Unix(-62167219200, 0).UTC()

// converter turns the values of one result column into sqltypes.
type converter struct {
	typ   sql.Type
	wire  querypb.Type
	scale int32 // digits after the point of a decimal, fractional digits of a time
	shape *numberShape
}

// value converts one value to MySQL's text form.
func (c *converter) value(ctx *sql.Context, v any) (sqltypes.Value, error) {
	if v == nil {
		return sqltypes.NULL, nil
	}
	text, err := c.text(ctx, v)
	if err != nil {
		return sqltypes.NULL, err
	}
	return sqltypes.MakeTrusted(c.wire, c.shape.filled(text)), nil
}

func (c *converter) text(ctx *sql.Context, v any) ([]byte, error) {
	switch v := v.(type) {
	case int64:
		return c.integer(v), nil
	case int32:
		return c.integer(int64(v)), nil
	case string:
		return []byte(v), nil
	case []byte:
		return v, nil
	case int16:
		return c.integer(int64(v)), nil
	case int8:
		return c.integer(int64(v)), nil
	case int:
		return c.integer(int64(v)), nil
	case uint64:
		return c.unsigned(v)
	case uint32:
		return strconv.AppendUint(nil, uint64(v), 10), nil
	case uint16:
		return c.unsigned(uint64(v))
	case uint8:
		return strconv.AppendUint(nil, uint64(v), 10), nil
	case bool:
		if v {
			return []byte("1"), nil
		}
		return []byte("0"), nil
	case float64:
		return c.float(v, 64), nil
	case float32:
		return c.float(float64(v), 32), nil
	case decimal.Decimal:
		return []byte(c.decimal(v)), nil
	case time.Time:
		return c.time(v), nil
	case types.Timespan:
		return formatTimespan(v, c.scale), nil
	case sql.JSONWrapper:
		text, err := types.JsonToMySqlString(v)
		return []byte(text), err
	case types.GeometryValue:
		return v.Serialize(), nil
	case sql.AnyWrapper:
		plain, err := sql.UnwrapAny(ctx, v)
		if err != nil {
			return nil, err
		}
		return c.text(ctx, plain)
	}
	out, err := c.typ.SQL(ctx, nil, v)
	return out.ToBytes(), err
}

func (c *converter) integer(v int64) []byte {
	if c.wire == querypb.Type_YEAR && v == 0 {
		return []byte("0000")
	}
	return strconv.AppendInt(nil, v, 10)
}

// unsigned converts an unsigned integer, which may stand for an enum, a set or bits.
func (c *converter) unsigned(v uint64) ([]byte, error) {
	switch typ := c.typ.(type) {
	case sql.EnumType:
		text, _ := typ.At(int(v))
		return []byte(text), nil
	case sql.SetType:
		text, err := typ.BitsToString(v)
		return []byte(text), err
	case types.BitType:
		n := (int(typ.NumberOfBits()) + 7) / 8
		out := make([]byte, n)
		for i := n - 1; i >= 0; i-- {
			out[i] = byte(v)
			v >>= 8
		}
		return out, nil
	}
	return strconv.AppendUint(nil, v, 10), nil
}

func (c *converter) float(v float64, bits int) []byte {
	if c.shape != nil && c.shape.scale != notFixed {
		return strconv.AppendFloat(nil, v, 'f', c.shape.scale, 64)
	}
	switch c.wire {
	case querypb.Type_FLOAT32, querypb.Type_FLOAT64:
		return FormatFloat(v, bits)
	case querypb.Type_DECIMAL:
		return strconv.AppendFloat(nil, v, 'f', int(c.scale), 64)
	}
	if sqltypes.IsIntegral(c.wire) {
		return strconv.AppendFloat(nil, math.RoundToEven(v), 'f', 0, 64)
	}
	return FormatFloat(v, bits)
}

// FormatFloat prints a floating point number as MySQL does: the shortest digits that read back the same, in exponent form
// from 1e15 up for double, and 1e-15 down.
func FormatFloat(v float64, bits int) []byte {
	format := byte('f')
	if a := math.Abs(v); a != 0 && (a >= 1e15 || a < 1e-15) {
		format = 'e'
	}
	if bits == 32 {
		// FLOAT shows six significant digits.
		text := strconv.FormatFloat(v, 'g', 6, 32)
		v, _ = strconv.ParseFloat(text, 64)
		bits = 64
	}
	out := strconv.AppendFloat(nil, v, format, -1, bits)
	if format == 'e' {
		return trimExponent(out)
	}
	return out
}

// trimExponent turns Go's e+20 and e-07 into MySQL's e20 and e-7.
func trimExponent(text []byte) []byte {
	s := string(text)
	at := strings.IndexByte(s, 'e')
	if at < 0 {
		return text
	}
	exp := strings.TrimPrefix(s[at+1:], "+")
	sign := ""
	if strings.HasPrefix(exp, "-") {
		sign, exp = "-", exp[1:]
	}
	return []byte(s[:at] + "e" + sign + strings.TrimLeft(exp, "0"))
}

func (c *converter) decimal(v decimal.Decimal) string {
	if c.wire == querypb.Type_DECIMAL && c.scale >= 0 {
		return v.StringFixed(c.scale)
	}
	if exp := v.Exponent(); exp < 0 {
		return v.StringFixed(-exp)
	}
	return v.String()
}

func (c *converter) time(v time.Time) []byte {
	switch c.wire {
	case querypb.Type_DATE:
		if v.Year() == 0 || v.Equal(zeroTime) {
			return []byte("0000-00-00")
		}
		return v.AppendFormat(nil, "2006-01-02")
	case querypb.Type_YEAR:
		return strconv.AppendInt(nil, int64(v.Year()), 10)
	case querypb.Type_TIME:
		return fraction(v.AppendFormat(nil, "15:04:05"), v.Nanosecond()/1000, c.scale)
	}
	if v.Equal(zeroTime) {
		return fraction([]byte("0000-00-00 00:00:00"), 0, c.scale)
	}
	return fraction(v.AppendFormat(nil, "2006-01-02 15:04:05"), v.Nanosecond()/1000, c.scale)
}

// anyFraction is the scale of a time that shows its microseconds if it has any: the engine does not know the fractional
// digits of an expression.
const anyFraction = -1

// fraction appends digits of microseconds.
func fraction(dst []byte, micros int, digits int32) []byte {
	if digits == anyFraction && micros != 0 {
		digits = 6
	}
	if digits <= 0 {
		return dst
	}
	text := fmt.Sprintf(".%06d", micros)
	return append(dst, text[:digits+1]...)
}

func formatTimespan(v types.Timespan, digits int32) []byte {
	us := v.AsMicroseconds()
	var dst []byte
	if us < 0 {
		dst = append(dst, '-')
		us = -us
	}
	sec := us / 1e6
	dst = fmt.Appendf(dst, "%02d:%02d:%02d", sec/3600, sec/60%60, sec%60)
	if digits == 0 && us%1e6 != 0 {
		digits = 6
	}
	return fraction(dst, int(us%1e6), digits)
}

// duplicateEntry shows the values of a row's key as MySQL does in error 1062: joined by dashes.
func duplicateEntry(dup *store.DuplicateError) string {
	k, ok := dup.Key.(*keyer)
	if !ok {
		return ""
	}
	parts := make([]string, len(k.columns))
	for i := range k.columns {
		parts[i] = shownKeyPart(&k.columns[i], dup.Row[k.columns[i].at])
	}
	return strings.Join(parts, "-")
}

func shownKeyPart(c *columnKeyer, v any) string {
	if v == nil {
		return "NULL"
	}
	conv := newConverter(c.typ)
	text, err := conv.text(nil, v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if c.prefix > 0 {
		return c.cut(string(text))
	}
	return string(text)
}
