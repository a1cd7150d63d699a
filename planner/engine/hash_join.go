package engine

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

var _ Primitive = (*HashJoin)(nil)

// HashJoin reads Left into memory by its key column, then pairs the rows of Right as they come.
type HashJoin struct {
	Opcode      opcode.JoinOpcode
	Left, Right Primitive
	// Cols are the columns that leave, as in Join.
	Cols []int
	// LHSKey and RHSKey are the columns compared, from 0.
	LHSKey, RHSKey int
	// ASTPred is the predicate, for printing.
	ASTPred sqlparser.Expr
	// Collation and ComparisonType are what both keys are compared under; Values are the members of an ENUM or SET.
	Collation      collations.ID
	ComparisonType querypb.Type
	CollationEnv   *collations.Environment
	Values         *evalengine.EnumSetValues
}

// Inputs implements Primitive.
func (hj *HashJoin) Inputs() []Input { return inputs(hj.Left, hj.Right) }

// NeedsTransaction implements Primitive.
func (hj *HashJoin) NeedsTransaction() bool { return anyNeedsTransaction(hj.Left, hj.Right) }

// Description implements Primitive.
func (hj *HashJoin) Description() Description {
	d := describe("Join", "Hash"+hj.Opcode.String())
	cols := make([]string, len(hj.Cols))
	for i, col := range hj.Cols {
		cols[i] = strconv.Itoa(col)
	}
	d.set("JoinColumnIndexes", strings.Join(cols, ","))
	d.set("Predicate", sqlparser.String(hj.ASTPred))
	d.set("ComparisonType", hj.ComparisonType.String())
	if hj.Collation != collations.Unknown {
		d.set("Collation", hj.CollationEnv.LookupName(hj.Collation))
	}
	return d
}
