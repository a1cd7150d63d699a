package engine

import (
	"encoding/json"
)

var _ Primitive = (*InsertSelect)(nil)

// InsertSelect writes the rows its input gives.
type InsertSelect struct {
	InsertCommon

	Input Primitive
	// VindexValueOffset are the input's columns that hold the vindexes' values: by vindex as in ColVindexes, by vindex
	// column; -1 where the column is not among them, and so NULL.
	VindexValueOffset [][]int
}

// Inputs implements Primitive.
func (ins *InsertSelect) Inputs() []Input { return inputs(ins.Input) }

// Description implements Primitive.
func (ins *InsertSelect) Description() Description {
	d := ins.describeInsert("Select")
	if len(ins.VindexValueOffset) > 0 {
		texts := map[string]string{}
		for i, offsets := range ins.VindexValueOffset {
			text, _ := json.Marshal(offsets) // A list of ints always marshals.
			texts[ins.ColVindexes[i].Name] = string(text)
		}
		d.set("VindexOffsetFromSelect", texts)
	}
	return d
}
