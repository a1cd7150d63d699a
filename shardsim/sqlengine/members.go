package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// compareMembers settles comparisons of ENUM and SET values as MySQL has them: with texts they are texts, with numbers numbers.
// The engine makes members of what they are compared with, which fails for a SET without such a member, and orders ENUMs by
// their numbers.
func compareMembers(e sql.Expression) (sql.Expression, error) {
	switch c := e.(type) {
	case *expression.Between:
		if between, ok := mixedBetween(c); ok {
			e = between
		}
		return membersAs(e, e.Children(), isMemberType)
	case *expression.Equals, *expression.NullSafeEquals:
		return membersAs(e, e.Children(), isSetType)
	case *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual:
		return membersAs(e, e.Children(), isMemberType)
	case *expression.InTuple:
		list, ok := c.Right().(expression.Tuple)
		if !ok || !isSetType(c.Left().Type()) {
			return e, nil
		}
		if typ := comparedType(c.Left().Type(), list); typ != nil {
			return c.WithChildren(&converted{child: c.Left(), typ: typ}, list)
		}
	}
	return e, nil
}

// mixedBetween compares numbers where a member stands between a text and a number: the text is the number it starts with.
func mixedBetween(b *expression.Between) (sql.Expression, bool) {
	if !isMemberType(b.Val.Type()) || isCharacter(b.Lower.Type()) == isCharacter(b.Upper.Type()) {
		return nil, false
	}
	fresh := []sql.Expression{b.Val, b.Lower, b.Upper}
	for i, e := range fresh {
		if number, isText := leadingNumber(e); isText {
			fresh[i] = number
		} else if i > 0 && !isNumeric(e.Type()) {
			return nil, false
		}
	}
	between, err := b.WithChildren(fresh...)
	return between, err == nil
}

func isMemberType(t sql.Type) bool {
	_, isEnum := t.(sql.EnumType)
	return isEnum || isSetType(t)
}

func isSetType(t sql.Type) bool {
	_, is := t.(sql.SetType)
	return is
}

// membersAs gives those operands the others' type.
func membersAs(e sql.Expression, operands []sql.Expression, which func(sql.Type) bool) (sql.Expression, error) {
	fresh := append([]sql.Expression(nil), operands...)
	changed := false
	for i, o := range operands {
		if !which(o.Type()) {
			continue
		}
		others := append(append([]sql.Expression(nil), operands[:i]...), operands[i+1:]...)
		if typ := comparedType(o.Type(), others); typ != nil {
			fresh[i], changed = &converted{child: o, typ: typ}, true
		}
	}
	if !changed {
		return e, nil
	}
	return e.WithChildren(fresh...)
}

// comparedType is what a member is compared as with others that are all texts or all numbers, else nil.
func comparedType(member sql.Type, others []sql.Expression) sql.Type {
	texts, numbers := 0, 0
	for _, o := range others {
		switch {
		case isCharacter(o.Type()):
			texts++
		case isNumeric(o.Type()):
			numbers++
		}
	}
	switch {
	case texts == len(others):
		return types.CreateLongText(member.(sql.TypeWithCollation).Collation())
	case numbers == len(others):
		return types.Int64
	}
	return nil
}
