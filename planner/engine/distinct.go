package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
	"vitess.io/vitess/go/vt/vthash"
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

// Execute implements Primitive.
func (d *Distinct) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	seen := distinctRows{checks: slices.Clone(d.CheckCols), mode: env.sqlMode(), hashes: map[vthash.Hash]struct{}{}}
	return env.run(ctx, d.Source, bindVars, func(piece *sqltypes.Result) error {
		out := &sqltypes.Result{Fields: piece.Fields}
		for _, row := range piece.Rows {
			fresh, err := seen.add(row)
			if err != nil {
				return err
			}
			if fresh {
				out.Rows = append(out.Rows, row)
			}
		}
		if err := env.checkMemory(len(seen.hashes)); err != nil {
			return err
		}
		if out.Fields == nil && len(out.Rows) == 0 {
			return nil
		}
		return emit(truncate(out, d.Truncate))
	})
}

// distinctRows remembers rows by a hash of 128 bits of what is compared.
type distinctRows struct {
	checks []CheckCol // its own copy: a check may turn to its weight string
	mode   evalengine.SQLMode
	hashes map[vthash.Hash]struct{}
}

// add reports whether no equal row came before.
func (dr *distinctRows) add(row sqltypes.Row) (bool, error) {
	hasher := vthash.New()
	for i, check := range dr.checks {
		err := dr.hash(&hasher, check, row)
		if errors.Is(err, evalengine.UnsupportedCollationHashError) && check.WsCol != nil {
			dr.checks[i] = check.SwitchToWeightString()
			err = dr.hash(&hasher, dr.checks[i], row)
		}
		if err != nil {
			return false, err
		}
	}
	hash := hasher.Sum128()
	if _, ok := dr.hashes[hash]; ok {
		return false, nil
	}
	dr.hashes[hash] = struct{}{}
	return true, nil
}

func (dr *distinctRows) hash(hasher *vthash.Hasher, check CheckCol, row sqltypes.Row) error {
	t := check.Type
	return evalengine.NullsafeHashcode128(hasher, row[check.Col], t.Collation(), t.Type(), dr.mode, t.Values())
}

// GetFields implements Primitive.
func (d *Distinct) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	fields, err := d.Source.GetFields(ctx, env, bindVars)
	return truncateFields(fields, d.Truncate), err
}

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
