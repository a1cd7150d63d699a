package sqlengine

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// doubleArithmetic refuses results that no double holds, which are infinite to the engine.
type doubleArithmetic struct {
	*expression.Arithmetic
}

func (d *doubleArithmetic) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	e, err := d.Arithmetic.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	if a, ok := e.(*expression.Arithmetic); ok {
		return &doubleArithmetic{a}, nil
	}
	return e, nil
}

func (d *doubleArithmetic) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := d.Arithmetic.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if f, ok := v.(float64); ok && math.IsInf(f, 0) {
		text := "(" + operandText(d.LeftChild) + " " + d.Op + " " + operandText(d.RightChild) + ")"
		return nil, outOfDoubles(text)
	}
	return v, nil
}

func outOfDoubles(text string) error {
	return mysqlError(1690, "22003", "DOUBLE value is out of range in '%s'", text)
}

// powerOf is POW(x, y), exponential is EXP(x): infinite results are errors.
func powerOf(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	x, err := numberArg(ctx, args[0])
	if err != nil {
		return nil, err
	}
	y, err := numberArg(ctx, args[1])
	if err != nil {
		return nil, err
	}
	return finite(math.Pow(x, y), "pow("+operandText(call.args[0])+","+operandText(call.args[1])+")")
}

func exponential(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	x, err := numberArg(ctx, args[0])
	if err != nil {
		return nil, err
	}
	return finite(math.Exp(x), "exp("+operandText(call.args[0])+")")
}

func finite(f float64, text string) (any, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, outOfDoubles(text)
	}
	return f, nil
}

// numberArg reads an argument as a double: a text as the number it starts with.
func numberArg(ctx *sql.Context, v any) (float64, error) {
	switch text := v.(type) {
	case string:
		f, _ := prefixFloat(text)
		return f, nil
	case []byte:
		f, _ := prefixFloat(string(text))
		return f, nil
	}
	return floatOf(ctx, v)
}

// collationMix refuses a comparison of texts of two collations of which neither comes first.
func collationMix(ctx *sql.Context, e sql.Expression) error {
	var op string
	switch e.(type) {
	case *expression.Equals, *expression.NullSafeEquals:
		op = "="
	case *expression.LessThan, *expression.LessThanOrEqual:
		op = "<"
	case *expression.GreaterThan, *expression.GreaterThanOrEqual:
		op = ">"
	default:
		return nil
	}
	operands := e.Children()
	var ids [2]sql.CollationID
	words := [2]string{}
	for i, o := range operands {
		typ, ok := plainString(o.Type())
		if !ok || typ.Collation() == sql.Collation_binary {
			return nil
		}
		switch o.(type) {
		case *expression.CollatedExpression:
			words[i] = "EXPLICIT"
		case *expression.GetField:
			words[i] = "IMPLICIT"
		default:
			return nil
		}
		ids[i], _ = sql.GetCoercibility(ctx, o)
	}
	if ids[0] == ids[1] || words[0] != words[1] || ids[0].CharacterSet() != ids[1].CharacterSet() {
		return nil
	}
	if words[0] == "IMPLICIT" && (isBinName(ids[0].Name()) || isBinName(ids[1].Name())) {
		return nil
	}
	return mysqlError(1267, "HY000", "Illegal mix of collations (%s,%s) and (%s,%s) for operation '%s'", ids[0].Name(), words[0], ids[1].Name(), words[1], op)
}

var doubleFunctions = map[string]scalarFunction{
	"pow":   {min: 2, max: 2, typ: fixedType(types.Float64), eval: powerOf},
	"power": {min: 2, max: 2, typ: fixedType(types.Float64), eval: powerOf},
	"exp":   {min: 1, max: 1, typ: fixedType(types.Float64), eval: exponential},
}
