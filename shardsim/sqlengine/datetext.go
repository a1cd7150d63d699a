package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

func isDateOrTime(t sql.Type) bool {
	return isTime(t) || isDate(t)
}

// castOf reads what is cast as MySQL does: a date or time as its text or number, a text as the double it starts with, an unsigned
// number as the signed one of the same bits.
func castOf(c *expression.Convert) (sql.Expression, error) {
	switch typ := c.Type(); {
	case typ == types.Float64 && isCharacter(c.Child.Type()):
		return c.WithChildren(&numericPrefix{child: c.Child, typ: types.Float64, warns: true})
	case typ == types.Int64 && c.Child.Type() == types.Uint64:
		wrap := scalarFunction{typ: fixedType(types.Int64), eval: func(ctx *sql.Context, _ *scalarCall, args []any) (any, error) {
			n, err := unsigned(ctx, args[0])
			return int64(n), err
		}}
		return wrap.call("cast", []sql.Expression{c.Child}), nil
	}
	if _, isLiteral := c.Child.(*expression.Literal); !isLiteral && types.IsDateType(c.Type()) && isNumeric(c.Child.Type()) {
		// The engine takes no numbers of columns for dates.
		digits := expression.NewLiteral(int64(6), types.Int64)
		return c.WithChildren(castFunctions["cast_datetime"].call("cast_datetime", []sql.Expression{c.Child, digits}))
	}
	return castOfDate(c)
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
