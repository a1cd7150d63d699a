package sqlengine

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	dolttypes "github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"
)

// unify returns the type that values of several types have together in a UNION, COALESCE, IF or CASE: MySQL's rules.
//
//	INT, BIGINT            BIGINT          DATE, DATETIME       DATETIME
//	INT, DECIMAL(8,2)      DECIMAL(12,2)   INT, VARCHAR         text
//	anything, DOUBLE       DOUBLE          NULL, anything       the other
func unify(all ...sql.Type) sql.Type {
	var result sql.Type = types.Null
	for _, t := range all {
		if v, ok := t.(sql.SystemVariableType); ok {
			t = v.UnderlyingType()
		}
		switch {
		case t == nil || t == types.Null:
		case result == types.Null:
			result = t
		default:
			result = unifyTwo(result, t)
		}
	}
	return result
}

func unifyTwo(a, b sql.Type) sql.Type {
	if isNamedSet(a) || isNamedSet(b) {
		return defaultTextType
	}
	if a.Equals(b) {
		return a
	}
	switch {
	case isNumeric(a) && isNumeric(b):
		return unifyNumbers(a, b)
	case isDate(a) && isDate(b):
		return unifyDates(a.(sql.DatetimeType), b.(sql.DatetimeType))
	}
	sa, okA := a.(sql.StringType)
	sb, okB := b.(sql.StringType)
	switch {
	case okA && okB:
		return unifyStrings(sa, sb)
	case okA:
		return longText(sa)
	case okB:
		return longText(sb)
	}
	return defaultTextType
}

func isNamedSet(t sql.Type) bool {
	switch t.(type) {
	case sql.EnumType, sql.SetType:
		return true
	}
	return false
}

func unifyNumbers(a, b sql.Type) sql.Type {
	pa, sa, exactA := exactDigits(a)
	pb, sb, exactB := exactDigits(b)
	if !exactA || !exactB {
		return types.Float64
	}
	na, intA := a.(sql.NumberType)
	nb, intB := b.(sql.NumberType)
	if intA && intB {
		return unifyIntegers(na, nb, pa, pb)
	}
	scale := max(sa, sb)
	precision := min(max(pa-sa, pb-sb)+scale, decimalDigitsMax)
	return types.MustCreateDecimalType(uint8(precision), uint8(scale))
}

func unifyIntegers(a, b sql.NumberType, digitsA, digitsB int) sql.Type {
	wide, digits := a, digitsA
	if digitsB > digitsA {
		wide, digits = b, digitsB
	}
	if a.IsSigned() == b.IsSigned() {
		return wide
	}
	unsigned := digitsA
	if !b.IsSigned() {
		unsigned = digitsB
	}
	switch {
	case unsigned > 19:
		return types.MustCreateDecimalType(20, 0)
	case unsigned < digits:
		return wide
	}
	return types.Int64
}

func unifyDates(a, b sql.DatetimeType) sql.Type {
	if types.IsDateType(a) && types.IsDateType(b) {
		return a
	}
	precision := 0
	for _, t := range []sql.DatetimeType{a, b} {
		if !types.IsDateType(t) {
			precision = max(precision, t.Precision())
		}
	}
	return types.MustCreateDatetimeType(dolttypes.Datetime, precision)
}

func unifyStrings(a, b sql.StringType) sql.Type {
	if a.Collation() == sql.Collation_binary || b.Collation() == sql.Collation_binary {
		return types.LongBlob
	}
	// A binary collation wins; else one that was asked for wins over the default.
	coll := a.Collation()
	if name := b.Collation().Name(); coll == defaultCollation || isBinName(name) {
		coll = b.Collation()
	}
	if isBinName(a.Collation().Name()) {
		coll = a.Collation()
	}
	if a.Type() == dolttypes.VarChar && b.Type() == dolttypes.VarChar {
		if t, err := types.CreateString(dolttypes.VarChar, max(a.MaxCharacterLength(), b.MaxCharacterLength()), coll); err == nil {
			return t
		}
	}
	return types.CreateLongText(coll)
}

func isBinName(name string) bool { return len(name) > 4 && name[len(name)-4:] == "_bin" }

func longText(t sql.StringType) sql.Type {
	if t.Collation() == sql.Collation_binary {
		return types.LongBlob
	}
	return types.CreateLongText(t.Collation())
}

// convertTo converts a value between types that unify gave one for.
func convertTo(ctx *sql.Context, v any, from, to sql.Type) (any, error) {
	v, err := sql.UnwrapAny(ctx, v)
	if v == nil || err != nil {
		return nil, err
	}
	if text, ok := v.(string); ok && isDate(from) && !isDate(to) {
		// DATE() gives texts.
		if at, _, err := types.DatetimeMaxPrecision.Convert(ctx, text); err == nil {
			v = at
		}
	}
	switch t := to.(type) {
	case sql.DecimalType:
		if d, ok := decimalOfTime(v, from); ok {
			return atScale(d, t), nil
		}
		d, err := exactDecimal(v)
		if err != nil {
			break
		}
		return atScale(d, t), nil
	case sql.StringType:
		return textOf(ctx, v, from, t)
	case sql.NumberType:
		if at, ok := v.(time.Time); ok {
			v = numberOfTime(at.Round(time.Second), from)
		}
		if span, ok := v.(types.Timespan); ok {
			v = numberOfSpan(span)
		}
	case sql.DatetimeType:
	default:
		return v, nil
	}
	conv, _, err := to.Convert(ctx, v)
	return conv, err
}

// textOf is a value as MySQL prints it.
func textOf(ctx *sql.Context, v any, from sql.Type, to sql.StringType) (any, error) {
	var text []byte
	switch s := v.(type) {
	case string:
		text = []byte(s)
	case []byte:
		text = s
	default:
		conv := newConverter(from)
		if d, ok := from.(sql.DatetimeType); ok && !types.IsDateType(d) && d.Precision() == 0 {
			conv.scale = anyFraction
		}
		var err error
		if text, err = conv.text(ctx, v); err != nil {
			return nil, err
		}
	}
	if to.Collation() == sql.Collation_binary {
		return text, nil
	}
	return string(text), nil
}

// decimalOfTime is a time as the number HHMMSS with its fraction, a date and time as YYYYMMDDhhmmss.
func decimalOfTime(v any, from sql.Type) (decimal.Decimal, bool) {
	micros := int64(0)
	whole := int64(0)
	switch t := v.(type) {
	case time.Time:
		whole, micros = numberOfTime(t, from), int64(t.Nanosecond()/1000)
	case types.Timespan:
		micros = t.AsMicroseconds() % 1e6
		whole = numberOfSpan(t - types.Timespan(micros))
	default:
		return decimal.Zero, false
	}
	return decimal.NewFromInt(whole).Add(decimal.New(micros, -6)), true
}
