package engine

import (
	"context"
	"math"
	"slices"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

var _ Primitive = (*MemorySort)(nil)

// MemorySort sorts its input in memory.
type MemorySort struct {
	// UpperLimit is how many rows are wanted at most; nil for all. A Limit above sets it through a bind variable.
	UpperLimit evalengine.Expr
	OrderBy    evalengine.Comparison
	Input      Primitive
	// TruncateColumnCount > 0 drops the columns from there on.
	TruncateColumnCount int
}

// Inputs implements Primitive.
func (ms *MemorySort) Inputs() []Input { return inputs(ms.Input) }

// NeedsTransaction implements Primitive.
func (ms *MemorySort) NeedsTransaction() bool { return ms.Input.NeedsTransaction() }

// Execute implements Primitive. Rows that are equal in the order keep the order they came in.
func (ms *MemorySort) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) (err error) {
	defer evalengine.PanicHandler(&err)
	sorter := stableSorter{order: slices.Clone(ms.OrderBy), limit: math.MaxInt}
	if ms.UpperLimit != nil {
		limit, err := rowCount(ctx, env, bindVars, ms.UpperLimit)
		if err != nil {
			return err
		}
		sorter.limit = int(limit)
	}
	var fields []*querypb.Field
	err = env.run(ctx, ms.Input, bindVars, func(piece *sqltypes.Result) error {
		if fields == nil {
			fields = piece.Fields
		}
		sorter.add(piece.Rows)
		if err := env.checkMemory(len(sorter.rows)); err != nil && sorter.limit < len(sorter.rows) {
			sorter.rows = sorter.sorted() // only those that are wanted count
		}
		return env.checkMemory(len(sorter.rows))
	})
	if err != nil {
		return err
	}
	return emit(truncate(&sqltypes.Result{Fields: fields, Rows: sorter.sorted()}, ms.TruncateColumnCount))
}

// stableSorter keeps the first rows of an order.
type stableSorter struct {
	order evalengine.Comparison
	limit int
	rows  []sqltypes.Row
}

// add takes rows in; when they are many more than wanted, it forgets those that can not be among the first any more.
func (s *stableSorter) add(rows []sqltypes.Row) {
	s.rows = append(s.rows, rows...)
	const slack = 1024
	if s.limit < math.MaxInt-slack && len(s.rows) > 2*s.limit+slack {
		s.rows = s.sorted()
	}
}

func (s *stableSorter) sorted() []sqltypes.Row {
	slices.SortStableFunc(s.rows, s.order.Compare)
	return s.rows[:min(s.limit, len(s.rows))]
}

// GetFields implements Primitive.
func (ms *MemorySort) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	fields, err := ms.Input.GetFields(ctx, env, bindVars)
	return truncateFields(fields, ms.TruncateColumnCount), err
}

// Description implements Primitive.
func (ms *MemorySort) Description() Description {
	d := describe("Sort", "Memory")
	d.set("OrderBy", printOrder(ms.OrderBy))
	d.set("ResultColumns", max(ms.TruncateColumnCount, 0))
	return d
}
