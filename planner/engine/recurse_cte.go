package engine

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vterrors"
)

var _ Primitive = (*RecurseCTE)(nil)

// RecurseCTE runs Seed, then Term for each row that came, until nothing new comes.
type RecurseCTE struct {
	Seed, Term Primitive
	// Vars are Term's bind variables by name and the column (from 0) that fills them.
	Vars map[string]int
}

// Inputs implements Primitive.
func (rc *RecurseCTE) Inputs() []Input { return inputs(rc.Seed, rc.Term) }

// NeedsTransaction implements Primitive.
func (rc *RecurseCTE) NeedsTransaction() bool { return anyNeedsTransaction(rc.Seed, rc.Term) }

// recursionsMax is MySQL's default of cte_max_recursion_depth.
const recursionsMax = 1000

// Execute implements Primitive.
func (rc *RecurseCTE) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	var level []sqltypes.Row
	err := env.run(ctx, rc.Seed, bindVars, func(piece *sqltypes.Result) error {
		level = append(level, piece.Rows...)
		return emit(piece)
	})
	for depth := 0; err == nil && len(level) > 0; depth++ {
		if depth == recursionsMax {
			return vterrors.VT09030("")
		}
		var below []sqltypes.Row
		for _, row := range level {
			err = env.run(ctx, rc.Term, rowVars(bindVars, rc.Vars, row), func(piece *sqltypes.Result) error {
				below = append(below, piece.Rows...)
				if len(piece.Rows) == 0 {
					return env.checkMemory(len(below))
				}
				return emit(withoutFields(piece))
			})
			if err != nil {
				return err
			}
		}
		level = below
		err = env.checkMemory(len(level))
	}
	return err
}

// GetFields implements Primitive.
func (rc *RecurseCTE) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	return rc.Seed.GetFields(ctx, env, bindVars)
}

// Description implements Primitive.
func (rc *RecurseCTE) Description() Description {
	d := describe("RecurseCTE", "")
	d.set("JoinVars", rc.Vars)
	return d
}
