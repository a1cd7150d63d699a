package engine

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

var _ Primitive = (*Rows)(nil)

// Rows answers with rows known at planning.
type Rows struct {
	leaf
	reads

	rows   []sqltypes.Row
	fields []*querypb.Field
}

// NewRowsPrimitive returns a Rows.
func NewRowsPrimitive(rows [][]sqltypes.Value, fields []*querypb.Field) *Rows {
	return &Rows{rows: rows, fields: fields}
}

// Execute implements Primitive.
func (r *Rows) Execute(_ context.Context, _ *Env, _ BindVars, emit Emit) error {
	return emit(&sqltypes.Result{Fields: r.fields, Rows: r.rows})
}

// GetFields implements Primitive.
func (r *Rows) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) {
	return r.fields, nil
}

// Description implements Primitive.
func (r *Rows) Description() Description {
	d := describe("Rows", "")
	describeFields(d, r.fields)
	d.set("RowCount", len(r.rows))
	return d
}

// describeFields adds the types of fields by name.
func describeFields(d Description, fields []*querypb.Field) {
	if len(fields) == 0 {
		return
	}
	types := map[string]string{}
	for _, field := range fields {
		types[field.Name] = field.Type.String()
	}
	d.set("Fields", types)
}
