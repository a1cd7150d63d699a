package sqlengine

import (
	"container/heap"
	"slices"
	"sort"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// orderColumn is a column of ORDER BY: keyer.at is its position in the rows that are sorted.
type orderColumn struct {
	keyer columnKeyer
	desc  bool
}

// compileOrder takes ORDER BY plain columns, by the names of the select list first, and what the select list has.
func (p *pointPlan) compileOrder(sel *sqlparser.Select) bool {
	named := namesOf(sel, nil, len(sel.SelectExprs.Exprs))
	for _, o := range sel.OrderBy {
		c := orderColumn{desc: o.Direction == sqlparser.DescOrder}
		if i := p.aggregateOf(sel, named, o.Expr); i >= 0 {
			c.keyer = newColumnKeyer(p.read.output[i], p.read.shape.converters[i].typ)
		} else {
			at := p.orderColumn(sel, o.Expr, named)
			if at < 0 {
				return false
			}
			typ := p.columns[at].Type
			if g := p.read.groups; g != nil {
				if at = g.position(at); at < 0 {
					return false
				}
			}
			c.keyer = newColumnKeyer(at, typ)
		}
		p.read.order = append(p.read.order, c)
	}
	return true
}

// aggregateOf returns the position in the select list of the aggregate that ORDER BY names or repeats, or -1.
func (p *pointPlan) aggregateOf(sel *sqlparser.Select, named []namedColumn, e sqlparser.Expr) int {
	if p.read.groups == nil {
		return -1
	}
	found := -1
	for i, n := range named {
		if n.col != "" {
			continue
		}
		col, isName := e.(*sqlparser.ColName)
		aliased := sel.SelectExprs.Exprs[i].(*sqlparser.AliasedExpr)
		named := isName && col.Qualifier.IsEmpty() && strings.EqualFold(n.name, col.Name.String())
		if !named && !sqlparser.Equals.Expr(aliased.Expr, e) {
			continue
		}
		if found >= 0 && !sqlparser.Equals.Expr(aliased.Expr, sel.SelectExprs.Exprs[found].(*sqlparser.AliasedExpr).Expr) {
			return -1
		}
		found = i
	}
	return found
}

// orderColumn returns the position of the column or expression ORDER BY names, or -1.
func (p *pointPlan) orderColumn(sel *sqlparser.Select, e sqlparser.Expr, named []namedColumn) int {
	at := p.column(e)
	col, ok := e.(*sqlparser.ColName)
	if !ok {
		if isPosition(e) || namesAlias(sel, e) {
			return -1
		}
		return p.columnOrComputed(e)
	}
	if !col.Qualifier.IsEmpty() {
		return at
	}
	if expr, ok := expressionNamed(sel, e); ok && at < 0 {
		return p.columnOrComputed(expr)
	}
	for _, n := range named {
		if !strings.EqualFold(n.name, col.Name.String()) {
			continue
		}
		is := p.columnOf(n.table, n.col)
		if n.col == "" || at >= 0 && at != is {
			return -1
		}
		at = is
	}
	return at
}

// namesAlias reports whether an expression has a name without table that the select list gives to something.
func namesAlias(sel *sqlparser.Select, e sqlparser.Expr) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		col, ok := node.(*sqlparser.ColName)
		found = found || ok && col.Qualifier.IsEmpty() && slices.ContainsFunc(sel.SelectExprs.Exprs, func(item sqlparser.SelectExpr) bool {
			a, isExpr := item.(*sqlparser.AliasedExpr)
			return isExpr && a.As.Equal(col.Name)
		})
		return !found, nil
	}, e)
	return found
}

func (p *pointPlan) compileLimit(limit *sqlparser.Limit) bool {
	if limit == nil {
		return true
	}
	n, ok := newKeyValue(limit.Rowcount)
	if !ok {
		return false
	}
	p.read.limit = &n
	if limit.Offset != nil {
		skip, ok := newKeyValue(limit.Offset)
		p.read.offset = &skip
		return ok
	}
	return true
}

func limitValue(v *keyValue, binds binds, none int) (int, bool) {
	if v == nil {
		return none, true
	}
	typ, text, ok := v.get(binds)
	if !ok || !sqltypes.IsIntegral(typ) {
		return 0, false
	}
	n, ok := parseUint(text)
	return int(n), ok && n < 1<<31
}

// takeOrder lets the access see to ORDER BY, if it can: forwards or backwards. Without conditions it looks for an index that
// can.
func (p *pointPlan) takeOrder() {
	r := &p.read
	if len(r.order) == 0 {
		return
	}
	sees := false
	if len(p.prefix) > 0 || p.within != nil {
		sees = p.orderBy(p.index, r.order)
	} else {
		for index := store.Primary; index < len(p.meta.indexes) && !sees; index++ {
			// Without a limit all rows are read: sorting them is cheaper than finding each by an index.
			sees = (index == store.Primary || r.limit != nil) && p.orderBy(index, r.order)
		}
	}
	if sees {
		r.order = nil
	}
}

// ordered keeps copies of rows in order, the first most of them; most < 0 is all. Equal ones stay as they came.
type ordered struct {
	order []orderColumn
	most  int
	top   topRows
	seen  int
}

func (o *ordered) add(row []any) (more bool, err error) {
	if o.most == 0 {
		return false, nil
	}
	var buf [160]byte
	key := buf[:0]
	for i := range o.order {
		c := &o.order[i]
		start := len(key)
		if v := row[c.keyer.at]; v == nil {
			key = store.AppendNull(key)
		} else if key, err = c.keyer.append(key, v); err != nil {
			return false, err
		}
		if c.desc {
			for k := start; k < len(key); k++ {
				key[k] = ^key[k]
			}
		}
	}
	o.seen++
	switch {
	case o.most < 0:
		o.top = append(o.top, keyedRow{key: string(key), seq: o.seen, row: slices.Clone(row)})
	case len(o.top) < o.most:
		heap.Push(&o.top, keyedRow{key: string(key), seq: o.seen, row: slices.Clone(row)})
	case string(key) < o.top[0].key:
		o.top[0] = keyedRow{key: string(key), seq: o.seen, row: slices.Clone(row)}
		heap.Fix(&o.top, 0)
	}
	return true, nil
}

func (o *ordered) rows() [][]any {
	sort.Slice(o.top, func(i, j int) bool { return o.top[i].less(&o.top[j]) })
	rows := make([][]any, len(o.top))
	for i := range o.top {
		rows[i] = o.top[i].row
	}
	return rows
}
