package engine

var _ Primitive = (*SemiJoin)(nil)

// SemiJoin passes on the rows of Left for which Right has a row.
type SemiJoin struct {
	Left, Right Primitive
	// Vars are Right's bind variables by name and the left column (from 0) that fills them.
	Vars map[string]int
}

// Inputs implements Primitive.
func (sj *SemiJoin) Inputs() []Input {
	return []Input{{Primitive: sj.Left, Name: "Outer"}, {Primitive: sj.Right, Name: "SubQuery"}}
}

// NeedsTransaction implements Primitive.
func (sj *SemiJoin) NeedsTransaction() bool { return anyNeedsTransaction(sj.Left, sj.Right) }

// Description implements Primitive.
func (sj *SemiJoin) Description() Description {
	d := describe("SemiJoin", "")
	if len(sj.Vars) > 0 {
		d.set("JoinVars", sj.Vars)
	}
	return d
}
