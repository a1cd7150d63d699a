package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
)

var _ Primitive = (*InsertSelect)(nil)

// InsertSelect writes the rows its input gives.
type InsertSelect struct {
	InsertCommon

	Input Primitive
	// VindexValueOffset are the input's columns that hold the vindexes' values: by vindex as in ColVindexes, by vindex
	// column; -1 where the column is not among them, and so NULL.
	VindexValueOffset [][]int
}

// Inputs implements Primitive.
func (ins *InsertSelect) Inputs() []Input { return inputs(ins.Input) }

// Execute implements Primitive. Unless it has to read all rows first, it writes piece by piece, in one transaction.
func (ins *InsertSelect) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	ctx, cancel := withTimeout(ctx, ins.QueryTimeout)
	defer cancel()
	if ins.ForceNonStreaming {
		whole, err := env.collect(ctx, ins.Input, bindVars)
		if err != nil {
			return err
		}
		result, err := ins.insertRows(ctx, env, bindVars, whole.Rows, !ins.PreventAutoCommit)
		if err != nil {
			return err
		}
		return emit(result)
	}
	total := &sqltypes.Result{Info: noRecords}
	err := env.run(ctx, ins.Input, bindVars, func(piece *sqltypes.Result) error {
		result, err := ins.insertRows(ctx, env, bindVars, piece.Rows, false)
		if err != nil {
			return err
		}
		total = addUpWrites([]*sqltypes.Result{total, result})
		return nil
	})
	if err != nil {
		return err
	}
	return emit(total)
}

// GetFields implements Primitive.
func (*InsertSelect) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) {
	return nil, nil
}

// insertRows writes some of the input's rows.
func (ins *InsertSelect) insertRows(ctx context.Context, env *Env, bindVars BindVars, rows []sqltypes.Row, autocommit bool) (*sqltypes.Result, error) {
	if len(rows) == 0 {
		return &sqltypes.Result{Info: noRecords}, nil
	}
	w := shardInserts{given: len(rows), warned: env.Session.WarningCount()}
	var err error
	if ins.Generate != nil {
		if rows, w.generated, err = ins.Generate.generateForRows(ctx, env, rows); err != nil {
			return nil, err
		}
	}
	if ins.isWhole() {
		sql, vars := ins.queryOf(bindVars, rows, nil)
		w.queries, err = ins.wholeQueries(ctx, env, sql, vars)
	} else {
		err = ins.shardedQueries(ctx, env, bindVars, rows, &w)
	}
	if err != nil {
		return nil, err
	}
	return ins.insert(ctx, env, w, autocommit, true)
}

// shardedQueries splits rows by shard.
func (ins *InsertSelect) shardedQueries(ctx context.Context, env *Env, bindVars BindVars, rows []sqltypes.Row, w *shardInserts) (err error) {
	values := make([][][]sqltypes.Value, len(ins.VindexValueOffset))
	for i, offsets := range ins.VindexValueOffset {
		values[i] = make([][]sqltypes.Value, len(rows))
		for j, row := range rows {
			values[i][j] = make([]sqltypes.Value, len(offsets))
			for k, offset := range offsets {
				if offset >= 0 {
					values[i][j][k] = row[offset]
				}
			}
		}
	}
	w.entries = values
	if w.ksids, err = ins.place(ctx, env, values); err != nil {
		return err
	}
	shards, numbers, err := ins.split(ctx, env, w.ksids)
	if err != nil {
		return err
	}
	w.rows, w.queries = numbers, make([]ShardQuery, len(shards))
	for i, shard := range shards {
		sql, vars := ins.queryOf(bindVars, rows, numbers[i])
		w.queries[i] = ShardQuery{Shard: shard, SQL: sql, BindVars: vars}
	}
	return nil
}

// queryOf prints the statement with the rows of the given numbers, nil for all; values travel as `:_c<row>_<column>`.
func (ins *InsertSelect) queryOf(bindVars BindVars, rows []sqltypes.Row, numbers []int) (string, BindVars) {
	if numbers == nil {
		for i := range rows {
			numbers = append(numbers, i)
		}
	}
	vars := copyVars(bindVars, len(numbers)*len(rows[0]))
	var tuples sqlparser.Values
	for _, number := range numbers {
		tuple := make(sqlparser.ValTuple, len(rows[number]))
		for col, value := range rows[number] {
			name := fmt.Sprintf("_c%d_%d", number, col)
			vars[name] = sqltypes.ValueBindVariable(value)
			tuple[col] = sqlparser.NewArgument(name)
		}
		tuples = append(tuples, tuple)
	}
	return ins.Prefix + sqlparser.String(tuples) + sqlparser.String(ins.Suffix), vars
}

// Description implements Primitive.
func (ins *InsertSelect) Description() Description {
	d := ins.describeInsert("Select")
	if len(ins.VindexValueOffset) > 0 {
		texts := map[string]string{}
		for i, offsets := range ins.VindexValueOffset {
			text, _ := json.Marshal(offsets) // A list of ints always marshals.
			texts[ins.ColVindexes[i].Name] = string(text)
		}
		d.set("VindexOffsetFromSelect", texts)
	}
	return d
}
