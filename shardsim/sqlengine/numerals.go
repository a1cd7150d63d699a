package sqlengine

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// numeralFunctions write numbers and bytes in other ways, or read these.
var numeralFunctions = map[string]scalarFunction{
	"conv":        {min: 3, max: 3, typ: fixedType(defaultTextType), eval: conv},
	"bin":         {min: 1, max: 1, typ: fixedType(defaultTextType), eval: convTo(2)},
	"oct":         {min: 1, max: 1, typ: fixedType(defaultTextType), eval: convTo(8)},
	"hex":         {min: 1, max: 1, typ: fixedType(defaultTextType), eval: hexDigits},
	"format":      {min: 2, max: 3, typ: fixedType(defaultTextType), eval: formatNumber},
	"from_base64": {min: 1, max: 1, typ: fixedType(types.LongBlob), eval: fromBase64},
}

// conv is CONV(n, from, to): the digits n starts with, in another base. A negative base is of signed numbers.
func conv(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	from, err := integer(ctx, args[1])
	if err != nil {
		return nil, err
	}
	to, err := integer(ctx, args[2])
	if err != nil {
		return nil, err
	}
	return inBase(ctx, call, args[0], from, to)
}

// convTo is CONV(n, 10, to).
func convTo(to int64) func(*sql.Context, *scalarCall, []any) (any, error) {
	return func(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
		return inBase(ctx, call, args[0], 10, to)
	}
}

func inBase(ctx *sql.Context, call *scalarCall, v any, from, to int64) (any, error) {
	if _, isBits := bitColumn(call.args[0].Type()); isBits {
		n, err := unsigned(ctx, v)
		if err != nil {
			return nil, err
		}
		v, from = strconv.FormatUint(n, 10), 10
	}
	text, err := convertTo(ctx, v, call.args[0].Type(), types.LongBlob)
	if err != nil {
		return nil, err
	}
	digits := strings.TrimLeft(string(bytesOf(text)), " \t\n\r\v\f")
	if len(bytesOf(text)) == 0 || !isBase(from) || !isBase(to) {
		return nil, nil
	}
	n := leadingDigits(digits, int(max(from, -from)), from < 0)
	if to < 0 {
		return strings.ToUpper(strconv.FormatInt(int64(n), int(-to))), nil
	}
	return strings.ToUpper(strconv.FormatUint(n, int(to))), nil
}

func isBase(n int64) bool { return n >= 2 && n <= 36 || n <= -2 && n >= -36 }

// leadingDigits is the number a text starts with; one out of range is the end of it.
func leadingDigits(text string, base int, signed bool) uint64 {
	unsignedText := strings.TrimLeft(text, "+-")
	negative := strings.HasPrefix(text, "-")
	if len(text)-len(unsignedText) > 1 {
		return 0
	}
	end := 0
	for end < len(unsignedText) {
		if _, err := strconv.ParseUint(unsignedText[end:end+1], base, 64); err != nil {
			break
		}
		end++
	}
	if signed {
		sign := ""
		if negative {
			sign = "-"
		}
		n, _ := strconv.ParseInt(sign+unsignedText[:end], base, 64)
		return uint64(n)
	}
	n, err := strconv.ParseUint(unsignedText[:end], base, 64)
	if negative && !errors.Is(err, strconv.ErrRange) {
		return -n
	}
	return n
}

// formatNumber is FORMAT(x, places): thousands with commas, halves away from zero. Those of other languages are the engine's.
func formatNumber(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	if len(args) == 3 {
		literals := make([]sql.Expression, len(args))
		for i, a := range args {
			literals[i] = expression.NewLiteral(a, call.args[i].Type())
		}
		e, err := function.NewFormat(literals...)
		if err != nil {
			return nil, err
		}
		return e.Eval(ctx, nil)
	}
	places, err := integer(ctx, args[1])
	if err != nil {
		return nil, err
	}
	places = min(max(places, 0), decimalScaleMax)
	d, err := exactDecimal(args[0])
	if err != nil {
		f, err := numberArg(ctx, args[0])
		if err != nil {
			return nil, err
		}
		d = decimal.NewFromFloat(roundDouble(f, places))
	}
	text := d.StringFixed(int32(places))
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction, nil
}

// fromBase64 is FROM_BASE64(s): NULL if s is not in base 64.
func fromBase64(_ *sql.Context, _ *scalarCall, args []any) (any, error) {
	text := strings.Join(strings.Fields(shownText(args[0])), "")
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, nil
	}
	return raw, nil
}

// hexDigits is HEX(x): of a text its bytes, of a number the nearest integer's 64 bits.
func hexDigits(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	switch v := args[0].(type) {
	case string, []byte:
		return strings.ToUpper(hex.EncodeToString(bytesOf(v))), nil
	case float32:
		return hexOfDouble(float64(v)), nil
	case float64:
		return hexOfDouble(v), nil
	}
	if _, isBits := bitColumn(call.args[0].Type()); !isBits && !isNumeric(call.args[0].Type()) && !isYear(call.args[0].Type()) {
		text, err := convertTo(ctx, args[0], call.args[0].Type(), types.LongBlob)
		return strings.ToUpper(hex.EncodeToString(bytesOf(text))), err
	}
	if d, ok := args[0].(decimal.Decimal); ok {
		return hexOfDouble(d.InexactFloat64()), nil
	}
	n, err := unsigned(ctx, args[0])
	return strings.ToUpper(strconv.FormatUint(n, 16)), err
}

func hexOfDouble(f float64) string {
	n := uint64(math.MaxUint64)
	switch f = math.Round(f); {
	case f >= math.MaxInt64:
	case f <= math.MinInt64:
		n = 1 << 63
	default:
		n = uint64(int64(f))
	}
	return strings.ToUpper(strconv.FormatUint(n, 16))
}
