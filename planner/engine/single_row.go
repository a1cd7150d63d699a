package engine

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

var _ Primitive = (*SingleRow)(nil)

// SingleRow gives one row without columns, for expressions that need no table.
type SingleRow struct {
	leaf
	reads
}

// Execute implements Primitive.
func (*SingleRow) Execute(_ context.Context, _ *Env, _ BindVars, emit Emit) error {
	return emit(&sqltypes.Result{Fields: []*querypb.Field{}, Rows: []sqltypes.Row{{}}})
}

// GetFields implements Primitive.
func (*SingleRow) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) {
	return []*querypb.Field{}, nil
}

// Description implements Primitive.
func (*SingleRow) Description() Description { return describe("SingleRow", "") }
