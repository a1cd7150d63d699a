package sqlengine

import (
	"bytes"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/shopspring/decimal"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"github.com/vitrodb/vitro/shardsim/store"
)

// appendText appends the key of a value in its text form, if it is of the column's own kind.
func (c *columnKeyer) appendText(dst []byte, typ querypb.Type, text []byte) (key []byte, none, ok bool) {
	if typ == querypb.Type_NULL_TYPE {
		return nil, true, true
	}
	switch t := c.typ.(type) {
	case sql.NumberType:
		if !sqltypes.IsIntegral(typ) {
			return nil, false, false
		}
		if t.IsSigned() {
			n, ok := parseInt(text)
			return store.AppendInt(dst, n), false, ok
		}
		n, ok := parseUint(text)
		return store.AppendUint(dst, n), false, ok
	case sql.StringType:
		if !sqltypes.IsQuoted(typ) {
			return nil, false, false
		}
		return c.appendString(dst, string(text)), false, true
	case sql.DatetimeType:
		if sqltypes.IsBinary(typ) || !sqltypes.IsQuoted(typ) {
			return nil, false, false
		}
		at, ok := parseMoment(text)
		return store.AppendInt(dst, at.UnixMicro()), false, ok
	case sql.DecimalType:
		if !sqltypes.IsIntegral(typ) && typ != querypb.Type_DECIMAL {
			return nil, false, false
		}
		d, err := decimal.NewFromString(string(text))
		return appendDecimal(dst, d), false, err == nil
	}
	return nil, false, false
}

// parseInt parses a plain decimal number of at most 18 digits: longer ones go the long way.
func parseInt(text []byte) (int64, bool) {
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	n, ok := parseUint(text)
	if negative {
		return -int64(n), ok
	}
	return int64(n), ok
}

func parseUint(text []byte) (uint64, bool) {
	if len(text) == 0 || len(text) > 18 {
		return 0, false
	}
	var n uint64
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, true
}

// parseMoment parses a date, or a date and a time, as MySQL writes them: other forms go the long way, as do zero dates.
func parseMoment(text []byte) (time.Time, bool) {
	layout := time.DateTime // takes a fraction of any length too
	switch n := len(text); {
	case n == len(time.DateOnly):
		layout = time.DateOnly
	case n > len("2006-01-02 15:04:05.000000"):
		return time.Time{}, false
	}
	at, err := time.Parse(layout, string(text))
	return at, err == nil && at.Year() > 0 && !bytes.ContainsRune(text, ',')
}
