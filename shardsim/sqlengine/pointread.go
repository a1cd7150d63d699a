package sqlengine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// pointRead is what a SELECT does with the rows that the first table's access finds. They go through the steps it has, those
// it needs:
//
//	access  ->  filter  ->  joins  ->  last filter  ->  groups  ->  order, limit  ->  output
type pointRead struct {
	filter rowFilter // what the access does not see to
	joins  []pointJoin
	last   rowFilter // of the rows as joined
	groups *pointGroups
	order  []orderColumn // empty if the access has the order
	limit  *keyValue     // nil: all
	offset *keyValue
	shape  *shape
	output []int // columns of the result: of the row or, with groups, of what they give
	plain  bool  // the output is all there is to do
}

// compileSelect takes SELECT columns and simple aggregates FROM tables [WHERE conditions] [GROUP BY columns]
// [ORDER BY columns] [LIMIT n].
func (p *pointPlan) compileSelect(st *statement, sel *sqlparser.Select) bool {
	if !p.compileWhere(sel.Where) {
		return false
	}
	ok := false
	if isGrouped(sel) {
		ok = sel.Lock == sqlparser.NoLock && p.compileGroups(st, sel)
	} else {
		ok = p.compileOutput(st, sel)
	}
	if !ok || !p.compileOrder(sel) || !p.compileLimit(sel.Limit) {
		return false
	}
	if !p.whole && p.read.groups == nil && len(p.read.joins) == 0 {
		p.takeOrder()
	}
	r := &p.read
	r.plain = r.takesAll() && r.groups == nil && len(r.order) == 0 && len(p.computed) == 0
	return true
}

// compileOutput takes stars, plain columns and computed ones.
func (p *pointPlan) compileOutput(st *statement, sel *sqlparser.Select) bool {
	r := &p.read
	stars := slices.ContainsFunc(sel.SelectExprs.Exprs, func(e sqlparser.SelectExpr) bool {
		_, isStar := e.(*sqlparser.StarExpr)
		return isStar
	})
	for _, e := range sel.SelectExprs.Exprs {
		switch e := e.(type) {
		case *sqlparser.StarExpr:
			if !p.addStar(e) {
				return false
			}
		case *sqlparser.AliasedExpr:
			at := p.outputColumn(e)
			// Beside stars, columns go by the names that the tables give them.
			if at < 0 || stars && (e.As.NotEmpty() || e.ColumnName() != p.columns[at].Name) {
				return false
			}
			r.output = append(r.output, at)
		default:
			return false
		}
	}
	if slices.ContainsFunc(r.output, func(at int) bool { return at >= p.width }) {
		return p.shapeAsEngine(st)
	}
	schema := make(sql.Schema, len(r.output))
	for i, at := range r.output {
		schema[i] = p.columns[at]
	}
	r.shape = p.making.session.shape(st, nil, schema)
	return true
}

// outputColumn is columnOrComputed for the select list.
func (p *pointPlan) outputColumn(e *sqlparser.AliasedExpr) int {
	if p.column(e.Expr) < 0 && !isNamed(e) {
		return -1
	}
	return p.columnOrComputed(e.Expr)
}

// isNamed reports whether the name of an item of the select list is the same for all bind variables.
func isNamed(e *sqlparser.AliasedExpr) bool {
	named := true
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		named = named && (e.As.NotEmpty() || !isArgument(node))
		return named, nil
	}, e.Expr)
	return named
}

// shapeAsEngine describes the result as the engine does.
func (p *pointPlan) shapeAsEngine(st *statement) bool {
	m := p.making
	if m.first {
		m.later = true
		return false
	}
	schema, err := m.session.schemaOf(m.ctx, st, m.binds)
	if err != nil || len(schema) != len(p.read.output) {
		return false
	}
	p.read.shape = m.session.shape(st, m.binds, schema)
	return true
}

// addStar adds the columns of * or t.*.
func (p *pointPlan) addStar(star *sqlparser.StarExpr) bool {
	alias := star.TableName.Name.String()
	found := false
	for i := range p.tables {
		t := &p.tables[i]
		if alias != "" && !strings.EqualFold(alias, t.alias) {
			continue
		}
		found = true
		for at := range t.meta.columns {
			p.read.output = append(p.read.output, t.start+at)
			p.use(t.start + at)
		}
	}
	return found && star.TableName.Qualifier.IsEmpty()
}

// reading is one execution of a SELECT. A session has one and uses it again.
type reading struct {
	ctx   context.Context
	tx    *store.Tx
	own   *store.Tx // the one for statements without a transaction
	read  *pointRead
	w     *rowWriter
	v     pointValues
	seen  int // rows of the result, for OFFSET and LIMIT
	plan  *pointPlan
	sctx  *sql.Context // nil: nothing is computed
	row   []any        // joined and computed so far
	plain []store.Value
	steps []joining // of a join
	group *grouping // nil: no groups
	top   *ordered  // nil: the rows come in order
}

func runPointSelect(ctx context.Context, s *Session, p *pointPlan, st *statement, binds binds, out *emitter) (done bool, err error) {
	r := &s.reading
	if r.read != nil || !p.values(&r.v, binds) {
		return false, nil // within the reader of another statement's rows, or with values of another kind
	}
	defer r.end()
	if len(p.computed) > 0 {
		r.sctx = s.sql.context(ctx, st.text)
	}
	if !r.prepare(s, p, binds) {
		return false, nil
	}
	s.sql.warnings = nil
	r.ctx, r.plan, r.read, r.w = ctx, p, &p.read, newRowWriter(p.read.shape, out)
	var failed error // err in the store's words
	switch {
	case st.scan.lock != store.NoLock:
		err = s.inStatement(ctx, st, func() error {
			r.tx = s.sql.tx
			failed = r.run(p, st.scan)
			return failed
		})
	case s.tx != nil:
		s.tx.StatementBegins()
		r.tx = s.tx
		failed = r.run(p, st.scan)
		err = failed
	default:
		r.own = s.shard.db.BeginAgain(r.own, store.TxOptions{})
		r.tx = r.own
		failed = r.run(p, st.scan)
		err = failed
		r.tx.Rollback()
		if errors.Is(err, store.ErrTableChanged) && !r.w.sent {
			return false, nil
		}
	}
	if err != nil {
		var computing computeError
		if errors.As(failed, &computing) && !r.w.sent {
			// The long way words it.
			s.sql.warnings = nil
			return false, nil
		}
		return true, s.sql.mysqlError(storeError(err, p.meta.name))
	}
	return true, nil
}

// prepare makes room for joined and computed columns. It returns false if the long way must decide.
func (r *reading) prepare(s *Session, p *pointPlan, binds binds) (ok bool) {
	if p.read.plain {
		return true
	}
	for n := range p.read.joins {
		r.steps = append(r.steps, joining{r: r, n: n})
	}
	n := len(p.columns)
	r.row, ok = p.addParameters(r.sctx, s, slices.Grow(r.row[:0], n+len(p.parameters))[:n], binds)
	return ok
}

// end forgets everything but memory.
func (r *reading) end() {
	clear(r.row)
	clear(r.plain)
	clear(r.v.sets)
	*r = reading{own: r.own, row: r.row[:0], plain: r.plain[:0], v: pointValues{sets: r.v.sets[:0]}, steps: r.steps[:0]}
}

// run reads the rows and writes the result.
func (r *reading) run(p *pointPlan, scan scanMode) error {
	read := r.read
	switch {
	case read.groups != nil:
		r.group = read.groups.start()
		if n, ok, err := p.countAll(r.tx, &r.v); ok || err != nil {
			if err != nil {
				return err
			}
			r.group.countOnly(n)
			r.v.none = true
		}
	case len(read.order) > 0:
		r.top = &ordered{order: read.order, most: -1}
		if r.v.limit >= 0 {
			r.top.most = r.v.limit + r.v.offset
		}
	}
	if !r.v.none && r.v.limit != 0 {
		if _, err := p.each(r.ctx, r.tx, scan, &r.v.accessValues, r); err != nil {
			return err
		}
	}
	switch {
	case r.group != nil:
		return r.finishGroups()
	case r.top != nil:
		return r.writeSlice(r.top.rows())
	}
	return r.w.close()
}

// take implements taker for the rows of the table that is read first.
func (r *reading) take(_ string, rec store.Record) (more bool, err error) {
	if r.read.plain {
		return r.takePlain(rec)
	}
	r.unpack(rec, &r.plan.access)
	if ok, err := r.passes(&r.read.filter, r.row); err != nil || !ok {
		return true, err
	}
	if len(r.steps) > 0 {
		return r.join(0)
	}
	return r.result(r.row)
}

// unpack puts the columns of a table's row in their places.
func (r *reading) unpack(rec store.Record, of *access) {
	if of.start < len(r.plan.uses) {
		rec.Unpack(r.row[of.start:], r.plan.uses[of.start:])
	}
}

// passes reports whether a row meets a filter.
func (r *reading) passes(f *rowFilter, row []any) (bool, error) {
	if ok, err := f.passes(row, &r.v); err != nil || !ok {
		return false, err
	}
	for _, i := range f.computed {
		if ok, err := r.plan.computed[i].isTrue(r.sctx, row); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// result is given the rows that are found and joined.
func (r *reading) result(row []any) (more bool, err error) {
	for i := range r.plan.computed {
		c := &r.plan.computed[i]
		if c.filter {
			continue
		}
		if row[r.plan.width+i], err = c.value(r.sctx, row); err != nil {
			return false, err
		}
	}
	switch {
	case r.group != nil:
		return r.group.add(row)
	case r.top != nil:
		return r.top.add(row)
	}
	wanted, more := r.count()
	if wanted {
		err = r.w.add(r.sctx, row, r.read.output)
	}
	return more, err
}

// takePlain writes a row as it is found.
func (r *reading) takePlain(rec store.Record) (more bool, err error) {
	wanted, more := r.count()
	if wanted {
		r.plain = rec.Values(r.plain[:0])
		err = r.w.addStored(r.plain, r.read.output)
	}
	return more, err
}

// count counts a row of the result, and tells whether OFFSET leaves it and LIMIT any behind it.
func (r *reading) count() (wanted, more bool) {
	r.seen++
	return r.seen > r.v.offset, r.v.limit < 0 || r.seen < r.v.limit+r.v.offset
}

// finishGroups orders groups and writes them.
func (r *reading) finishGroups() error {
	rows := r.group.rows()
	if len(r.read.order) > 0 {
		top := &ordered{order: r.read.order, most: -1}
		for _, row := range rows {
			if _, err := top.add(row); err != nil {
				return err
			}
		}
		rows = top.rows()
	}
	return r.writeSlice(rows)
}

// writeSlice writes the rows that OFFSET and LIMIT leave.
func (r *reading) writeSlice(rows [][]any) error {
	rows = rows[min(r.v.offset, len(rows)):]
	if r.v.limit >= 0 && len(rows) > r.v.limit {
		rows = rows[:r.v.limit]
	}
	for _, row := range rows {
		if err := r.w.add(r.sctx, row, r.read.output); err != nil {
			return err
		}
	}
	return r.w.close()
}

// countAll returns the number of rows of the table, if that is all that is asked.
func (p *pointPlan) countAll(tx *store.Tx, v *pointValues) (n int, ok bool, err error) {
	if !p.read.groups.countsRows || v.keys != nil || v.none || v.ranges != nil || !p.read.takesAll() || tx.Wrote() {
		return 0, false, nil
	}
	n, err = tx.Len(p.def)
	return n, err == nil, err
}

// takesAll reports whether every row that is found is taken.
func (r *pointRead) takesAll() bool {
	f := &r.filter
	return len(r.joins) == 0 && len(f.conditions) == 0 && len(f.pairs) == 0 && len(f.computed) == 0
}
