package engine

import (
	"errors"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
	"vitess.io/vitess/go/vt/vthash"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

// Batch is how a Join asks its right side for many left rows at once instead of once for each: with a list of values in the
// place of one. Its rows have one more column, the last, that tells by equality which left rows they belong to. It is no part
// of a plan's description: the rows are those of the right side.
type Batch struct {
	Right *Route
	// Var is the bind variable that holds the list; LeftCol is the left column (from 0) with the values.
	Var     string
	LeftCol int
	// Key is what both columns are compared as.
	Key evalengine.Type
}

const (
	// batchRowsMax is how many left rows wait for one another.
	batchRowsMax = 500
	// batchRightMax is how many right rows one batch may hold in memory. Where there are more, left rows go one by one.
	batchRightMax = 50_000
)

var errBatchTooLarge = errors.New("the right side returns too many rows for a batch")

// batchRow lets a left row wait for others.
func (run *joinRun) batchRow(row sqltypes.Row) error {
	run.waiting = append(run.waiting, row)
	if len(run.waiting) < batchRowsMax {
		return nil
	}
	return run.flush()
}

// flush pairs the left rows that wait, in their order.
func (run *joinRun) flush() error {
	rows := run.waiting
	run.waiting = nil
	if len(rows) > 1 {
		err := run.pairBatch(rows)
		if !errors.Is(err, errBatchTooLarge) {
			return err
		}
	}
	for _, row := range rows {
		if err := run.leftRow(row); err != nil {
			return err
		}
	}
	return nil
}

func (run *joinRun) pairBatch(rows []sqltypes.Row) error {
	batch, cols := run.join.Batch, run.join.Cols
	values := distinctValues(rows, batch.LeftCol)
	out := &sqltypes.Result{}
	partners := map[vthash.Hash][]sqltypes.Row{}
	if len(values) > 0 {
		right, err := run.batchPartners(values, partners)
		if err != nil {
			return err
		}
		if !run.begun {
			run.begun = true
			out.Fields = joinFields(run.leftFields, right.Fields[:len(right.Fields)-1], cols)
		}
	}
	for _, left := range rows {
		matched := false
		if value := left[batch.LeftCol]; !value.IsNull() {
			hash, err := run.batchHash(value)
			if err != nil {
				return err
			}
			for _, right := range partners[hash] {
				matched = true
				out.Rows = append(out.Rows, joinRow(left, right, cols))
			}
		}
		if !matched && run.join.Opcode == opcode.LeftJoin {
			out.Rows = append(out.Rows, joinRow(left, nil, cols))
		}
	}
	if out.Fields == nil && len(out.Rows) == 0 {
		return nil
	}
	return run.emit(out)
}

// batchPartners fills partners with the right rows by the hash of what they equal, and returns the fields.
func (run *joinRun) batchPartners(values []sqltypes.Value, partners map[vthash.Hash][]sqltypes.Row) (*sqltypes.Result, error) {
	batch := run.join.Batch
	fields := &sqltypes.Result{}
	count := 0
	err := run.env.run(run.ctx, batch.Right, withVar(run.bindVars, batch.Var, listVariable(values)), func(piece *sqltypes.Result) error {
		if fields.Fields == nil {
			fields.Fields = piece.Fields
		}
		if count += len(piece.Rows); count > batchRightMax {
			return errBatchTooLarge
		}
		for _, row := range piece.Rows {
			last := len(row) - 1
			hash, err := run.batchHash(row[last])
			if err != nil {
				return err
			}
			partners[hash] = append(partners[hash], row[:last])
		}
		return nil
	})
	return fields, err
}

func (run *joinRun) batchHash(value sqltypes.Value) (vthash.Hash, error) {
	key := run.join.Batch.Key
	hasher := vthash.New()
	err := evalengine.NullsafeHashcode128(&hasher, value, key.Collation(), key.Type(), run.mode, key.Values())
	return hasher.Sum128(), err
}

// distinctValues are the values of a column, each once, NULL left out. Texts that only look the same to a collation are both
// there: each may have its own shard.
func distinctValues(rows []sqltypes.Row, col int) []sqltypes.Value {
	seen := make(map[string]struct{}, len(rows))
	var values []sqltypes.Value
	for _, row := range rows {
		value := row[col]
		if value.IsNull() {
			continue
		}
		if _, ok := seen[value.RawStr()]; !ok {
			seen[value.RawStr()] = struct{}{}
			values = append(values, value)
		}
	}
	return values
}
