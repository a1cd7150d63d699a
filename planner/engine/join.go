package engine

import (
	"strconv"
	"strings"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

var _ Primitive = (*Join)(nil)

// Join runs Right for the rows of Left, with values of the left row as bind variables, and pairs the rows.
type Join struct {
	Opcode      opcode.JoinOpcode
	Left, Right Primitive
	// Cols are the columns that leave: -1, -2, ... are Left's first, second, ...; 1, 2, ... are Right's.
	Cols []int
	// Vars are Right's bind variables by name and the left column (from 0) that fills them.
	Vars map[string]int
}

// Inputs implements Primitive.
func (j *Join) Inputs() []Input { return inputs(j.Left, j.Right) }

// NeedsTransaction implements Primitive.
func (j *Join) NeedsTransaction() bool { return anyNeedsTransaction(j.Left, j.Right) }

// Description implements Primitive.
func (j *Join) Description() Description {
	d := describe("Join", j.Opcode.String())
	d.set("JoinColumnIndexes", printJoinColumns(j.Cols))
	if len(j.Vars) > 0 {
		d.set("JoinVars", j.Vars)
	}
	return d
}

// printJoinColumns prints "L:0,R:1".
func printJoinColumns(cols []int) string {
	parts := make([]string, len(cols))
	for i, col := range cols {
		if col < 0 {
			parts[i] = "L:" + strconv.Itoa(-col-1)
		} else {
			parts[i] = "R:" + strconv.Itoa(col-1)
		}
	}
	return strings.Join(parts, ",")
}
