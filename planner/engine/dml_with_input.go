package engine

import (
	"fmt"
	"strings"
)

var _ Primitive = (*DMLWithInput)(nil)

// DmlVals is the bind variable that hands the input's rows to the DMLs.
const DmlVals = "dml_vals"

// DMLWithInput runs DMLs on the rows that its input names by key.
type DMLWithInput struct {
	writes

	Input Primitive
	DMLs  []Primitive
	// OutputCols are, for each of DMLs, the input's columns that make up DmlVals.
	OutputCols [][]int
	// BVList are, for each of DMLs, bind variables and the input's columns that fill them; such DMLs run once a row.
	BVList []map[string]int
}

// Inputs implements Primitive.
func (dml *DMLWithInput) Inputs() []Input {
	return append(inputs(dml.Input), inputs(dml.DMLs...)...)
}

// Description implements Primitive.
func (dml *DMLWithInput) Description() Description {
	d := describe("DMLWithInput", "")
	var offsets, vars []string
	for i, cols := range dml.OutputCols {
		offsets = append(offsets, fmt.Sprintf("%d:%v", i, cols))
	}
	for i, bvs := range dml.BVList {
		if len(bvs) > 0 {
			vars = append(vars, fmt.Sprintf("%d:[%s]", i, printVars(bvs)))
		}
	}
	d.set("Offset", offsets)
	d.set("BindVars", vars)
	return d
}

// printVars prints "a:0 b:1", by name.
func printVars(vars map[string]int) string {
	var parts []string
	for _, name := range sortedNames(vars) {
		parts = append(parts, fmt.Sprintf("%s:%d", name, vars[name]))
	}
	return strings.Join(parts, " ")
}
