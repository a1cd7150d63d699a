package engine

import (
	"context"
	"strconv"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

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
	// Batch asks Right for many left rows at once; nil where that cannot be.
	Batch *Batch
}

// Inputs implements Primitive.
func (j *Join) Inputs() []Input { return inputs(j.Left, j.Right) }

// NeedsTransaction implements Primitive.
func (j *Join) NeedsTransaction() bool { return anyNeedsTransaction(j.Left, j.Right) }

// Execute implements Primitive.
func (j *Join) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	run := joinRun{join: j, ctx: ctx, env: env, bindVars: bindVars, emit: emit, mode: env.sqlMode()}
	if err := env.run(ctx, j.Left, bindVars, run.leftPiece); err != nil {
		return err
	}
	if err := run.flush(); err != nil {
		return err
	}
	if run.begun {
		return nil
	}
	// No left row came, so the right side never ran.
	right, err := j.Right.GetFields(ctx, env, nullVars(bindVars, j.Vars))
	if err != nil {
		return err
	}
	return emit(&sqltypes.Result{Fields: joinFields(run.leftFields, right, j.Cols)})
}

// joinRun is one execution of a Join.
type joinRun struct {
	join       *Join
	ctx        context.Context
	env        *Env
	bindVars   BindVars
	emit       Emit
	leftFields []*querypb.Field
	begun      bool           // the fields are out
	waiting    []sqltypes.Row // left rows for the next batch
	mode       evalengine.SQLMode
}

// leftPiece runs the right side for left rows and emits the pairs. A trace counts the calls of the right side as Vitess makes
// them, one for each row.
func (run *joinRun) leftPiece(piece *sqltypes.Result) error {
	if run.leftFields == nil {
		run.leftFields = piece.Fields
	}
	do := run.leftRow
	if run.join.Batch != nil && run.env.Trace == nil {
		do = run.batchRow
	}
	for _, row := range piece.Rows {
		if err := do(row); err != nil {
			return err
		}
	}
	return nil
}

func (run *joinRun) leftRow(left sqltypes.Row) error {
	cols := run.join.Cols
	matched := false
	err := run.env.run(run.ctx, run.join.Right, rowVars(run.bindVars, run.join.Vars, left), func(piece *sqltypes.Result) error {
		out := &sqltypes.Result{}
		if !run.begun {
			run.begun = true
			out.Fields = joinFields(run.leftFields, piece.Fields, cols)
		}
		for _, right := range piece.Rows {
			matched = true
			out.Rows = append(out.Rows, joinRow(left, right, cols))
		}
		if out.Fields == nil && len(out.Rows) == 0 {
			return nil
		}
		return run.emit(out)
	})
	if err != nil || matched || run.join.Opcode != opcode.LeftJoin {
		return err
	}
	return run.emit(&sqltypes.Result{Rows: []sqltypes.Row{joinRow(left, nil, cols)}})
}

// GetFields implements Primitive.
func (j *Join) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	left, err := j.Left.GetFields(ctx, env, bindVars)
	if err != nil {
		return nil, err
	}
	right, err := j.Right.GetFields(ctx, env, nullVars(bindVars, j.Vars))
	if err != nil {
		return nil, err
	}
	return joinFields(left, right, j.Cols), nil
}

// rowVars adds a row's values to bind variables.
func rowVars(bindVars BindVars, vars map[string]int, row sqltypes.Row) BindVars {
	if len(vars) == 0 {
		return bindVars
	}
	out := copyVars(bindVars, len(vars))
	for name, col := range vars {
		out[name] = sqltypes.ValueBindVariable(row[col])
	}
	return out
}

// nullVars adds NULL for each of vars: there is no row yet.
func nullVars(bindVars BindVars, vars map[string]int) BindVars {
	out := copyVars(bindVars, len(vars))
	for name := range vars {
		out[name] = sqltypes.NullBindVariable
	}
	return out
}

// joinRow picks columns from a pair of rows; right is nil for a row of NULLs.
func joinRow(left, right sqltypes.Row, cols []int) sqltypes.Row {
	row := make(sqltypes.Row, len(cols))
	for i, col := range cols {
		switch {
		case col < 0:
			row[i] = left[-col-1]
		case right != nil:
			row[i] = right[col-1]
		}
	}
	return row
}

// joinFields picks fields as joinRow picks columns.
func joinFields(left, right []*querypb.Field, cols []int) []*querypb.Field {
	fields := make([]*querypb.Field, len(cols))
	for i, col := range cols {
		if col < 0 {
			fields[i] = left[-col-1]
		} else {
			fields[i] = right[col-1]
		}
	}
	return fields
}

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
