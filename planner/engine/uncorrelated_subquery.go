package engine

import "github.com/vitrodb/vitro/planner/engine/opcode"

var _ Primitive = (*UncorrelatedSubquery)(nil)

// UncorrelatedSubquery runs Subquery once and hands its result to Outer as bind variables.
type UncorrelatedSubquery struct {
	Opcode opcode.PulloutOpcode
	// SubqueryResult is the bind variable of the value or list; HasValues of whether there was a row. Empty where not used.
	SubqueryResult string
	HasValues      string
	Subquery       Primitive
	Outer          Primitive
}

// Inputs implements Primitive.
func (us *UncorrelatedSubquery) Inputs() []Input {
	return []Input{{Primitive: us.Subquery, Name: "SubQuery"}, {Primitive: us.Outer, Name: "Outer"}}
}

// NeedsTransaction implements Primitive.
func (us *UncorrelatedSubquery) NeedsTransaction() bool {
	return anyNeedsTransaction(us.Subquery, us.Outer)
}

// Description implements Primitive.
func (us *UncorrelatedSubquery) Description() Description {
	d := describe("UncorrelatedSubquery", us.Opcode.String())
	var vars []string
	for _, name := range []string{us.HasValues, us.SubqueryResult} {
		if name != "" {
			vars = append(vars, name)
		}
	}
	d.set("PulloutVars", vars)
	return d
}
