package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// textFunctions take text. The engine gives them a date or time as the Go value it keeps it in.
var textFunctions = map[string]bool{
	"upper": true, "ucase": true, "lower": true, "lcase": true, "left": true, "right": true, "substring": true, "substr": true,
	"mid": true, "trim": true, "ltrim": true, "rtrim": true, "lpad": true, "rpad": true, "replace": true, "reverse": true,
	"repeat": true, "concat": true, "concat_ws": true, "length": true, "octet_length": true, "char_length": true,
	"character_length": true, "bit_length": true, "ascii": true, "ord": true, "hex": true, "instr": true, "locate": true,
	"position": true, "substring_index": true, "md5": true, "sha": true, "sha1": true, "sha2": true, "crc32": true,
	"to_base64": true, "quote": true, "strcmp": true, "insert": true, "elt": true, "field": true, "find_in_set": true,
	"export_set": true, "regexp_like": true, "regexp_replace": true, "regexp_instr": true, "regexp_substr": true,
}

// datesAsText gives a text function the text of a date or time, and a cast the text or number of one.
func datesAsText(e sql.Expression) (sql.Expression, error) {
	switch f := e.(type) {
	case sql.FunctionExpression:
		if !textFunctions[f.FunctionName()] {
			return e, nil
		}
	case *expression.Like:
	case *expression.Convert:
		return castOfDate(f)
	default:
		return e, nil
	}
	args := e.Children()
	var fresh []sql.Expression
	for i, a := range args {
		if a == nil {
			continue
		}
		if !isDateOrTime(a.Type()) {
			continue
		}
		if fresh == nil {
			fresh = append([]sql.Expression(nil), args...)
		}
		fresh[i] = &converted{child: a, typ: defaultTextType}
	}
	if fresh == nil {
		return e, nil
	}
	return e.WithChildren(fresh...)
}

func isDateOrTime(t sql.Type) bool {
	_, isTime := t.(types.TimeType)
	return isTime || isDate(t)
}

// castOfDate lets a cast of a date or time begin with its text or its number, YYYYMMDDhhmmss or hhmmss. An integer is that of
// the rounded time.
func castOfDate(c *expression.Convert) (sql.Expression, error) {
	if !isDateOrTime(c.Child.Type()) {
		return c, nil
	}
	var first sql.Type
	switch t := c.Type().(type) {
	case sql.StringType:
		first = defaultTextType
	case sql.DecimalType:
		first = types.MustCreateDecimalType(20, 6)
	case sql.NumberType:
		first = types.Int64
		if t.IsFloat() {
			first = types.MustCreateDecimalType(20, 6)
		}
	default:
		return c, nil
	}
	return c.WithChildren(&converted{child: c.Child, typ: first})
}
