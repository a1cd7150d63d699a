package gateway

import (
	"context"
	"fmt"
	"strings"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// fillBatch is how many rows get their entries in one transaction.
const fillBatch = 500

// shard makes the entries of one shard's rows, in the order of their primary key, and returns how many rows there were.
func (f *lookupFill) shard(ctx context.Context, shard engine.Shard) (rows uint64, err error) {
	var last sqltypes.Row // the primary key of the last row that was filled
	for {
		batch, err := f.batch(ctx, shard, last)
		rows += uint64(len(batch))
		if err != nil || len(batch) < fillBatch || len(f.table.PrimaryKey) == 0 {
			return rows, err
		}
		row := batch[len(batch)-1]
		last = row[len(row)-len(f.table.PrimaryKey):]
	}
}

// batch makes the entries of some rows in a transaction that keeps the rows as they are.
func (f *lookupFill) batch(ctx context.Context, shard engine.Shard, last sqltypes.Row) (_ []sqltypes.Row, err error) {
	s := f.session
	s.tx = newTransaction(s)
	x := &execution{session: s, isDML: true}
	defer func() {
		if err != nil {
			_ = s.rollback(ctx) // the first error says more
		}
	}()
	query, vars := f.query(last)
	results, err := x.Execute(ctx, []engine.ShardQuery{{Shard: shard, SQL: query, BindVars: vars}}, engine.ShardOptions{})
	if err != nil {
		return nil, err
	}
	rows := results[0].Rows
	if len(rows) > 0 {
		if err := f.create(ctx, &lookups{execution: x, isDML: true}, rows); err != nil {
			return nil, err
		}
	}
	return rows, s.commit(ctx)
}

// query selects the rows after the last one: the columns of the primary vindex, of the lookup and of the primary key.
func (f *lookupFill) query(last sqltypes.Row) (string, BindVars) {
	var columns, keys []string
	for _, list := range [][]sqlparser.IdentifierCI{f.primary.Columns, f.lookup.Columns, f.table.PrimaryKey} {
		for _, column := range list {
			columns = append(columns, sqlparser.String(column))
		}
	}
	keys = columns[len(columns)-len(f.table.PrimaryKey):]
	vars := BindVars{}
	var b strings.Builder
	fmt.Fprintf(&b, "select %s from %s", strings.Join(columns, ", "), sqlparser.String(f.table.Name))
	if last != nil {
		b.WriteString(" where " + after(keys, last, vars))
	}
	if len(keys) > 0 {
		fmt.Fprintf(&b, " order by %s limit %d", strings.Join(keys, ", "), fillBatch)
	}
	b.WriteString(" for update")
	return b.String(), vars
}

// after is a condition for rows whose key comes after the last one's: a > :k0 or a = :k0 and (b > :k1 or ...).
func after(keys []string, last sqltypes.Row, vars BindVars) string {
	i := len(last) - len(keys)
	name := fmt.Sprint("k", i)
	vars[name] = sqltypes.ValueBindVariable(last[i])
	condition := keys[0] + " > :" + name
	if len(keys) == 1 {
		return condition
	}
	return condition + " or " + keys[0] + " = :" + name + " and (" + after(keys[1:], last, vars) + ")"
}

// create makes the entries of rows. Those that are there already are left as they are, but must be the row's.
func (f *lookupFill) create(ctx context.Context, cursor *lookups, rows []sqltypes.Row) error {
	places := make([][]sqltypes.Value, len(rows))
	values := make([][]sqltypes.Value, len(rows))
	from, to := len(f.primary.Columns), len(f.primary.Columns)+len(f.lookup.Columns)
	for i, row := range rows {
		places[i], values[i] = row[:from], row[from:to]
	}
	ksids, err := f.keyspaceIDs(ctx, cursor, places)
	if err != nil {
		return err
	}
	if err := f.lookup.Vindex.(vindexes.Lookup).Create(ctx, cursor, values, ksids, true); err != nil {
		return err
	}
	if !f.lookup.IsUnique() {
		return nil
	}
	return f.verify(ctx, cursor, values, ksids)
}

// keyspaceIDs maps rows by the primary vindex.
func (f *lookupFill) keyspaceIDs(ctx context.Context, cursor *lookups, rows [][]sqltypes.Value) ([][]byte, error) {
	var dests []key.Destination
	var err error
	switch vindex := f.primary.Vindex.(type) {
	case vindexes.MultiColumn:
		dests, err = vindex.Map(ctx, cursor, rows)
	case vindexes.SingleColumn:
		dests, err = vindex.Map(ctx, cursor, firstValues(rows))
	}
	if err != nil {
		return nil, err
	}
	ksids := make([][]byte, len(dests))
	for i, dest := range dests {
		ksid, ok := dest.(key.DestinationKeyspaceID)
		if !ok {
			return nil, vterrors.Errorf(vtrpcpb.Code_FAILED_PRECONDITION, "row %v of table %s has no keyspace id", rows[i], f.table.Name)
		}
		ksids[i] = ksid
	}
	return ksids, nil
}

// verify is error 1062 where the entry of a row's value belongs to another row.
func (f *lookupFill) verify(ctx context.Context, cursor *lookups, values [][]sqltypes.Value, ksids [][]byte) error {
	same, err := f.used.(vindexes.SingleColumn).Verify(ctx, cursor, firstValues(values), ksids)
	if err != nil {
		return err
	}
	for i, ok := range same {
		if ok || values[i][0].IsNull() {
			continue
		}
		var texts []string
		for _, value := range values[i] {
			texts = append(texts, value.ToString())
		}
		return sqlerror.NewSQLErrorf(sqlerror.ERDupEntry, sqlerror.SSConstraintViolation,
			"Duplicate entry '%s' for key '%s.%s'", strings.Join(texts, "-"), f.table.Name, f.lookup.Name)
	}
	return nil
}

func firstValues(rows [][]sqltypes.Value) []sqltypes.Value {
	values := make([]sqltypes.Value, len(rows))
	for i, row := range rows {
		values[i] = row[0]
	}
	return values
}
