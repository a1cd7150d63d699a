package sqlengine

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// pointJoin is a further table: for each row of the tables before, its rows are found by keys that are columns of that row.
//
//	row [a1 a2 .. ..]  ->  access by a2  ->  row [a1 a2 b1 b2]  ->  filter  ->  the next join
//
// A LEFT JOIN that finds none goes on with NULLs.
type pointJoin struct {
	access
	left   bool
	filter rowFilter // of ON and, if it is no LEFT JOIN, WHERE
}

// columnPair says that two columns are equal. Both have the same kind of keys.
type columnPair struct {
	left, right int
	keyer       columnKeyer
}

// equal reports whether they are, in a row.
func (c *columnPair) equal(row []any) (bool, error) {
	if row[c.left] == nil || row[c.right] == nil {
		return false, nil
	}
	var left, right [96]byte
	a, err := c.keyer.append(left[:0], row[c.left])
	if err != nil {
		return false, err
	}
	b, err := c.keyer.append(right[:0], row[c.right])
	return string(a) == string(b), err
}

// columnPair takes column = column where comparing keys is comparing values.
func (p *pointPlan) columnPair(e sqlparser.Expr) (pair columnPair, ok bool) {
	cmp, ok := e.(*sqlparser.ComparisonExpr)
	if !ok || cmp.Operator != sqlparser.EqualOp || cmp.Modifier != sqlparser.Missing {
		return pair, false
	}
	pair.left, pair.right = p.column(cmp.Left), p.column(cmp.Right)
	if pair.left < 0 || pair.right < 0 {
		return pair, false
	}
	typ := p.columns[pair.left].Type
	pair.keyer = newColumnKeyer(pair.left, typ)
	return pair, sameKeys(typ, p.columns[pair.right].Type)
}

// sameKeys reports whether equal values of two types have equal keys, and no others have.
func sameKeys(a, b sql.Type) bool {
	switch a := a.(type) {
	case sql.NumberType:
		b, ok := b.(sql.NumberType)
		return ok && !a.IsFloat() && !b.IsFloat() && a.IsSigned() == b.IsSigned()
	case sql.EnumType, sql.SetType:
		return false
	case sql.StringType:
		b, ok := b.(sql.StringType)
		return ok && a.Collation() == b.Collation()
	case sql.DatetimeType, sql.DecimalType:
		return a.Equals(b)
	}
	return false
}

// mirrored is the pair with its sides exchanged.
func (c columnPair) mirrored() columnPair {
	c.left, c.right = c.right, c.left
	return c
}

// compileJoins takes the conditions of WHERE and of all ON, and the order of the tables in which the fewest rows are read.
func (p *pointPlan) compileJoins(where *sqlparser.Where) bool {
	var inner joinConditions
	if where != nil && !p.addConditions(&inner, where.Expr) {
		return false
	}
	on := make([]joinConditions, len(p.tables)) // of LEFT JOINs
	var order []int
	fixed := false
	for i := range p.tables {
		t := &p.tables[i]
		into := &inner
		if t.left {
			into, fixed = &on[i], true
		}
		p.making.scope = p.tables[t.seen : i+1]
		if t.on != nil && !p.addConditions(into, t.on) || len(on[i].computed) > 0 {
			return false
		}
		order = append(order, i)
	}
	p.making.scope = p.tables
	if fixed {
		_, ok := p.joined(order, inner, on)
		return ok
	}
	var best []int
	least := 0.0
	permutations(order, func(order []int) {
		if cost, ok := p.joined(order, inner, on); ok && (best == nil || cost < least) {
			best, least = slices.Clone(order), cost
		}
	})
	if best == nil {
		return false
	}
	p.joined(best, inner, on)
	return true
}

// joinConditions are conditions on columns of any tables.
type joinConditions struct {
	conditions []condition
	pairs      []columnPair
	computed   []int // numbers of computed columns that must be true
}

// takeOf moves out the conditions on a table's own columns, and the pairs of it with the tables before or itself.
func (c *joinConditions) takeOf(t *pointTable, known func(at int) bool) (of joinConditions) {
	c.conditions = slices.DeleteFunc(slices.Clone(c.conditions), func(cond condition) bool {
		if t.has(cond.at) {
			of.conditions = append(of.conditions, cond)
		}
		return t.has(cond.at)
	})
	c.pairs = slices.DeleteFunc(slices.Clone(c.pairs), func(pair columnPair) bool {
		if !t.has(pair.left) {
			pair = pair.mirrored()
		}
		if !t.has(pair.left) || !t.has(pair.right) && !known(pair.right) {
			return false
		}
		of.pairs = append(of.pairs, pair)
		return true
	})
	return of
}

// joined plans the tables in an order, and returns about how many rows that reads. ok is false if a table would be read whole
// for each row of those before.
func (p *pointPlan) joined(order []int, inner joinConditions, on []joinConditions) (cost float64, ok bool) {
	p.read.joins, p.read.last = nil, rowFilter{}
	rows := 1.0
	for n, i := range order {
		t := &p.tables[i]
		known := func(at int) bool {
			return slices.ContainsFunc(order[:n], func(before int) bool { return p.tables[before].has(at) })
		}
		own := on[i]
		if !t.left {
			own = inner.takeOf(t, known)
		} else if own = own.takeOf(t, known); len(own.conditions) != len(on[i].conditions) || len(own.pairs) != len(on[i].pairs) {
			return 0, false // ON says something of the tables before alone
		}
		a := t.access()
		filter, byRow := p.takeJoined(&a, t, own)
		if n > 0 && !byRow && !a.isUnique() {
			return 0, false
		}
		rows *= max(1, a.expected(p.shard.db.Root()))
		cost += rows
		if n == 0 {
			p.access, p.read.filter = a, filter
			continue
		}
		p.read.joins = append(p.read.joins, pointJoin{access: a, left: t.left, filter: filter})
	}
	// What WHERE says of LEFT JOINed tables is for the rows as joined, as is what is computed.
	p.read.last = rowFilter{conditions: inner.conditions, pairs: inner.pairs, computed: inner.computed}
	sets := len(p.read.filter.conditions)
	for i := range p.read.joins {
		p.read.joins[i].filter.sets = sets
		sets += len(p.read.joins[i].filter.conditions)
	}
	p.read.last.sets = sets
	return cost, true
}

// takeJoined chooses the way to a table's rows. byRow reports that columns of the tables before lead there.
func (p *pointPlan) takeJoined(a *access, t *pointTable, own joinConditions) (filter rowFilter, byRow bool) {
	conds := own.conditions
	for _, pair := range own.pairs {
		if t.has(pair.right) {
			filter.pairs = append(filter.pairs, pair)
			continue
		}
		keyer := newColumnKeyer(pair.left, p.columns[pair.left].Type)
		conds = append(conds[:len(conds):len(conds)], condition{
			at: pair.left, keyer: keyer, oneOf: []keyValue{{inRow: true, at: pair.right, keyer: keyer}},
		})
	}
	for _, c := range a.take(conds) {
		if c.inRow() {
			filter.pairs = append(filter.pairs, columnPair{c.at, c.oneOf[0].at, c.keyer})
		} else {
			filter.conditions = append(filter.conditions, c)
		}
	}
	return filter, slices.ContainsFunc(a.prefix, func(c condition) bool { return c.inRow() })
}

// expected is a guess at how many rows are found.
func (a *access) expected(root *store.Root) float64 {
	rows := 1.0
	if t := root.Table(a.meta.name); t != nil {
		rows = float64(t.RowCount())
	}
	switch {
	case a.isUnique():
		return 1
	case len(a.prefix) > 0:
		return min(rows, 10)
	case a.within != nil:
		return rows / 3
	}
	return rows
}

// permutations gives visit every order of the numbers, their own first.
func permutations(numbers []int, visit func([]int)) {
	var from func(k int)
	from = func(k int) {
		if k == len(numbers) {
			visit(numbers)
			return
		}
		for i := k; i < len(numbers); i++ {
			// Rotated, not swapped: the rest stays in its order.
			n := numbers[i]
			copy(numbers[k+1:i+1], numbers[k:i])
			numbers[k] = n
			from(k + 1)
			copy(numbers[k:i], numbers[k+1:i+1])
			numbers[i] = n
		}
	}
	from(0)
}

// joining is a further table while a row is joined with its rows.
type joining struct {
	r     *reading
	n     int  // among the further tables
	found bool // a row for the row before
}

// join joins the n-th further table, and those behind it, to the row.
func (r *reading) join(n int) (more bool, err error) {
	if n == len(r.steps) {
		if ok, err := r.passes(&r.read.last, r.row); err != nil || !ok {
			return true, err
		}
		return r.result(r.row)
	}
	join, step := &r.read.joins[n], &r.steps[n]
	var v accessValues
	if !join.values(&v, r.v.binds, r.row) {
		return false, mysqlError(1105, "HY000", "no key of table %s for a value of another type", join.meta.name)
	}
	step.found, more = false, true
	if !v.none {
		if more, err = join.each(r.ctx, r.tx, scanMode{}, &v, step); err != nil || !more {
			return false, err
		}
	}
	if step.found || !join.left {
		return true, nil
	}
	clear(r.row[join.start : join.start+len(join.meta.columns)])
	return r.join(n + 1)
}

// take implements taker for the rows of the further table.
func (j *joining) take(_ string, rec store.Record) (more bool, err error) {
	join := &j.r.read.joins[j.n]
	j.r.unpack(rec, &join.access)
	if ok, err := j.r.passes(&join.filter, j.r.row); err != nil || !ok {
		return true, err
	}
	j.found = true
	return j.r.join(j.n + 1)
}
