package sqlengine

import (
	"io"
	"reflect"
	"sort"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// rangeFrame is a RANGE frame: its ends are values, so many before or after the current row's. The engine's loses its way at
// NULLs, intervals and descending order.
type rangeFrame struct {
	sql.WindowFrame
}

// asRangeFrame returns a RANGE frame as ours, or false.
func asRangeFrame(f sql.WindowFrame) (sql.WindowFrame, bool) {
	if f == nil || !strings.HasPrefix(reflect.TypeOf(f).Elem().Name(), "Range") {
		return f, false
	}
	return &rangeFrame{f}, true
}

// NewFramer implements sql.WindowFrame. Error 3587 if an offset is from a window that is not sorted by one number or time.
func (f *rangeFrame) NewFramer(w *sql.WindowDefinition) (sql.WindowFramer, error) {
	framer := &rangeFramer{frame: f, keyer: newSortKeyer(w.OrderBy)}
	if f.StartNPreceding() == nil && f.StartNFollowing() == nil && f.EndNPreceding() == nil && f.EndNFollowing() == nil {
		return framer, nil
	}
	if len(w.OrderBy) == 1 {
		field := w.OrderBy[0]
		switch t := field.Column.Type(); {
		case isDate(t):
			field.Column = &converted{child: field.Column, typ: types.DatetimeMaxPrecision}
		case t == types.Float64 || t == types.Float32:
			field.Column = &converted{child: field.Column, typ: types.Float64}
		case isNumeric(t):
			field.Column = &converted{child: field.Column, typ: types.MustCreateDecimalType(decimalDigitsMax, decimalScaleMax)}
		default:
			return nil, rangeError()
		}
		for _, offset := range []sql.Expression{f.StartNPreceding(), f.StartNFollowing(), f.EndNPreceding(), f.EndNFollowing()} {
			_, isInterval := offset.(*expression.Interval)
			switch {
			case offset == nil:
			case isInterval && !isDate(field.Column.Type()):
				return nil, mysqlError(3588, "HY000", "Window '<unnamed window>' with RANGE frame has ORDER BY expression of numeric type, INTERVAL bound value not allowed.")
			case !isInterval && isDate(field.Column.Type()):
				return nil, mysqlError(3589, "HY000", "Window '<unnamed window>' with RANGE frame has ORDER BY expression of datetime type. Only INTERVAL bound value allowed.")
			}
		}
		framer.sorted = &field
		framer.keyer = newSortKeyer(sql.SortFields{field})
		return framer, nil
	}
	return nil, rangeError()
}

func rangeError() error {
	return mysqlError(3587, "HY000", "Window '<unnamed window>' with RANGE N PRECEDING/FOLLOWING frame requires exactly one ORDER BY expression, of numeric or temporal type")
}

// rangeFramer walks over one partition, whose rows are in the order of their keys.
type rangeFramer struct {
	frame     *rangeFrame
	keyer     *sortKeyer
	sorted    *sql.SortField // what offsets count from
	partition sql.WindowInterval
	keys      []string // of the partition's rows
	at        int      // the next row
	interval  sql.WindowInterval
	set       bool
}

func (f *rangeFramer) Close() {}

// NewFramer implements sql.WindowFramer.
func (f *rangeFramer) NewFramer(partition sql.WindowInterval) (sql.WindowFramer, error) {
	return &rangeFramer{frame: f.frame, keyer: f.keyer, sorted: f.sorted, partition: partition, at: partition.Start, interval: partition, set: true}, nil
}

func (f *rangeFramer) Next(ctx *sql.Context, rows sql.WindowBuffer) (sql.WindowInterval, error) {
	if !f.set || f.at >= f.partition.End {
		return sql.WindowInterval{}, io.EOF
	}
	for i := f.partition.Start + len(f.keys); i < f.partition.End; i++ {
		key, err := f.keyer.key(ctx, rows[i])
		if err != nil {
			return sql.WindowInterval{}, err
		}
		f.keys = append(f.keys, key)
	}
	row := rows[f.at]
	f.interval = f.partition
	if !f.frame.UnboundedPreceding() {
		key, err := f.bound(ctx, row, f.frame.StartNPreceding(), f.frame.StartNFollowing())
		if err != nil {
			return sql.WindowInterval{}, err
		}
		f.interval.Start += sort.Search(len(f.keys), func(i int) bool { return f.keys[i] >= key })
	}
	if !f.frame.UnboundedFollowing() {
		key, err := f.bound(ctx, row, f.frame.EndNPreceding(), f.frame.EndNFollowing())
		if err != nil {
			return sql.WindowInterval{}, err
		}
		f.interval.End = f.partition.Start + sort.Search(len(f.keys), func(i int) bool { return f.keys[i] > key })
	}
	f.interval.End = max(f.interval.End, f.interval.Start)
	f.at++
	return f.interval, nil
}

// bound is the key of an end of the frame: of the current row, or of a value so much before or after it in its order.
func (f *rangeFramer) bound(ctx *sql.Context, row sql.Row, preceding, following sql.Expression) (string, error) {
	offset := preceding
	if following != nil {
		offset = following
	}
	if offset == nil {
		return f.keyer.key(ctx, row)
	}
	v, err := f.sorted.Column.Eval(ctx, row)
	if err != nil {
		return "", err
	}
	down := (preceding != nil) == (f.sorted.Order == sql.Ascending)
	if v != nil {
		if v, err = shifted(ctx, row, v, offset, down); err != nil {
			return "", err
		}
	}
	field := *f.sorted
	field.Column = expression.NewLiteral(v, f.sorted.Column.Type())
	return newSortKeyer(sql.SortFields{field}).key(ctx, nil)
}

// shifted is a number or time that is an offset less or more.
func shifted(ctx *sql.Context, row sql.Row, v any, offset sql.Expression, down bool) (any, error) {
	at, isTime := v.(time.Time)
	if interval, ok := offset.(*expression.Interval); ok && isTime {
		delta, err := interval.EvalDelta(ctx, row)
		if err != nil || delta == nil {
			return nil, err
		}
		if down {
			return delta.Sub(at), nil
		}
		return delta.Add(at), nil
	}
	n, err := offset.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if f, isDouble := v.(float64); isDouble {
		step, err := numberArg(ctx, n)
		if down {
			step = -step
		}
		return f + step, err
	}
	step, err := exactDecimal(n)
	if err != nil {
		f, err := numberArg(ctx, n)
		if err != nil {
			return nil, err
		}
		step = decimal.NewFromFloat(f)
	}
	d, err := exactDecimal(v)
	if down {
		step = step.Neg()
	}
	return d.Add(step), err
}

func (f *rangeFramer) FirstIdx() int { return f.interval.Start }
func (f *rangeFramer) LastIdx() int  { return f.interval.End }

func (f *rangeFramer) Interval() (sql.WindowInterval, error) { return f.interval, nil }
