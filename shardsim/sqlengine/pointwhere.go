package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
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

// conditions splits a WHERE into conditions on different columns; ok is false if there is anything else.
func (p *pointPlan) conditions(where *sqlparser.Where, alias string) (conds []condition, ok bool) {
	if where == nil {
		return nil, true
	}
	for _, e := range sqlparser.SplitAndExpression(nil, where.Expr) {
		c, ok := p.condition(e, alias)
		if !ok {
			return nil, false
		}
		if !keyableType(c.keyer.typ) || c.kind == isBetween && c.keyer.pad {
			return nil, false
		}
		if !addCondition(&conds, c) {
			return nil, false
		}
	}
	return conds, true
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

func (p *pointPlan) condition(e sqlparser.Expr, alias string) (c condition, ok bool) {
	on := func(column sqlparser.Expr) bool {
		if c.at = p.column(column, alias); c.at < 0 {
			return false
		}
		c.keyer = newColumnKeyer(c.at, p.meta.columns[c.at].Type)
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

// takeKey makes the conditions on the whole primary key the plan's key, and returns the others. It takes none if they do
// not cover the key.
func (p *pointPlan) takeKey(conds []condition) (others []condition) {
	if len(p.meta.pk) == 0 || p.meta.pkPrefix != nil {
		return conds
	}
	key := make([]keyValue, len(p.meta.pk))
	list, given := "", 0
	for _, c := range conds {
		part := -1
		for i, pk := range p.meta.pk {
			if pk == c.at {
				part = i
			}
		}
		if part < 0 || c.kind != isEqual && (c.kind != isOneOf || len(key) > 1) {
			others = append(others, c)
			continue
		}
		key[part], list = c.value, c.list
		given++
	}
	if given < len(key) {
		return conds
	}
	p.key, p.list = key, list
	return others
}

// indexColumns returns the columns the entries of an index are sorted by; none if prefixes of them are.
func (p *pointPlan) indexColumns(index int) []int {
	if index == store.Primary {
		if p.meta.pkPrefix != nil {
			return nil
		}
		return p.meta.pk
	}
	columns, err := p.meta.positions(p.meta.indexes[index].columns)
	if err != nil || p.meta.indexes[index].prefix != nil {
		return nil
	}
	if p.meta.indexes[index].unique {
		return columns
	}
	return append(columns, p.meta.pk...)
}

// takeIndex chooses the index most of whose first columns have conditions: equalities, and one range behind them. It
// takes those conditions.
func (p *pointPlan) takeIndex() {
	r := &p.read
	r.index = store.Primary
	best := 0
	for index := store.Primary; index < len(p.meta.indexes); index++ {
		score, columns := 0, p.indexColumns(index)
		for _, at := range columns {
			i := findCondition(r.filters, at)
			if i >= 0 && r.filters[i].kind == isEqual {
				score += 2
				continue
			}
			if i >= 0 && r.filters[i].kind == isBetween {
				score++
			}
			break
		}
		if score > best {
			best, r.index = score, index
		}
	}
	for _, at := range p.indexColumns(r.index) {
		i := findCondition(r.filters, at)
		if i < 0 || r.filters[i].kind != isEqual && r.filters[i].kind != isBetween {
			return
		}
		c := r.filters[i]
		r.filters = append(r.filters[:i:i], r.filters[i+1:]...)
		if c.kind == isBetween {
			r.within = &c
			return
		}
		r.prefix = append(r.prefix, c.value)
	}
}

// findCondition returns the position of the condition on a column, or -1.
func findCondition(conds []condition, at int) int {
	for i := range conds {
		if conds[i].at == at {
			return i
		}
	}
	return -1
}
