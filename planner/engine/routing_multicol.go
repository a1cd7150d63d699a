package engine

import (
	"context"
	"strconv"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
)

// findByRows maps rows of values of a multi-column vindex.
func (rp *RoutingParameters) findByRows(ctx context.Context, env *Env, bindVars BindVars, vindex vindexes.MultiColumn) ([]Shard, []BindVars, error) {
	columns, single, err := rp.columnValues(ctx, env, bindVars)
	if err != nil {
		return nil, nil, err
	}
	var rows [][]sqltypes.Value
	switch rp.Opcode {
	case opcode.Equal, opcode.EqualUnique, opcode.SubShard, opcode.MultiEqual:
		rows, err = zip(columns)
	case opcode.IN:
		rows = combinations(columns)
	default:
		err = vterrors.VT13001("a multi-column vindex can not route by " + rp.Opcode.String())
	}
	if err != nil {
		return nil, nil, err
	}
	held, ok := rp.comparedRows(rows)
	if !ok {
		all := make([]int, len(rows))
		for i := range all {
			all[i] = i
		}
		return rp.findDestination(ctx, env, columnLists(bindVars, rows, all, single), everywhere)
	}
	dests, err := vindex.Map(ctx, env.Lookups, held)
	if err != nil {
		return nil, nil, err
	}
	if rp.Opcode != opcode.IN {
		return rp.findDestinations(ctx, env, bindVars, dests)
	}
	shards, owners, err := env.Shards.Resolve(ctx, rp.Keyspace.Name, dests)
	if err != nil {
		return nil, nil, err
	}
	vars := make([]BindVars, len(shards))
	for i, indexes := range owners {
		vars[i] = columnLists(bindVars, rows, indexes, single)
	}
	return shards, vars, nil
}

// columnValues evaluates one expression per vindex column. Columns that are a value, not a tuple, are marked single.
func (rp *RoutingParameters) columnValues(ctx context.Context, env *Env, bindVars BindVars) (columns [][]sqltypes.Value, single []bool, err error) {
	columns = make([][]sqltypes.Value, len(rp.Values))
	single = make([]bool, len(rp.Values))
	expressions := env.expressions(ctx, bindVars)
	for i, expr := range rp.Values {
		result, err := expressions.Evaluate(expr)
		if err != nil {
			return nil, nil, err
		}
		columns[i] = literalNumbers(rp.columnType(i), expr.IR(), bindVars, result.TupleValues())
		if columns[i] == nil {
			single[i] = true
			columns[i] = []sqltypes.Value{literalNumber(rp.columnType(i), expr.IR(), bindVars, result.Value(env.Collation))}
		}
	}
	return columns, single, nil
}

// comparedRows makes the values of all rows what their columns would hold.
func (rp *RoutingParameters) comparedRows(rows [][]sqltypes.Value) ([][]sqltypes.Value, bool) {
	out := make([][]sqltypes.Value, len(rows))
	for i, row := range rows {
		out[i] = make([]sqltypes.Value, len(row))
		for col, value := range row {
			held, ok := comparedValue(rp.columnType(col), value)
			if !ok {
				return nil, false
			}
			out[i][col] = held
		}
	}
	return out, true
}

// zip makes rows of columns: (1, 3) and (2, 4) become [1 2] and [3 4].
func zip(columns [][]sqltypes.Value) ([][]sqltypes.Value, error) {
	rows := make([][]sqltypes.Value, len(columns[0]))
	for _, column := range columns {
		if len(column) != len(rows) {
			return nil, vterrors.VT13001("the columns of a multi-column vindex have different numbers of values")
		}
		for i, value := range column {
			rows[i] = append(rows[i], value)
		}
	}
	return rows, nil
}

// combinations makes rows of all combinations: (1, 2) and (3, 4) become [1 3], [1 4], [2 3], [2 4].
func combinations(columns [][]sqltypes.Value) [][]sqltypes.Value {
	rows := [][]sqltypes.Value{nil}
	for _, column := range columns {
		longer := make([][]sqltypes.Value, 0, len(rows)*len(column))
		for _, row := range rows {
			for _, value := range column {
				longer = append(longer, append(row[:len(row):len(row)], value))
			}
		}
		rows = longer
	}
	return rows
}

// columnLists gives a shard, for each tuple column, the list of the different values of its rows.
func columnLists(bindVars BindVars, rows [][]sqltypes.Value, indexes []int, single []bool) BindVars {
	out := copyVars(bindVars, len(single))
	for col := range single {
		if single[col] {
			continue
		}
		var list []sqltypes.Value
		seen := map[string]bool{}
		for _, index := range indexes {
			value := rows[index][col]
			if text := value.String(); !seen[text] {
				seen[text] = true
				list = append(list, value)
			}
		}
		out[opcode.ListVar+strconv.Itoa(col)] = listVariable(list)
	}
	return out
}
