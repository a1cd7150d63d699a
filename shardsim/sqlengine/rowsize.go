package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	dolttypes "github.com/dolthub/vitess/go/sqltypes"
)

// rowBytesMax is how long a row may be, what BLOBs and TEXTs hold not counted.
const rowBytesMax = 65535

// checkRowSize refuses columns that together take more than a row may, as MySQL counts it.
func (m *tableMeta) checkRowSize() error {
	total, nullable := int64(0), int64(0)
	for _, c := range m.columns {
		total += packedBytes(c.Type)
		if c.Nullable {
			nullable++
		}
	}
	if total+(nullable+7)/8 <= rowBytesMax {
		return nil
	}
	return mysqlError(1118, "42000", "Row size too large. The maximum row size for the used table type, not counting BLOBs, is %d. This includes storage overhead, check the manual. You have to change some columns to TEXT or BLOBs", rowBytesMax)
}

// keyBytesMax is how long the longest entry of a key may be.
const keyBytesMax = 3072

// checkKeyLengths refuses keys whose entries may be too long: of texts their longest bytes count, or those of the prefix.
func (m *tableMeta) checkKeyLengths() error {
	length := func(name string, prefix uint16) int64 {
		at := m.columns.IndexOfColName(name)
		if at < 0 {
			return 0
		}
		t, isText := m.columns[at].Type.(sql.StringType)
		switch {
		case !isText:
			return packedBytes(m.columns[at].Type)
		case prefix > 0:
			return int64(prefix) * t.CharacterSet().MaxLength()
		}
		return t.MaxByteLength()
	}
	check := func(columns []string, prefix []uint16) error {
		total := int64(0)
		for i, name := range columns {
			var n uint16
			if i < len(prefix) {
				n = prefix[i]
			}
			total += length(name, n)
		}
		if total > keyBytesMax {
			return mysqlError(1071, "42000", "Specified key was too long; max key length is %d bytes", keyBytesMax)
		}
		return nil
	}
	var primary []string
	for _, at := range m.pk {
		primary = append(primary, m.columns[at].Name)
	}
	if err := check(primary, m.pkPrefix); err != nil {
		return err
	}
	for _, idx := range m.indexes {
		if err := check(idx.columns, idx.prefix); err != nil {
			return err
		}
	}
	return nil
}

// packedBytes is what a column takes of a row: a text its longest bytes and their count, a BLOB a count and a pointer.
func packedBytes(t sql.Type) int64 {
	switch t := t.(type) {
	case sql.StringType:
		n := t.MaxByteLength()
		switch t.Type() {
		case dolttypes.Text, dolttypes.Blob:
			return blobBytes(textBytes(t))
		case dolttypes.VarChar, dolttypes.VarBinary:
			if n > 255 {
				return n + 2
			}
			return n + 1
		}
		return n
	case sql.DecimalType:
		digits := func(n int64) int64 { return n/9*4 + [...]int64{0, 1, 1, 2, 2, 3, 3, 4, 4}[n%9] }
		return digits(int64(t.Precision())-int64(t.Scale())) + digits(int64(t.Scale()))
	case sql.DatetimeType:
		if types.IsDateType(t) {
			return 3
		}
		return 5 + int64(t.Precision()+1)/2
	case types.TimeType:
		return 3 + int64(timeDigits(t)+1)/2
	case sql.EnumType:
		if t.NumberOfElements() > 255 {
			return 2
		}
		return 1
	case sql.SetType:
		return int64(t.NumberOfElements()+7) / 8
	case types.BitType:
		return int64(t.NumberOfBits()+7) / 8
	case sql.NumberType:
		switch t {
		case types.Int8, types.Uint8, types.Boolean:
			return 1
		case types.Int16, types.Uint16:
			return 2
		case types.Int24, types.Uint24:
			return 3
		case types.Int32, types.Uint32, types.Float32:
			return 4
		}
		return 8
	case types.YearType_:
		return 1
	}
	return blobBytes(1<<32 - 1) // JSON and geometries
}

// blobBytes is what a BLOB takes of a row: a pointer, and the bytes to count its longest value with.
func blobBytes(longest int64) int64 {
	n := int64(8)
	for ; longest > 0; longest >>= 8 {
		n++
	}
	return n
}
