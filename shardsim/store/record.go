package store

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// Record is one version of a row, in one piece of memory: a read fetches one place, and the garbage collector looks into
// none. It is immutable. The zero Record is no row.
//
//	packed   number of columns | tag value | tag value | ...
//	boxed    values of other kinds than those of the tags, in the order of their columns
type Record struct {
	packed string
	boxed  *[]any // nil if there are none
}

// Tags say what kind of value comes. From tagShort on they hold the length of a string, which follows.
const (
	tagNull byte = iota
	tagInt
	tagInt8
	tagInt16
	tagInt32
	tagInt64
	tagUint8
	tagUint16
	tagUint32
	tagUint64
	tagFloat32
	tagFloat64
	tagString // length, bytes
	tagBytes  // length, bytes
	tagTime   // in UTC: seconds since 1970, nanoseconds
	tagDecimal
	tagBoxed

	tagShort  byte = 0x80
	shortMost      = 0xff - tagShort // bytes of a short string
)

// decimalDigits is up to how many digits the coefficient of a packed decimal has: it fits an int64.
const decimalDigits = 18

// NewRecord packs a row. Row returns values equal to row's and of the same types.
func NewRecord(row []any) Record {
	var room [256]byte
	var boxed []any
	p := binary.AppendUvarint(room[:0], uint64(len(row)))
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			p = append(p, tagNull)
		case int:
			p = binary.AppendVarint(append(p, tagInt), int64(v))
		case int8:
			p = binary.AppendVarint(append(p, tagInt8), int64(v))
		case int16:
			p = binary.AppendVarint(append(p, tagInt16), int64(v))
		case int32:
			p = binary.AppendVarint(append(p, tagInt32), int64(v))
		case int64:
			p = binary.AppendVarint(append(p, tagInt64), v)
		case uint8:
			p = append(p, tagUint8, v)
		case uint16:
			p = binary.AppendUvarint(append(p, tagUint16), uint64(v))
		case uint32:
			p = binary.AppendUvarint(append(p, tagUint32), uint64(v))
		case uint64:
			p = binary.AppendUvarint(append(p, tagUint64), v)
		case float32:
			p = binary.LittleEndian.AppendUint32(append(p, tagFloat32), math.Float32bits(v))
		case float64:
			p = binary.LittleEndian.AppendUint64(append(p, tagFloat64), math.Float64bits(v))
		case string:
			if len(v) <= int(shortMost) {
				p = append(p, tagShort+byte(len(v)))
			} else {
				p = binary.AppendUvarint(append(p, tagString), uint64(len(v)))
			}
			p = append(p, v...)
		case []byte:
			p = append(binary.AppendUvarint(append(p, tagBytes), uint64(len(v))), v...)
		default:
			var ok bool
			if p, ok = appendOther(p, v); !ok {
				p = append(p, tagBoxed)
				boxed = append(boxed, v)
			}
		}
	}
	r := Record{packed: string(p)}
	if boxed != nil {
		all := boxed
		r.boxed = &all
	}
	return r
}

// appendOther packs times and decimals that have the usual form.
func appendOther(p []byte, v any) ([]byte, bool) {
	switch v := v.(type) {
	case time.Time:
		if v.Location() != time.UTC {
			return p, false
		}
		p = binary.AppendVarint(append(p, tagTime), v.Unix())
		return binary.AppendUvarint(p, uint64(v.Nanosecond())), true
	case decimal.Decimal:
		if v.NumDigits() > decimalDigits {
			return p, false
		}
		p = binary.AppendVarint(append(p, tagDecimal), v.CoefficientInt64())
		return binary.AppendVarint(p, int64(v.Exponent())), true
	}
	return p, false
}

// Exists reports whether this is a row.
func (r Record) Exists() bool { return r.packed != "" }

// Row returns the row's values, nil if this is no row. They are the caller's, but for what they point to.
func (r Record) Row() []any {
	if !r.Exists() {
		return nil
	}
	u := r.unpacker()
	row := make([]any, u.uvarint())
	var v Value
	for i := range row {
		u.next(&v)
		row[i] = v.Any()
	}
	return row
}

// Unpack sets those elements of row that are wanted to the row's values.
func (r Record) Unpack(row []any, want []bool) {
	u := r.unpacker()
	n := min(int(u.uvarint()), len(row), len(want))
	var v Value
	for i := range n {
		u.next(&v)
		if want[i] {
			row[i] = v.Any()
		}
	}
}

// Values appends the row's values to dst.
func (r Record) Values(dst []Value) []Value {
	u := r.unpacker()
	n := int(u.uvarint())
	dst = slices.Grow(dst, n)
	for range n {
		dst = append(dst, Value{})
		u.next(&dst[len(dst)-1])
	}
	return dst
}

func (r Record) unpacker() unpacker {
	u := unpacker{rest: r.packed}
	if r.boxed != nil {
		u.boxed = *r.boxed
	}
	return u
}

// Value is a value of a row that takes no memory of its own.
type Value struct {
	tag   byte
	bits  uint64 // of a number; the seconds of a time
	more  int64  // the nanoseconds of a time, the exponent of a decimal
	text  string // of a string or bytes
	boxed any
}

// Int returns the value if it is a signed integer.
func (v *Value) Int() (int64, bool) { return int64(v.bits), v.tag >= tagInt && v.tag <= tagInt64 }

// Text returns the value if it is a string.
func (v *Value) Text() (string, bool) { return v.text, v.tag == tagString }

// Any returns the value as it was given to NewRecord.
func (v *Value) Any() any {
	switch v.tag {
	case tagInt:
		return int(v.bits)
	case tagInt8:
		return int8(v.bits)
	case tagInt16:
		return int16(v.bits)
	case tagInt32:
		return int32(v.bits)
	case tagInt64:
		return int64(v.bits)
	case tagUint8:
		return uint8(v.bits)
	case tagUint16:
		return uint16(v.bits)
	case tagUint32:
		return uint32(v.bits)
	case tagUint64:
		return v.bits
	case tagFloat32:
		return math.Float32frombits(uint32(v.bits))
	case tagFloat64:
		return math.Float64frombits(v.bits)
	case tagString:
		return v.text
	case tagBytes:
		return []byte(v.text)
	case tagTime:
		return time.Unix(int64(v.bits), v.more).UTC()
	case tagDecimal:
		return decimal.New(int64(v.bits), int32(v.more))
	}
	return v.boxed
}

// sameColumns reports whether two rows have equal packed values in the given columns.
func sameColumns(a, b Record, columns []int) bool {
	if !a.Exists() || !b.Exists() {
		return false
	}
	x, y := a.unpacker(), b.unpacker()
	n := min(x.uvarint(), y.uvarint())
	left := len(columns)
	for i := 0; left > 0; i++ {
		if uint64(i) == n {
			return false
		}
		v, w := x.packed(), y.packed()
		if !slices.Contains(columns, i) {
			continue
		}
		if v != w || v[0] == tagBoxed {
			return false
		}
		left--
	}
	return true
}

// unpacker takes values off the beginning of a packed row.
type unpacker struct {
	rest  string
	boxed []any
}

// next takes a value, whose parts that it does not have stay as they are but for boxed.
func (u *unpacker) next(v *Value) {
	tag := u.rest[0]
	u.rest = u.rest[1:]
	v.boxed = nil
	if tag >= tagShort {
		v.tag, v.text = tagString, u.take(int(tag-tagShort))
		return
	}
	v.tag = tag
	switch tag {
	case tagInt, tagInt8, tagInt16, tagInt32, tagInt64:
		v.bits = uint64(u.varint())
	case tagUint8:
		v.bits = u.fixed(1)
	case tagUint16, tagUint32, tagUint64:
		v.bits = u.uvarint()
	case tagFloat32:
		v.bits = u.fixed(4)
	case tagFloat64:
		v.bits = u.fixed(8)
	case tagString, tagBytes:
		v.text = u.take(int(u.uvarint()))
	case tagTime:
		v.bits = uint64(u.varint())
		v.more = int64(u.uvarint())
	case tagDecimal:
		v.bits = uint64(u.varint())
		v.more = u.varint()
	case tagBoxed:
		v.boxed, u.boxed = u.boxed[0], u.boxed[1:]
	}
}

// packed takes a value as it is, with its tag.
func (u *unpacker) packed() string {
	from := u.rest
	var v Value
	u.next(&v)
	return from[:len(from)-len(u.rest)]
}

func (u *unpacker) take(n int) string {
	s := u.rest[:n]
	u.rest = u.rest[n:]
	return s
}

// fixed takes n bytes as a number, the lowest first.
func (u *unpacker) fixed(n int) (v uint64) {
	s := u.take(n)
	for i := range len(s) {
		v |= uint64(s[i]) << (8 * i)
	}
	return v
}

func (u *unpacker) uvarint() uint64 {
	var v uint64
	for i := 0; ; i++ {
		b := u.rest[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			u.rest = u.rest[i+1:]
			return v
		}
	}
}

func (u *unpacker) varint() int64 {
	v := u.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}
