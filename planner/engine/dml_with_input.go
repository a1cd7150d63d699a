package engine

import (
	"context"
	"fmt"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

var _ Primitive = (*DMLWithInput)(nil)

// DMLWithInput runs DMLs on the rows that its input names by key.
type DMLWithInput struct {
	writes

	Input Primitive
	DMLs  []Primitive
	// OutputCols are, for each of DMLs, the input's columns that make up opcode.DMLValues.
	OutputCols [][]int
	// BVList are, for each of DMLs, bind variables and the input's columns that fill them; such DMLs run once a row.
	BVList []map[string]int
}

// Inputs implements Primitive.
func (dml *DMLWithInput) Inputs() []Input {
	return append(inputs(dml.Input), inputs(dml.DMLs...)...)
}

// Execute implements Primitive.
func (dml *DMLWithInput) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	env = env.withMoreWrites()
	in, err := env.collect(ctx, dml.Input, bindVars)
	if err != nil {
		return err
	}
	total := &sqltypes.Result{}
	if len(in.Rows) == 0 {
		return emit(total)
	}
	for i, write := range dml.DMLs {
		var vars map[string]int
		if i < len(dml.BVList) {
			vars = dml.BVList[i]
		}
		batches := [][]sqltypes.Row{in.Rows}
		if len(vars) > 0 {
			batches = onePerKey(in.Rows, dml.OutputCols[i])
		}
		for _, rows := range batches {
			named := withVar(rowVars(bindVars, vars, rows[0]), opcode.DMLValues, columnsVariable(rows, dml.OutputCols[i]))
			result, err := env.collect(ctx, write, named)
			if err != nil {
				return err
			}
			total = addUpWrites([]*sqltypes.Result{total, result})
		}
	}
	return emit(total)
}

// onePerKey gives each row a batch of its own, as values differ by row; but a row that is found several times is written once,
// with the values found first (MySQL manual, "UPDATE Statement": multiple-table syntax).
func onePerKey(rows []sqltypes.Row, key []int) [][]sqltypes.Row {
	seen := map[string]bool{}
	var batches [][]sqltypes.Row
	for i, row := range rows {
		var text strings.Builder
		for _, col := range key {
			text.WriteString(row[col].String())
			text.WriteByte(0)
		}
		if !seen[text.String()] {
			seen[text.String()] = true
			batches = append(batches, rows[i:i+1])
		}
	}
	return batches
}

// GetFields implements Primitive.
func (dml *DMLWithInput) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) {
	return nil, nil
}

// columnsVariable makes a list of one column's values, or of tuples of several columns' values.
func columnsVariable(rows []sqltypes.Row, cols []int) *querypb.BindVariable {
	list := &querypb.BindVariable{Type: querypb.Type_TUPLE, Values: make([]*querypb.Value, len(rows))}
	for i, row := range rows {
		if len(cols) == 1 {
			list.Values[i] = sqltypes.ValueToProto(row[cols[0]])
			continue
		}
		tuple := make([]sqltypes.Value, len(cols))
		for j, col := range cols {
			tuple[j] = row[col]
		}
		list.Values[i] = sqltypes.TupleToProto(tuple)
	}
	return list
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
