package engine

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"github.com/vitrodb/vitro/vindexes"
)

var _ Primitive = (*Delete)(nil)

// Delete removes rows on the shards its routing gives, and their entries in owned vindexes.
type Delete struct {
	leaf
	*DML
}

// Execute implements Primitive.
func (del *Delete) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	var first ownedFirst
	if del.OwnedVindexQuery != "" {
		first = func(ctx context.Context, shards []Shard, vars []BindVars) (int, error) {
			return del.deleteEntries(ctx, env, shards, vars)
		}
	}
	result, err := del.write(ctx, env, bindVars, first)
	if err != nil {
		return err
	}
	return emit(result)
}

// GetFields implements Primitive.
func (del *Delete) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) {
	return nil, nil
}

// deleteEntries removes the rows' entries in the owned vindexes. Behind the primary vindex's columns the query selects
// the columns of each owned vindex in turn.
func (del *Delete) deleteEntries(ctx context.Context, env *Env, shards []Shard, vars []BindVars) (int, error) {
	rows, err := del.ownedRows(ctx, env, shards, vars)
	if err != nil {
		return 0, err
	}
	for _, row := range rows.Rows {
		ksid, err := keyspaceIDOf(ctx, env, del.KsidVindex, row[:del.KsidLength])
		if err != nil {
			return 0, err
		}
		rest := row[del.KsidLength:]
		for _, colVindex := range del.Vindexes {
			n := len(colVindex.Columns)
			entry := [][]sqltypes.Value{rest[:n]}
			rest = rest[n:]
			if err := colVindex.Vindex.(vindexes.Lookup).Delete(ctx, env.Lookups, entry, ksid); err != nil {
				return 0, err
			}
		}
	}
	return len(rows.Rows), nil
}

// Description implements Primitive.
func (del *Delete) Description() Description { return del.describeDML("Delete") }
