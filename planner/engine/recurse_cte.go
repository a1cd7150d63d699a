package engine

import (
	"context"
	"slices"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vthash"
)

var _ Primitive = (*RecurseCTE)(nil)

// RecurseCTE runs Seed, then Term for each row that came, until nothing new comes.
type RecurseCTE struct {
	Seed, Term Primitive
	// Vars are Term's bind variables by name and the column (from 0) that fills them.
	Vars map[string]int
	// CheckCols are compared to drop rows that came before; nil: all rows stay.
	CheckCols []CheckCol
}

// Inputs implements Primitive.
func (rc *RecurseCTE) Inputs() []Input { return inputs(rc.Seed, rc.Term) }

// NeedsTransaction implements Primitive.
func (rc *RecurseCTE) NeedsTransaction() bool { return anyNeedsTransaction(rc.Seed, rc.Term) }

// recursionsMax is MySQL's default of cte_max_recursion_depth.
const recursionsMax = 1000

// Execute implements Primitive.
func (rc *RecurseCTE) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	seen := distinctRows{checks: slices.Clone(rc.CheckCols), mode: env.sqlMode(), hashes: map[vthash.Hash]struct{}{}}
	var level []sqltypes.Row
	err := env.run(ctx, rc.Seed, bindVars, func(piece *sqltypes.Result) error {
		piece, err := rc.fresh(&seen, piece)
		if err != nil {
			return err
		}
		level = append(level, piece.Rows...)
		return emit(piece)
	})
	for depth := 0; err == nil && len(level) > 0; depth++ {
		if depth == recursionsMax {
			return vterrors.VT09030()
		}
		var below []sqltypes.Row
		for _, row := range level {
			err = env.run(ctx, rc.Term, rowVars(bindVars, rc.Vars, row), func(piece *sqltypes.Result) error {
				piece, err := rc.fresh(&seen, piece)
				if err != nil || len(piece.Rows) == 0 {
					return err
				}
				below = append(below, piece.Rows...)
				if err := env.checkMemory(len(below) + len(seen.hashes)); err != nil {
					return err
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

// fresh are the rows that did not come before, all of them where that does not matter.
func (rc *RecurseCTE) fresh(seen *distinctRows, piece *sqltypes.Result) (*sqltypes.Result, error) {
	if len(rc.CheckCols) == 0 {
		return piece, nil
	}
	out := &sqltypes.Result{Fields: piece.Fields}
	for _, row := range piece.Rows {
		isFresh, err := seen.add(row)
		if err != nil {
			return nil, err
		}
		if isFresh {
			out.Rows = append(out.Rows, row)
		}
	}
	return out, nil
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
