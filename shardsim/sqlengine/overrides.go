package sqlengine

import (
	"bytes"
	"reflect"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// execOverrides runs the plan nodes we do not leave to the engine. Everything else is nil, nil.
//
// The engine's UPDATE compares old and new rows under the columns' collations: changing 'a' to 'A' did nothing. And it
// takes values that are out of a column's range as they wrap.
type execOverrides struct {
	engine *Engine
}

// Build implements sql.NodeExecBuilder.
func (o execOverrides) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	switch n := n.(type) {
	case *plan.Update:
		if n.IsJoin || len(n.Returning) > 0 {
			return nil, nil
		}
		return o.update(ctx, n, row)
	case *plan.UpdateSource:
		return o.updateSource(ctx, n, row)
	case *plan.DeleteFrom:
		return o.delete(ctx, n, row)
	case *beforeInsert:
		rows, err := o.build(ctx, n.Child, row)
		return &beforeInsertIter{n, rows}, err
	case *plan.Sort:
		return o.sort(ctx, n.Child, n.SortFields, nil, row)
	case *plan.TopN:
		return o.sort(ctx, n.Child, n.Fields, n.Limit, row)
	case *plan.Distinct:
		return o.distinct(ctx, n.Child, row)
	case *plan.OrderedDistinct:
		return o.distinct(ctx, n.Child, row)
	case *plan.ResolvedTable:
		return o.informationTable(ctx, n)
	case *foundRows:
		return n.iter(), nil
	case *plan.Window:
		return o.windowRows(ctx, n, row)
	case *begunRows:
		return n, nil
	case *plan.RecursiveCte:
		return o.recursiveRows(ctx, n, row)
	case *plan.GroupBy:
		return o.groupBy(ctx, n, row)
	case *plan.SetOp:
		return o.setOp(n, row), nil
	case *plan.IndexedTableAccess:
		if n.IsStatic() {
			return nil, nil
		}
		return o.lookupJoin(ctx, n, row)
	case *plan.HashLookup:
		return o.hashLookup(ctx, n, row)
	}
	return nil, nil
}

// build executes a child node, with overrides.
func (o execOverrides) build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	return o.engine.analyzer.ExecBuilder.Build(ctx, n, row)
}

// sameRow compares rows to the byte, as MySQL does to tell whether a row changed.
func sameRow(a, b sql.Row) bool {
	for i := range a {
		if !sameValue(a[i], b[i]) {
			return false
		}
	}
	return true
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case []byte:
		bb, ok := b.([]byte)
		return ok && bytes.Equal(a, bb)
	case decimal.Decimal:
		bd, ok := b.(decimal.Decimal)
		return ok && a.Equal(bd)
	case time.Time:
		bt, ok := b.(time.Time)
		return ok && a.Equal(bt)
	case sql.JSONWrapper:
		bj, ok := b.(sql.JSONWrapper)
		if !ok {
			return false
		}
		at, errA := types.JsonToMySqlString(a)
		bt, errB := types.JsonToMySqlString(bj)
		return errA == nil && errB == nil && at == bt
	case types.GeometryValue:
		return reflect.DeepEqual(a, b)
	}
	return a == b
}
