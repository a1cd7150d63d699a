package engine

import "vitess.io/vitess/go/vt/vtgate/evalengine"

var _ Primitive = (*Projection)(nil)

// Projection makes each row anew from expressions over its input's row.
type Projection struct {
	// Cols are the names of the columns that leave, one for each of Exprs.
	Cols  []string
	Exprs []evalengine.Expr
	Input Primitive
}

// Inputs implements Primitive.
func (p *Projection) Inputs() []Input { return inputs(p.Input) }

// NeedsTransaction implements Primitive.
func (p *Projection) NeedsTransaction() bool { return p.Input.NeedsTransaction() }

// Description implements Primitive.
func (p *Projection) Description() Description {
	d := describe("Projection", "")
	texts := expressionTexts(p.Exprs)
	for i, name := range p.Cols {
		if name != "" {
			texts[i] += " as " + name
		}
	}
	d.set("Expressions", texts)
	return d
}
