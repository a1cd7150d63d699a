package sqlengine

import (
	"math"
	"math/big"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// wholeQuotient is a DIV b where one of them is a floating point number: the engine gives 0 for what no BIGINT holds.
func wholeQuotient(d *expression.IntDiv) sql.Expression {
	if !types.IsFloat(d.LeftChild.Type()) && !types.IsFloat(d.RightChild.Type()) {
		return d
	}
	typ := sql.Type(types.Int64)
	if types.IsUnsigned(d.LeftChild.Type()) || types.IsUnsigned(d.RightChild.Type()) {
		typ = types.Uint64
	}
	text := "(" + operandText(d.LeftChild) + " DIV " + operandText(d.RightChild) + ")"
	return scalarFunction{typ: fixedType(typ), eval: func(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
		a, err := decimalOf(ctx, args[0], call.args[0].Type())
		if err != nil {
			return nil, err
		}
		b, err := decimalOf(ctx, args[1], call.args[1].Type())
		if err != nil {
			return nil, err
		}
		if b.IsZero() {
			ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 1365, Message: "Division by 0"})
			return nil, nil
		}
		quotient, _ := a.QuoRem(b, 0)
		return bigIntegerOf(quotient.BigInt(), typ, text)
	}}.call("div", d.Children())
}

// bigIntegerOf is a number as a BIGINT, error 1690 if it is out of its range. The text is that of the expression.
func bigIntegerOf(n *big.Int, typ sql.Type, text string) (any, error) {
	switch {
	case typ == types.Uint64 && n.IsUint64():
		return n.Uint64(), nil
	case typ == types.Uint64:
		return nil, mysqlError(1690, "22003", "BIGINT UNSIGNED value is out of range in '%s'", text)
	case n.IsInt64():
		return n.Int64(), nil
	}
	return nil, mysqlError(1690, "22003", "BIGINT value is out of range in '%s'", text)
}

// decimalOf is a number, or the number a text begins with, as a decimal.
func decimalOf(ctx *sql.Context, v any, from sql.Type) (decimal.Decimal, error) {
	target := assignTarget{s: fromContext(ctx), ctx: ctx}
	n, ok := target.number(v, from)
	switch {
	case !ok:
		return decimal.Zero, sql.ErrInvalidType.New(from)
	case n.isFloat && !math.IsInf(n.float, 0):
		return decimal.NewFromFloat(n.float), nil
	}
	return n.exact, nil
}
