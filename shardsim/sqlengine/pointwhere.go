package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"
)

// condition is what WHERE says about one column: that it has one of some values, or that it lies between two.
type condition struct {
	at        int // position of the column
	keyer     columnKeyer
	oneOf     []keyValue // nil: a range
	low, high *bound     // of the range; nil is open
}

// bound is an end of a range.
type bound struct {
	value keyValue
	open  bool // without the value itself
}

// isEqual reports whether the column has one value.
func (c *condition) isEqual() bool { return len(c.oneOf) == 1 && !c.oneOf[0].list }

// inRow reports whether the value is a column of the row so far.
func (c *condition) inRow() bool { return len(c.oneOf) == 1 && c.oneOf[0].inRow }

// addConditions takes what AND joins in an expression: conditions on columns, pairs of columns that are equal, and what the
// engine computes. It returns false if there is anything else.
func (p *pointPlan) addConditions(to *joinConditions, e sqlparser.Expr) bool {
	for _, e := range sqlparser.SplitAndExpression(nil, e) {
		if pair, ok := p.columnPair(e); ok {
			to.pairs = append(to.pairs, pair)
			continue
		}
		c, ok := p.condition(e)
		if ok && keyableType(c.keyer.typ) && (c.oneOf != nil || !c.keyer.pad) && addCondition(&to.conditions, c) {
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
		if other.oneOf != nil || c.oneOf != nil || other.low != nil && c.low != nil || other.high != nil && c.high != nil {
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
	switch e := e.(type) {
	case *sqlparser.IsExpr:
		ok = e.Right == sqlparser.IsNullOp && p.conditionOn(&c, e.Left)
		c.oneOf = []keyValue{{null: true}}
		return c, ok
	case *sqlparser.BetweenExpr:
		ok = e.IsBetween && p.conditionOn(&c, e.Left) && c.takeBound(&c.low, e.From, false) && c.takeBound(&c.high, e.To, false)
		return c, ok
	case *sqlparser.OrExpr:
		return p.eitherOf(e)
	case *sqlparser.ComparisonExpr:
		if e.Escape != nil || e.Modifier != sqlparser.Missing {
			return c, false
		}
		left, right, op := e.Left, e.Right, e.Operator
		if _, constant := newKeyValue(left); constant {
			left, right, op = right, left, mirrored(op)
		}
		ok = p.conditionOn(&c, left) && c.compare(op, right)
		return c, ok
	}
	return c, false
}

// conditionOn makes c one on a column.
func (p *pointPlan) conditionOn(c *condition, column sqlparser.Expr) bool {
	if c.at = p.column(column); c.at < 0 {
		return false
	}
	c.keyer = newColumnKeyer(c.at, p.columns[c.at].Type)
	return true
}

// eitherOf takes what OR says of one column, if both sides name values of it.
func (p *pointPlan) eitherOf(e *sqlparser.OrExpr) (c condition, ok bool) {
	if c, ok = p.condition(e.Left); !ok || c.oneOf == nil {
		return c, false
	}
	other, ok := p.condition(e.Right)
	if !ok || other.oneOf == nil || other.at != c.at {
		return c, false
	}
	c.oneOf = append(c.oneOf, other.oneOf...)
	return c, true
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

// compare takes column op value, and column IN values.
func (c *condition) compare(op sqlparser.ComparisonExprOperator, right sqlparser.Expr) bool {
	switch op {
	case sqlparser.InOp:
		return c.takeList(right)
	case sqlparser.EqualOp:
		return c.takeValue(right)
	case sqlparser.LessThanOp, sqlparser.LessEqualOp:
		return c.takeBound(&c.high, right, op == sqlparser.LessThanOp)
	case sqlparser.GreaterThanOp, sqlparser.GreaterEqualOp:
		return c.takeBound(&c.low, right, op == sqlparser.GreaterThanOp)
	}
	return false
}

func (c *condition) takeList(e sqlparser.Expr) bool {
	switch e := e.(type) {
	case sqlparser.ListArg:
		c.oneOf = []keyValue{{bind: string(e), list: true, keyer: c.keyer}}
		return true
	case sqlparser.ValTuple:
		for _, one := range e {
			if !c.takeValue(one) {
				return false
			}
		}
		return true
	}
	return false
}

func (c *condition) takeValue(e sqlparser.Expr) bool {
	v, ok := newKeyValue(e)
	v.keyer = c.keyer
	c.oneOf = append(c.oneOf, v)
	return ok
}

func (c *condition) takeBound(to **bound, e sqlparser.Expr, open bool) bool {
	v, ok := newKeyValue(e)
	v.keyer = c.keyer
	*to = &bound{value: v, open: open}
	return ok
}

// keyableType reports whether comparing with a constant of the type's own kind is comparing keys.
func keyableType(t sql.Type) bool {
	switch t := t.(type) {
	case sql.NumberType:
		return !t.IsFloat()
	case sql.EnumType, sql.SetType:
		return false
	case sql.StringType, sql.DatetimeType, sql.DecimalType:
		return true
	}
	return false
}
