package sqlengine

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// groupBy groups rows by the keys that ORDER BY and DISTINCT go by: the engine groups by hashes of what values print as,
// so 1.0 and 1.00 make two groups, as do 'ss' and 'ß'.
func (o execOverrides) groupBy(ctx *sql.Context, n *plan.GroupBy, outer sql.Row) (sql.RowIter, error) {
	if len(n.GroupByExprs) == 0 && !aggregates(n.SelectedExprs) {
		return nil, nil
	}
	rows, err := o.build(ctx, n.Child, outer)
	if err != nil {
		return nil, err
	}
	keyers := make([]columnKeyer, len(n.GroupByExprs))
	for i, e := range n.GroupByExprs {
		keyers[i] = newColumnKeyer(i, e.Type())
	}
	return &lazyRows{
		read: func(ctx *sql.Context) ([]sql.Row, error) { return grouped(ctx, n, keyers, rows) },
		stop: rows.Close,
	}, nil
}

// aggregates reports whether there is an aggregate that makes one row of all: ANY_VALUE does not.
func aggregates(exprs []sql.Expression) bool {
	for _, e := range exprs {
		if _, ok := e.(sql.Aggregation); ok {
			if _, any := e.(*aggregation.AnyValue); !any {
				return true
			}
		}
	}
	return false
}

func grouped(ctx *sql.Context, n *plan.GroupBy, keyers []columnKeyer, rows sql.RowIter) ([]sql.Row, error) {
	var groups [][]sql.AggregationBuffer
	at := make(map[string]int)
	group := func(key string) ([]sql.AggregationBuffer, error) {
		i, ok := at[key]
		if !ok {
			buffers, err := newBuffers(n.SelectedExprs)
			if err != nil {
				return nil, err
			}
			i = len(groups)
			at[key], groups = i, append(groups, buffers)
		}
		return groups[i], nil
	}
	if len(n.GroupByExprs) == 0 {
		if _, err := group(""); err != nil {
			return nil, err
		}
	}
	var buf []byte
	err := eachRow(ctx, rows, func(row sql.Row) error {
		buf = buf[:0]
		for i, e := range n.GroupByExprs {
			v, err := e.Eval(ctx, row)
			if err != nil {
				return err
			}
			if buf, err = keyers[i].appendAny(ctx, buf, v); err != nil {
				return err
			}
		}
		buffers, err := group(string(buf))
		if err != nil {
			return err
		}
		for _, b := range buffers {
			if err := b.Update(ctx, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return results(ctx, groups)
}

func results(ctx *sql.Context, groups [][]sql.AggregationBuffer) ([]sql.Row, error) {
	out := make([]sql.Row, len(groups))
	for i, buffers := range groups {
		out[i] = make(sql.Row, len(buffers))
		for j, b := range buffers {
			v, err := b.Eval(ctx)
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			out[i][j] = v
			b.Dispose()
		}
	}
	return out, nil
}

func newBuffers(exprs []sql.Expression) ([]sql.AggregationBuffer, error) {
	buffers := make([]sql.AggregationBuffer, len(exprs))
	for i, e := range exprs {
		b, err := newBuffer(e)
		if err != nil {
			return nil, err
		}
		buffers[i] = b
	}
	return buffers, nil
}

// newBuffer returns what adds an aggregate up, or keeps the first value of what is none.
func newBuffer(e sql.Expression) (sql.AggregationBuffer, error) {
	switch agg := e.(type) {
	case *aggregation.GroupConcat:
		return newConcatBuffer(agg), nil
	case *aggregation.Max:
		if isTextual(agg.Child.Type()) {
			return newTextExtreme(agg.Child, 1), nil
		}
	case *aggregation.Min:
		if isTextual(agg.Child.Type()) {
			return newTextExtreme(agg.Child, -1), nil
		}
	}
	if agg, ok := e.(sql.Aggregation); ok {
		return agg.NewBuffer()
	}
	return aggregation.NewFirst(e).NewBuffer()
}

func isTextual(t sql.Type) bool {
	_, isText := t.(sql.StringType)
	return isText || isNamedSet(t)
}

// textExtreme is MAX or MIN of texts by their collation. ENUM and SET count as texts.
type textExtreme struct {
	arg   sql.Expression
	sign  int
	keyer columnKeyer
	value any
	key   string
}

func newTextExtreme(arg sql.Expression, sign int) *textExtreme {
	x := &textExtreme{arg: arg, sign: sign, keyer: newColumnKeyer(0, arg.Type())}
	if c, ok := arg.Type().(sql.TypeWithCollation); ok {
		x.keyer.text, x.keyer.pad = collationOf(c.Collation())
	}
	return x
}

func (x *textExtreme) Update(ctx *sql.Context, row sql.Row) error {
	v, err := x.arg.Eval(ctx, row)
	if err != nil || v == nil {
		return err
	}
	shown := textOfNamed(v, x.arg.Type())
	key, err := x.keyer.appendAny(ctx, nil, shown)
	if err != nil {
		return err
	}
	if k := string(key); x.value == nil || x.sign > 0 && k > x.key || x.sign < 0 && k < x.key {
		x.value, x.key = v, k
	}
	return nil
}

func (x *textExtreme) Eval(*sql.Context) (any, error) { return x.value, nil }
func (x *textExtreme) Dispose()                       { expression.Dispose(x.arg) }
