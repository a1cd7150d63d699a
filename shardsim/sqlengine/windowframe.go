package sqlengine

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// peersFrame is the frame of a window that is sorted and names none: from the first row of the partition to the last one
// that sorts as the current row does. The engine's ends with the current row, or goes wrong at texts, NULLs and descending
// order.
type peersFrame struct {
	*plan.RangeUnboundedPrecedingToCurrentRowFrame
}

// NewFramer implements sql.WindowFrame.
func (f *peersFrame) NewFramer(w *sql.WindowDefinition) (sql.WindowFramer, error) {
	return &peersFramer{keyer: newSortKeyer(w.OrderBy)}, nil
}

// isPeersFrame reports whether a window has the frame.
func isPeersFrame(w *sql.WindowDefinition) bool {
	if w.Frame == nil {
		return len(w.OrderBy) > 0
	}
	_, ok := w.Frame.(*plan.RangeUnboundedPrecedingToCurrentRowFrame)
	return ok
}

// peersFramer walks over one partition.
type peersFramer struct {
	keyer     *sortKeyer
	partition sql.WindowInterval
	at, end   int // the next row; where the peers of the current one end
	set       bool
}

func (f *peersFramer) Close() {}

// NewFramer implements sql.WindowFramer.
func (f *peersFramer) NewFramer(partition sql.WindowInterval) (sql.WindowFramer, error) {
	return &peersFramer{keyer: f.keyer, partition: partition, at: partition.Start, end: partition.Start, set: true}, nil
}

func (f *peersFramer) Next(ctx *sql.Context, rows sql.WindowBuffer) (sql.WindowInterval, error) {
	if !f.set || f.at >= f.partition.End {
		return sql.WindowInterval{}, io.EOF
	}
	if f.at >= f.end {
		key, err := f.keyer.key(ctx, rows[f.at])
		if err != nil {
			return sql.WindowInterval{}, err
		}
		for f.end = f.at + 1; f.end < f.partition.End; f.end++ {
			next, err := f.keyer.key(ctx, rows[f.end])
			if err != nil {
				return sql.WindowInterval{}, err
			}
			if next != key {
				break
			}
		}
	}
	f.at++
	return f.Interval()
}

func (f *peersFramer) FirstIdx() int { return f.partition.Start }
func (f *peersFramer) LastIdx() int  { return f.end }

func (f *peersFramer) Interval() (sql.WindowInterval, error) {
	return sql.WindowInterval{Start: f.partition.Start, End: f.end}, nil
}
