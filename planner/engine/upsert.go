package engine

import (
	"context"
	"errors"
	"strconv"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"
)

var _ Primitive = (*Upsert)(nil)

// Upsert tries to insert each row and updates the row that is in the way.
type Upsert struct {
	writes

	Upserts []UpsertPair
}

// UpsertPair is one row's insert and the update to run when its key exists.
type UpsertPair struct {
	Insert, Update Primitive
}

// AddUpsert appends one row.
func (u *Upsert) AddUpsert(insert, update Primitive) {
	u.Upserts = append(u.Upserts, UpsertPair{Insert: insert, Update: update})
}

// Inputs implements Primitive.
func (u *Upsert) Inputs() []Input {
	var in []Input
	for i, pair := range u.Upserts {
		number := strconv.Itoa(i + 1)
		in = append(in,
			Input{Primitive: pair.Insert, Name: "Insert-" + number},
			Input{Primitive: pair.Update, Name: "Update-" + number})
	}
	return in
}

// Execute implements Primitive.
func (u *Upsert) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	env = env.withMoreWrites()
	total := &sqltypes.Result{}
	for _, pair := range u.Upserts {
		result, err := env.collect(ctx, pair.Insert, bindVars)
		if isDuplicate(err) {
			if result, err = env.collect(ctx, pair.Update, bindVars); err == nil && result.RowsAffected > 0 {
				// MySQL counts an updated row twice.
				result.RowsAffected++
			}
		}
		if err != nil {
			return err
		}
		total = addUpWrites([]*sqltypes.Result{total, result})
	}
	return emit(total)
}

// isDuplicate reports whether an error is of a unique key.
func isDuplicate(err error) bool {
	var mysqlErr *sqlerror.SQLError
	if errors.As(err, &mysqlErr) {
		return mysqlErr.Num == sqlerror.ERDupEntry
	}
	return err != nil && vterrors.Code(err) == vtrpcpb.Code_ALREADY_EXISTS
}

// GetFields implements Primitive.
func (*Upsert) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) { return nil, nil }

// Description implements Primitive.
func (u *Upsert) Description() Description { return describe("Upsert", "") }
