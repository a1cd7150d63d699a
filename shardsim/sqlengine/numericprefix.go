package sqlengine

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// numericPrefix is the number a text starts with, as MySQL reads a text where a number is wanted: 0 if it starts with none.
//
//	as a double   '12.5abc' 12.5   'abc' 0
//	as an integer '3.7' 3          '1e3' 1
type numericPrefix struct {
	child sql.Expression
	typ   sql.Type // Float64, Int64 or Uint64
	warns bool     // of a text that is more than a number, as a double
}

func (p *numericPrefix) Resolved() bool             { return p.child.Resolved() }
func (p *numericPrefix) String() string             { return p.child.String() }
func (p *numericPrefix) Type() sql.Type             { return p.typ }
func (p *numericPrefix) IsNullable() bool           { return p.child.IsNullable() }
func (p *numericPrefix) Children() []sql.Expression { return []sql.Expression{p.child} }

func (p *numericPrefix) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(p, len(children), 1)
	}
	return &numericPrefix{child: children[0], typ: p.typ, warns: p.warns}, nil
}

func (p *numericPrefix) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := p.child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil || v == nil {
		return nil, err
	}
	text, ok := v.(string)
	if b, isBytes := v.([]byte); isBytes {
		text, ok = string(b), true
	}
	if !ok {
		return v, nil
	}
	if p.typ == types.Float64 {
		f, whole := prefixFloat(text)
		if !whole && p.warns && strings.TrimSpace(text) != "" {
			ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: 1292, Message: fmt.Sprintf("Truncated incorrect DOUBLE value: '%s'", text)})
		}
		return f, nil
	}
	return prefixInteger(text, p.typ == types.Uint64), nil
}

// prefixFloat returns the number a text starts with, and whether that is all of it.
func prefixFloat(text string) (float64, bool) {
	text = strings.Trim(text, " \t\n\r\v\f")
	end, digits := 0, false
	if end < len(text) && (text[end] == '-' || text[end] == '+') {
		end++
	}
	for point := false; end < len(text); end++ {
		c := text[end]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		digits = true
	}
	if !digits {
		return 0, false
	}
	if exp := exponentLength(text[end:]); exp > 0 {
		end += exp
	}
	f, _ := strconv.ParseFloat(text[:end], 64)
	return f, end == len(text)
}

// exponentLength returns the length of an exponent that a text starts with: e5, E-10.
func exponentLength(text string) int {
	if text == "" || text[0] != 'e' && text[0] != 'E' {
		return 0
	}
	i := 1
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		i++
	}
	start := i
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	if i == start {
		return 0
	}
	return i
}

func prefixInteger(text string, unsigned bool) any {
	text = strings.Trim(text, " \t\n\r\v\f")
	end := 0
	if end < len(text) && (text[end] == '-' || text[end] == '+') {
		end++
	}
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	digits := strings.TrimPrefix(text[:end], "+")
	if unsigned && !strings.HasPrefix(digits, "-") {
		n, _ := strconv.ParseUint(digits, 10, 64)
		return n
	}
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}

// compareNumbers lets a text that meets a number in a comparison, or is cast to an integer, be the number it starts with.
func compareNumbers(e sql.Expression) (sql.Expression, error) {
	switch c := e.(type) {
	case *expression.Equals, *expression.NullSafeEquals, *expression.GreaterThan, *expression.GreaterThanOrEqual,
		*expression.LessThan, *expression.LessThanOrEqual:
	case *expression.InTuple:
		return bitsInList(c)
	case *expression.Convert:
		typ := c.Type()
		if (typ == types.Int64 || typ == types.Uint64) && isCharacter(c.Child.Type()) {
			return c.WithChildren(&numericPrefix{child: c.Child, typ: typ})
		}
		return e, nil
	default:
		return e, nil
	}
	operands := e.Children()
	for i, o := range operands {
		if exact, ok := comparedExactly(o, operands[1-i].Type()); ok {
			fresh := append([]sql.Expression(nil), operands...)
			fresh[i] = exact
			return e.WithChildren(fresh...)
		}
		if !isCharacter(o.Type()) || !isNumeric(operands[1-i].Type()) {
			continue
		}
		number := sql.Expression(&numericPrefix{child: o, typ: types.Float64})
		if lit, ok := o.(*expression.Literal); ok {
			text, isText := lit.Value().(string)
			f, whole := prefixFloat(text)
			if !isText || whole {
				return e, nil
			}
			number = expression.NewLiteral(f, types.Float64)
		}
		fresh := append([]sql.Expression(nil), operands...)
		fresh[i] = number
		return e.WithChildren(fresh...)
	}
	return e, nil
}

func isCharacter(t sql.Type) bool {
	s, ok := plainString(t)
	return ok && s.Collation() != sql.Collation_binary
}

// comparedExactly returns what an operand is compared as with a number: a binary literal as its bits' number, a FLOAT as the
// double it is, not as the decimal it prints as.
func comparedExactly(e sql.Expression, other sql.Type) (sql.Expression, bool) {
	_, isBit := bitColumn(other)
	if lit, ok := e.(*expression.Literal); ok && (isBit || isNumeric(other)) {
		if raw, isBytes := lit.Value().([]byte); isBytes && len(raw) <= 8 {
			n := new(big.Int).SetBytes(raw).Uint64()
			return expression.NewLiteral(n, types.Uint64), true
		}
	}
	if e.Type() == types.Float32 && isNumeric(other) && other != types.Float32 {
		return &converted{child: e, typ: types.Float64}, true
	}
	return nil, false
}

// bitsInList lets binary literals in a list that a number is compared with be numbers.
func bitsInList(in *expression.InTuple) (sql.Expression, error) {
	list, ok := in.Right().(expression.Tuple)
	if !ok {
		return in, nil
	}
	fresh, changed := append(expression.Tuple(nil), list...), false
	for i, item := range list {
		if exact, ok := comparedExactly(item, in.Left().Type()); ok {
			fresh[i], changed = exact, true
		}
	}
	if !changed {
		return in, nil
	}
	return in.WithChildren(in.Left(), fresh)
}
