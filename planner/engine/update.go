package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/vindexes"
)

var _ Primitive = (*Update)(nil)

// Update changes rows on the shards its routing gives, and the lookup entries of the owned vindexes it touches.
type Update struct {
	leaf
	*DML

	// ChangedVindexValues are the owned vindexes that change, by name.
	ChangedVindexValues map[string]*VindexValues
}

// VindexValues say what an owned vindex's columns become.
type VindexValues struct {
	// EvalExprMap holds the new values by column; columns without one keep theirs.
	EvalExprMap map[string]evalengine.Expr
	// Offset is the column of OwnedVindexQuery that tells whether the row has the new values already.
	Offset int
}

// Execute implements Primitive.
func (upd *Update) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	var first ownedFirst
	if len(upd.ChangedVindexValues) > 0 {
		first = func(ctx context.Context, shards []Shard, vars []BindVars) (int, error) {
			return upd.changeVindexes(ctx, env, bindVars, shards, vars)
		}
	}
	result, err := upd.write(ctx, env, bindVars, first)
	if err != nil {
		return err
	}
	return emit(result)
}

// GetFields implements Primitive.
func (upd *Update) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) {
	return nil, nil
}

// changeVindexes brings the vindexes up to what the rows will hold.
func (upd *Update) changeVindexes(ctx context.Context, env *Env, bindVars BindVars, shards []Shard, vars []BindVars) (int, error) {
	rows, err := upd.ownedRows(ctx, env, shards, vars)
	if err != nil {
		return 0, err
	}
	columns := map[string]int{}
	for i, field := range rows.Fields {
		columns[strings.ToLower(field.Name)] = i
	}
	taken := takenEntries{}
	for _, row := range rows.Rows {
		ksid, err := keyspaceIDOf(ctx, env, upd.KsidVindex, row[:upd.KsidLength])
		if err != nil {
			return 0, err
		}
		for _, colVindex := range upd.Vindexes {
			change, ok := upd.ChangedVindexValues[colVindex.Name]
			if !ok || isTrue(row[change.Offset]) {
				continue // not touched, or the row has the values already
			}
			from, to, err := change.values(ctx, env, bindVars, colVindex, columns, row)
			if err != nil {
				return 0, err
			}
			if err := taken.add(colVindex, to); err != nil {
				return 0, err
			}
			if err := changeVindex(ctx, env, colVindex, ksid, from, to); err != nil {
				return 0, err
			}
		}
	}
	return len(rows.Rows), nil
}

// takenEntries are the entries that rows of one statement were given in unique vindexes they own. A consistent lookup takes
// an entry whose row is not there for an orphan, and the rows of the statement are not there yet.
type takenEntries map[string]bool

// add notes the entry of a row. It is MySQL's error 1062 where another row has it.
func (taken takenEntries) add(colVindex *vindexes.ColumnVindex, values []sqltypes.Value) error {
	if !colVindex.Owned || !colVindex.IsUnique() || hasNull(values) {
		return nil
	}
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = value.ToString()
	}
	entry := fmt.Sprintf("%s %q", colVindex.Name, texts)
	if taken[entry] {
		return sqlerror.NewSQLErrorf(sqlerror.ERDupEntry, sqlerror.SSConstraintViolation,
			"Duplicate entry '%s' for key '%s'", strings.Join(texts, "-"), colVindex.Name)
	}
	taken[entry] = true
	return nil
}

func isTrue(value sqltypes.Value) bool {
	n, err := value.ToCastInt64()
	return !value.IsNull() && err == nil && n == 1
}

// values returns what a row has in a vindex's columns and what it will have.
func (vv *VindexValues) values(ctx context.Context, env *Env, bindVars BindVars, colVindex *vindexes.ColumnVindex, columns map[string]int, row sqltypes.Row) (from, to []sqltypes.Value, err error) {
	for _, col := range colVindex.Columns {
		i, ok := columns[col.Lowered()]
		if !ok {
			return nil, nil, vterrors.VT13001("the owned vindex query does not select column " + col.String())
		}
		value := row[i]
		from = append(from, value)
		if expr, ok := vv.EvalExprMap[col.String()]; ok {
			if value, err = env.evaluate(ctx, bindVars, expr); err != nil {
				return nil, nil, err
			}
		}
		to = append(to, value)
	}
	return from, to, nil
}

// changeVindex moves an owned entry, or checks that a vindex of another owner agrees.
func changeVindex(ctx context.Context, env *Env, colVindex *vindexes.ColumnVindex, ksid []byte, from, to []sqltypes.Value) error {
	if colVindex.Owned {
		return colVindex.Vindex.(vindexes.Lookup).Update(ctx, env.Lookups, from, ksid, to)
	}
	if !slices.ContainsFunc(to, func(v sqltypes.Value) bool { return !v.IsNull() }) {
		return nil
	}
	verified, err := verifyRows(ctx, env, colVindex.Vindex, [][]sqltypes.Value{to}, [][]byte{ksid})
	if err == nil && !verified[0] {
		err = mismatch([][]sqltypes.Value{to}, colVindex.Columns)
	}
	return err
}

// Description implements Primitive.
func (upd *Update) Description() Description {
	d := upd.describeDML("Update")
	var changed []string
	for name, values := range upd.ChangedVindexValues {
		changed = append(changed, name+":"+strconv.Itoa(values.Offset))
	}
	slices.Sort(changed)
	d.set("ChangedVindexValues", changed)
	return d
}
