package engine

import (
	"context"
	"errors"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

var _ Primitive = (*SemiJoin)(nil)

// SemiJoin passes on the rows of Left for which Right has a row.
type SemiJoin struct {
	Left, Right Primitive
	// Vars are Right's bind variables by name and the left column (from 0) that fills them.
	Vars map[string]int
}

// Inputs implements Primitive.
func (sj *SemiJoin) Inputs() []Input {
	return []Input{{Primitive: sj.Left, Name: "Outer"}, {Primitive: sj.Right, Name: "SubQuery"}}
}

// NeedsTransaction implements Primitive.
func (sj *SemiJoin) NeedsTransaction() bool { return anyNeedsTransaction(sj.Left, sj.Right) }

// Execute implements Primitive.
func (sj *SemiJoin) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return env.run(ctx, sj.Left, bindVars, func(piece *sqltypes.Result) error {
		out := &sqltypes.Result{Fields: piece.Fields}
		for _, row := range piece.Rows {
			found, err := hasRow(ctx, env, sj.Right, rowVars(bindVars, sj.Vars, row))
			if err != nil {
				return err
			}
			if found {
				out.Rows = append(out.Rows, row)
			}
		}
		if out.Fields == nil && len(out.Rows) == 0 {
			return nil
		}
		return emit(out)
	})
}

// hasRow runs a primitive until its first row.
func hasRow(ctx context.Context, env *Env, p Primitive, bindVars BindVars) (bool, error) {
	enough := errors.New("one row is enough")
	err := env.run(ctx, p, bindVars, func(piece *sqltypes.Result) error {
		if len(piece.Rows) > 0 {
			return enough
		}
		return nil
	})
	if errors.Is(err, enough) {
		return true, nil
	}
	return false, err
}

// GetFields implements Primitive.
func (sj *SemiJoin) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	return sj.Left.GetFields(ctx, env, bindVars)
}

// Description implements Primitive.
func (sj *SemiJoin) Description() Description {
	d := describe("SemiJoin", "")
	if len(sj.Vars) > 0 {
		d.set("JoinVars", sj.Vars)
	}
	return d
}
