package engine

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

var _ Primitive = (*SimpleProjection)(nil)

// SimpleProjection reorders, repeats, drops and renames columns.
type SimpleProjection struct {
	// Cols are the input columns, from 0, in the order they leave.
	Cols []int
	// ColNames renames them; an empty name keeps the input's. Empty or as long as Cols.
	ColNames []string
	Input    Primitive
}

// Inputs implements Primitive.
func (sp *SimpleProjection) Inputs() []Input { return inputs(sp.Input) }

// NeedsTransaction implements Primitive.
func (sp *SimpleProjection) NeedsTransaction() bool { return sp.Input.NeedsTransaction() }

// Execute implements Primitive.
func (sp *SimpleProjection) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return env.run(ctx, sp.Input, bindVars, func(piece *sqltypes.Result) error {
		out := *piece
		out.Fields = sp.pickFields(piece.Fields)
		if !sp.namesOnly() {
			out.Rows = make([]sqltypes.Row, len(piece.Rows))
			for i, row := range piece.Rows {
				picked := make(sqltypes.Row, len(sp.Cols))
				for j, col := range sp.Cols {
					picked[j] = row[col]
				}
				out.Rows[i] = picked
			}
		}
		return emit(&out)
	})
}

// pickFields reorders and renames fields; nil for nil.
func (sp *SimpleProjection) pickFields(in []*querypb.Field) []*querypb.Field {
	if in == nil {
		return nil
	}
	picked := slices.Clone(in)
	if !sp.namesOnly() {
		picked = make([]*querypb.Field, len(sp.Cols))
		for i, col := range sp.Cols {
			picked[i] = in[col]
		}
	}
	for i, name := range sp.ColNames {
		if name != "" {
			picked[i] = renamed(picked[i], name)
		}
	}
	return picked
}

// renamed returns a copy of a field with another name.
func renamed(field *querypb.Field, name string) *querypb.Field {
	field = field.CloneVT()
	field.Name = name
	return field
}

// GetFields implements Primitive.
func (sp *SimpleProjection) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	fields, err := sp.Input.GetFields(ctx, env, bindVars)
	return sp.pickFields(fields), err
}

// Description implements Primitive.
func (sp *SimpleProjection) Description() Description {
	d := describe("SimpleProjection", "")
	if !sp.namesOnly() {
		cols := make([]string, len(sp.Cols))
		for i, col := range sp.Cols {
			cols[i] = strconv.Itoa(col)
		}
		d.set("Columns", strings.Join(cols, ","))
	}
	var names []string
	for i, name := range sp.ColNames {
		if name != "" {
			names = append(names, strconv.Itoa(i)+":"+name)
		}
	}
	d.set("ColumnNames", names)
	return d
}

// namesOnly reports whether all columns leave in the order they came, so that it renames at most.
// A SimpleProjection without Cols passes on all of its input's columns.
func (sp *SimpleProjection) namesOnly() bool {
	return sp.Cols == nil
}
