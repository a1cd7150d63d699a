package engine

import (
	"strconv"
	"strings"
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
