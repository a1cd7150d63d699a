package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

// The types of parameters in COM_STMT_EXECUTE (MySQL internals manual, "Binary
// Protocol Value"); the second byte of a type is 0x80 for unsigned.
const (
	typeDecimal    = 0x00
	typeTiny       = 0x01
	typeShort      = 0x02
	typeLong       = 0x03
	typeFloat      = 0x04
	typeDouble     = 0x05
	typeNull       = 0x06
	typeTimestamp  = 0x07
	typeLongLong   = 0x08
	typeInt24      = 0x09
	typeDate       = 0x0a
	typeTime       = 0x0b
	typeDatetime   = 0x0c
	typeYear       = 0x0d
	typeBit        = 0x10
	typeTimestamp2 = 0x11
	typeDatetime2  = 0x12
	typeTime2      = 0x13
	typeNewDecimal = 0xf6
	typeTinyBlob   = 0xf9
	typeBlob       = 0xfc
	typeUnsigned   = 0x80
)

// errMalformed says that a packet is shorter than what it announces.
var errMalformed = errors.New("malformed packet: parameter values end too early")

// statement is a prepared statement of one client.
type statement struct {
	sql    string
	params int
	types  []byte         // two bytes each; kept between executions
	long   map[int][]byte // values sent ahead by COM_STMT_SEND_LONG_DATA
}

// paramName is the bind variable of the i-th parameter, counted from 0.
func paramName(i int) string { return "v" + strconv.Itoa(i+1) }

// bind reads the parameters of a COM_STMT_EXECUTE packet's payload, command
// byte included, and forgets values that were sent ahead.
func (s *statement) bind(payload []byte) (map[string]*querypb.BindVariable, error) {
	vars := make(map[string]*querypb.BindVariable, s.params)
	long := s.long
	s.long = nil
	if s.params == 0 {
		return vars, nil
	}
	r := &paramReader{rest: payload}
	r.take(1 + 4 + 1 + 4) // command, statement, cursor flags, iteration count
	nulls := r.take((s.params + 7) / 8)
	if flag := r.take(1); len(flag) == 1 && flag[0] == 1 {
		s.types = append(s.types[:0], r.take(2*s.params)...)
	}
	if r.err != nil {
		return nil, r.err
	}
	if len(s.types) != 2*s.params {
		return nil, errors.New("malformed packet: the types of the parameters are missing")
	}
	for i := range s.params {
		kind := s.types[2*i]
		value := sqltypes.NULL
		if data, sent := long[i]; sent {
			value = stringParam(kind, data)
		} else if nulls[i/8]&(1<<(i%8)) == 0 && kind != typeNull {
			value = r.value(kind, s.types[2*i+1]&typeUnsigned != 0)
		}
		if r.err != nil {
			return nil, fmt.Errorf("parameter %d: %w", i+1, r.err)
		}
		vars[paramName(i)] = sqltypes.ValueBindVariable(value)
	}
	return vars, nil
}

// paramReader reads values off a payload; the first error stays.
type paramReader struct {
	rest []byte
	err  error
}

// take cuts n bytes off; nil after an error.
func (r *paramReader) take(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.rest) {
		if r.err == nil {
			r.err = errMalformed
		}
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

// uint reads an integer of n bytes, least significant first.
func (r *paramReader) uint(n int) uint64 {
	var buf [8]byte
	copy(buf[:], r.take(n))
	return binary.LittleEndian.Uint64(buf[:])
}

// lengthEncoded reads a length and as many bytes. The bytes are a copy: the
// packet's memory is used again.
func (r *paramReader) lengthEncoded() []byte {
	length := r.uint(1)
	switch length {
	case 0xfc:
		length = r.uint(2)
	case 0xfd:
		length = r.uint(3)
	case 0xfe:
		length = r.uint(8)
	}
	if length > uint64(len(r.rest)) {
		r.err = errMalformed
		return nil
	}
	return append([]byte{}, r.take(int(length))...)
}

// value reads one value of a type.
func (r *paramReader) value(kind byte, unsigned bool) sqltypes.Value {
	switch kind {
	case typeTiny:
		return r.integer(1, unsigned)
	case typeShort, typeYear:
		return r.integer(2, unsigned)
	case typeLong, typeInt24:
		return r.integer(4, unsigned)
	case typeLongLong:
		return r.integer(8, unsigned)
	case typeFloat:
		single := math.Float32frombits(uint32(r.uint(4)))
		// The shortest text that means the same float32: widened to 64 bits
		// 0.1 would become 0.10000000149011612.
		return sqltypes.MakeTrusted(sqltypes.Float64, strconv.AppendFloat(nil, float64(single), 'g', -1, 32))
	case typeDouble:
		return sqltypes.NewFloat64(math.Float64frombits(r.uint(8)))
	case typeDate, typeDatetime, typeTimestamp, typeDatetime2, typeTimestamp2:
		return r.datetime(kind)
	case typeTime, typeTime2:
		return r.time()
	}
	return stringParam(kind, r.lengthEncoded())
}

// integer reads an integer of n bytes.
func (r *paramReader) integer(n int, unsigned bool) sqltypes.Value {
	bits := r.uint(n)
	if unsigned {
		return sqltypes.NewUint64(bits)
	}
	shift := 64 - 8*n
	return sqltypes.NewInt64(int64(bits<<shift) >> shift)
}

// datetime reads a date with or without a time of day; zeros may be left out
// from the end.
func (r *paramReader) datetime(kind byte) sqltypes.Value {
	n := int(r.uint(1))
	b := &paramReader{rest: r.take(n), err: r.err}
	if n != 0 && n != 4 && n != 7 && n != 11 {
		r.err = fmt.Errorf("malformed packet: a date of %d bytes", n)
		return sqltypes.NULL
	}
	var year, month, day, hour, minute, second, micros uint64
	if n >= 4 {
		year, month, day = b.uint(2), b.uint(1), b.uint(1)
	}
	if n >= 7 {
		hour, minute, second = b.uint(1), b.uint(1), b.uint(1)
	}
	if n >= 11 {
		micros = b.uint(4)
	}
	text := fmt.Sprintf("%04d-%02d-%02d", year, month, day)
	if kind == typeDate && n <= 4 {
		return sqltypes.MakeTrusted(sqltypes.Date, []byte(text))
	}
	text += fmt.Sprintf(" %02d:%02d:%02d", hour, minute, second) + fraction(micros)
	return sqltypes.MakeTrusted(sqltypes.Datetime, []byte(text))
}

// time reads a span of time, which may be negative and longer than a day.
func (r *paramReader) time() sqltypes.Value {
	n := int(r.uint(1))
	b := &paramReader{rest: r.take(n), err: r.err}
	if n != 0 && n != 8 && n != 12 {
		r.err = fmt.Errorf("malformed packet: a time of %d bytes", n)
		return sqltypes.NULL
	}
	sign := ""
	var days, hour, minute, second, micros uint64
	if n >= 8 {
		if b.uint(1) == 1 {
			sign = "-"
		}
		days, hour, minute, second = b.uint(4), b.uint(1), b.uint(1), b.uint(1)
	}
	if n >= 12 {
		micros = b.uint(4)
	}
	text := fmt.Sprintf("%s%02d:%02d:%02d", sign, days*24+hour, minute, second) + fraction(micros)
	return sqltypes.MakeTrusted(sqltypes.Time, []byte(text))
}

// fraction prints microseconds as the fraction of a second, nothing for none.
func fraction(micros uint64) string {
	if micros == 0 {
		return ""
	}
	return fmt.Sprintf(".%06d", micros)
}

// stringParam types a value that travels as bytes: text where it can be, for a
// string compares under its column's collation and bytes do not.
func stringParam(kind byte, data []byte) sqltypes.Value {
	switch {
	case kind == typeNewDecimal || kind == typeDecimal:
		return sqltypes.MakeTrusted(sqltypes.Decimal, data)
	case kind == typeBit || kind >= typeTinyBlob && kind <= typeBlob || !utf8.Valid(data):
		return sqltypes.MakeTrusted(sqltypes.VarBinary, data)
	}
	return sqltypes.MakeTrusted(sqltypes.VarChar, data)
}
