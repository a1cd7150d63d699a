package engine

import (
	"context"
	"fmt"
	"time"

	"vitess.io/vitess/go/sqltypes"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// writeShards runs a write on shards and returns what all of them did together.
func writeShards(ctx context.Context, env *Env, queries []ShardQuery, opts ShardOptions) (*sqltypes.Result, error) {
	results, err := writeEach(ctx, env, queries, opts)
	if err != nil {
		return nil, err
	}
	return addUpWrites(results), nil
}

// writeEach runs a write on shards. One shard may commit by itself if nothing else of the statement writes.
func writeEach(ctx context.Context, env *Env, queries []ShardQuery, opts ShardOptions) ([]*sqltypes.Result, error) {
	if len(queries) == 0 {
		return nil, nil
	}
	opts.Write = true
	opts.Autocommit = opts.Autocommit && !env.MoreWrites && (len(queries) == 1 || opts.MultiShardAutocommit)
	return env.Shards.Execute(ctx, queries, opts)
}

// addUpWrites adds up affected rows and info; the insert id is the first one.
func addUpWrites(results []*sqltypes.Result) *sqltypes.Result {
	if len(results) == 1 {
		return results[0]
	}
	total := &sqltypes.Result{}
	for _, result := range results {
		if result == nil {
			continue
		}
		total.RowsAffected += result.RowsAffected
		if total.InsertID == 0 && result.InsertID != 0 {
			total.InsertID = result.InsertID
		}
		total.InsertIDChanged = total.InsertIDChanged || result.InsertIDChanged
		total.Info = addUpInfo(total.Info, result.Info)
	}
	return total
}

// The info texts of MySQL's OK packet. Both hold three numbers.
const (
	matchedInfo = "Rows matched: %d  Changed: %d  Warnings: %d"
	recordsInfo = "Records: %d  Duplicates: %d  Warnings: %d"

	noRecords = "Records: 0  Duplicates: 0  Warnings: 0"

	// NoneMatched is what an UPDATE that asks no shard says.
	NoneMatched = "Rows matched: 0  Changed: 0  Warnings: 0"
)

// addUpInfo adds the numbers of two info texts of one kind.
func addUpInfo(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	for _, format := range []string{matchedInfo, recordsInfo} {
		var x, y [3]int
		if n, _ := fmt.Sscanf(a, format, &x[0], &x[1], &x[2]); n != 3 {
			continue
		}
		if n, _ := fmt.Sscanf(b, format, &y[0], &y[1], &y[2]); n == 3 {
			return fmt.Sprintf(format, x[0]+y[0], x[1]+y[1], x[2]+y[2])
		}
	}
	return a
}

// withTimeout bounds a context by milliseconds, if there are any.
func withTimeout(ctx context.Context, millis int) (context.Context, context.CancelFunc) {
	if millis <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(millis)*time.Millisecond)
}

// mapRows maps rows of a vindex's columns, of either kind of vindex.
func mapRows(ctx context.Context, env *Env, vindex vindexes.Vindex, rows [][]sqltypes.Value) ([]key.Destination, error) {
	switch vindex := vindex.(type) {
	case vindexes.MultiColumn:
		return vindex.Map(ctx, env.Lookups, rows)
	case vindexes.SingleColumn:
		return vindex.Map(ctx, env.Lookups, firstColumn(rows))
	default:
		return nil, vterrors.VT13001(fmt.Sprintf("vindex %s does not map", vindex))
	}
}

// verifyRows tells of each row whether it maps to the keyspace id beside it.
func verifyRows(ctx context.Context, env *Env, vindex vindexes.Vindex, rows [][]sqltypes.Value, ksids [][]byte) ([]bool, error) {
	switch vindex := vindex.(type) {
	case vindexes.MultiColumn:
		return vindex.Verify(ctx, env.Lookups, rows, ksids)
	case vindexes.SingleColumn:
		return vindex.Verify(ctx, env.Lookups, firstColumn(rows), ksids)
	default:
		return nil, vterrors.VT13001(fmt.Sprintf("vindex %s does not verify", vindex))
	}
}

func firstColumn(rows [][]sqltypes.Value) []sqltypes.Value {
	values := make([]sqltypes.Value, len(rows))
	for i, row := range rows {
		values[i] = row[0]
	}
	return values
}

// keyspaceIDOf maps one row to its keyspace id, nil where it has none.
func keyspaceIDOf(ctx context.Context, env *Env, vindex vindexes.Vindex, row []sqltypes.Value) ([]byte, error) {
	dests, err := mapRows(ctx, env, vindex, [][]sqltypes.Value{row})
	if err != nil {
		return nil, err
	}
	switch dest := dests[0].(type) {
	case key.DestinationKeyspaceID:
		return dest, nil
	case key.DestinationNone:
		return nil, nil
	default:
		return nil, vterrors.Errorf(vtrpcpb.Code_INTERNAL, "cannot map vindex to unique keyspace id: %v", dest)
	}
}

// mismatch is the error for values that belong to another shard than their row.
func mismatch(rows [][]sqltypes.Value, columns any) error {
	return vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "values %v for column %v does not map to keyspace ids", rows, columns)
}
