package engine

import (
	"context"
	"slices"
	"sync"

	"vitess.io/vitess/go/sqltypes"
)

// Trace counts what the nodes of one execution's tree did, for VEXPLAIN TRACE. It is safe for concurrent use; a nil Trace
// counts nothing.
type Trace struct {
	mu     sync.Mutex
	rows   map[Primitive][]int // by node, the rows of each call
	shards map[Primitive]int   // by route, the shards it asked in all
}

// NewTrace returns an empty trace.
func NewTrace() *Trace {
	return &Trace{rows: map[Primitive][]int{}, shards: map[Primitive]int{}}
}

// run executes a node and counts its rows.
func (t *Trace) run(ctx context.Context, env *Env, p Primitive, bindVars BindVars, emit Emit) error {
	n := 0
	err := p.Execute(ctx, env, bindVars, func(piece *sqltypes.Result) error {
		n += len(piece.Rows)
		return emit(piece)
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows[p] = append(t.rows[p], n)
	return err
}

// noteShards adds to the shards a route asked.
func (t *Trace) noteShards(p Primitive, shards int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shards[p] += shards
}

// Describe is the package's Describe with the counts of each node that ran.
func (t *Trace) Describe(p Primitive) Description {
	d := Describe(p)
	t.addCounts(p, d)
	return d
}

func (t *Trace) addCounts(p Primitive, d Description) {
	t.mu.Lock()
	calls := t.rows[p]
	shards, asked := t.shards[p]
	t.mu.Unlock()
	if len(calls) > 0 {
		d.Attributes["NoOfCalls"] = len(calls)
		d.Attributes["AvgNumberOfRows"] = mean(calls)
		d.Attributes["MedianNumberOfRows"] = median(calls)
	}
	if asked {
		d.Attributes["ShardsQueried"] = shards
	}
	for i, input := range p.Inputs() {
		t.addCounts(input.Primitive, d.Inputs[i])
	}
}

func mean(values []int) float64 {
	sum := 0
	for _, value := range values {
		sum += value
	}
	return float64(sum) / float64(len(values))
}

func median(values []int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 0 {
		return float64(sorted[middle-1]+sorted[middle]) / 2
	}
	return float64(sorted[middle])
}
