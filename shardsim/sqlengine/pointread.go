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
}

// compileSelect takes SELECT columns and simple aggregates FROM tables [WHERE conditions] [GROUP BY columns]
// [ORDER BY columns] [LIMIT n].
func (p *pointPlan) compileSelect(ctx context.Context, s *Session, st *statement, sel *sqlparser.Select, binds binds) bool {
	if !p.compileWhere(sel.Where) {
		return false
	}
	ok := false
	if isGrouped(sel) {
		ok = sel.Lock == sqlparser.NoLock && p.compileGroups(ctx, s, st, sel, binds)
	} else {
		ok = p.compileOutput(s, st, sel)
	}
	if !ok || !p.compileOrder(sel) || !p.compileLimit(sel.Limit) {
		return false
	}
	if p.key == nil && p.read.groups == nil && len(p.read.joins) == 0 {
		p.takeOrder()
	}
	return true
}

// compileOutput takes stars and plain columns.
func (p *pointPlan) compileOutput(s *Session, st *statement, sel *sqlparser.Select) bool {
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
			at := p.column(e.Expr)
			// Beside stars, columns go by the names that the tables give them.
			if at < 0 || stars && (e.As.NotEmpty() || e.ColumnName() != p.columns[at].Name) {
				return false
			}
			r.output = append(r.output, at)
		default:
			return false
		}
	}
	schema := make(sql.Schema, len(r.output))
	for i, at := range r.output {
		schema[i] = p.columns[at]
	}
	r.shape = s.shape(st, nil, schema)
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
		}
	}
	return found && star.TableName.Qualifier.IsEmpty()
}

func runPointSelect(ctx context.Context, s *Session, p *pointPlan, st *statement, binds binds, out *emitter) (done bool, err error) {
	v, ok := p.values(binds)
	if !ok {
		return false, nil
	}
	s.sql.warnings = nil
	w := newRowWriter(p.read.shape, out)
	switch {
	case st.scan.lock != store.NoLock:
		err = s.inStatement(ctx, st, func() error { return p.read.run(ctx, p, s.sql.tx, st, &v, w) })
	case s.tx != nil:
		s.tx.StatementBegins()
		err = p.read.run(ctx, p, s.tx, st, &v, w)
	default:
		tx := s.shard.db.Begin(store.TxOptions{})
		err = p.read.run(ctx, p, tx, st, &v, w)
		tx.Rollback()
		if errors.Is(err, store.ErrTableChanged) && !w.sent {
			return false, nil
		}
	}
	if err != nil {
		return true, s.sql.mysqlError(storeError(err, p.meta.name))
	}
	return true, nil
}

// run reads the rows and writes the result.
func (r *pointRead) run(ctx context.Context, p *pointPlan, tx *store.Tx, st *statement, v *pointValues, w *rowWriter) error {
	var take takeRow
	finish := w.close
	write := func(row []any) error { return w.add(nil, row, r.output) }
	switch {
	case r.groups != nil:
		g := r.groups.start()
		if n, ok, err := p.countAll(tx, v); ok || err != nil {
			if err != nil {
				return err
			}
			g.countOnly(n)
			v.none = true
		}
		take = func(_ string, row []any) (bool, error) { return g.add(row) }
		finish = func() error { return r.finish(g.rows(), v, write, w) }
	case len(r.order) > 0:
		top := &ordered{order: r.order, most: -1}
		if v.limit >= 0 {
			top.most = v.limit + v.offset
		}
		take = func(_ string, row []any) (bool, error) { return top.add(row) }
		finish = func() error { return writeSlice(top.rows(), v, write, w) }
	default:
		seen := 0
		take = func(_ string, row []any) (bool, error) {
			if seen++; seen <= v.offset {
				return true, nil
			}
			return v.limit < 0 || seen < v.limit+v.offset, write(row)
		}
	}
	if !v.none && v.limit != 0 {
		if err := p.eachMatch(ctx, tx, st.scan, v, take); err != nil {
			return err
		}
	}
	return finish()
}

// finish orders groups and writes them.
func (r *pointRead) finish(rows [][]any, v *pointValues, write func([]any) error, w *rowWriter) error {
	if len(r.order) > 0 {
		top := &ordered{order: r.order, most: -1}
		for _, row := range rows {
			if _, err := top.add(row); err != nil {
				return err
			}
		}
		rows = top.rows()
	}
	return writeSlice(rows, v, write, w)
}

// writeSlice writes the rows that OFFSET and LIMIT leave.
func writeSlice(rows [][]any, v *pointValues, write func([]any) error, w *rowWriter) error {
	rows = rows[min(v.offset, len(rows)):]
	if v.limit >= 0 && len(rows) > v.limit {
		rows = rows[:v.limit]
	}
	for _, row := range rows {
		if err := write(row); err != nil {
			return err
		}
	}
	return w.close()
}

// countAll returns the number of rows of the table, if that is all that is asked.
func (p *pointPlan) countAll(tx *store.Tx, v *pointValues) (n int, ok bool, err error) {
	if !p.read.groups.countsRows || p.key != nil || v.ranges != nil || !p.read.takesAll() || tx.Wrote() {
		return 0, false, nil
	}
	n, err = tx.Len(p.def)
	return n, err == nil, err
}

// takesAll reports whether every row that is found is taken.
func (r *pointRead) takesAll() bool {
	return len(r.joins) == 0 && len(r.filter.conditions) == 0 && len(r.filter.pairs) == 0
}

// eachMatch gives take the rows that match until it has enough. Those of joins have no primary key.
func (p *pointPlan) eachMatch(ctx context.Context, tx *store.Tx, scan scanMode, v *pointValues, take takeRow) error {
	r := &p.read
	if len(r.joins) > 0 {
		run := &joinRun{ctx: ctx, tx: tx, read: r, v: v, row: make([]any, len(p.columns)), keep: len(r.order) > 0, take: take}
		_, err := p.each(ctx, tx, scan, &v.accessValues, run.first(&p.access))
		return err
	}
	if !r.takesAll() {
		passed := take
		take = func(pk string, row []any) (bool, error) {
			if ok, err := r.filter.passes(row, v); err != nil || !ok {
				return true, err
			}
			return passed(pk, row)
		}
	}
	_, err := p.each(ctx, tx, scan, &v.accessValues, take)
	return err
}
