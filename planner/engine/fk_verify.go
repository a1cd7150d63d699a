package engine

import (
	"context"
	"strconv"

	querypb "vitess.io/vitess/go/vt/proto/query"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"
)

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

// Execute implements Primitive.
func (fv *FkVerify) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	for _, check := range fv.Verify {
		broken, err := hasRow(ctx, env.withMoreWrites(), check.Exec, bindVars)
		if err != nil {
			return err
		}
		if broken {
			return check.violation()
		}
	}
	return env.run(ctx, fv.Exec, bindVars, emit)
}

// violation is MySQL's error for what the check found.
func (v *Verify) violation() error {
	if v.Typ == ParentVerify {
		return vterrors.NewErrorf(vtrpcpb.Code_FAILED_PRECONDITION, vterrors.NoReferencedRow2,
			"Cannot add or update a child row: a foreign key constraint fails")
	}
	return vterrors.NewErrorf(vtrpcpb.Code_FAILED_PRECONDITION, vterrors.RowIsReferenced2,
		"Cannot delete or update a parent row: a foreign key constraint fails")
}

// GetFields implements Primitive.
func (*FkVerify) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) {
	return nil, nil
}

// Description implements Primitive.
func (fv *FkVerify) Description() Description { return describe("FKVerify", "") }
