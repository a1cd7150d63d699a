package engine

import (
	"context"
	"fmt"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// place finds the keyspace id of each row and brings the other vindexes in line. values are by vindex as in ColVindexes,
// by row, by vindex column; NULLs of reversible vindexes are filled in. Rows to be left out (Ignore) get no keyspace id.
func (ic *InsertCommon) place(ctx context.Context, env *Env, values [][][]sqltypes.Value) ([][]byte, error) {
	if len(ic.ColVindexes) == 0 || len(values) == 0 {
		return nil, vterrors.VT09001(ic.TableName)
	}
	for i, types := range ic.ColumnTypes {
		storedRows(types, values[i], ic.Ignore && ic.Suffix == nil)
	}
	ksids, err := placePrimary(ctx, env, ic.ColVindexes[0], values[0])
	if err != nil {
		return nil, err
	}
	for i, colVindex := range ic.ColVindexes {
		switch {
		case i == 0:
		case colVindex.Owned:
			err = ic.createEntries(ctx, env, colVindex, values[i], ksids)
		default:
			err = ic.agree(ctx, env, colVindex, values[i], ksids)
		}
		if err != nil {
			return nil, err
		}
	}
	return ksids, nil
}

// columnType is the type of a vindex's column, NULL_TYPE if it is not known.
func (ic *InsertCommon) columnType(vindex, col int) querypb.Type {
	if vindex < len(ic.ColumnTypes) && col < len(ic.ColumnTypes[vindex]) {
		return ic.ColumnTypes[vindex][col]
	}
	return querypb.Type_NULL_TYPE
}

// placePrimary maps the primary vindex's values; each row must have exactly one place.
func placePrimary(ctx context.Context, env *Env, colVindex *vindexes.ColumnVindex, rows [][]sqltypes.Value) ([][]byte, error) {
	dests, err := mapRows(ctx, env, colVindex.Vindex, rows)
	if err != nil {
		return nil, err
	}
	ksids := make([][]byte, len(dests))
	for i, dest := range dests {
		switch dest := dest.(type) {
		case key.DestinationKeyspaceID:
			ksids[i] = dest
		case key.DestinationNone:
			return nil, vterrors.VT09023(rows[i])
		default:
			return nil, vterrors.VT09024(rows[i], dest)
		}
	}
	return ksids, nil
}

// createEntries stores the rows in an owned vindex. With Ignore, rows whose entry belongs to another row are left out.
func (ic *InsertCommon) createEntries(ctx context.Context, env *Env, colVindex *vindexes.ColumnVindex, rows [][]sqltypes.Value, ksids [][]byte) error {
	lookup, ok := colVindex.Vindex.(vindexes.Lookup)
	if !ok {
		return vterrors.VT13001("owned vindex " + colVindex.Name + " can not store rows")
	}
	if !ic.Ignore {
		return lookup.Create(ctx, env.Lookups, rows, ksids, false)
	}
	numbers, kept, keptIDs := placedRows(rows, ksids)
	if len(numbers) == 0 {
		return nil
	}
	if err := lookup.Create(ctx, env.Lookups, kept, keptIDs, true); err != nil {
		return err
	}
	verified, err := verifyRows(ctx, env, colVindex.Vindex, kept, keptIDs)
	if err != nil {
		return err
	}
	for i, ok := range verified {
		switch {
		case ok || hasNull(kept[i]): // rows with NULL are not stored
		case ic.Suffix != nil:
			return vterrors.VT12001(fmt.Sprintf("ON DUPLICATE KEY UPDATE of a row that has its place elsewhere: %s %v of table %s is another row's",
				colVindex.Name, kept[i], ic.TableName))
		default:
			ksids[numbers[i]] = nil
		}
	}
	return nil
}

// placedRows returns the rows that have a keyspace id, with their numbers.
func placedRows(rows [][]sqltypes.Value, ksids [][]byte) (numbers []int, kept [][]sqltypes.Value, keptIDs [][]byte) {
	for i, ksid := range ksids {
		if ksid != nil {
			numbers, kept, keptIDs = append(numbers, i), append(kept, rows[i]), append(keptIDs, ksid)
		}
	}
	return numbers, kept, keptIDs
}

func hasNull(row []sqltypes.Value) bool {
	for _, value := range row {
		if value.IsNull() {
			return true
		}
	}
	return false
}

// agree fills NULLs of a vindex that is not owned from the keyspace id, where that can be done, and checks all others.
func (ic *InsertCommon) agree(ctx context.Context, env *Env, colVindex *vindexes.ColumnVindex, rows [][]sqltypes.Value, ksids [][]byte) error {
	numbers, kept, keptIDs := placedRows(rows, ksids)
	var empty, given []int // positions in kept
	for i, row := range kept {
		if row[0].IsNull() {
			empty = append(empty, i)
		} else {
			given = append(given, i)
		}
	}
	if reversible, ok := colVindex.Vindex.(vindexes.Reversible); ok && len(empty) > 0 {
		made, err := reversible.ReverseMap(env.Lookups, pick(keptIDs, empty))
		if err != nil {
			return err
		}
		for i, position := range empty {
			kept[position][0] = made[i]
		}
	}
	if len(given) == 0 {
		return nil
	}
	verified, err := verifyRows(ctx, env, colVindex.Vindex, pick(kept, given), pick(keptIDs, given))
	if err != nil {
		return err
	}
	var wrong [][]sqltypes.Value
	for i, ok := range verified {
		switch position := given[i]; {
		case ok:
		case ic.Ignore:
			ksids[numbers[position]] = nil
		default:
			wrong = append(wrong, kept[position])
		}
	}
	if wrong != nil {
		return mismatch(wrong, colVindex.Columns)
	}
	return nil
}

func pick[T any](all []T, positions []int) []T {
	out := make([]T, len(positions))
	for i, position := range positions {
		out[i] = all[position]
	}
	return out
}

// split resolves keyspace ids to shards, with the numbers of the rows that go to each, in row order.
func (ic *InsertCommon) split(ctx context.Context, env *Env, ksids [][]byte) ([]Shard, [][]int, error) {
	var numbers []int
	var dests []key.Destination
	for i, ksid := range ksids {
		if ksid != nil {
			numbers = append(numbers, i)
			dests = append(dests, key.DestinationKeyspaceID(ksid))
		}
	}
	if len(dests) == 0 {
		return nil, nil, nil
	}
	shards, owners, err := env.Shards.Resolve(ctx, ic.Keyspace.Name, dests)
	if err != nil {
		return nil, nil, err
	}
	rows := make([][]int, len(shards))
	for i, indexes := range owners {
		rows[i] = pick(numbers, indexes)
	}
	return shards, rows, nil
}
