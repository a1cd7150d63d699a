package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

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
