package engine

import (
	"context"
	"slices"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

var _ Primitive = (*RenameFields)(nil)

// RenameFields gives the columns at Indices the names in Cols.
type RenameFields struct {
	Cols    []string
	Indices []int
	Input   Primitive
}

// NewRenameField returns a RenameFields; cols and indices are of one length.
func NewRenameField(cols []string, indices []int, input Primitive) *RenameFields {
	return &RenameFields{Cols: cols, Indices: indices, Input: input}
}

// Inputs implements Primitive.
func (rf *RenameFields) Inputs() []Input { return inputs(rf.Input) }

// NeedsTransaction implements Primitive.
func (rf *RenameFields) NeedsTransaction() bool { return rf.Input.NeedsTransaction() }

// Execute implements Primitive.
func (rf *RenameFields) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return env.run(ctx, rf.Input, bindVars, func(piece *sqltypes.Result) error {
		out := *piece
		out.Fields = rf.rename(piece.Fields)
		return emit(&out)
	})
}

func (rf *RenameFields) rename(in []*querypb.Field) []*querypb.Field {
	if in == nil {
		return nil
	}
	out := slices.Clone(in)
	for i, col := range rf.Indices {
		out[col] = renamed(out[col], rf.Cols[i])
	}
	return out
}

// GetFields implements Primitive.
func (rf *RenameFields) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	fields, err := rf.Input.GetFields(ctx, env, bindVars)
	return rf.rename(fields), err
}

// Description implements Primitive.
func (rf *RenameFields) Description() Description {
	d := describe("RenameFields", "")
	d.set("Columns", rf.Cols)
	d.set("Indices", rf.Indices)
	return d
}
