package engine

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vterrors"
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
	// At is the column of FkChild.Cols that the value replaces.
	At int `json:"-"`
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
	parents, err := more.collect(ctx, fc.Selection, bindVars)
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
	ordered, err := child.inTurn(parents)
	if err != nil {
		return err
	}
	for _, row := range ordered {
		vars := withVar(bindVars, child.BVName, tuplesVariable([]sqltypes.Row{row}, child.Cols))
		for _, info := range child.NonLiteralInfo {
			vars[info.UpdateExprBvName] = sqltypes.ValueBindVariable(row[info.UpdateExprCol])
		}
		if _, err := env.collect(ctx, child.Exec, vars); err != nil {
			return err
		}
	}
	return nil
}

// inTurn orders the parent rows that change: one that takes over the old values of another comes after it, as the children it
// brings would else be taken for the other's. VT12001 for rows that change places in a circle: MySQL refuses them as duplicates,
// if they are on one shard.
func (child *FkChild) inTurn(parents []sqltypes.Row) ([]sqltypes.Row, error) {
	holders := map[string]int{}
	for i, row := range parents {
		holders[child.key(row, false)] = i
	}
	ordered := make([]sqltypes.Row, 0, len(parents))
	done, visited := make([]bool, len(parents)), make([]bool, len(parents))
	for i := range parents {
		var chain []int
		for next, held := i, true; held && !done[next]; next, held = holders[child.key(parents[next], true)] {
			if child.unchanged(parents[next]) {
				break
			}
			if visited[next] {
				return nil, vterrors.VT12001("update that lets rows of a foreign key's parent change places")
			}
			chain, visited[next] = append(chain, next), true
		}
		for _, at := range slices.Backward(chain) {
			ordered, done[at] = append(ordered, parents[at]), true
		}
	}
	return ordered, nil
}

// key is what children refer to a parent row by, before the change or after it.
func (child *FkChild) key(row sqltypes.Row, after bool) string {
	var text strings.Builder
	for at, col := range child.Cols {
		if after {
			for _, info := range child.NonLiteralInfo {
				if info.At == at {
					col = info.UpdateExprCol
				}
			}
		}
		text.WriteString(row[col].ToString())
		text.WriteByte(0)
	}
	return text.String()
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
