package sqlengine

import (
	"cmp"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// numberComparison compares two exact numbers exactly. The engine compares a signed with an unsigned integer as doubles, which
// takes large ones for each other, and rounds what a decimal is compared with to the decimal's own digits:
//
//	9007199254740993 = cast(9007199254740992 as unsigned)   price = 1.251   with 1.25 in DECIMAL(5,2)
type numberComparison struct {
	expression.BinaryExpressionStub
	engine sql.Expression // the comparison it stands for
	holds  func(cmp int) bool
	safe   bool // <=>
}

// newNumberComparison returns the comparison of numbers that an expression is, or false.
func newNumberComparison(e sql.Expression) (sql.Expression, bool) {
	holds, safe := comparisonHolds(e)
	if holds == nil {
		return nil, false
	}
	operands := e.Children()
	a, b := exactKind(operands[0].Type()), exactKind(operands[1].Type())
	if a == inexact || b == inexact || a == b && a != decimalKind {
		return nil, false
	}
	return &numberComparison{
		BinaryExpressionStub: expression.BinaryExpressionStub{LeftChild: operands[0], RightChild: operands[1]},
		engine:               e, holds: holds, safe: safe,
	}, true
}

// comparisonHolds returns what a comparison says of the order of its operands, nil if the expression is none.
func comparisonHolds(e sql.Expression) (holds func(int) bool, safe bool) {
	switch e.(type) {
	case *expression.Equals:
		return func(c int) bool { return c == 0 }, false
	case *expression.NullSafeEquals:
		return func(c int) bool { return c == 0 }, true
	case *expression.LessThan:
		return func(c int) bool { return c < 0 }, false
	case *expression.LessThanOrEqual:
		return func(c int) bool { return c <= 0 }, false
	case *expression.GreaterThan:
		return func(c int) bool { return c > 0 }, false
	case *expression.GreaterThanOrEqual:
		return func(c int) bool { return c >= 0 }, false
	}
	return nil, false
}

// numberKind tells types of exact numbers apart.
type numberKind int

const (
	inexact numberKind = iota
	signedKind
	unsignedKind
	decimalKind
)

func exactKind(t sql.Type) numberKind {
	switch {
	case types.IsDecimal(t):
		return decimalKind
	case types.IsSigned(t):
		return signedKind
	case types.IsUnsigned(t):
		return unsignedKind
	}
	return inexact
}

func (c *numberComparison) String() string { return c.engine.String() }
func (c *numberComparison) Type() sql.Type { return types.Boolean }
func (c *numberComparison) IsNullable() bool {
	return !c.safe && (c.LeftChild.IsNullable() || c.RightChild.IsNullable())
}

// CollationCoercibility implements sql.CollationCoercible.
func (c *numberComparison) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, c.engine)
}

func (c *numberComparison) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 2)
	}
	again := *c
	again.LeftChild, again.RightChild = children[0], children[1]
	return &again, nil
}

func (c *numberComparison) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, err := c.LeftChild.Eval(ctx, row)
	if err != nil || left == nil && !c.safe {
		return nil, err
	}
	right, err := c.RightChild.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if left == nil || right == nil {
		if c.safe {
			return left == nil && right == nil, nil
		}
		return nil, nil
	}
	order, err := compareExactly(left, right)
	if err != nil {
		return nil, err
	}
	return c.holds(order), nil
}

// compareExactly compares two integers or decimals.
func compareExactly(a, b any) (int, error) {
	an, au, aWhole := wholeValue(a)
	bn, bu, bWhole := wholeValue(b)
	if aWhole && bWhole {
		switch {
		case an < 0 || bn < 0:
			return cmp.Compare(an, bn), nil
		default:
			return cmp.Compare(au, bu), nil
		}
	}
	left, err := exactDecimal(a)
	if err != nil {
		return 0, err
	}
	right, err := exactDecimal(b)
	return left.Cmp(right), err
}

// wholeValue is an integer: n is negative if it is, and if not u is the integer.
func wholeValue(v any) (n int64, u uint64, ok bool) {
	switch v := v.(type) {
	case int8:
		n = int64(v)
	case int16:
		n = int64(v)
	case int32:
		n = int64(v)
	case int64:
		n = v
	case int:
		n = int64(v)
	case bool:
		if v {
			n = 1
		}
	case uint8:
		return 0, uint64(v), true
	case uint16:
		return 0, uint64(v), true
	case uint32:
		return 0, uint64(v), true
	case uint64:
		return 0, v, true
	case uint:
		return 0, uint64(v), true
	default:
		return 0, 0, false
	}
	return n, uint64(n), true
}
