package engine

var _ Primitive = (*RecurseCTE)(nil)

// RecurseCTE runs Seed, then Term for each row that came, until nothing new comes.
type RecurseCTE struct {
	Seed, Term Primitive
	// Vars are Term's bind variables by name and the column (from 0) that fills them.
	Vars map[string]int
}

// Inputs implements Primitive.
func (rc *RecurseCTE) Inputs() []Input { return inputs(rc.Seed, rc.Term) }

// NeedsTransaction implements Primitive.
func (rc *RecurseCTE) NeedsTransaction() bool { return anyNeedsTransaction(rc.Seed, rc.Term) }

// Description implements Primitive.
func (rc *RecurseCTE) Description() Description {
	d := describe("RecurseCTE", "")
	d.set("JoinVars", rc.Vars)
	return d
}
