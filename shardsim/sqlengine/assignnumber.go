package sqlengine

import (
	"context"
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// givenNumber is a value as a number: exact, or a double.
type givenNumber struct {
	exact   decimal.Decimal
	float   float64
	isFloat bool
	none    bool // a text without digits
	more    bool // a text with more than a number
}

// number reads any value as MySQL does in a numeric context.
func (t *assignTarget) number(v any, from sql.Type) (givenNumber, bool) {
	switch n := v.(type) {
	case float64:
		return givenNumber{float: n, isFloat: true}, true
	case float32:
		return givenNumber{float: float64(n), isFloat: true}, true
	case decimal.Decimal:
		return givenNumber{exact: n}, true
	case time.Time:
		return givenNumber{exact: decimal.NewFromInt(numberOfTime(n, from))}, true
	case types.Timespan:
		return givenNumber{exact: decimal.NewFromInt(numberOfSpan(n))}, true
	case bool:
		if n {
			return givenNumber{exact: decimal.NewFromInt(1)}, true
		}
		return givenNumber{}, true
	case string:
		return numberOfText(n), true
	case []byte:
		if isBits(from) {
			return givenNumber{exact: decimal.NewFromBigInt(new(big.Int).SetBytes(n), 0)}, true
		}
		return numberOfText(string(n)), true
	}
	if n, ok := bigInt(v); ok {
		return givenNumber{exact: decimal.NewFromBigInt(n, 0)}, true
	}
	return givenNumber{}, false
}

// numberOfSpan is a time as the number HHMMSS.
func numberOfSpan(t types.Timespan) int64 {
	seconds := int64(roundTimespan(t, 0)) / 1e6
	sign := int64(1)
	if seconds < 0 {
		sign, seconds = -1, -seconds
	}
	return sign * (seconds/3600*10000 + seconds/60%60*100 + seconds%60)
}

// numberOfText reads the number a text starts with.
func numberOfText(text string) givenNumber {
	trimmed := strings.TrimLeft(text, " \t\n\r\v\f")
	end := numberLength(trimmed)
	if end == 0 {
		return givenNumber{none: true, more: true}
	}
	n := givenNumber{more: strings.TrimRight(trimmed[end:], " \t\n\r\v\f") != ""}
	digits := trimmed[:end]
	if exp := strings.IndexAny(digits, "eE"); exp >= 0 && len(digits)-exp > 4 {
		n.float, _ = prefixFloat(digits)
		n.isFloat = true
		return n
	}
	d, err := decimal.NewFromString(strings.TrimSuffix(digits, "."))
	if err != nil {
		n.float, _ = prefixFloat(digits)
		n.isFloat = true
		return n
	}
	n.exact = d
	return n
}

// numberLength returns how much of a text is a number, 0 if it starts with none.
func numberLength(text string) int {
	end, digits, point := 0, 0, false
	if text != "" && (text[0] == '-' || text[0] == '+') {
		end++
	}
	for ; end < len(text); end++ {
		c := text[end]
		if c == '.' && !point {
			point = true
		} else if c >= '0' && c <= '9' {
			digits++
		} else {
			break
		}
	}
	if digits == 0 {
		return 0
	}
	return end + exponentLength(text[end:])
}

func (t *assignTarget) assignNumber(v any, from sql.Type, typ sql.NumberType) (any, error) {
	n, ok := t.number(v, from)
	if !ok {
		return t.assignOther(v, from)
	}
	if typ.IsFloat() {
		return t.assignFloat(n, typ)
	}
	if n.none {
		if from != nil && types.IsJSON(from) {
			return t.assignOther(v, from)
		}
		return t.refuse(t.incorrect("integer", v), typ.Zero())
	}
	var whole *big.Int
	if n.isFloat {
		if math.IsNaN(n.float) || math.IsInf(n.float, 0) {
			n.float = math.Copysign(1e30, n.float)
		}
		whole, _ = new(big.Float).SetFloat64(math.RoundToEven(n.float)).Int(nil)
	} else {
		whole = n.exact.Round(0).BigInt()
	}
	low, high := integerRange(typ)
	nearest := whole
	if whole.Cmp(low) < 0 {
		nearest = low
	} else if whole.Cmp(high) > 0 {
		nearest = high
	}
	conv, err := integerOf(t.ctx, nearest, typ)
	switch {
	case err != nil:
		return nil, err
	case nearest != whole:
		return t.refuse(t.outOfRange(), conv)
	case n.more:
		return t.refuse(t.truncated(), conv)
	}
	return conv, nil
}

func integerOf(ctx context.Context, n *big.Int, typ sql.NumberType) (any, error) {
	var v any
	if n.IsInt64() {
		v = n.Int64()
	} else {
		v = n.Uint64()
	}
	conv, _, err := typ.Convert(ctx, v)
	return conv, err
}

// integerRange returns the least and the greatest value of an integer type.
func integerRange(typ sql.NumberType) (low, high *big.Int) {
	bits := map[string]uint{"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}
	word, _, _ := strings.Cut(typ.String(), " ")
	word, _, _ = strings.Cut(word, "(")
	n := bits[word]
	if n == 0 {
		n = 64
	}
	one := big.NewInt(1)
	if !typ.IsSigned() {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, n), one)
	}
	half := new(big.Int).Lsh(one, n-1)
	return new(big.Int).Neg(half), new(big.Int).Sub(half, one)
}

func (t *assignTarget) assignFloat(n givenNumber, typ sql.NumberType) (any, error) {
	f := n.float
	if !n.isFloat {
		f, _ = n.exact.Float64()
	}
	if n.more {
		if !t.lenient {
			return nil, t.truncated()
		}
		t.s.warnError("Warning", t.truncated())
	}
	f, ok := t.shape.fitFloat(f)
	if !ok && typ == types.Float32 {
		return t.refuse(t.outOfRange(), float32(f))
	}
	if !ok {
		return t.refuse(t.outOfRange(), f)
	}
	if typ == types.Float32 {
		if math.Abs(f) > math.MaxFloat32 {
			return t.refuse(t.outOfRange(), float32(math.Copysign(math.MaxFloat32, f)))
		}
		return float32(f), nil
	}
	if math.IsInf(f, 0) {
		return t.refuse(t.outOfRange(), math.Copysign(math.MaxFloat64, f))
	}
	return f, nil
}

func (t *assignTarget) assignDecimal(v any, from sql.Type, typ sql.DecimalType) (any, error) {
	n, ok := t.number(v, from)
	if !ok {
		return t.assignOther(v, from)
	}
	if n.none {
		return t.refuse(t.incorrect("decimal", v), decimal.Zero)
	}
	if n.more {
		if !t.lenient {
			return nil, t.truncated()
		}
		t.s.warnError("Warning", t.truncated())
	}
	d := n.exact
	if n.isFloat {
		d = decimal.NewFromFloat(n.float)
	}
	rounded := d.Round(int32(typ.Scale()))
	if !t.shape.fits(d) {
		return t.refuse(t.outOfRange(), decimal.Zero)
	}
	limit := decimal.New(1, int32(typ.Precision())-int32(typ.Scale()))
	if rounded.Abs().GreaterThanOrEqual(limit) {
		most := limit.Sub(decimal.New(1, -int32(typ.Scale())))
		if rounded.Sign() < 0 {
			most = most.Neg()
		}
		return t.refuse(t.outOfRange(), most)
	}
	if !rounded.Equal(d) && !n.isFloat {
		t.s.warnError("Note", t.truncated())
	}
	return rounded, nil
}

func (t *assignTarget) outOfRange() error {
	return mysqlError(1264, "22003", "Out of range value for column '%s' at row %d", t.column, t.s.givenRow)
}

func (t *assignTarget) truncated() error {
	return mysqlError(1265, "01000", "Data truncated for column '%s' at row %d", t.column, t.s.givenRow)
}

func (t *assignTarget) incorrect(kind string, v any) error {
	return mysqlError(1366, "HY000", "Incorrect %s value: '%s' for column '%s' at row %d", kind, shownText(v), t.column, t.s.givenRow)
}

// isBits reports whether binary values of the type are numbers: of BIT columns and literals.
func isBits(t sql.Type) bool {
	_, ok := bitColumn(t)
	return ok || t == types.LongBlob
}

// assignYear converts to YEAR: 0 is 0000 as a number and 2000 as a text, 1 to 69 are from 2001, 70 to 99 from 1970.
func (t *assignTarget) assignYear(v any, from sql.Type) (any, error) {
	if at, ok := v.(time.Time); ok {
		v = int64(at.Year())
	}
	v = textOfNamed(v, from)
	n, ok := t.number(v, from)
	if !ok {
		return t.refuse(t.outOfRange(), int16(0))
	}
	if n.none {
		return t.refuse(t.incorrect("integer", v), int16(0))
	}
	year := n.exact.Round(0)
	if n.isFloat {
		year = decimal.NewFromFloat(math.Floor(min(max(n.float, -1), yearMax+1)))
	}
	if n.exact.IsNegative() || year.IsNegative() || year.GreaterThan(decimal.NewFromInt(yearMax)) {
		return t.refuse(t.outOfRange(), int16(0))
	}
	at := year.IntPart()
	text, isText := v.(string)
	switch {
	case at == 0 && (!isText || len(text) == 4):
	case at < 70:
		at += 2000
	case at < 100:
		at += 1900
	case at <= 1900:
		return t.refuse(t.outOfRange(), int16(0))
	}
	if n.more {
		return t.refuse(t.truncated(), int16(at))
	}
	return int16(at), nil
}

// yearMax is the end of YEAR.
const yearMax = 2155
