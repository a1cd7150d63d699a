package vindexes

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtgatepb "vitess.io/vitess/go/vt/proto/vtgate"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"
)

// lookupTable is the table behind a lookup vindex and the queries on it. It
// stores values as it gets them: what a keyspace id looks like in the column
// "to" is for lookupBase to know.
type lookupTable struct {
	table string
	from  []string // columns of the ids
	to    string   // column of the keyspace id

	autocommit           bool // writes go outside the transaction
	multiShardAutocommit bool // and on several shards at once
	upsert               bool // a row that is there already is overwritten
	ignoreNulls          bool // rows with a NULL id are not stored
	batch                bool // one query for all ids, whatever their type

	selectQuery, selectLocking, verifyQuery, deleteQuery string
}

// The parameters every lookup vindex takes, and those of the ones that are
// not consistent.
var (
	lookupTableParams  = []string{"table", "from", "to", "ignore_nulls", "batch_lookup", "read_lock"}
	lookupCommonParams = append(slices.Clone(lookupTableParams), "autocommit", "multi_shard_autocommit")
)

// newLookupTable reads the parameters that concern the table.
func newLookupTable(params map[string]string, autocommit, upsert, multiShardAutocommit bool) (lookupTable, error) {
	t := lookupTable{
		table: params["table"], to: params["to"],
		autocommit: autocommit || multiShardAutocommit, multiShardAutocommit: multiShardAutocommit, upsert: upsert,
	}
	for column := range strings.SplitSeq(params["from"], ",") {
		t.from = append(t.from, strings.TrimSpace(column))
	}
	var err error
	if t.ignoreNulls, err = boolParam(params, "ignore_nulls"); err != nil {
		return t, err
	}
	if t.batch, err = boolParam(params, "batch_lookup"); err != nil {
		return t, err
	}
	lock := " for update"
	switch mode, given := params["read_lock"]; {
	case !given || mode == "exclusive":
	case mode == "shared":
		lock = " lock in share mode"
	case mode == "none":
		lock = ""
	default:
		return t, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "invalid read_lock value: %s", mode)
	}
	// A lookup of several columns is read by its first alone, as in Vitess.
	first := t.from[0]
	t.selectQuery = fmt.Sprintf("select %s, %s from %s where %s in ::%s", first, t.to, t.table, first, first)
	t.selectLocking = t.selectQuery + lock
	t.verifyQuery = fmt.Sprintf("select %s from %s where %s = :%s and %s = :%s", first, t.table, first, first, t.to, t.to)
	t.deleteQuery = fmt.Sprintf("delete from %s%s and %s = :%s", t.table, whereEqual(t.from, t.from), t.to, t.to)
	return t, nil
}

// boolParam reads a parameter that is "true" or "false"; missing is false.
func boolParam(params map[string]string, name string) (bool, error) {
	switch value, given := params[name]; {
	case !given || value == "false":
		return false, nil
	case value == "true":
		return true, nil
	default:
		return false, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "%s value must be 'true' or 'false': '%s'", name, value)
	}
}

// whereEqual is a WHERE of columns equal to arguments, one each.
func whereEqual(columns, arguments []string) string {
	terms := make([]string, len(columns))
	for i, column := range columns {
		terms[i] = column + " = :" + arguments[i]
	}
	return " where " + strings.Join(terms, " and ")
}

// order is the commit order of a query that would have the given one.
func (t *lookupTable) order(normal vtgatepb.CommitOrder) vtgatepb.CommitOrder {
	if t.autocommit {
		return vtgatepb.CommitOrder_AUTOCOMMIT
	}
	return normal
}

// lookup reads the ids' rows: one result per id, each row the column "to".
// Integers travel in one query; other types one by one unless batch is set,
// because their text may differ from what the table's collation finds equal.
func (t *lookupTable) lookup(ctx context.Context, vc VCursor, ids []sqltypes.Value, order vtgatepb.CommitOrder) ([]*sqltypes.Result, error) {
	if vc == nil {
		return nil, vterrors.VT13001("cannot perform lookup: no vcursor provided")
	}
	if len(ids) == 0 {
		return nil, nil
	}
	query := t.selectQuery
	if vc.InTransactionAndIsDML() {
		query = t.selectLocking
	}
	read := func(ids []sqltypes.Value) (*sqltypes.Result, error) {
		tuple, err := sqltypes.BuildBindVariable(ids)
		if err != nil {
			return nil, err
		}
		result, err := vc.Execute(ctx, "VindexLookup", query, map[string]*querypb.BindVariable{t.from[0]: tuple}, false, t.order(order))
		return result, vterrors.Wrap(err, "lookup.Map")
	}
	if ids[0].IsIntegral() || t.batch {
		all, err := read(ids)
		if err != nil {
			return nil, err
		}
		return splitByID(ids, all), nil
	}
	results := make([]*sqltypes.Result, len(ids))
	for i := range ids {
		one, err := read(ids[i : i+1])
		if err != nil {
			return nil, err
		}
		results[i] = &sqltypes.Result{}
		for _, row := range one.Rows {
			results[i].Rows = append(results[i].Rows, row[1:2])
		}
	}
	return results, nil
}

// splitByID deals rows (id, to) out to the ids by the id's text.
func splitByID(ids []sqltypes.Value, all *sqltypes.Result) []*sqltypes.Result {
	byID := make(map[string][]sqltypes.Row, len(all.Rows))
	for _, row := range all.Rows {
		id := row[0].ToString()
		byID[id] = append(byID[id], row[1:2])
	}
	results := make([]*sqltypes.Result, len(ids))
	for i, id := range ids {
		results[i] = &sqltypes.Result{Rows: byID[id.ToString()]}
	}
	return results
}

// verify says for each id whether the table pairs it with the value beside it.
func (t *lookupTable) verify(ctx context.Context, vc VCursor, ids, values []sqltypes.Value, order vtgatepb.CommitOrder) ([]bool, error) {
	paired := make([]bool, len(ids))
	for i, id := range ids {
		bindVars := map[string]*querypb.BindVariable{
			t.from[0]: sqltypes.ValueBindVariable(id),
			t.to:      sqltypes.ValueBindVariable(values[i]),
		}
		result, err := vc.Execute(ctx, "VindexVerify", t.verifyQuery, bindVars, false, order)
		if err != nil {
			return nil, vterrors.Wrap(err, "lookup.Verify")
		}
		paired[i] = len(result.Rows) > 0
	}
	return paired, nil
}

// lookupRow is one row of the table: the ids and the column "to".
type lookupRow struct {
	ids []sqltypes.Value
	to  sqltypes.Value
}

// create stores rows in one INSERT, sorted so that two sessions that store
// the same rows meet in the same order. A NULL id is VT03028 unless ignored.
func (t *lookupTable) create(ctx context.Context, vc VCursor, ids [][]sqltypes.Value, tos []sqltypes.Value, ignore bool, order vtgatepb.CommitOrder) error {
	rows := make([]lookupRow, 0, len(ids))
	for i, row := range ids {
		null := slices.IndexFunc(row, sqltypes.Value.IsNull)
		switch {
		case null < 0:
			rows = append(rows, lookupRow{row, tos[i]})
		case !t.ignoreNulls:
			return vterrors.VT03028(strings.Join(t.from, ","), i, null)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if len(rows[0].ids) != len(t.from) {
		return vterrors.VT03030(t.from, len(rows[0].ids))
	}
	slices.SortFunc(rows, compareLookupRows)
	query, bindVars := t.insertQuery(rows, ignore)
	if _, err := vc.Execute(ctx, "VindexCreate", query, bindVars, true, order); err != nil {
		return vterrors.Wrap(err, "lookup.Create")
	}
	return nil
}

// compareLookupRows orders rows by the bytes of their ids, then of "to".
func compareLookupRows(a, b lookupRow) int {
	for i := range a.ids {
		if c := bytes.Compare(literalBytes(a.ids[i]), literalBytes(b.ids[i])); c != 0 {
			return c
		}
	}
	return bytes.Compare(literalBytes(a.to), literalBytes(b.to))
}

// literalBytes are the value's bytes; a malformed literal has none.
func literalBytes(v sqltypes.Value) []byte {
	data, err := v.ToBytes()
	if err != nil {
		return nil
	}
	return data
}

// insertQuery is the INSERT of rows, with arguments named column_row.
func (t *lookupTable) insertQuery(rows []lookupRow, ignore bool) (string, map[string]*querypb.BindVariable) {
	columns := append(slices.Clone(t.from), t.to)
	var b strings.Builder
	b.WriteString("insert")
	if t.multiShardAutocommit {
		b.WriteString(" /*vt+ MULTI_SHARD_AUTOCOMMIT=1 */")
	}
	if ignore {
		b.WriteString(" ignore")
	}
	fmt.Fprintf(&b, " into %s(%s) values", t.table, strings.Join(columns, ", "))
	bindVars := make(map[string]*querypb.BindVariable, len(rows)*len(columns))
	for i, row := range rows {
		arguments := make([]string, len(columns))
		for j, value := range append(slices.Clone(row.ids), row.to) {
			name := columns[j] + "_" + strconv.Itoa(i)
			bindVars[name] = sqltypes.ValueBindVariable(value)
			arguments[j] = ":" + name
		}
		if i > 0 {
			b.WriteString(", ")
		} // the first row follows "values" without a blank, as Vitess writes it
		fmt.Fprintf(&b, "(%s)", strings.Join(arguments, ", "))
	}
	if t.upsert {
		updates := make([]string, len(columns))
		for j, column := range columns {
			updates[j] = column + "=values(" + column + ")"
		}
		b.WriteString(" on duplicate key update " + strings.Join(updates, ", "))
	}
	return b.String(), bindVars
}

// delete removes rows that are paired with one value. With autocommit it does
// nothing: the row may be another transaction's by now.
func (t *lookupTable) delete(ctx context.Context, vc VCursor, ids [][]sqltypes.Value, to sqltypes.Value, order vtgatepb.CommitOrder) error {
	if t.autocommit || len(ids) == 0 {
		return nil
	}
	if len(ids[0]) != len(t.from) {
		return vterrors.VT03030(t.from, len(ids[0]))
	}
	for _, row := range ids {
		bindVars := map[string]*querypb.BindVariable{}
		for i, id := range row {
			bindVars[t.from[i]] = sqltypes.ValueBindVariable(id)
		}
		bindVars[t.to] = sqltypes.ValueBindVariable(to)
		if _, err := vc.Execute(ctx, "VindexDelete", t.deleteQuery, bindVars, true, order); err != nil {
			return vterrors.Wrap(err, "lookup.Delete")
		}
	}
	return nil
}
