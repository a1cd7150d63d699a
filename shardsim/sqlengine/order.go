package sqlengine

import (
	"container/heap"
	"errors"
	"io"
	"sort"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/vitrodb/vitro/shardsim/store"
)

// Sorting, DISTINCT and set operations go by memcomparable keys, with the weights of the gateway's collation library: the
// gateway merges what shards sorted, so both must agree on every string. It is faster than comparing values too.

// sortKeyer makes the keys of ORDER BY.
type sortKeyer struct {
	fields sql.SortFields
	keyers []columnKeyer
}

func newSortKeyer(fields sql.SortFields) *sortKeyer {
	k := &sortKeyer{fields: fields, keyers: make([]columnKeyer, len(fields))}
	for i, f := range fields {
		k.keyers[i] = newColumnKeyer(i, f.Column.Type())
	}
	return k
}

func (k *sortKeyer) key(ctx *sql.Context, row sql.Row) (string, error) {
	var buf [160]byte
	key := buf[:0]
	for i := range k.fields {
		f := &k.fields[i]
		v, err := f.Column.Eval(ctx, row)
		if err != nil {
			return "", err
		}
		start := len(key)
		if key, err = k.keyers[i].appendAny(ctx, key, v); err != nil {
			return "", err
		}
		if f.Order == sql.Descending {
			for j := start; j < len(key); j++ {
				key[j] = ^key[j]
			}
		}
	}
	return string(key), nil
}

// appendAny appends the key of a value that an expression gave: NULL, or of another Go type than the expression's type.
func (c *columnKeyer) appendAny(ctx *sql.Context, dst []byte, v any) ([]byte, error) {
	if w, ok := v.(sql.AnyWrapper); ok {
		plain, err := sql.UnwrapAny(ctx, w)
		if err != nil {
			return nil, err
		}
		v = plain
	}
	if v == nil {
		return store.AppendNull(dst), nil
	}
	switch c.typ.(type) {
	case sql.NumberType, sql.DecimalType, sql.DatetimeType:
		conv, _, err := c.typ.Convert(ctx, v)
		if err == nil && conv != nil {
			v = conv
		}
	}
	return c.append(dst, v)
}

// rowKeyer makes the keys of whole rows, for DISTINCT.
type rowKeyer []columnKeyer

func newRowKeyer(schema sql.Schema) rowKeyer {
	k := make(rowKeyer, len(schema))
	for i, col := range schema {
		k[i] = newColumnKeyer(i, col.Type)
	}
	return k
}

// key takes the last columns of the row: what an outer query prepends does not count.
func (k rowKeyer) key(ctx *sql.Context, row sql.Row) (string, error) {
	var buf [160]byte
	key := buf[:0]
	row = row[len(row)-len(k):]
	var err error
	for i := range k {
		if key, err = k[i].appendAny(ctx, key, row[i]); err != nil {
			return "", err
		}
	}
	return string(key), nil
}

// keyedRow is a row with its key. seq is its position, which ties go by.
type keyedRow struct {
	key string
	seq int
	row sql.Row
}

func (a *keyedRow) less(b *keyedRow) bool {
	if a.key != b.key {
		return a.key < b.key
	}
	return a.seq < b.seq
}

// topRows is a heap of the first rows, the last one of them on top.
type topRows []keyedRow

func (t topRows) Len() int           { return len(t) }
func (t topRows) Less(i, j int) bool { return t[j].less(&t[i]) }
func (t topRows) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *topRows) Push(x any)        { *t = append(*t, x.(keyedRow)) }
func (t *topRows) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	*t = (*t)[:last]
	return x
}

// sorted reads all rows and returns them in order, the first limit of them; limit < 0 is all.
func sorted(ctx *sql.Context, rows sql.RowIter, fields sql.SortFields, limit int64) ([]sql.Row, error) {
	keyer := newSortKeyer(fields)
	var top topRows
	n := 0
	err := eachRow(ctx, rows, func(row sql.Row) error {
		key, err := keyer.key(ctx, row)
		if err != nil {
			return err
		}
		kr := keyedRow{key: key, seq: n, row: row}
		n++
		switch {
		case limit < 0:
			top = append(top, kr)
		case int64(len(top)) < limit:
			heap.Push(&top, kr)
		case limit > 0 && kr.less(&top[0]):
			top[0] = kr
			heap.Fix(&top, 0)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sort.Slice(top, func(i, j int) bool { return top[i].less(&top[j]) })
	out := make([]sql.Row, len(top))
	for i := range top {
		out[i] = top[i].row
	}
	ctx.SetLastQueryInfoInt(sql.FoundRows, int64(n))
	return out, nil
}

// eachRow reads an iterator to its end and closes it.
func eachRow(ctx *sql.Context, rows sql.RowIter, f func(sql.Row) error) error {
	for {
		row, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return rows.Close(ctx)
		}
		if err == nil {
			err = f(row)
		}
		if err != nil {
			_ = rows.Close(ctx)
			return err
		}
	}
}

// lazyRows reads its rows when the first one is wanted.
type lazyRows struct {
	read func(ctx *sql.Context) ([]sql.Row, error)
	rows []sql.Row
	done bool
	stop func(ctx *sql.Context) error // closes the source if it was not read
}

func (l *lazyRows) Next(ctx *sql.Context) (sql.Row, error) {
	if !l.done {
		l.done = true
		rows, err := l.read(ctx)
		if err != nil {
			return nil, err
		}
		l.rows = rows
	}
	if len(l.rows) == 0 {
		return nil, io.EOF
	}
	row := l.rows[0]
	l.rows = l.rows[1:]
	return row, nil
}

func (l *lazyRows) Close(ctx *sql.Context) error {
	l.rows = nil
	if l.done || l.stop == nil {
		return nil
	}
	l.done = true
	return l.stop(ctx)
}

func (o execOverrides) sort(ctx *sql.Context, child sql.Node, fields sql.SortFields, limit sql.Expression, outer sql.Row) (sql.RowIter, error) {
	n := int64(-1)
	if limit != nil {
		var err error
		if n, err = rowCount(ctx, limit); err != nil {
			return nil, err
		}
	}
	rows, err := o.build(ctx, child, outer)
	if err != nil {
		return nil, err
	}
	return &lazyRows{
		read: func(ctx *sql.Context) ([]sql.Row, error) { return sorted(ctx, rows, fields, n) },
		stop: rows.Close,
	}, nil
}

// rowCount evaluates LIMIT or OFFSET.
func rowCount(ctx *sql.Context, e sql.Expression) (int64, error) {
	v, err := e.Eval(ctx, nil)
	if err != nil {
		return 0, err
	}
	switch n := v.(type) {
	case nil:
		return 0, mysqlError(1210, "HY000", "Incorrect arguments to EXECUTE")
	case int64:
		return n, nil
	case uint64:
		return int64(min(n, 1<<62)), nil
	case int8:
		return int64(n), nil
	case int16:
		return int64(n), nil
	case int32:
		return int64(n), nil
	case int:
		return int64(n), nil
	case uint8:
		return int64(n), nil
	case uint16:
		return int64(n), nil
	case uint32:
		return int64(n), nil
	}
	return 0, sql.ErrInvalidTypeForLimit.New(int64(0), v)
}

// distinctRows drops rows whose key was there before.
type distinctRows struct {
	rows  sql.RowIter
	keyer rowKeyer
	seen  map[string]bool
}

func (o execOverrides) distinct(ctx *sql.Context, child sql.Node, outer sql.Row) (sql.RowIter, error) {
	rows, err := o.build(ctx, child, outer)
	if err != nil {
		return nil, err
	}
	return &distinctRows{rows: rows, keyer: newRowKeyer(child.Schema()), seen: make(map[string]bool)}, nil
}

func (d *distinctRows) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := d.rows.Next(ctx)
		if err != nil {
			return nil, err
		}
		key, err := d.keyer.key(ctx, row)
		if err != nil {
			return nil, err
		}
		if !d.seen[key] {
			d.seen[key] = true
			return row, nil
		}
	}
}

func (d *distinctRows) Close(ctx *sql.Context) error {
	d.seen = nil
	return d.rows.Close(ctx)
}

// setOp runs UNION, INTERSECT and EXCEPT: rows, then DISTINCT, then ORDER BY, OFFSET and LIMIT.
func (o execOverrides) setOp(n *plan.SetOp, outer sql.Row) sql.RowIter {
	return &lazyRows{read: func(ctx *sql.Context) ([]sql.Row, error) {
		rows, err := o.setOpRows(ctx, n, outer)
		if err != nil {
			return nil, err
		}
		if len(n.SortFields) > 0 {
			if rows, err = sorted(ctx, sql.RowsToRowIter(rows...), n.SortFields, -1); err != nil {
				return nil, err
			}
		}
		return cutRows(ctx, rows, n.Offset, n.Limit)
	}}
}

func cutRows(ctx *sql.Context, rows []sql.Row, offset, limit sql.Expression) ([]sql.Row, error) {
	if offset != nil {
		skip, err := rowCount(ctx, offset)
		if err != nil {
			return nil, err
		}
		rows = rows[min(skip, int64(len(rows))):]
	}
	if limit != nil {
		keep, err := rowCount(ctx, limit)
		if err != nil {
			return nil, err
		}
		rows = rows[:min(keep, int64(len(rows)))]
	}
	return rows, nil
}

func (o execOverrides) setOpRows(ctx *sql.Context, n *plan.SetOp, outer sql.Row) ([]sql.Row, error) {
	keyer := unionKeyer(n)
	var out []sql.Row
	seen := make(map[string]bool)
	add := func(key string, row sql.Row) {
		if n.Distinct {
			if seen[key] {
				return
			}
			seen[key] = true
		}
		out = append(out, row)
	}
	each := func(child sql.Node, f func(key string, row sql.Row)) error {
		rows, err := o.build(ctx, child, outer)
		if err != nil {
			return err
		}
		return eachRow(ctx, rows, func(row sql.Row) error {
			key, err := keyer.key(ctx, row)
			if err != nil {
				return err
			}
			f(key, row)
			return nil
		})
	}
	if n.SetOpType == plan.UnionType {
		if err := each(n.Left(), add); err != nil {
			return nil, err
		}
		return out, each(n.Right(), add)
	}
	right := make(map[string]int)
	if err := each(n.Right(), func(key string, _ sql.Row) { right[key]++ }); err != nil {
		return nil, err
	}
	err := each(n.Left(), func(key string, row sql.Row) {
		matched := right[key] > 0
		if matched && !n.Distinct {
			right[key]--
		}
		if matched == (n.SetOpType == plan.IntersectType) {
			add(key, row)
		}
	})
	return out, err
}

// unionKeyer makes the keys of a union's rows. A text column the binder made of others, as an ENUM and a text, has the
// engine's default collation: it is under MySQL's.
func unionKeyer(n *plan.SetOp) rowKeyer {
	keyer := newRowKeyer(n.Schema())
	for i, col := range n.Schema() {
		if isBinderText(col.Type) && !readsText(n.Left(), i) && !readsText(n.Right(), i) {
			keyer[i] = newColumnKeyer(i, defaultTextType)
		}
	}
	return keyer
}

func isBinderText(t sql.Type) bool {
	text, ok := plainString(t)
	return ok && text.Collation() == sql.Collation_Default
}

// readsText reports whether a side's column comes from a text under the collation that is the engine's default.
func readsText(side sql.Node, i int) bool {
	if p, ok := side.(*plan.Project); ok {
		side = p.Child
	}
	schema := side.Schema()
	return i < len(schema) && isBinderText(schema[i].Type)
}
