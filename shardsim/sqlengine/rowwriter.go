package sqlengine

import (
	"slices"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/sqltypes"
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
	n := len(w.shape.converters)
	if len(w.values) < n {
		w.values = make([]sqltypes.Value, n*w.room())
	}
	row := w.values[:n:n]
	w.values = w.values[n:]
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
	if cap(w.text)-len(w.text) < textMin/4 {
		w.text = make([]byte, 0, min(2*cap(w.text), textMax))
	}
	start := len(w.text)
	switch v := v.(type) {
	case int64:
		w.text = c.appendInteger(w.text, v)
	case int32:
		w.text = c.appendInteger(w.text, int64(v))
	case string:
		w.text = append(w.text, v...)
	default:
		return c.value(ctx, v)
	}
	return sqltypes.MakeTrusted(c.wire, w.text[start:len(w.text):len(w.text)]), nil
}

func (c *converter) appendInteger(dst []byte, v int64) []byte {
	if v == 0 {
		return append(dst, c.integer(v)...) // a YEAR has its own zero
	}
	return strconv.AppendInt(dst, v, 10)
}
