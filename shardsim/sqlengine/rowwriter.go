package sqlengine

import (
	"slices"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/shardsim/store"
)

// rowWriter makes rows of a result and emits them in pieces. Rows and texts are cut from larger pieces of memory, which
// grow with the result.
type rowWriter struct {
	shape *shape
	out   *emitter
	piece *sqltypes.Result
	sent  bool

	values []sqltypes.Value
	text   []byte

	// What a result of one row needs, in one piece of memory with the writer.
	first     sqltypes.Result
	firstRow  [1]sqltypes.Row
	firstText [textMin]byte
}

func newRowWriter(shape *shape, out *emitter) *rowWriter {
	w := &rowWriter{shape: shape, out: out}
	w.first.Fields, w.first.Rows = shape.fields, w.firstRow[:0]
	w.piece, w.text = &w.first, w.firstText[:0]
	return w
}

// Sizes of the pieces of memory.
const (
	roomMin = 9
	textMin = 96
	textMax = 32 << 10
)

// add appends a row, of the given columns of values, or of all of them in their order. It emits a piece that is full.
func (w *rowWriter) add(ctx *sql.Context, values []any, columns []int) error {
	row := w.newRow()
	for i := range row {
		at := i
		if columns != nil {
			at = columns[i]
		}
		var err error
		if row[i], err = w.value(ctx, &w.shape.converters[i], values[at]); err != nil {
			return err
		}
	}
	return w.finish(row)
}

// addStored is add for a row of a table.
func (w *rowWriter) addStored(values []store.Value, columns []int) error {
	row := w.newRow()
	for i := range row {
		var err error
		if row[i], err = w.stored(&w.shape.converters[i], &values[columns[i]]); err != nil {
			return err
		}
	}
	return w.finish(row)
}

func (w *rowWriter) newRow() sqltypes.Row {
	n := len(w.shape.converters)
	if len(w.values) < n {
		w.values = make([]sqltypes.Value, n*w.room())
	}
	row := w.values[:n:n]
	w.values = w.values[n:]
	return row
}

func (w *rowWriter) finish(row sqltypes.Row) error {
	if have := len(w.piece.Rows); have == cap(w.piece.Rows) && have > 0 {
		w.piece.Rows = slices.Grow(w.piece.Rows, w.room())
	}
	w.piece.Rows = append(w.piece.Rows, row)
	if len(w.piece.Rows) < batchRows {
		return nil
	}
	err := w.send()
	w.piece = &sqltypes.Result{}
	return err
}

// room is for how many rows to make room: one, some, and then twice as many as there are.
func (w *rowWriter) room() int {
	have := len(w.piece.Rows)
	if have == 0 && !w.sent {
		return 1
	}
	return min(max(2*have, roomMin), batchRows)
}

func (w *rowWriter) send() error {
	w.sent = true
	return w.out.send(w.piece)
}

// close emits what is left; a result without rows has its fields.
func (w *rowWriter) close() error {
	if w.sent && len(w.piece.Rows) == 0 {
		return nil
	}
	return w.send()
}

// value converts a value as converter.value does, without memory of its own for those met most.
func (w *rowWriter) value(ctx *sql.Context, c *converter, v any) (sqltypes.Value, error) {
	if c.shape != nil {
		return c.value(ctx, v)
	}
	switch v := v.(type) {
	case int64:
		return w.integer(c, v), nil
	case int32:
		return w.integer(c, int64(v)), nil
	case string:
		return w.string(c, v), nil
	}
	return c.value(ctx, v)
}

// stored converts a value of a table's row.
func (w *rowWriter) stored(c *converter, v *store.Value) (sqltypes.Value, error) {
	if n, ok := v.Int(); ok && c.shape == nil {
		return w.integer(c, n), nil
	}
	if text, ok := v.Text(); ok {
		return w.string(c, text), nil
	}
	return c.value(nil, v.Any())
}

func (w *rowWriter) integer(c *converter, v int64) sqltypes.Value {
	w.makeRoom()
	start := len(w.text)
	w.text = c.appendInteger(w.text, v)
	return sqltypes.MakeTrusted(c.wire, w.text[start:len(w.text):len(w.text)])
}

func (w *rowWriter) string(c *converter, v string) sqltypes.Value {
	w.makeRoom()
	start := len(w.text)
	w.text = append(w.text, v...)
	return sqltypes.MakeTrusted(c.wire, w.text[start:len(w.text):len(w.text)])
}

// makeRoom begins a new piece of memory for texts where the last one is nearly full.
func (w *rowWriter) makeRoom() {
	if cap(w.text)-len(w.text) < textMin/4 {
		w.text = make([]byte, 0, min(2*cap(w.text), textMax))
	}
}

func (c *converter) appendInteger(dst []byte, v int64) []byte {
	if v == 0 {
		return append(dst, c.integer(v)...) // a YEAR has its own zero
	}
	return strconv.AppendInt(dst, v, 10)
}
