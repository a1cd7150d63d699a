package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/mysql/collations/colldata"
)

// textComparison compares two texts under a collation of the gateway's library. The engine compares character by character:
// to it 'ß' is not 'ss', nor is e and an accent é.
type textComparison struct {
	expression.BinaryExpressionStub
	engine sql.Expression // the comparison it stands for
	coll   colldata.Collation
	pad    bool
	holds  func(cmp int) bool
	safe   bool // <=>
}

// newTextComparison returns the comparison of texts that an expression is, or false.
func newTextComparison(ctx *sql.Context, e sql.Expression) (sql.Expression, bool) {
	if b, ok := e.(*expression.Between); ok {
		return newTextBetween(ctx, b)
	}
	holds, safe := comparisonHolds(e)
	if holds == nil {
		return nil, false
	}
	operands := e.Children()
	id, ok := commonCollation(ctx, operands[0], operands[1])
	if !ok {
		return nil, false
	}
	coll, pad := collationOf(id)
	return &textComparison{
		BinaryExpressionStub: expression.BinaryExpressionStub{LeftChild: operands[0], RightChild: operands[1]},
		engine:               e, coll: coll, pad: pad, holds: holds, safe: safe,
	}, true
}

// newTextBetween returns BETWEEN of texts as the two comparisons it stands for.
func newTextBetween(ctx *sql.Context, b *expression.Between) (sql.Expression, bool) {
	low, ok := newTextComparison(ctx, expression.NewGreaterThanOrEqual(b.Val, b.Lower))
	if !ok {
		return nil, false
	}
	high, ok := newTextComparison(ctx, expression.NewLessThanOrEqual(b.Val, b.Upper))
	if !ok {
		return nil, false
	}
	return expression.NewAnd(low, high), true
}

// commonCollation is what two texts are compared under; false if one is no text, or they are compared byte by byte.
func commonCollation(ctx *sql.Context, a, b sql.Expression) (sql.CollationID, bool) {
	for _, e := range []sql.Expression{a, b} {
		if t, ok := plainString(e.Type()); !ok || t.Collation() == sql.Collation_binary {
			return 0, false
		}
	}
	ca, la := sql.GetCoercibility(ctx, a)
	cb, lb := sql.GetCoercibility(ctx, b)
	id, _ := sql.ResolveCoercibility(ca, la, cb, lb)
	return id, id != sql.Collation_binary && id != sql.Collation_Unspecified
}

func (c *textComparison) String() string { return c.engine.String() }
func (c *textComparison) Type() sql.Type { return types.Boolean }
func (c *textComparison) IsNullable() bool {
	return !c.safe && (c.LeftChild.IsNullable() || c.RightChild.IsNullable())
}

// CollationCoercibility implements sql.CollationCoercible.
func (c *textComparison) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, c.engine)
}

func (c *textComparison) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 2)
	}
	again := *c
	again.LeftChild, again.RightChild = children[0], children[1]
	return &again, nil
}

func (c *textComparison) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, err := textValue(ctx, c.LeftChild, row)
	if err != nil {
		return nil, err
	}
	if left == nil && !c.safe {
		return nil, nil
	}
	right, err := textValue(ctx, c.RightChild, row)
	if err != nil {
		return nil, err
	}
	if left == nil || right == nil {
		if c.safe {
			return left == nil && right == nil, nil
		}
		return nil, nil
	}
	return c.holds(collate(c.coll, c.pad, left, right)), nil
}

// textValue evaluates an expression to the bytes of a text, nil for NULL.
func textValue(ctx *sql.Context, e sql.Expression, row sql.Row) ([]byte, error) {
	v, err := e.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil || v == nil {
		return nil, err
	}
	switch text := v.(type) {
	case string:
		return append(make([]byte, 0, len(text)), text...), nil
	case []byte:
		if text == nil {
			return []byte{}, nil
		}
		return text, nil
	}
	conv := newConverter(e.Type())
	return conv.text(ctx, v)
}

// collate compares two texts. Trailing spaces do not count if the collation pads.
func collate(coll colldata.Collation, pad bool, a, b []byte) int {
	if pad {
		a, b = trimSpaces(a), trimSpaces(b)
	}
	return coll.Collate(a, b, false)
}

func trimSpaces(text []byte) []byte {
	for len(text) > 0 && text[len(text)-1] == ' ' {
		text = text[:len(text)-1]
	}
	return text
}

// textList is IN over a list of texts.
type textList struct {
	expression.Comparer
	coll colldata.Collation
	pad  bool
}

func newTextList(ctx *sql.Context, in expression.Comparer) (sql.Expression, bool) {
	list, ok := in.Right().(expression.Tuple)
	if !ok || len(list) == 0 {
		return nil, false
	}
	id := sql.CollationID(0)
	for _, e := range list {
		if lit, isLiteral := e.(*expression.Literal); isLiteral && lit.Value() == nil {
			continue
		}
		common, ok := commonCollation(ctx, in.Left(), e)
		if !ok || id != 0 && common != id {
			return nil, false
		}
		id = common
	}
	if id == 0 {
		return nil, false
	}
	coll, pad := collationOf(id)
	return &textList{Comparer: in, coll: coll, pad: pad}, true
}

func (l *textList) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	e, err := l.Comparer.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return &textList{Comparer: e.(expression.Comparer), coll: l.coll, pad: l.pad}, nil
}

func (l *textList) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, err := textValue(ctx, l.Left(), row)
	if err != nil || left == nil {
		return nil, err
	}
	unknown := false
	for _, e := range l.Right().(expression.Tuple) {
		right, err := textValue(ctx, e, row)
		if err != nil {
			return nil, err
		}
		if right == nil {
			unknown = true
		} else if collate(l.coll, l.pad, left, right) == 0 {
			return true, nil
		}
	}
	if unknown {
		return nil, nil
	}
	return false, nil
}
