package engine

import (
	"context"
	"strconv"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

var _ Primitive = (*FkCascade)(nil)

// FkCascade changes the child rows of the rows Selection finds, then runs Parent.
type FkCascade struct {
	writes

	Selection Primitive
	Children  []*FkChild
	Parent    Primitive
}

// FkChild is the change of one child table.
type FkChild struct {
	// BVName is the bind variable that holds the parent rows' values of Cols, as a list of tuples.
	BVName string
	Cols   []int
	// NonLiteralInfo is set where the new values are expressions: the child then runs once for each parent row.
	NonLiteralInfo []NonLiteralUpdateInfo
	Exec           Primitive
}

// NonLiteralUpdateInfo hands the new value of one column to a child.
type NonLiteralUpdateInfo struct {
	// CompExprCol is Selection's column that tells whether the row has the value already.
	CompExprCol int
	// UpdateExprCol is Selection's column with the new value, UpdateExprBvName the bind variable it becomes.
	UpdateExprCol    int
	UpdateExprBvName string
}

// Inputs implements Primitive.
func (fc *FkCascade) Inputs() []Input {
	in := []Input{{Primitive: fc.Selection, Name: "Selection"}}
	for i, child := range fc.Children {
		attributes := map[string]any{"BvName": child.BVName, "Cols": child.Cols}
		if len(child.NonLiteralInfo) > 0 {
			attributes["NonLiteralUpdateInfo"] = child.NonLiteralInfo
		}
		in = append(in, Input{Primitive: child.Exec, Name: "CascadeChild-" + strconv.Itoa(i+1), Attributes: attributes})
	}
	return append(in, Input{Primitive: fc.Parent, Name: "Parent"})
}

// Execute implements Primitive.
func (fc *FkCascade) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	more := env.withMoreWrites()
	parents, err := env.collect(ctx, fc.Selection, bindVars)
	if err != nil {
		return err
	}
	if len(parents.Rows) == 0 {
		return emit(&sqltypes.Result{})
	}
	for _, child := range fc.Children {
		if err := child.cascade(ctx, more, bindVars, parents.Rows); err != nil {
			return err
		}
	}
	return more.run(ctx, fc.Parent, bindVars, emit)
}

// cascade changes the child rows of all parent rows at once, or parent by parent where the new values differ.
func (child *FkChild) cascade(ctx context.Context, env *Env, bindVars BindVars, parents []sqltypes.Row) error {
	if len(child.NonLiteralInfo) == 0 {
		_, err := env.collect(ctx, child.Exec, withVar(bindVars, child.BVName, tuplesVariable(parents, child.Cols)))
		return err
	}
	for i, row := range parents {
		if child.unchanged(row) {
			continue
		}
		vars := withVar(bindVars, child.BVName, tuplesVariable(parents[i:i+1], child.Cols))
		for _, info := range child.NonLiteralInfo {
			vars[info.UpdateExprBvName] = sqltypes.ValueBindVariable(row[info.UpdateExprCol])
		}
		if _, err := env.collect(ctx, child.Exec, vars); err != nil {
			return err
		}
	}
	return nil
}

// unchanged reports whether a parent row has all its new values already.
func (child *FkChild) unchanged(row sqltypes.Row) bool {
	for _, info := range child.NonLiteralInfo {
		if same, err := row[info.CompExprCol].ToBool(); err != nil || !same {
			return false
		}
	}
	return true
}

// tuplesVariable makes a list of tuples, also of one column.
func tuplesVariable(rows []sqltypes.Row, cols []int) *querypb.BindVariable {
	list := &querypb.BindVariable{Type: querypb.Type_TUPLE}
	for _, row := range rows {
		tuple := make([]sqltypes.Value, len(cols))
		for i, col := range cols {
			tuple[i] = row[col]
		}
		list.Values = append(list.Values, sqltypes.TupleToProto(tuple))
	}
	return list
}

// GetFields implements Primitive.
func (*FkCascade) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) {
	return nil, nil
}

// Description implements Primitive.
func (fc *FkCascade) Description() Description { return describe("FkCascade", "") }
