package sqlengine

import (
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	dolttypes "github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"
)

// bitColumn returns the width of a BIT type.
func bitColumn(t sql.Type) (types.BitType, bool) {
	b, ok := t.(types.BitType)
	return b, ok
}

// textOfNamed is an enum's or a set's value as text; other values stay as they are.
func textOfNamed(v any, from sql.Type) any {
	switch from.(type) {
	case sql.EnumType, sql.SetType:
		conv := newConverter(from)
		if text, err := conv.text(nil, v); err == nil {
			return string(text)
		}
	}
	return v
}

func shownText(v any) string {
	conv := converter{}
	if b, ok := v.([]byte); ok {
		return string(b)
	}
	text, err := conv.text(nil, v)
	if err != nil {
		return ""
	}
	return string(text)
}

// assignText converts to CHAR, VARCHAR, TEXT and their binary kin. Spaces past the end go quietly, as in MySQL.
func (t *assignTarget) assignText(v any, from sql.Type, typ sql.StringType) (any, error) {
	converted, err := textOf(nil, v, from, typ)
	if err != nil {
		return t.assignOther(v, from)
	}
	if raw, isBytes := converted.([]byte); isBytes {
		return t.assignBytes(raw, typ)
	}
	text := converted.(string)
	if !utf8.ValidString(text) {
		return t.refuse(mysqlError(1366, "HY000", "Incorrect string value: '%s' for column '%s' at row %d", badBytes(text), t.column, t.s.givenRow), strings.ToValidUTF8(text, "?"))
	}
	if typ.Type() == dolttypes.Char {
		text = strings.TrimRight(text, " ")
	}
	cut := cutText(text, typ)
	if cut == text {
		return text, nil
	}
	if typ.Type() != dolttypes.Text && strings.Trim(text[len(cut):], " ") == "" {
		t.s.warnError("Note", t.truncated())
		return cut, nil
	}
	if t.lenient {
		t.s.warnError("Warning", t.truncated())
		return cut, nil
	}
	return nil, t.tooLong()
}

// cutText returns as much of a text as a type holds: characters of CHAR and VARCHAR, bytes of TEXT.
func cutText(text string, typ sql.StringType) string {
	if typ.Type() == dolttypes.Text {
		most := textBytes(typ)
		if int64(len(text)) <= most {
			return text
		}
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		return text[:most]
	}
	most := typ.MaxCharacterLength()
	if int64(len(text)) <= most {
		return text
	}
	n := int64(0)
	for at := range text {
		if n == most {
			return text[:at]
		}
		n++
	}
	return text
}

// textBytes returns how many bytes a TEXT or BLOB type holds.
func textBytes(typ sql.StringType) int64 {
	for _, most := range []int64{1<<8 - 1, 1<<16 - 1, 1<<24 - 1} {
		if typ.MaxByteLength() <= most {
			return most
		}
	}
	return 1<<32 - 1
}

func (t *assignTarget) assignBytes(raw []byte, typ sql.StringType) (any, error) {
	most := typ.MaxByteLength()
	if int64(len(raw)) > most {
		if !t.lenient {
			return nil, t.tooLong()
		}
		t.s.warnError("Warning", t.truncated())
		raw = raw[:most]
	}
	if typ.Type() == dolttypes.Binary {
		padded := make([]byte, most)
		copy(padded, raw)
		raw = padded
	}
	return raw, nil
}

func (t *assignTarget) tooLong() error {
	return mysqlError(1406, "22001", "Data too long for column '%s' at row %d", t.column, t.s.givenRow)
}

// badBytes shows what of a text is no UTF-8, as MySQL does: up to six bytes from the first bad one.
func badBytes(text string) string {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			return hexBytes(text[i:])
		}
	}
	return hexBytes(text)
}

// assignBits converts to BIT: numbers as they are, texts by their bytes.
func (t *assignTarget) assignBits(v any, from sql.Type) (any, error) {
	typ, _ := bitColumn(t.typ)
	n := new(big.Int)
	switch given := v.(type) {
	case string:
		n.SetBytes([]byte(given))
	case []byte:
		n.SetBytes(given)
	default:
		number, ok := t.number(v, from)
		if !ok {
			return nil, t.tooLong()
		}
		if number.isFloat {
			new(big.Float).SetFloat64(number.float).Int(n)
		} else {
			n = number.exact.Round(0).BigInt()
		}
	}
	if n.Sign() < 0 && n.IsInt64() && typ.NumberOfBits() == 64 {
		return uint64(n.Int64()), nil
	}
	if n.Sign() < 0 || n.BitLen() > int(typ.NumberOfBits()) {
		if t.lenient {
			t.s.warnError("Warning", t.outOfRange())
			return ^uint64(0) >> (64 - typ.NumberOfBits()), nil
		}
		return nil, t.tooLong()
	}
	return n.Uint64(), nil
}

// assignEnum converts to ENUM: a member, or a number's position. What is none is the empty member, number 0.
func (t *assignTarget) assignEnum(v any, from sql.Type, typ sql.EnumType) (any, error) {
	v = textOfNamed(v, from)
	if b, ok := v.([]byte); ok {
		v = string(b)
	}
	if text, ok := v.(string); ok {
		if at := typ.IndexOf(text); at > 0 {
			return uint16(at), nil
		}
		if at := memberOf(text, typ.Values(), typ.Collation()); at > 0 {
			return uint16(at), nil
		}
	}
	_, isText := v.(string)
	if n, ok := t.number(v, from); ok && !n.none && !n.more && !n.isFloat && n.exact.IsPositive() && (!isText || n.exact.Exponent() == 0) &&
		n.exact.LessThanOrEqual(decimal.NewFromInt(int64(len(typ.Values())))) {
		return uint16(n.exact.IntPart()), nil
	}
	return t.refuse(t.truncated(), uint16(0))
}

// memberOf returns the position of a text among values under a collation, from 1 on; 0 if it is not among them.
func memberOf(text string, values []string, id sql.CollationID) int {
	coll, _ := collationOf(id)
	for i, v := range values {
		if coll.Collate([]byte(text), []byte(v), false) == 0 {
			return i + 1
		}
	}
	return 0
}

// assignSet converts to SET: a list of members, or a number's bits.
func (t *assignTarget) assignSet(v any, from sql.Type, typ sql.SetType) (any, error) {
	v = textOfNamed(v, from)
	if b, ok := v.([]byte); ok {
		v = string(b)
	}
	text, isText := v.(string)
	all := ^uint64(0) >> (64 - len(typ.Values()))
	if !isText {
		n, ok := t.number(v, from)
		if !ok || n.isFloat {
			return t.refuse(t.truncated(), uint64(0))
		}
		bits := n.exact.BigInt()
		if bits.Sign() >= 0 && bits.IsUint64() && bits.Uint64()&^all == 0 {
			return bits.Uint64(), nil
		}
		return t.refuse(t.truncated(), bits.Uint64()&all)
	}
	bits, bad := uint64(0), false
	if text != "" {
		for _, member := range strings.Split(text, ",") {
			at := memberOf(member, typ.Values(), typ.Collation())
			if at == 0 {
				bad = true
				continue
			}
			bits |= 1 << (at - 1)
		}
	}
	if bad {
		if n := numberOfText(text); !n.none && !n.more && !n.isFloat && n.exact.Exponent() == 0 && n.exact.BigInt().IsUint64() && n.exact.BigInt().Uint64()&^all == 0 {
			return n.exact.BigInt().Uint64(), nil
		}
		return t.refuse(t.truncated(), bits)
	}
	return bits, nil
}
