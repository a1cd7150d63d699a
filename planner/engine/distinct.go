package engine

import (
	"fmt"
	"strconv"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

var _ Primitive = (*Distinct)(nil)

// Distinct passes on the first of rows that are equal in CheckCols.
type Distinct struct {
	Source    Primitive
	CheckCols []CheckCol
	// Truncate > 0 drops the columns from there on.
	Truncate int
}

// CheckCol is a column that is compared.
type CheckCol struct {
	Col int
	// WsCol is the column's weight string, for when values of the type can not be compared; nil for none.
	WsCol        *int
	Type         evalengine.Type
	CollationEnv *collations.Environment
}

// SwitchToWeightString returns the check of the weight string in place of the value.
func (cc CheckCol) SwitchToWeightString() CheckCol {
	return CheckCol{
		Col:          *cc.WsCol,
		Type:         evalengine.NewType(sqltypes.VarBinary, collations.CollationBinaryID),
		CollationEnv: cc.CollationEnv,
	}
}

// String prints the check as plans do: "(0:2): utf8mb4_0900_ai_ci".
func (cc CheckCol) String() string {
	text := strconv.Itoa(cc.Col)
	if cc.WsCol != nil {
		text = fmt.Sprintf("(%s:%d)", text, *cc.WsCol)
	}
	if cc.Type.Valid() && sqltypes.IsText(cc.Type.Type()) && cc.Type.Collation() != collations.Unknown {
		text += ": " + cc.CollationEnv.LookupName(cc.Type.Collation())
	}
	return text
}

// Inputs implements Primitive.
func (d *Distinct) Inputs() []Input { return inputs(d.Source) }

// NeedsTransaction implements Primitive.
func (d *Distinct) NeedsTransaction() bool { return d.Source.NeedsTransaction() }

// Description implements Primitive.
func (d *Distinct) Description() Description {
	desc := describe("Distinct", "")
	var checks []string
	for _, cc := range d.CheckCols {
		checks = append(checks, cc.String())
	}
	desc.set("Collations", checks)
	desc.set("ResultColumns", max(d.Truncate, 0))
	return desc
}
