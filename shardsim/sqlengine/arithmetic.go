package sqlengine

import (
	"math/big"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// checkedArithmetic is +, - or * over integers with MySQL's range: the engine wraps around where MySQL gives error 1690.
type checkedArithmetic struct {
	*expression.Arithmetic
	unsigned bool
}

// checkArithmetic returns the checked form of integer arithmetic, or false for anything else.
func checkArithmetic(a *expression.Arithmetic) (sql.Expression, bool) {
	switch a.Op {
	case "+", "-", "*":
	default:
		return nil, false
	}
	leftUnsigned, ok := integerType(a.LeftChild.Type())
	if !ok {
		return nil, false
	}
	rightUnsigned, ok := integerType(a.RightChild.Type())
	if !ok {
		return nil, false
	}
	return &checkedArithmetic{Arithmetic: a, unsigned: leftUnsigned || rightUnsigned}, true
}

func integerType(t sql.Type) (unsigned, ok bool) {
	n, ok := t.(sql.NumberType)
	if !ok || n.IsFloat() {
		return false, false
	}
	return !n.IsSigned(), true
}

// WithChildren implements sql.Expression.
func (c *checkedArithmetic) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	e, err := c.Arithmetic.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	a, ok := e.(*expression.Arithmetic)
	if !ok {
		return e, nil
	}
	return &checkedArithmetic{Arithmetic: a, unsigned: c.unsigned}, nil
}

// Type implements sql.Expression.
func (c *checkedArithmetic) Type() sql.Type {
	if c.unsigned {
		return types.Uint64
	}
	return types.Int64
}

// Eval implements sql.Expression.
func (c *checkedArithmetic) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	l, err := c.LeftChild.Eval(ctx, row)
	if err != nil || l == nil {
		return nil, err
	}
	r, err := c.RightChild.Eval(ctx, row)
	if err != nil || r == nil {
		return nil, err
	}
	if !c.unsigned {
		a, okA := l.(int64)
		b, okB := r.(int64)
		if okA && okB && small(a) && small(b) {
			return smallResult(c.Op, a, b), nil
		}
	}
	a, okA := bigInt(l)
	b, okB := bigInt(r)
	if !okA || !okB {
		return c.Arithmetic.Eval(ctx, row)
	}
	switch c.Op {
	case "+":
		a.Add(a, b)
	case "-":
		a.Sub(a, b)
	case "*":
		a.Mul(a, b)
	}
	if c.unsigned {
		if a.IsUint64() {
			return a.Uint64(), nil
		}
		return nil, mysqlError(1690, "22003", "BIGINT UNSIGNED value is out of range in '%s'", c.text())
	}
	if a.IsInt64() {
		return a.Int64(), nil
	}
	return nil, mysqlError(1690, "22003", "BIGINT value is out of range in '%s'", c.text())
}

func (c *checkedArithmetic) text() string {
	return "(" + operandText(c.LeftChild) + " " + c.Op + " " + operandText(c.RightChild) + ")"
}

func operandText(e sql.Expression) string {
	switch e := e.(type) {
	case *checkedArithmetic:
		return e.text()
	case *expression.GetField:
		return quoteName(e.Database()) + "." + quoteName(e.Table()) + "." + quoteName(e.Name())
	case *expression.Literal:
		if f, ok := e.Value().(float64); ok {
			return string(FormatFloat(f, 64))
		}
	}
	return e.String()
}

// small reports whether no operation of two such numbers overflows.
func small(v int64) bool { return v > -1<<31 && v < 1<<31 }

func smallResult(op string, a, b int64) int64 {
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	}
	return a * b
}

func bigInt(v any) (*big.Int, bool) {
	switch v := v.(type) {
	case int8:
		return big.NewInt(int64(v)), true
	case int16:
		return big.NewInt(int64(v)), true
	case int32:
		return big.NewInt(int64(v)), true
	case int64:
		return big.NewInt(v), true
	case int:
		return big.NewInt(int64(v)), true
	case uint8:
		return big.NewInt(int64(v)), true
	case uint16:
		return big.NewInt(int64(v)), true
	case uint32:
		return big.NewInt(int64(v)), true
	case uint64:
		return new(big.Int).SetUint64(v), true
	case bool:
		if v {
			return big.NewInt(1), true
		}
		return big.NewInt(0), true
	}
	return nil, false
}
