package sqlengine

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
	"vitess.io/vitess/go/vt/sqlparser"
)

// numberShape is what a column's declaration says of its numbers beyond the engine's type, which has no FLOAT(m, d), no
// DECIMAL UNSIGNED and no ZEROFILL. The column keeps its type's text as MySQL shows it, which has all of it, in Column.Extra:
// that follows the column through ALTER TABLE.
type numberShape struct {
	unsigned bool // of a decimal or floating point type
	zerofill bool
	width    int // characters that ZEROFILL fills
	digits   int // the m of FLOAT(m, d) and DOUBLE(m, d)
	scale    int // the d of them, notFixed if there are none
}

// notFixed is the scale of floating point numbers that show all digits they have.
const notFixed = -1

// zerofillWidths are the widths of types that name none.
var zerofillWidths = map[string]int{
	"tinyint": 3, "smallint": 5, "mediumint": 8, "int": 10, "bigint": 20, "float": 12, "double": 22,
}

// shapedType is a declared type as MySQL shows it, if it says more than the engine's type does, else empty.
func shapedType(typ *sqlparser.ColumnType) string {
	word := strings.ToLower(typ.Type)
	unsigned := typ.Unsigned || typ.Zerofill
	size := ""
	switch word {
	case "tinyint", "smallint", "mediumint", "int", "integer", "bigint", "int1", "int2", "int3", "int4", "int8":
		if !typ.Zerofill {
			return ""
		}
		word = integerWord(word)
		width := zerofillWidths[word]
		if typ.Length != nil {
			width = *typ.Length
		}
		size = fmt.Sprintf("(%d)", width)
	case "float", "float4", "double", "float8", "real":
		if !unsigned && typ.Scale == nil {
			return ""
		}
		switch {
		case typ.Scale != nil:
			size = fmt.Sprintf("(%d,%d)", *typ.Length, *typ.Scale)
		case word == "float" && typ.Length != nil && *typ.Length > 24:
			word = "double"
		}
		switch word {
		case "float4":
			word = "float"
		case "float8", "real":
			word = "double"
		}
	case "decimal", "numeric", "dec", "fixed":
		if !unsigned {
			return ""
		}
		word = "decimal"
		precision, scale := 10, 0
		if typ.Length != nil {
			precision = *typ.Length
		}
		if typ.Scale != nil {
			scale = *typ.Scale
		}
		size = fmt.Sprintf("(%d,%d)", precision, scale)
	default:
		return ""
	}
	text := word + size
	if unsigned {
		text += " unsigned"
	}
	if typ.Zerofill {
		text += " zerofill"
	}
	return text
}

func integerWord(word string) string {
	switch word {
	case "integer", "int4":
		return "int"
	case "int1":
		return "tinyint"
	case "int2":
		return "smallint"
	case "int3":
		return "mediumint"
	case "int8":
		return "bigint"
	}
	return word
}

// shapeOf reads the shape of a column, nil if it has none.
func shapeOf(col *sql.Column) *numberShape {
	if col == nil || col.Extra == "" {
		return nil
	}
	words := strings.Fields(col.Extra)
	word, size, _ := strings.Cut(strings.TrimSuffix(words[0], ")"), "(")
	first, second, hasScale := strings.Cut(size, ",")
	length, _ := strconv.Atoi(first)
	scale, _ := strconv.Atoi(second)
	shape := &numberShape{scale: notFixed, width: length}
	for _, w := range words[1:] {
		shape.zerofill = shape.zerofill || w == "zerofill"
	}
	number, isNumber := col.Type.(sql.NumberType)
	shape.unsigned = len(words) > 1 && (!isNumber || number.IsFloat())
	switch {
	case word == "decimal" && scale > 0:
		shape.width++ // the point
	case isNumber && number.IsFloat() && hasScale:
		shape.digits, shape.scale = length, scale
	case size == "":
		shape.width = zerofillWidths[word]
	}
	return shape
}

// fitFloat rounds a number to the column's digits. ok is false if it is out of its range, and then the nearest is returned.
func (n *numberShape) fitFloat(f float64) (fitted float64, ok bool) {
	if n == nil {
		return f, true
	}
	if n.unsigned && f < 0 {
		return 0, false
	}
	if n.scale == notFixed {
		return f, true
	}
	unit := math.Pow10(n.scale)
	most := math.Pow10(n.digits-n.scale) - 1/unit
	whole := math.Floor(f)
	rounded := whole + math.RoundToEven((f-whole)*unit)/unit
	if math.Abs(rounded) > most {
		return math.Copysign(most, f), false
	}
	return rounded, true
}

// fits reports whether a decimal is none of those that UNSIGNED refuses.
func (n *numberShape) fits(d decimal.Decimal) bool { return n == nil || !n.unsigned || !d.IsNegative() }

// filled puts zeros before a number.
func (n *numberShape) filled(text []byte) []byte {
	if n == nil || !n.zerofill || len(text) >= n.width {
		return text
	}
	return append(bytes.Repeat([]byte("0"), n.width-len(text)), text...)
}

// declaredShapes are the types, see shapedType, of the columns a statement defines, by lower-case names.
func declaredShapes(stmt sqlparser.Statement) map[string]string {
	shapes := make(map[string]string)
	if !isDDL(stmt) {
		return nil
	}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if def, ok := node.(*sqlparser.ColumnDefinition); ok && def.Type != nil {
			shapes[def.Name.Lowered()] = shapedType(def.Type)
		}
		return true, nil
	}, stmt)
	return shapes
}

// setShapes gives the columns that the statement defines their shapes.
func (m *tableMeta) setShapes(stmt *statement) {
	if stmt == nil {
		return
	}
	shapes := declaredShapes(stmt.ast)
	for _, c := range m.columns {
		if text, defined := shapes[strings.ToLower(c.Name)]; defined {
			c.Extra = text
		}
	}
}

// reshaped is a row of ALTER TABLE with the values of a column as its new declaration has them.
func (m *tableMeta) reshaped(ctx *sql.Context, row []any, at int) error {
	if t, ok := row[at].(time.Time); ok && types.IsDateType(m.columns[at].Type) {
		row[at] = time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) // the engine leaves the time of a TIME
	}
	shape := shapeOf(m.columns[at])
	if shape == nil || row[at] == nil {
		return nil
	}
	s := fromContext(ctx)
	t := assignTarget{s: s, ctx: ctx, column: m.columns[at].Name, typ: m.columns[at].Type, shape: shape, lenient: !s.strict()}
	v, err := t.assign(row[at], t.typ)
	row[at] = v
	return err
}
