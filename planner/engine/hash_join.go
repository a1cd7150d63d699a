package engine

import (
	"context"
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
	"vitess.io/vitess/go/vt/vthash"

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

// Execute implements Primitive.
func (hj *HashJoin) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	left, err := env.collect(ctx, hj.Left, bindVars)
	if err != nil {
		return err
	}
	probe := hashProbe{join: hj, rows: map[vthash.Hash][]int{}, left: left.Rows, matched: make([]bool, len(left.Rows)), mode: env.sqlMode()}
	if err := probe.build(); err != nil {
		return err
	}
	err = env.run(ctx, hj.Right, bindVars, func(piece *sqltypes.Result) error {
		out := &sqltypes.Result{}
		if piece.Fields != nil {
			out.Fields = joinFields(left.Fields, piece.Fields, hj.Cols)
		}
		for _, right := range piece.Rows {
			matches, err := probe.matches(right[hj.RHSKey])
			if err != nil {
				return err
			}
			for _, i := range matches {
				probe.matched[i] = true
				out.Rows = append(out.Rows, joinRow(left.Rows[i], right, hj.Cols))
			}
		}
		if out.Fields == nil && len(out.Rows) == 0 {
			return nil
		}
		return emit(out)
	})
	if err != nil || hj.Opcode != opcode.LeftJoin {
		return err
	}
	return emit(probe.unmatched())
}

// hashProbe is the left side in memory.
type hashProbe struct {
	join    *HashJoin
	rows    map[vthash.Hash][]int // numbers of left rows by the hash of their key; NULL keys are in none
	left    []sqltypes.Row
	matched []bool
	mode    evalengine.SQLMode
}

func (p *hashProbe) build() error {
	for i, row := range p.left {
		if row[p.join.LHSKey].IsNull() {
			continue
		}
		hash, err := p.hash(row[p.join.LHSKey])
		if err != nil {
			return err
		}
		p.rows[hash] = append(p.rows[hash], i)
	}
	return nil
}

func (p *hashProbe) matches(value sqltypes.Value) ([]int, error) {
	if value.IsNull() {
		return nil, nil
	}
	hash, err := p.hash(value)
	return p.rows[hash], err
}

func (p *hashProbe) hash(value sqltypes.Value) (vthash.Hash, error) {
	hasher := vthash.New()
	err := evalengine.NullsafeHashcode128(&hasher, value, p.join.Collation, p.join.ComparisonType, p.mode, p.join.Values)
	return hasher.Sum128(), err
}

// unmatched pairs the left rows that found no partner with NULLs, in their order.
func (p *hashProbe) unmatched() *sqltypes.Result {
	out := &sqltypes.Result{}
	for i, row := range p.left {
		if !p.matched[i] {
			out.Rows = append(out.Rows, joinRow(row, nil, p.join.Cols))
		}
	}
	return out
}

// GetFields implements Primitive.
func (hj *HashJoin) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	left, err := hj.Left.GetFields(ctx, env, bindVars)
	if err != nil {
		return nil, err
	}
	right, err := hj.Right.GetFields(ctx, env, bindVars)
	if err != nil {
		return nil, err
	}
	return joinFields(left, right, hj.Cols), nil
}

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
