package sqlengine

import (
	"bytes"
	"math/big"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
)

// Bit operators work on BIGINT UNSIGNED, or on bytes where an operand is a binary string that is no literal. The engine works
// on signed numbers, and on doubles where operands differ.

// bitOperator replaces one of the engine's bit operators.
func bitOperator(op *expression.BitOp) sql.Expression {
	args := op.Children()
	f := scalarFunction{typ: fixedType(types.Uint64), eval: numberBits}
	if onBytes(op.Op, args) {
		f = scalarFunction{typ: fixedType(types.LongBlob), eval: byteBits}
	}
	return &scalarCall{name: op.Op, fn: f, args: args}
}

// onBytes reports whether an operator works on bytes: both operands are binary strings, of a shift the left one.
func onBytes(op string, args []sql.Expression) bool {
	if op == dolt.ShiftLeftStr || op == dolt.ShiftRightStr {
		args = args[:1]
	}
	columns := 0
	for _, a := range args {
		if !types.IsBinaryType(a.Type()) {
			return false
		}
		if _, isLiteral := a.(*expression.Literal); !isLiteral {
			columns++
		}
	}
	return columns > 0
}

func numberBits(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	a, err := unsigned(ctx, args[0])
	if err != nil {
		return nil, err
	}
	b, err := unsigned(ctx, args[1])
	if err != nil {
		return nil, err
	}
	switch call.name {
	case dolt.BitAndStr:
		return a & b, nil
	case dolt.BitOrStr:
		return a | b, nil
	case dolt.BitXorStr:
		return a ^ b, nil
	case dolt.ShiftLeftStr:
		return a << b, nil
	}
	return a >> b, nil
}

func byteBits(ctx *sql.Context, call *scalarCall, args []any) (any, error) {
	a := bytesOf(args[0])
	switch call.name {
	case dolt.ShiftLeftStr, dolt.ShiftRightStr:
		n, err := unsigned(ctx, args[1])
		if err != nil {
			return nil, err
		}
		return shiftedBytes(a, n, call.name == dolt.ShiftLeftStr), nil
	}
	b := bytesOf(args[1])
	if len(a) != len(b) {
		return nil, mysqlError(3513, "HY000", "Binary operands of bitwise operators must be of equal length")
	}
	out := make([]byte, len(a))
	for i := range a {
		switch call.name {
		case dolt.BitAndStr:
			out[i] = a[i] & b[i]
		case dolt.BitOrStr:
			out[i] = a[i] | b[i]
		default:
			out[i] = a[i] ^ b[i]
		}
	}
	return out, nil
}

// shiftedBytes shifts a binary string, which keeps its length.
func shiftedBytes(b []byte, n uint64, left bool) []byte {
	if n >= uint64(len(b))*8 {
		return make([]byte, len(b))
	}
	v := new(big.Int).SetBytes(b)
	if !left {
		return v.Rsh(v, uint(n)).FillBytes(make([]byte, len(b)))
	}
	wide := v.Lsh(v, uint(n)).FillBytes(make([]byte, 2*len(b)+1))
	return bytes.Clone(wide[len(b)+1:])
}

func bytesOf(v any) []byte {
	switch v := v.(type) {
	case []byte:
		return v
	case string:
		return []byte(v)
	}
	return nil
}
