package engine

import (
	"context"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

var _ Primitive = (*Insert)(nil)

// Insert writes rows whose values stand in the statement: as it is to an unsharded keyspace, split by row otherwise.
type Insert struct {
	leaf
	InsertCommon

	// Query is the whole statement, for unsharded keyspaces and for printing.
	Query string
	// VindexValues are the vindexes' values: by vindex as in ColVindexes, by vindex column, by row.
	VindexValues [][][]evalengine.Expr
	// Mid are the rows of a sharded insert. Vindex columns stand in them as bind variables `:_<column>_<row>`.
	Mid sqlparser.Values
	// Alias follows the rows (` as new(a, b)`).
	Alias string
}

// Execute implements Primitive.
func (ins *Insert) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) (err error) {
	ctx, cancel := withTimeout(ctx, ins.QueryTimeout)
	defer cancel()
	w := shardInserts{given: len(ins.Mid), warned: env.Session.WarningCount()}
	if ins.Generate != nil {
		if bindVars, w.generated, err = ins.Generate.generateForValues(ctx, env, bindVars); err != nil {
			return err
		}
	}
	if ins.isWhole() {
		w.queries, err = ins.wholeQueries(ctx, env, ins.Query, bindVars)
	} else {
		err = ins.shardedQueries(ctx, env, bindVars, &w)
	}
	if err != nil {
		return err
	}
	result, err := ins.insert(ctx, env, w, !ins.PreventAutoCommit, false)
	if err != nil {
		return err
	}
	return emit(result)
}

// GetFields implements Primitive.
func (*Insert) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) { return nil, nil }

// shardedQueries splits the rows by shard.
func (ins *Insert) shardedQueries(ctx context.Context, env *Env, bindVars BindVars, w *shardInserts) (err error) {
	if w.entries, err = ins.vindexRows(ctx, env, bindVars); err != nil {
		return err
	}
	given := ins.looseTexts(w.entries)
	if w.ksids, err = ins.place(ctx, env, w.entries); err != nil {
		return err
	}
	vars := copyVars(bindVars, len(w.ksids)*len(ins.ColVindexes))
	for i, colVindex := range ins.ColVindexes {
		for row := range w.ksids {
			for j, col := range colVindex.Columns {
				value := w.entries[i][row][j]
				if text, ok := given[[3]int{i, row, j}]; ok {
					value = text
				}
				vars[opcode.InsertVar(col, row)] = sqltypes.ValueBindVariable(value)
			}
		}
	}
	shards, rows, err := ins.split(ctx, env, w.ksids)
	if err != nil {
		return err
	}
	w.rows, w.queries = rows, make([]ShardQuery, len(shards))
	for i, shard := range shards {
		// Bind variables of other shards' rows are in the way of nobody.
		w.queries[i] = ShardQuery{Shard: shard, SQL: ins.queryOf(rows[i]), BindVars: vars}
	}
	return nil
}

// looseTexts returns the texts that INSERT IGNORE takes for the number they begin with, by vindex, row and column. The shard is
// given the text, so that it warns of what it leaves out.
func (ins *Insert) looseTexts(values [][][]sqltypes.Value) map[[3]int]sqltypes.Value {
	if !ins.Ignore {
		return nil
	}
	var texts map[[3]int]sqltypes.Value
	for i, rows := range values {
		for row, cells := range rows {
			for j, value := range cells {
				if !sqltypes.IsIntegral(ins.columnType(i, j)) || !isTextual(value.Type()) || isNumeric(value.ToString()) {
					continue
				}
				if texts == nil {
					texts = make(map[[3]int]sqltypes.Value)
				}
				texts[[3]int{i, row, j}] = value
			}
		}
	}
	return texts
}

// queryOf prints the statement with the given rows.
func (ins *Insert) queryOf(rows []int) string {
	buf := sqlparser.NewTrackedBuffer(nil)
	buf.WriteString(ins.Prefix)
	for i, row := range rows {
		if i > 0 {
			buf.WriteString(", ")
		}
		ins.Mid[row].Format(buf)
	}
	buf.WriteString(ins.Alias)
	ins.Suffix.Format(buf)
	return buf.String()
}

// vindexRows evaluates the vindexes' values and turns them from columns of rows into rows of columns.
func (ins *Insert) vindexRows(ctx context.Context, env *Env, bindVars BindVars) ([][][]sqltypes.Value, error) {
	expressions := env.expressions(ctx, bindVars)
	all := make([][][]sqltypes.Value, len(ins.VindexValues))
	for i, columns := range ins.VindexValues {
		all[i] = make([][]sqltypes.Value, len(ins.Mid))
		for col, exprs := range columns {
			if len(exprs) != len(ins.Mid) {
				return nil, vterrors.VT13001("an insert's vindex values and rows differ in number")
			}
			for row, expr := range exprs {
				result, err := expressions.Evaluate(expr)
				if err != nil {
					return nil, err
				}
				value := literalNumber(ins.columnType(i, col), expr.IR(), bindVars, result.Value(env.Collation))
				all[i][row] = append(all[i][row], value)
			}
		}
	}
	return all, nil
}

// Description implements Primitive.
func (ins *Insert) Description() Description {
	d := ins.describeInsert(ins.Opcode.String())
	d.set("Query", ins.Query)
	if len(ins.VindexValues) > 0 {
		texts := map[string]string{}
		for i, columns := range ins.VindexValues {
			texts[ins.ColVindexes[i].Name] = joined(columns, func(rows []evalengine.Expr) string {
				return joined(rows, printExpr)
			})
		}
		d.set("VindexValues", texts)
	}
	if whole := ins.wholeQuery(); whole != ins.Query {
		d.set("ActualQuery", whole)
	}
	d.set("FetchLastInsertID", ins.FetchLastInsertID)
	return d
}

// wholeQuery prints the statement with all rows, as one shard that owns them all would get it.
func (ins *Insert) wholeQuery() string {
	if ins.Mid == nil {
		return ins.Query
	}
	rows := make([]string, len(ins.Mid))
	for i, row := range ins.Mid {
		rows[i] = sqlparser.String(row)
	}
	return ins.Prefix + strings.Join(rows, ", ") + ins.Alias + sqlparser.String(ins.Suffix)
}
