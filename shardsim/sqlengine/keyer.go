package sqlengine

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/collations/colldata"

	"github.com/vitrodb/vitro/shardsim/store"
)

// keyer makes the memcomparable keys of some columns. It implements store.Keyer.
type keyer struct {
	columns   []columnKeyer
	positions []int
}

// columnKeyer appends one column's key.
type columnKeyer struct {
	at     int                // position in the row
	prefix int                // prefix length in characters, 0 for the whole value
	text   colldata.Collation // nil for everything but character strings
	pad    bool
	typ    sql.Type
}

var _ store.Keyer = (*keyer)(nil)

func (m *tableMeta) keyer(at []int, prefix []uint16) *keyer {
	k := &keyer{columns: make([]columnKeyer, len(at)), positions: at}
	for i, pos := range at {
		k.columns[i] = newColumnKeyer(pos, m.columns[pos].Type)
		if prefix != nil {
			k.columns[i].prefix = int(prefix[i])
		}
	}
	return k
}

// exactKeyer tells 'a' from 'A': it finds a row by its values in a table without primary key.
func (m *tableMeta) exactKeyer(at []int) *keyer {
	k := m.keyer(at, nil)
	for i := range k.columns {
		k.columns[i].text = nil
	}
	return k
}

func newColumnKeyer(at int, typ sql.Type) columnKeyer {
	c := columnKeyer{at: at, typ: typ}
	if st, ok := typ.(sql.StringType); ok && st.Collation() != sql.Collation_binary {
		c.text, c.pad = collationOf(st.Collation())
	}
	return c
}

// collationOf returns the gateway library's collation for one of the engine's, and whether trailing spaces are ignored.
// For collations the library does not have, the nearest of utf8mb4 stands in.
func collationOf(id sql.CollationID) (colldata.Collation, bool) {
	coll := colldata.Lookup(collations.ID(id))
	if coll != nil && !utf8Charset(coll.Charset().Name()) {
		coll = recoded{coll}
	}
	if coll == nil {
		stand := "utf8mb4_general_ci"
		if id.Sorter() == nil || !id.WorksWithCharacterSet(id.CharacterSet()) {
			stand = defaultCollationName
		} else if suffix := id.Name(); len(suffix) > 4 && suffix[len(suffix)-4:] == "_bin" {
			stand = "utf8mb4_bin"
		}
		coll = colldata.Lookup(collations.MySQL8().LookupByName(stand))
	}
	return coll, id.Collation().PadAttribute != "NO PAD"
}

func utf8Charset(name string) bool { return name == "utf8mb4" || name == "utf8mb3" || name == "utf8" }

func (k *keyer) AppendKey(dst []byte, row []any) ([]byte, bool, error) {
	null := false
	var err error
	for i := range k.columns {
		c := &k.columns[i]
		v := row[c.at]
		if v == nil {
			null = true
			dst = store.AppendNull(dst)
			continue
		}
		if dst, err = c.append(dst, v); err != nil {
			return nil, false, err
		}
	}
	return dst, null, nil
}

// Columns implements store.Keyer.
func (k *keyer) Columns() []int { return k.positions }

// append appends the key of a value that is not NULL and has the column's Go type.
func (c *columnKeyer) append(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case int8:
		return store.AppendInt(dst, int64(v)), nil
	case int16:
		return store.AppendInt(dst, int64(v)), nil
	case int32:
		return store.AppendInt(dst, int64(v)), nil
	case int64:
		return store.AppendInt(dst, v), nil
	case uint8:
		return store.AppendUint(dst, uint64(v)), nil
	case uint16:
		return store.AppendUint(dst, uint64(v)), nil
	case uint32:
		return store.AppendUint(dst, uint64(v)), nil
	case uint64:
		return store.AppendUint(dst, v), nil
	case float32:
		return store.AppendFloat(dst, float64(v)), nil
	case float64:
		return store.AppendFloat(dst, v), nil
	case string:
		return c.appendString(dst, v), nil
	case []byte:
		return c.appendString(dst, string(v)), nil
	case time.Time:
		return store.AppendInt(dst, v.UnixMicro()), nil
	case types.Timespan:
		return store.AppendInt(dst, int64(v)), nil
	case decimal.Decimal:
		return appendDecimal(dst, v), nil
	case bool:
		if v {
			return store.AppendInt(dst, 1), nil
		}
		return store.AppendInt(dst, 0), nil
	case sql.JSONWrapper:
		text, err := types.JsonToMySqlString(v)
		return store.AppendBytes(dst, []byte(text)), err
	case types.GeometryValue:
		return store.AppendBytes(dst, v.Serialize()), nil
	}
	return nil, fmt.Errorf("column type %s: no key for a value of type %T", c.typ, v)
}

func (c *columnKeyer) appendString(dst []byte, v string) []byte {
	if c.prefix > 0 {
		v = c.cut(v)
	}
	if c.text == nil {
		return store.AppendBytes(dst, []byte(v))
	}
	return store.AppendText(dst, c.text, c.pad, v)
}

// cut returns the first prefix characters, or bytes of a binary string.
func (c *columnKeyer) cut(v string) string {
	if c.text == nil {
		if len(v) > c.prefix {
			return v[:c.prefix]
		}
		return v
	}
	end := 0
	for n := 0; n < c.prefix && end < len(v); n++ {
		_, size := utf8.DecodeRuneInString(v[end:])
		end += size
	}
	return v[:end]
}

func appendDecimal(dst []byte, v decimal.Decimal) []byte {
	if v.Sign() == 0 {
		return store.AppendDecimal(dst, false, "", 0)
	}
	digits := v.Coefficient().String()
	if digits[0] == '-' {
		digits = digits[1:]
	}
	return store.AppendDecimal(dst, v.Sign() < 0, digits, len(digits)+int(v.Exponent()))
}
