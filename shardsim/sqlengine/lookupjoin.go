package sqlengine

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/vitrodb/vitro/shardsim/store"
)

// lookupJoin reads the rows a lookup join asks for. The join does not check its condition again, so the rows must be
// exactly those that are equal: the engine's own lookup rounds 1.25 to 1 for an integer column, and finds no NULL for <=>.
// It is nil, nil for an access that is not ours.
func (o execOverrides) lookupJoin(ctx *sql.Context, n *plan.IndexedTableAccess, row sql.Row) (sql.RowIter, error) {
	x, ok := n.Index().(*index)
	if !ok || x.order() == sql.IndexOrderNone {
		return nil, nil
	}
	t, ok := sql.GetUnderlyingTable(n.Table).(*table)
	if !ok {
		return nil, nil
	}
	keys, nulls := n.Expressions(), n.NullMask()
	cols := x.extended()
	var prefix []byte
	var rest []condExpr
	for i, e := range keys {
		v, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		if v == nil && !(i < len(nulls) && nulls[i]) {
			return sql.RowsToRowIter(), nil
		}
		col := x.table.schema[cols[i]]
		if len(rest) > 0 || !comparedAsColumn(col.Type, v) {
			rest = append(rest, condExpr{at: cols[i], value: v, typ: e.Type()})
			continue
		}
		ck := newColumnKeyer(cols[i], col.Type)
		key, fits, err := ck.bound(ctx, prefix, v)
		if err != nil {
			return nil, err
		}
		if !fits {
			return sql.RowsToRowIter(), nil
		}
		prefix = key
	}
	part := &partition{index: x.at, ranges: []store.Range{{Low: string(prefix), High: string(prefix) + keyMax}}}
	rows, err := t.PartitionRows(ctx, part)
	if err != nil || len(rest) == 0 {
		return rows, err
	}
	return &filteredRows{rows: rows, table: x.table, conds: rest}, nil
}

// comparedAsColumn reports whether a value is compared with the column as one of its type: a string with a number is not.
func comparedAsColumn(typ sql.Type, v any) bool {
	if v == nil {
		return true
	}
	if w, ok := v.(sql.AnyWrapper); ok {
		return w != nil && isTextColumn(typ)
	}
	isText := false
	switch v.(type) {
	case string, []byte:
		isText = true
	}
	switch typ.(type) {
	case sql.StringType:
		return isText
	case sql.NumberType, sql.DecimalType:
		return !isText && boundType(typ)
	}
	return boundType(typ)
}

func isTextColumn(typ sql.Type) bool {
	_, ok := typ.(sql.StringType)
	return ok
}

// condExpr is column = value, where the engine's comparison decides.
type condExpr struct {
	at    int
	value any
	typ   sql.Type
}

// filteredRows drops the rows that do not meet the conditions.
type filteredRows struct {
	rows  sql.RowIter
	table *table
	conds []condExpr
}

func (f *filteredRows) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := f.rows.Next(ctx)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil, io.EOF
			}
			return nil, err
		}
		ok, err := f.passes(ctx, row)
		if err != nil {
			return nil, err
		}
		if ok {
			return row, nil
		}
	}
}

func (f *filteredRows) passes(ctx *sql.Context, row sql.Row) (bool, error) {
	for _, c := range f.conds {
		col := f.table.schema[c.at]
		eq := expression.NewNullSafeEquals(expression.NewGetField(c.at, col.Type, col.Name, col.Nullable), expression.NewLiteral(c.value, c.typ))
		ok, err := sql.EvaluateCondition(ctx, eq, row)
		if err != nil || !sql.IsTrue(ok) {
			return false, err
		}
	}
	return true, nil
}

func (f *filteredRows) Close(ctx *sql.Context) error { return f.rows.Close(ctx) }
