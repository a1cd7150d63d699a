package engine

import (
	"slices"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// mergedRowsMax is how many rows a merge emits at once.
const mergedRowsMax = 256

// merge emits the rows of sorted streams in order; rows that are equal in the order come in the order of the streams.
// next returns a stream's next piece, nil at its end. Without an order the streams follow one another.
func merge(streams int, order evalengine.Comparison, next func(int) (*sqltypes.Result, error), emit Emit) (err error) {
	// Comparisons panic on values that can not be compared, and change themselves when they turn to weight strings.
	defer evalengine.PanicHandler(&err)
	m := &merger{order: slices.Clone(order), next: next}
	for i := range streams {
		cursor := &mergeCursor{source: i}
		more, err := m.advance(cursor)
		if err != nil {
			return err
		}
		if more {
			m.heap = append(m.heap, cursor)
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
	return m.run(emit)
}

// merger is a heap of streams by their next row.
type merger struct {
	order  evalengine.Comparison
	next   func(int) (*sqltypes.Result, error)
	fields []*querypb.Field
	heap   []*mergeCursor
}

// mergeCursor is a stream's next row: rows[0].
type mergeCursor struct {
	source int
	rows   []sqltypes.Row
}

// advance fetches pieces until the cursor has a row; false at the stream's end.
func (m *merger) advance(c *mergeCursor) (bool, error) {
	for len(c.rows) == 0 {
		piece, err := m.next(c.source)
		if err != nil || piece == nil {
			return false, err
		}
		if m.fields == nil {
			m.fields = piece.Fields
		}
		if m.fields != nil {
			m.order.ApplyTinyWeights(&sqltypes.Result{Fields: m.fields, Rows: piece.Rows})
		}
		c.rows = piece.Rows
	}
	return true, nil
}

// run emits until all streams have ended.
func (m *merger) run(emit Emit) error {
	out := &sqltypes.Result{Fields: m.fields}
	first := true
	for len(m.heap) > 0 {
		top := m.heap[0]
		out.Rows = append(out.Rows, top.rows[0])
		top.rows = top.rows[1:]
		more, err := m.advance(top)
		if err != nil {
			return err
		}
		if !more {
			last := len(m.heap) - 1
			m.heap[0] = m.heap[last]
			m.heap = m.heap[:last]
		}
		m.sink(0)
		if len(out.Rows) == mergedRowsMax {
			if err := emit(out); err != nil {
				return err
			}
			first = false
			out = &sqltypes.Result{Rows: make([]sqltypes.Row, 0, mergedRowsMax)}
		}
	}
	if first || len(out.Rows) > 0 {
		return emit(out)
	}
	return nil
}

// before reports whether one stream's row comes before the other's.
func (m *merger) before(a, b *mergeCursor) bool {
	if c := m.order.Compare(a.rows[0], b.rows[0]); c != 0 {
		return c < 0
	}
	return a.source < b.source
}

// sink moves the cursor at i down to its place.
func (m *merger) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(m.heap); child++ {
			if m.before(m.heap[child], m.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}
