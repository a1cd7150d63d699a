package sqlengine

import (
	"context"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// pointRead is the reading part of a SELECT from one table. Rows come by one access path and go through the steps a
// SELECT has, those it needs:
//
//	key | prefix, within of an index | everything  ->  filters  ->  groups  ->  order, limit  ->  output
type pointRead struct {
	index   int         // position of the index read, or store.Primary
	prefix  []keyValue  // equal to the index's first columns, in their order
	within  *condition  // a range of the column behind those
	filters []condition // what the access path does not see to
	groups  *pointGroups
	order   []orderColumn // empty if the access path has the order
	reverse bool
	limit   *keyValue // nil: all
	offset  *keyValue
	shape   *shape
	output  []int // columns of the result: of the table's row or, with groups, of what they give
}

// compileSelect takes SELECT columns and simple aggregates FROM t [WHERE conditions] [GROUP BY columns] [ORDER BY columns]
// [LIMIT n].
func (p *pointPlan) compileSelect(ctx context.Context, s *Session, st *statement, sel *sqlparser.Select, binds binds) bool {
	if !p.compileWhere(sel.Where, sel.From) {
		return false
	}
	alias, ok := aliasOf(p.meta, sel.From), false
	if isGrouped(sel) {
		ok = sel.Lock == sqlparser.NoLock && p.compileGroups(ctx, s, st, sel, alias, binds)
	} else {
		ok = p.compileOutput(s, st, sel, alias)
	}
	if !ok || !p.compileOrder(sel, alias) || !p.compileLimit(sel.Limit) {
		return false
	}
	if p.key == nil && p.read.groups == nil {
		p.takeOrder()
	}
	return true
}

// compileOutput takes * or plain columns.
func (p *pointPlan) compileOutput(s *Session, st *statement, sel *sqlparser.Select, alias string) bool {
	r := &p.read
	for _, e := range sel.SelectExprs.Exprs {
		switch e := e.(type) {
		case *sqlparser.StarExpr:
			if len(sel.SelectExprs.Exprs) != 1 || e.TableName.Name.NotEmpty() {
				return false
			}
			for i := range p.meta.columns {
				r.output = append(r.output, i)
			}
		case *sqlparser.AliasedExpr:
			at := p.column(e.Expr, alias)
			if at < 0 {
				return false
			}
			r.output = append(r.output, at)
		default:
			return false
		}
	}
	schema := make(sql.Schema, len(r.output))
	for i, at := range r.output {
		col := *p.meta.columns[at]
		col.Source = alias
		schema[i] = &col
	}
	r.shape = s.shape(st, nil, schema)
	return true
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
		if err := p.eachMatch(ctx, tx, st, v, take); err != nil {
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
	if !p.read.groups.countsRows || p.key != nil || v.ranges != nil || len(v.filters) > 0 || tx.Wrote() {
		return 0, false, nil
	}
	n, err = tx.Len(p.def)
	return n, err == nil, err
}

// takeRow is given a row and its primary key, and tells whether it wants more.
type takeRow func(pk string, row []any) (more bool, err error)

// eachMatch gives take the rows that match until it has enough.
func (p *pointPlan) eachMatch(ctx context.Context, tx *store.Tx, st *statement, v *pointValues, take takeRow) error {
	if v.keys != nil {
		return p.byKeys(ctx, tx, st, v, take)
	}
	it, err := tx.Open(ctx, p.def, store.Scan{Index: p.read.index, Ranges: v.ranges, Reverse: p.read.reverse, Lock: st.scan.lock, Policy: st.scan.policy})
	if err != nil {
		return err
	}
	defer it.Close()
	for {
		row, err := it.Next()
		if err != nil || row == nil {
			return err
		}
		if more, err := p.takeMatch(it.PK(), row, v, take); err != nil || !more {
			return err
		}
	}
}

func (p *pointPlan) takeMatch(pk string, row []any, v *pointValues, take takeRow) (more bool, err error) {
	if len(v.filters) > 0 {
		if ok, err := p.passes(row, v); err != nil || !ok {
			return true, err
		}
	}
	return take(pk, row)
}

func (p *pointPlan) byKeys(ctx context.Context, tx *store.Tx, st *statement, v *pointValues, take takeRow) error {
	for _, pk := range v.keys {
		var rec *store.Record
		var err error
		if st.scan.lock == store.NoLock {
			rec, err = tx.Read(p.def, pk)
		} else {
			rec, err = tx.ReadLocked(ctx, p.def, pk, st.scan.lock, st.scan.policy)
			if st.scan.policy == store.SkipLocked && errors.Is(err, store.ErrLocked) {
				continue
			}
		}
		if err != nil {
			return err
		}
		if rec == nil {
			continue
		}
		if more, err := p.takeMatch(pk, rec.Row, v, take); err != nil || !more {
			return err
		}
	}
	return nil
}
