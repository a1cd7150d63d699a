package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// converted is an expression whose values are given as another type: a column of a UNION, or a date where text is wanted.
type converted struct {
	child sql.Expression
	typ   sql.Type
}

func (c *converted) Resolved() bool             { return c.child.Resolved() }
func (c *converted) String() string             { return c.child.String() }
func (c *converted) Type() sql.Type             { return c.typ }
func (c *converted) IsNullable() bool           { return c.child.IsNullable() }
func (c *converted) Children() []sql.Expression { return []sql.Expression{c.child} }

func (c *converted) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	return &converted{child: children[0], typ: c.typ}, nil
}

func (c *converted) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	return convertTo(ctx, v, c.child.Type(), c.typ)
}

// CollationCoercibility implements sql.CollationCoercible.
func (c *converted) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if _, isText := c.child.Type().(sql.StringType); isText {
		return sql.GetCoercibility(ctx, c.child)
	}
	return c.typ.CollationCoercibility(ctx)
}

// atScale gives a decimal all the digits of its type, rounded.
func atScale(d decimal.Decimal, t sql.DecimalType) decimal.Decimal {
	scale := int32(t.Scale())
	if d.Exponent() < -scale {
		return d.Round(scale)
	}
	return d.Add(decimal.New(0, -scale))
}

// choice is COALESCE, IFNULL, IF or CASE with MySQL's type: the one its values have together. The engine takes one of
// theirs.
type choice struct {
	sql.Expression
	typ sql.Type
}

// newChoice returns the choice an expression is, or false.
func newChoice(e sql.Expression) (sql.Expression, bool) {
	values, ok := choiceValues(e)
	if !ok {
		return e, false
	}
	all := make([]sql.Type, len(values))
	for i, v := range values {
		all[i] = v.Type()
	}
	return &choice{Expression: e, typ: unify(all...)}, true
}

// nullIf is NULLIF(a, b) as what it stands for: CASE WHEN a = b THEN NULL ELSE a END.
func nullIf(n *function.NullIf) sql.Expression {
	args := n.Children()
	null := expression.NewLiteral(nil, types.Null)
	return expression.NewCase(nil, []expression.CaseBranch{{Cond: expression.NewEquals(args[0], args[1]), Value: null}}, args[0])
}

// choiceValues returns the expressions one of which is the result.
func choiceValues(e sql.Expression) ([]sql.Expression, bool) {
	switch e := e.(type) {
	case *function.Coalesce, *function.IfNull:
		return e.Children(), true
	case *function.If:
		return e.Children()[1:], true
	case *expression.Case:
		var values []sql.Expression
		for _, b := range e.Branches {
			values = append(values, b.Value)
		}
		if e.Else != nil {
			values = append(values, e.Else)
		}
		return values, true
	}
	return nil, false
}

func (c *choice) Type() sql.Type   { return c.typ }
func (c *choice) IsNullable() bool { return true }

func (c *choice) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	e, err := c.Expression.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	again, _ := newChoice(e)
	return again, nil
}

// CollationCoercibility implements sql.CollationCoercible.
func (c *choice) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	values, _ := choiceValues(c.Expression)
	coll, level := sql.CollationID(0), byte(255)
	for _, v := range values {
		if _, isText := v.Type().(sql.StringType); !isText {
			continue
		}
		if id, l := sql.GetCoercibility(ctx, v); l < level {
			coll, level = id, l
		}
	}
	if level == 255 {
		return c.typ.CollationCoercibility(ctx)
	}
	return coll, level
}

func (c *choice) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	chosen, v, err := c.choose(ctx, row)
	if err != nil || chosen == nil || v == nil {
		return nil, err
	}
	return convertTo(ctx, v, chosen.Type(), c.typ)
}

// choose returns the expression that is the result, and its value.
func (c *choice) choose(ctx *sql.Context, row sql.Row) (sql.Expression, any, error) {
	switch e := c.Expression.(type) {
	case *function.If:
		args := e.Children()
		cond, err := sql.EvaluateCondition(ctx, args[0], row)
		if err != nil {
			return nil, nil, err
		}
		chosen := args[2]
		if sql.IsTrue(cond) {
			chosen = args[1]
		}
		v, err := chosen.Eval(ctx, row)
		return chosen, v, err
	case *expression.Case:
		return chooseCase(ctx, e, row)
	}
	for _, arg := range c.Expression.Children() {
		if arg.Type() == types.Null {
			continue
		}
		v, err := arg.Eval(ctx, row)
		if err != nil || v != nil {
			return arg, v, err
		}
	}
	return nil, nil, nil
}

func chooseCase(ctx *sql.Context, c *expression.Case, row sql.Row) (sql.Expression, any, error) {
	for _, b := range c.Branches {
		cond := b.Cond
		if c.Expr != nil {
			cond = newEquals(ctx, c.Expr, b.Cond)
		}
		res, err := sql.EvaluateCondition(ctx, cond, row)
		if err != nil {
			return nil, nil, err
		}
		if sql.IsTrue(res) {
			v, err := b.Value.Eval(ctx, row)
			return b.Value, v, err
		}
	}
	if c.Else == nil {
		return nil, nil, nil
	}
	v, err := c.Else.Eval(ctx, row)
	return c.Else, v, err
}
