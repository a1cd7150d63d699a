package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"
)

// condition is what WHERE says about one column: that it has one of some values, or that it lies between two.
type condition struct {
	at        int // position of the column
	keyer     columnKeyer
	kind      conditionKind
	value     keyValue // of isEqual
	list      string   // of isOneOf: a list bind variable
	low, high *bound   // of isBetween; nil is open
}

type conditionKind uint8

const (
	isEqual conditionKind = iota
	isOneOf
	isBetween
	isNull
)

// bound is an end of a range.
type bound struct {
	value keyValue
	open  bool // without the value itself
}

// addConditions takes what AND joins in an expression: conditions on columns, pairs of columns that are equal, and what the
// engine computes. It returns false if there is anything else.
func (p *pointPlan) addConditions(to *joinConditions, e sqlparser.Expr) bool {
	for _, e := range sqlparser.SplitAndExpression(nil, e) {
		if pair, ok := p.columnPair(e); ok {
			to.pairs = append(to.pairs, pair)
			continue
		}
		c, ok := p.condition(e)
		if ok && keyableType(c.keyer.typ) && (c.kind != isBetween || !c.keyer.pad) && addCondition(&to.conditions, c) {
			continue
		}
		i := p.computation(e)
		if i < 0 {
			return false
		}
		to.computed = append(to.computed, i)
	}
	return true
}

// addCondition adds a condition. Two on one column must be the two ends of a range.
func addCondition(conds *[]condition, c condition) bool {
	for i := range *conds {
		other := &(*conds)[i]
		if other.at != c.at {
			continue
		}
		if other.kind != isBetween || c.kind != isBetween || other.low != nil && c.low != nil || other.high != nil && c.high != nil {
			return false
		}
		if c.low != nil {
			other.low = c.low
		}
		if c.high != nil {
			other.high = c.high
		}
		return true
	}
	*conds = append(*conds, c)
	return true
}

func (p *pointPlan) condition(e sqlparser.Expr) (c condition, ok bool) {
	on := func(column sqlparser.Expr) bool {
		if c.at = p.column(column); c.at < 0 {
			return false
		}
		c.keyer = newColumnKeyer(c.at, p.columns[c.at].Type)
		return true
	}
	end := func(e sqlparser.Expr, open bool) *bound {
		b := &bound{value: keyValue{keyer: c.keyer}, open: open}
		if b.value, ok = newKeyValue(e); ok {
			b.value.keyer = c.keyer
		}
		return b
	}
	switch e := e.(type) {
	case *sqlparser.IsExpr:
		c.kind = isNull
		ok = e.Right == sqlparser.IsNullOp && on(e.Left)
		return c, ok
	case *sqlparser.BetweenExpr:
		if !e.IsBetween || !on(e.Left) {
			return c, false
		}
		c.kind = isBetween
		if c.low = end(e.From, false); ok {
			c.high = end(e.To, false)
		}
		return c, ok
	case *sqlparser.ComparisonExpr:
		if e.Escape != nil || e.Modifier != sqlparser.Missing {
			return c, false
		}
		left, right, op := e.Left, e.Right, e.Operator
		if _, constant := newKeyValue(left); constant {
			left, right, op = right, left, mirrored(op)
		}
		if !on(left) {
			return c, false
		}
		ok = c.compare(op, right, end)
		return c, ok
	}
	return c, false
}

// mirrored returns the operator that says the same with its sides exchanged.
func mirrored(op sqlparser.ComparisonExprOperator) sqlparser.ComparisonExprOperator {
	switch op {
	case sqlparser.LessThanOp:
		return sqlparser.GreaterThanOp
	case sqlparser.LessEqualOp:
		return sqlparser.GreaterEqualOp
	case sqlparser.GreaterThanOp:
		return sqlparser.LessThanOp
	case sqlparser.GreaterEqualOp:
		return sqlparser.LessEqualOp
	case sqlparser.InOp:
		return sqlparser.NotInOp // nothing we take
	}
	return op
}

// compare takes column op value.
func (c *condition) compare(op sqlparser.ComparisonExprOperator, right sqlparser.Expr, end func(sqlparser.Expr, bool) *bound) bool {
	if op == sqlparser.InOp {
		list, ok := right.(sqlparser.ListArg)
		c.kind, c.list = isOneOf, string(list)
		c.value.keyer = c.keyer
		return ok
	}
	if _, ok := newKeyValue(right); !ok {
		return false
	}
	c.kind = isBetween
	switch op {
	case sqlparser.EqualOp:
		c.kind = isEqual
		c.value = end(right, false).value
	case sqlparser.LessThanOp, sqlparser.LessEqualOp:
		c.high = end(right, op == sqlparser.LessThanOp)
	case sqlparser.GreaterThanOp, sqlparser.GreaterEqualOp:
		c.low = end(right, op == sqlparser.GreaterThanOp)
	default:
		return false
	}
	return true
}

// keyableType reports whether comparing with a constant of the type's own kind is comparing keys.
func keyableType(t sql.Type) bool {
	switch t := t.(type) {
	case sql.NumberType:
		return !t.IsFloat()
	case sql.EnumType, sql.SetType:
		return false
	case sql.StringType:
		return true
	}
	return false
}
