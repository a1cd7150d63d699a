package sqlengine

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
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
		if n.IsJoin {
			return nil, errUnsupported("UPDATE of a join in triggers")
		}
		if n.Ignore || len(n.Returning) > 0 {
			return nil, nil
		}
		return o.update(ctx, n, row)
	case *plan.DeleteFrom:
		if n.HasExplicitTargets() && readsJoin(n.Child) {
			return nil, errUnsupported("DELETE of a join in triggers")
		}
		return nil, nil
	case *plan.UpdateSource:
		if n.Ignore {
			return nil, nil
		}
		rows, err := o.build(ctx, n.Child, row)
		if err != nil {
			return nil, err
		}
		return &updateSource{rows: rows, sets: n.UpdateExprs}, nil
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
	case *plan.Call:
		return nil, errUnsupported("CALL in triggers")
	case *plan.TriggerExecutor:
		if below, ok := n.Left().(*plan.Update); ok {
			fromContext(ctx).triggering = below
		}
		return nil, nil
	case *foundRows:
		return n.iter(), nil
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

// readsJoin reports whether a plan joins tables, subqueries not counted.
func readsJoin(n sql.Node) bool {
	if _, isJoin := n.(*plan.JoinNode); isJoin {
		return true
	}
	for _, c := range n.Children() {
		if readsJoin(c) {
			return true
		}
	}
	return false
}

// build executes a child node, with overrides.
func (o execOverrides) build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	return o.engine.analyzer.ExecBuilder.Build(ctx, n, row)
}

func (o execOverrides) update(ctx *sql.Context, n *plan.Update, row sql.Row) (sql.RowIter, error) {
	target, err := plan.GetUpdatable(n.Child)
	if err != nil {
		return nil, err
	}
	rows, err := o.build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	u := &update{rows: rows, schema: target.Schema(), updater: target.Updater(ctx), checks: n.Checks()}
	u.foundRows = ctx.Client().Capabilities&clientFoundRows != 0
	if s := fromContext(ctx); s.triggering == n {
		s.triggered = &plan.UpdateInfo{}
		return &triggeringUpdate{update: u, count: s.triggered}, nil
	}
	return u, nil
}

// triggeringUpdate is an update below an AFTER trigger, which needs each row: as it was, then as it is.
type triggeringUpdate struct {
	*update
	count *plan.UpdateInfo
}

func (u *triggeringUpdate) Next(ctx *sql.Context) (sql.Row, error) {
	both, err := u.rows.Next(ctx)
	if err != nil {
		return nil, err
	}
	u.count.Matched++
	wrote, err := u.write(ctx, both[:len(both)/2], both[len(both)/2:])
	if wrote {
		u.count.Updated++
	}
	return both, err
}

// executed builds a plan. One that writes gives one row, its result, in place of the rows it wrote.
func (o execOverrides) executed(ctx *sql.Context, n sql.Node) (sql.RowIter, sql.Schema, error) {
	s := fromContext(ctx)
	s.triggering, s.triggered = nil, nil
	iter, err := o.build(ctx, n, nil)
	if err != nil {
		return nil, nil, err
	}
	count := s.triggered
	if count == nil {
		iter, schema := rowexec.AddAccumulatorIter(ctx, iter)
		return iter, schema, nil
	}
	total := func(ctx *sql.Context) ([]sql.Row, error) {
		err := eachRow(ctx, iter, func(sql.Row) error { return nil })
		affected := count.Updated
		if ctx.Client().Capabilities&clientFoundRows != 0 {
			affected = count.Matched
		}
		return []sql.Row{{types.OkResult{RowsAffected: uint64(affected), Info: *count}}}, err
	}
	return &lazyRows{read: total, stop: iter.Close}, types.OkResultSchema, nil
}

// updateSource gives each row twice: as it is, then as the SET clause makes it.
type updateSource struct {
	rows sql.RowIter
	sets []sql.Expression
}

func (u *updateSource) Next(ctx *sql.Context) (sql.Row, error) {
	old, err := u.rows.Next(ctx)
	if err != nil {
		return nil, err
	}
	row := old
	// Defaults and generated columns come last: they see what the others were set to.
	for _, late := range []bool{false, true} {
		for _, e := range u.sets {
			if isLate(e) != late {
				continue
			}
			if row, err = applySet(ctx, e, row); err != nil {
				return nil, err
			}
		}
	}
	both := make(sql.Row, 0, len(old)+len(row))
	return append(append(both, old...), row...), nil
}

func (u *updateSource) Close(ctx *sql.Context) error { return u.rows.Close(ctx) }

// isLate reports whether a SET is of a generated column or an expression default.
func isLate(e sql.Expression) bool {
	set, ok := e.(*expression.SetField)
	if !ok {
		return false
	}
	def, ok := set.RightChild.(*sql.ColumnDefaultValue)
	return ok && !def.IsLiteral()
}

// applySet evaluates one SET, whose value is an assignment.
func applySet(ctx *sql.Context, e sql.Expression, row sql.Row) (sql.Row, error) {
	set, isSet := e.(*expression.SetField)
	field, isField := (*expression.GetField)(nil), false
	if isSet {
		field, isField = set.LeftChild.(*expression.GetField)
	}
	if !isField || field.Index() < 0 || field.Index() >= len(row) {
		v, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		changed, ok := v.(sql.Row)
		if !ok {
			return nil, plan.ErrUpdateUnexpectedSetResult.New(v)
		}
		return changed, nil
	}
	v, err := set.RightChild.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	changed := row.Copy()
	changed[field.Index()] = v
	return changed, nil
}

// update writes the rows of an updateSource and gives one row: an OK result with what MySQL counts.
type update struct {
	rows      sql.RowIter
	schema    sql.Schema
	updater   sql.RowUpdater
	checks    sql.CheckConstraints
	foundRows bool
	done      bool
}

func (u *update) Next(ctx *sql.Context) (sql.Row, error) {
	if u.done {
		return nil, io.EOF
	}
	u.done = true
	matched, changed := 0, 0
	for {
		both, err := u.rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		matched++
		wrote, err := u.write(ctx, both[:len(both)/2], both[len(both)/2:])
		if err != nil {
			return nil, err
		}
		if wrote {
			changed++
		}
	}
	affected := changed
	if u.foundRows {
		affected = matched
	}
	return sql.NewRow(types.OkResult{
		RowsAffected: uint64(affected),
		Info:         plan.UpdateInfo{Matched: matched, Updated: changed},
	}), nil
}

func (u *update) write(ctx *sql.Context, old, row sql.Row) (bool, error) {
	if sameRow(old, row) {
		return false, nil
	}
	for _, check := range u.checks {
		if !check.Enforced {
			continue
		}
		ok, err := sql.EvaluateCondition(ctx, check.Expr, row)
		if err != nil {
			return false, err
		}
		if sql.IsFalse(ok) {
			return false, sql.ErrCheckConstraintViolated.New(check.Name)
		}
	}
	// A table with foreign keys gives its schema twice.
	for i, v := range row {
		if v == nil && !u.schema[i].Nullable {
			return false, sql.ErrInsertIntoNonNullableProvidedNull.New(u.schema[i].Name)
		}
	}
	return true, u.updater.Update(ctx, old, row)
}

func (u *update) Close(ctx *sql.Context) error {
	err := u.updater.Close(ctx)
	if closeErr := u.rows.Close(ctx); err == nil {
		err = closeErr
	}
	return err
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
