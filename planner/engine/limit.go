package engine

import (
	"context"
	"errors"
	"fmt"
	"math"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

var _ Primitive = (*Limit)(nil)

// Limit passes on Count rows after skipping Offset.
type Limit struct {
	Count evalengine.Expr
	// Offset is nil for none.
	Offset evalengine.Expr
	// RequireCompleteInput: the input must run to its end although the rows are not needed, as something else counts them.
	RequireCompleteInput bool
	Input                Primitive
}

// Inputs implements Primitive.
func (l *Limit) Inputs() []Input { return inputs(l.Input) }

// NeedsTransaction implements Primitive.
func (l *Limit) NeedsTransaction() bool { return l.Input.NeedsTransaction() }

// Execute implements Primitive. The input stops as soon as it has given enough, unless it must be complete.
func (l *Limit) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	count, err := rowCount(ctx, env, bindVars, l.Count)
	if err != nil {
		return err
	}
	skip, err := rowCount(ctx, env, bindVars, l.Offset)
	if err != nil {
		return err
	}
	upper := skip + count
	if upper < count {
		upper = math.MaxInt64
	}
	bindVars = withVar(bindVars, opcode.UpperLimit, sqltypes.Int64BindVariable(upper))
	enough := errors.New("the limit is reached")
	err = env.run(ctx, l.Input, bindVars, func(piece *sqltypes.Result) error {
		out := *piece
		skipped := min(skip, int64(len(out.Rows)))
		skip -= skipped
		out.Rows = out.Rows[skipped:]
		out.Rows = out.Rows[:min(count, int64(len(out.Rows)))]
		count -= int64(len(out.Rows))
		if out.Fields != nil || len(out.Rows) > 0 || out.InsertIDUpdated() {
			if err := emit(&out); err != nil {
				return err
			}
		}
		if count == 0 && !l.RequireCompleteInput {
			return enough
		}
		return nil
	})
	if errors.Is(err, enough) {
		return nil
	}
	return err
}

// rowCount evaluates a number of rows; a missing or NULL one is 0.
func rowCount(ctx context.Context, env *Env, bindVars BindVars, expr evalengine.Expr) (int64, error) {
	if expr == nil {
		return 0, nil
	}
	value, err := env.evaluate(ctx, bindVars, expr)
	if err != nil || value.IsNull() {
		return 0, err
	}
	if !value.IsIntegral() {
		return 0, sqltypes.ErrIncompatibleTypeCast
	}
	n, err := value.ToCastUint64()
	if err != nil {
		return 0, fmt.Errorf("requested limit is out of range: %v", value.RawStr())
	}
	// More rows than an int64 counts are as good as all.
	return int64(min(n, math.MaxInt64)), nil
}

// GetFields implements Primitive.
func (l *Limit) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	return l.Input.GetFields(ctx, env, bindVars)
}

// Description implements Primitive.
func (l *Limit) Description() Description {
	d := describe("Limit", "")
	if l.Count != nil {
		d.set("Count", printExpr(l.Count))
	}
	if l.Offset != nil {
		d.set("Offset", printExpr(l.Offset))
	}
	d.set("RequireCompleteInput", l.RequireCompleteInput)
	return d
}
