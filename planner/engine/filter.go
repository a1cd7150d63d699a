package engine

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

var _ Primitive = (*Filter)(nil)

// Filter passes on the rows for which Predicate is true.
type Filter struct {
	Predicate evalengine.Expr
	// ASTPredicate is the predicate, for printing.
	ASTPredicate sqlparser.Expr
	Input        Primitive
	// Truncate > 0 drops the columns from there on.
	Truncate int
}

// Inputs implements Primitive.
func (f *Filter) Inputs() []Input { return inputs(f.Input) }

// NeedsTransaction implements Primitive.
func (f *Filter) NeedsTransaction() bool { return f.Input.NeedsTransaction() }

// Execute implements Primitive.
func (f *Filter) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	expressions := env.expressions(ctx, bindVars)
	return env.run(ctx, f.Input, bindVars, func(piece *sqltypes.Result) error {
		if piece.Fields != nil {
			expressions.Fields = piece.Fields
		}
		out := &sqltypes.Result{Fields: piece.Fields}
		for _, row := range piece.Rows {
			expressions.Row = row
			result, err := expressions.Evaluate(f.Predicate)
			if err != nil {
				return err
			}
			if result.ToBoolean() {
				out.Rows = append(out.Rows, row)
			}
		}
		if out.Fields == nil && len(out.Rows) == 0 {
			return nil
		}
		return emit(truncate(out, f.Truncate))
	})
}

// GetFields implements Primitive.
func (f *Filter) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	fields, err := f.Input.GetFields(ctx, env, bindVars)
	return truncateFields(fields, f.Truncate), err
}

// Description implements Primitive.
func (f *Filter) Description() Description {
	d := describe("Filter", "")
	d.set("Predicate", sqlparser.String(f.ASTPredicate))
	d.set("ResultColumns", f.Truncate)
	return d
}
