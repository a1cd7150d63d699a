package store

import (
	"encoding/binary"
	"math"

	"vitess.io/vitess/go/mysql/collations/colldata"
)

// Keyer makes a memcomparable key of some columns of a row: comparing keys bytewise orders rows by those columns. Equal
// values of equal types have equal keys.
// Implementations are pure and safe for concurrent use.
type Keyer interface {
	// AppendKey appends the key of row to dst. null reports whether one of the columns is NULL, which exempts the
	// row from a unique index.
	AppendKey(dst []byte, row []any) (key []byte, null bool, err error)

	// Columns returns the positions of the columns in a row.
	Columns() []int
}

// Markers in front of each column of a key. NULL sorts first.
const (
	keyNull    = 0x00
	keyNotNull = 0x01
	// KeyMax is above every marker: a key prefix followed by it is above all keys with that prefix.
	KeyMax = 0xff
)

// AppendNull appends a NULL column.
func AppendNull(dst []byte) []byte { return append(dst, keyNull) }

// AppendInt appends a signed integer column.
func AppendInt(dst []byte, v int64) []byte {
	dst = append(dst, keyNotNull)
	return binary.BigEndian.AppendUint64(dst, uint64(v)^(1<<63))
}

// AppendUint appends an unsigned integer column.
func AppendUint(dst []byte, v uint64) []byte {
	dst = append(dst, keyNotNull)
	return binary.BigEndian.AppendUint64(dst, v)
}

// AppendFloat appends a floating point column. Negative zero equals zero.
func AppendFloat(dst []byte, v float64) []byte {
	if v == 0 {
		v = 0
	}
	bits := math.Float64bits(v)
	if bits&(1<<63) != 0 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	dst = append(dst, keyNotNull)
	return binary.BigEndian.AppendUint64(dst, bits)
}

// AppendDecimal appends a decimal column given as its sign, its digits without leading zeros, and the number of digits
// before the point (which may be negative). Trailing zeros do not count: 1.50 equals 1.5.
func AppendDecimal(dst []byte, negative bool, digits string, point int) []byte {
	dst = append(dst, keyNotNull)
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	if digits == "" {
		return append(dst, 0x80)
	}
	start := len(dst)
	dst = append(dst, 0xc0)
	dst = binary.BigEndian.AppendUint16(dst, uint16(point+1<<15))
	dst = append(dst, digits...)
	dst = append(dst, 0)
	if negative {
		for i := start; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}

// AppendBytes appends a binary string column.
func AppendBytes(dst []byte, v []byte) []byte {
	dst = append(dst, keyNotNull)
	return appendEscaped(dst, v)
}

// AppendText appends a character string column, encoded in UTF-8, by its weights in coll. Strings that are equal in the
// collation give the same key. Trailing spaces do not count if padSpace.
func AppendText(dst []byte, coll colldata.Collation, padSpace bool, v string) []byte {
	if padSpace {
		for len(v) > 0 && v[len(v)-1] == ' ' {
			v = v[:len(v)-1]
		}
	}
	dst = append(dst, keyNotNull)
	room := keyRooms.Get().(*[]byte)
	defer keyRooms.Put(room)
	*room = coll.WeightString((*room)[:0], []byte(v), 0)
	return appendEscaped(dst, *room)
}

// appendEscaped appends v so that no key is a prefix of another one: a zero byte becomes 00 ff, and 00 01 ends it.
func appendEscaped(dst, v []byte) []byte {
	for _, b := range v {
		dst = append(dst, b)
		if b == 0 {
			dst = append(dst, 0xff)
		}
	}
	return append(dst, 0, 1)
}
