package engine

import "strconv"

var _ Primitive = (*FkVerify)(nil)

// The kinds of checks of a FkVerify.
const (
	// ParentVerify finds rows whose parent would be missing.
	ParentVerify = "VerifyParent"
	// ChildVerify finds rows that would lose their parent.
	ChildVerify = "VerifyChild"
)

// FkVerify runs Exec if none of the checks finds a row.
type FkVerify struct {
	writes

	Verify []*Verify
	Exec   Primitive
}

// Verify is one check: Exec finds the rows that would break a foreign key. Typ is ParentVerify or ChildVerify.
type Verify struct {
	Exec Primitive
	Typ  string
}

// Inputs implements Primitive.
func (fv *FkVerify) Inputs() []Input {
	var in []Input
	for i, v := range fv.Verify {
		in = append(in, Input{Primitive: v.Exec, Name: v.Typ + "-" + strconv.Itoa(i+1)})
	}
	return append(in, Input{Primitive: fv.Exec, Name: "PostVerify"})
}

// Description implements Primitive.
func (fv *FkVerify) Description() Description { return describe("FKVerify", "") }
