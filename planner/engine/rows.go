package engine

import (
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

var _ Primitive = (*Rows)(nil)

// Rows answers with rows known at planning.
type Rows struct {
	leaf
	reads

	Rows   [][]sqltypes.Value
	Fields []*querypb.Field
}

// NewRowsPrimitive returns a Rows.
func NewRowsPrimitive(rows [][]sqltypes.Value, fields []*querypb.Field) *Rows {
	return &Rows{Rows: rows, Fields: fields}
}

// Description implements Primitive.
func (r *Rows) Description() Description {
	d := describe("Rows", "")
	describeFields(d, r.Fields)
	d.set("RowCount", len(r.Rows))
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
