package engine

import "strconv"

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

// Description implements Primitive.
func (fc *FkCascade) Description() Description { return describe("FkCascade", "") }
