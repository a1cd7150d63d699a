package sqlengine

import (
	"context"
	"errors"
	"sort"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// pointRead is the reading part of a SELECT of plain columns, or of COUNT(*), from one table: an access path, filters,
// ORDER BY and LIMIT. The plan's key, if there is one, comes before the index.
type pointRead struct {
	index   int         // position of the index read, or store.Primary
	prefix  []keyValue  // equal to the index's first columns, in their order
	filters []condition // what the access path does not see to
	shape   *shape
	output  []int         // columns of the result
	count   bool          // COUNT(*) instead
	order   []orderColumn // empty if the access path has the order
	reverse bool
	limit   *keyValue // nil: all
	offset  *keyValue
}

type orderColumn struct {
	keyer columnKeyer
	desc  bool
}

// compileSelect takes SELECT columns | COUNT(*) FROM t [WHERE equalities] [ORDER BY columns] [LIMIT n].
func (p *pointPlan) compileSelect(s *Session, st *statement, sel *sqlparser.Select) bool {
	alias := aliasOf(p.meta, sel.From)
	conds, ok := p.conditions(sel.Where, alias)
	if !ok {
		return false
	}
	p.read.filters = p.takeKey(conds)
	if p.key == nil {
		p.takeIndex()
	}
	if !p.compileOutput(s, st, sel, alias) || !p.compileOrder(sel, alias) || !p.compileLimit(sel.Limit) {
		return false
	}
	if p.key == nil {
		p.takeOrder()
	}
	// A scan of the whole table streams through the engine, unless it counts, or stops early.
	if p.key != nil || len(p.read.prefix) > 0 {
		return true
	}
	first := p.read.limit != nil && len(p.read.order) == 0
	return len(p.read.filters) == 0 && (p.read.count || first && len(sel.OrderBy) > 0)
}

// indexColumns returns the columns the entries of an index are sorted by.
func (p *pointPlan) indexColumns(index int) []int {
	if index == store.Primary {
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

// takeOrder lets the access path see to ORDER BY, if it can: forwards or backwards. Without conditions it looks for an
// index that can.
func (p *pointPlan) takeOrder() {
	r := &p.read
	if len(r.order) == 0 || p.meta.pkPrefix != nil {
		return
	}
	try := func(index int) bool {
		columns := p.indexColumns(index)
		if len(columns) < len(r.prefix)+len(r.order) {
			return false
		}
		for i, o := range r.order {
			if o.keyer.at != columns[len(r.prefix)+i] || o.desc != r.order[0].desc {
				return false
			}
		}
		r.index, r.reverse, r.order = index, r.order[0].desc, nil
		return true
	}
	if len(r.prefix) > 0 {
		try(r.index)
		return
	}
	if try(store.Primary) {
		return
	}
	for i := range p.meta.indexes {
		if try(i) {
			return
		}
	}
}

// takeIndex chooses the index most of whose first columns are among the filters, and takes those.
func (p *pointPlan) takeIndex() {
	r := &p.read
	r.index = store.Primary
	best := 0
	try := func(index int, columns []int) {
		n := 0
		for n < len(columns) && findFilter(r.filters, columns[n]) >= 0 {
			n++
		}
		if n > best {
			best, r.index = n, index
		}
	}
	columnsOf := func(index int) []int {
		if index == store.Primary {
			return p.meta.pk
		}
		columns, _ := p.meta.positions(p.meta.indexes[index].columns)
		return columns
	}
	if p.meta.pkPrefix == nil {
		try(store.Primary, p.meta.pk)
	}
	for i := range p.meta.indexes {
		if p.meta.indexes[i].prefix == nil {
			try(i, columnsOf(i))
		}
	}
	for _, at := range columnsOf(r.index)[:best] {
		i := findFilter(r.filters, at)
		r.prefix = append(r.prefix, r.filters[i].value)
		r.filters = append(r.filters[:i:i], r.filters[i+1:]...)
	}
}

// findFilter returns the position of the equality on a column, or -1.
func findFilter(filters []condition, at int) int {
	for i := range filters {
		if filters[i].at == at && filters[i].list == "" {
			return i
		}
	}
	return -1
}

func (p *pointPlan) compileOutput(s *Session, st *statement, sel *sqlparser.Select, alias string) bool {
	r := &p.read
	var schema sql.Schema
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
			if _, ok := e.Expr.(*sqlparser.CountStar); ok && len(sel.SelectExprs.Exprs) == 1 && len(sel.OrderBy) == 0 && sel.Lock == sqlparser.NoLock {
				r.count = true
				schema = append(schema, &sql.Column{Name: "count(*)", Type: types.Int64})
				continue
			}
			at := p.column(e.Expr, alias)
			if at < 0 {
				return false
			}
			r.output = append(r.output, at)
		default:
			return false
		}
	}
	for _, at := range r.output {
		col := *p.meta.columns[at]
		col.Source = alias
		schema = append(schema, &col)
	}
	r.shape = s.shape(st, nil, schema)
	return true
}

// compileOrder takes ORDER BY plain columns, by the names of the select list first.
func (p *pointPlan) compileOrder(sel *sqlparser.Select, alias string) bool {
	named := namesOf(sel, nil, len(sel.SelectExprs.Exprs))
	for _, o := range sel.OrderBy {
		at := p.column(o.Expr, alias)
		if col, ok := o.Expr.(*sqlparser.ColName); ok && col.Qualifier.IsEmpty() {
			for i, n := range named {
				if !strings.EqualFold(n.name, col.Name.String()) {
					continue
				}
				if i >= len(p.read.output) || at >= 0 && at != p.read.output[i] {
					return false
				}
				at = p.read.output[i]
			}
		}
		if at < 0 {
			return false
		}
		p.read.order = append(p.read.order, orderColumn{
			keyer: newColumnKeyer(at, p.meta.columns[at].Type), desc: o.Direction == sqlparser.DescOrder,
		})
	}
	return true
}

func (p *pointPlan) compileLimit(limit *sqlparser.Limit) bool {
	if limit == nil {
		return true
	}
	n, ok := newKeyValue(limit.Rowcount)
	if !ok || p.read.count {
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

// pointValues are the values of one execution: what the bind variables say.
type pointValues struct {
	keys    []string      // primary keys to read, nil if the index is
	ranges  []store.Range // of the index
	filters [][]string    // keys a filter's column may have
	limit   int           // -1: all
	offset  int
	none    bool // no row can match
}

func (p *pointPlan) values(binds binds) (v pointValues, ok bool) {
	r := &p.read
	v.limit = -1
	if p.key != nil {
		if v.keys, ok = p.keys(binds); !ok {
			return v, false
		}
	} else if len(r.prefix) > 0 {
		var buf [160]byte
		key := buf[:0]
		for i := range r.prefix {
			var none bool
			if key, none, ok = r.prefix[i].append(key, binds); !ok {
				return v, false
			}
			if none {
				v.none = true
				return v, true
			}
		}
		low := string(key)
		v.ranges = []store.Range{{Low: low, High: string(append(key, store.KeyMax))}}
	}
	for i := range r.filters {
		keys, ok := r.filters[i].keys(binds)
		if !ok {
			return v, false
		}
		v.none = v.none || len(keys) == 0
		v.filters = append(v.filters, keys)
	}
	if v.limit, ok = limitValue(r.limit, binds, -1); !ok {
		return v, false
	}
	v.offset, ok = limitValue(r.offset, binds, 0)
	return v, ok
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

// keys returns the keys the column may have, none for NULL.
func (c *condition) keys(binds binds) ([]string, bool) {
	if c.list == "" {
		key, none, ok := c.value.append(nil, binds)
		if !ok || none {
			return nil, ok
		}
		return []string{string(key)}, true
	}
	bv := binds[c.list]
	if bv == nil || len(bv.Values) == 0 {
		return nil, false
	}
	keys := make([]string, 0, len(bv.Values))
	for _, v := range bv.Values {
		key, none, ok := c.value.keyer.appendText(nil, v.Type, v.Value)
		if !ok {
			return nil, false
		}
		if !none {
			keys = append(keys, string(key))
		}
	}
	return keys, true
}

// keys returns the primary keys to read, in their order and once each.
func (p *pointPlan) keys(binds binds) ([]string, bool) {
	if p.list == "" {
		pk, none, ok := p.primaryKey(binds)
		if !ok || none {
			return []string{}, ok
		}
		return []string{pk}, true
	}
	c := condition{value: p.key[0], list: p.list}
	keys, ok := c.keys(binds)
	if !ok {
		return nil, false
	}
	sort.Strings(keys)
	unique := keys[:0]
	for i, k := range keys {
		if i == 0 || k != keys[i-1] {
			unique = append(unique, k)
		}
	}
	return unique, true
}

func runPointSelect(ctx context.Context, s *Session, p *pointPlan, st *statement, binds binds) (*sqltypes.Result, bool, error) {
	v, ok := p.values(binds)
	if !ok {
		return nil, false, nil
	}
	s.sql.warnings = nil
	res := &sqltypes.Result{Fields: p.read.shape.fields}
	var err error
	switch {
	case st.scan.lock != store.NoLock:
		err = s.inStatement(ctx, st, func() error { return p.selectRows(ctx, s.sql.tx, st, &v, res) })
	case s.tx != nil:
		s.tx.StatementBegins()
		err = p.selectRows(ctx, s.tx, st, &v, res)
	default:
		tx := s.shard.db.Begin(store.TxOptions{})
		err = p.selectRows(ctx, tx, st, &v, res)
		tx.Rollback()
		if errors.Is(err, store.ErrTableChanged) {
			return nil, false, nil
		}
	}
	if err != nil {
		return nil, true, s.sql.mysqlError(storeError(err, p.meta.name))
	}
	return res, true, nil
}

func (p *pointPlan) selectRows(ctx context.Context, tx *store.Tx, st *statement, v *pointValues, res *sqltypes.Result) error {
	rows, n, err := p.matching(ctx, tx, st, v)
	if err != nil {
		return err
	}
	if p.read.count {
		res.Rows = append(res.Rows, sqltypes.Row{sqltypes.NewInt64(int64(n))})
		return nil
	}
	if len(p.read.order) > 0 {
		if err := p.sort(rows); err != nil {
			return err
		}
	}
	rows = rows[min(v.offset, len(rows)):]
	if v.limit >= 0 && len(rows) > v.limit {
		rows = rows[:v.limit]
	}
	for _, row := range rows {
		values := make(sqltypes.Row, len(p.read.output))
		for i, at := range p.read.output {
			if values[i], err = p.read.shape.converters[i].value(nil, row[at]); err != nil {
				return err
			}
		}
		res.Rows = append(res.Rows, values)
	}
	return nil
}

// matching returns the rows that match, or for COUNT(*) only their number. Without ORDER BY it stops at the limit.
func (p *pointPlan) matching(ctx context.Context, tx *store.Tx, st *statement, v *pointValues) (rows [][]any, n int, err error) {
	if v.none {
		return nil, 0, nil
	}
	enough := -1
	if v.limit >= 0 && len(p.read.order) == 0 {
		enough = v.limit + v.offset
	}
	take := func(row []any) (more bool, err error) {
		ok, err := p.passes(row, v)
		if err != nil || !ok {
			return true, err
		}
		n++
		if !p.read.count {
			rows = append(rows, row)
		}
		return enough < 0 || n < enough, nil
	}
	if enough == 0 {
		return nil, 0, nil
	}
	if v.keys != nil {
		return p.byKeys(ctx, tx, st, v.keys, take, &rows, &n)
	}
	if p.read.count && v.ranges == nil && len(v.filters) == 0 && !tx.Wrote() {
		n, err := tx.Len(p.def)
		return nil, n, err
	}
	it, err := tx.Open(ctx, p.def, store.Scan{Index: p.read.index, Ranges: v.ranges, Reverse: p.read.reverse, Lock: st.scan.lock, Policy: st.scan.policy})
	if err != nil {
		return nil, 0, err
	}
	defer it.Close()
	for {
		row, err := it.Next()
		if err != nil || row == nil {
			return rows, n, err
		}
		if more, err := take(row); err != nil || !more {
			return rows, n, err
		}
	}
}

func (p *pointPlan) byKeys(ctx context.Context, tx *store.Tx, st *statement, keys []string, take func([]any) (bool, error), rows *[][]any, n *int) ([][]any, int, error) {
	for _, pk := range keys {
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
			return nil, 0, err
		}
		if rec == nil {
			continue
		}
		if more, err := take(rec.Row); err != nil || !more {
			return *rows, *n, err
		}
	}
	return *rows, *n, nil
}

// passes reports whether a row has, in each filter's column, one of the filter's keys.
func (p *pointPlan) passes(row []any, v *pointValues) (bool, error) {
	var buf [96]byte
	for i := range p.read.filters {
		c := &p.read.filters[i]
		if row[c.at] == nil {
			return false, nil
		}
		key, err := c.value.keyer.append(buf[:0], row[c.at])
		if err != nil {
			return false, err
		}
		found := false
		for _, k := range v.filters[i] {
			found = found || k == string(key)
		}
		if !found {
			return false, nil
		}
	}
	return true, nil
}

// sort orders rows by the ORDER BY columns; equal ones stay as they came.
func (p *pointPlan) sort(rows [][]any) error {
	keyed := make([]keyedRow, len(rows))
	for i, row := range rows {
		var buf [160]byte
		key := buf[:0]
		for j := range p.read.order {
			o := &p.read.order[j]
			start := len(key)
			var err error
			if v := row[o.keyer.at]; v == nil {
				key = store.AppendNull(key)
			} else if key, err = o.keyer.append(key, v); err != nil {
				return err
			}
			if o.desc {
				for k := start; k < len(key); k++ {
					key[k] = ^key[k]
				}
			}
		}
		keyed[i] = keyedRow{key: string(key), seq: i, row: row}
	}
	sort.Slice(keyed, func(i, j int) bool { return keyed[i].less(&keyed[j]) })
	for i := range keyed {
		rows[i] = keyed[i].row
	}
	return nil
}
