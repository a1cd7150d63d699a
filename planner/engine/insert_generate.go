package engine

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes/key"
)

// sequenceCount is the bind variable that tells a sequence's query how many values to fetch.
const sequenceCount = "n"

// generateForValues fetches sequence values for the rows that need one and adds all rows' values as `__seq<row>`. It
// returns the first value fetched, 0 for none.
func (g *Generate) generateForValues(ctx context.Context, env *Env, bindVars BindVars) (BindVars, uint64, error) {
	values, err := env.evaluateTuple(ctx, bindVars, g.Values)
	if err != nil {
		return nil, 0, err
	}
	wanted := 0
	for _, value := range values {
		if isGenerated(env, value) {
			wanted++
		}
	}
	first, err := g.fetch(ctx, env, wanted)
	if err != nil {
		return nil, 0, err
	}
	out := copyVars(bindVars, 2*len(values))
	next := first
	for i, value := range values {
		name := opcode.SequenceVar + strconv.Itoa(i)
		if isGenerated(env, value) {
			out[name] = sqltypes.Int64BindVariable(next)
			next++
		} else {
			out[name] = sqltypes.ValueBindVariable(value)
		}
	}
	return out, uint64(first), nil
}

// generateForRows is generateForValues for rows of a SELECT. The rows given are not changed.
func (g *Generate) generateForRows(ctx context.Context, env *Env, rows []sqltypes.Row) ([]sqltypes.Row, uint64, error) {
	if len(rows) == 0 {
		return rows, 0, nil
	}
	missing := g.Offset >= len(rows[0])
	wanted := 0
	for _, row := range rows {
		if missing || isGenerated(env, row[g.Offset]) {
			wanted++
		}
	}
	first, err := g.fetch(ctx, env, wanted)
	if err != nil || wanted == 0 {
		return rows, 0, err
	}
	out := make([]sqltypes.Row, len(rows))
	next := first
	for i, row := range rows {
		switch {
		case missing:
			out[i] = append(slices.Clone(row), sqltypes.NewInt64(next))
			next++
		case isGenerated(env, row[g.Offset]):
			out[i] = slices.Clone(row)
			out[i][g.Offset] = sqltypes.NewInt64(next)
			next++
		default:
			out[i] = row
		}
	}
	return out, uint64(first), nil
}

// fetch takes n values of the sequence at once and returns the first.
func (g *Generate) fetch(ctx context.Context, env *Env, n int) (int64, error) {
	if n == 0 {
		return 0, nil
	}
	shards, _, err := env.Shards.Resolve(ctx, g.Keyspace.Name, []key.Destination{key.DestinationAnyShard{}})
	if err != nil {
		return 0, err
	}
	if len(shards) != 1 {
		return 0, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT,
			"auto sequence generation can happen through single shard only, it is getting routed to %d shards", len(shards))
	}
	query := ShardQuery{Shard: shards[0], SQL: g.Query, BindVars: BindVars{sequenceCount: sqltypes.Int64BindVariable(int64(n))}}
	results, err := env.Shards.Execute(ctx, []ShardQuery{query}, ShardOptions{Standalone: true})
	if err != nil {
		return 0, err
	}
	if len(results[0].Rows) != 1 {
		return 0, vterrors.VT13001("a sequence answered with no value")
	}
	return results[0].Rows[0][0].ToCastInt64()
}

// isGenerated reports whether MySQL would generate a value in place of the one given: for NULL, and for what the column takes
// for 0 unless the SQL mode says otherwise.
func isGenerated(env *Env, value sqltypes.Value) bool {
	if value.IsNull() {
		return true
	}
	if strings.Contains(env.Facts.SQLMode(), "NO_AUTO_VALUE_ON_ZERO") {
		return false
	}
	// Through its text, as '0' and 0.0 are zeros too.
	number, err := strconv.ParseFloat(strings.TrimSpace(value.ToString()), 64)
	return err == nil && math.Round(number) == 0
}
