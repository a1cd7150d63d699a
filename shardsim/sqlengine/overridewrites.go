package sqlengine

import (
	"errors"
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// executed builds a plan. One that writes gives one row, its result, in place of the rows it wrote.
func (o execOverrides) executed(ctx *sql.Context, n sql.Node) (sql.RowIter, sql.Schema, error) {
	iter, err := o.build(ctx, n, nil)
	if err != nil {
		return nil, nil, err
	}
	iter, schema := rowexec.AddAccumulatorIter(ctx, iter)
	return iter, schema, nil
}

// updateSource gives each row twice: as it is, then as the SET clause and BEFORE triggers make it.
type updateSource struct {
	rows   sql.RowIter
	sets   []sql.Expression
	schema sql.Schema
	firing *firing
}

func (o execOverrides) updateSource(ctx *sql.Context, n *plan.UpdateSource, row sql.Row) (sql.RowIter, error) {
	target, err := plan.GetUpdatable(n.Child)
	if err != nil {
		return nil, err
	}
	rows, err := o.build(ctx, n.Child, row)
	return &updateSource{rows, n.UpdateExprs, target.Schema(), fromContext(ctx).firing(target.Name(), updateEvent)}, err
}

func (u *updateSource) Next(ctx *sql.Context) (sql.Row, error) {
	old, err := u.rows.Next(ctx)
	if err != nil {
		return nil, err
	}
	row, err := u.set(ctx, old, givenSets)
	if err == nil && !sameRow(old, row) {
		row, err = u.set(ctx, row, onUpdateSets)
	}
	if err == nil {
		row, err = u.set(ctx, row, generatedSets)
	}
	if err == nil && len(u.firing.before) > 0 {
		row = row.Copy()
		if err = u.firing.fire(ctx, u.firing.before, old, row); err == nil {
			row, err = u.set(ctx, row, generatedSets)
		}
	}
	if err != nil {
		return nil, err
	}
	both := make(sql.Row, 0, len(old)+len(row))
	return append(append(both, old...), row...), nil
}

// The SETs of an UPDATE: the statement's, those of columns ON UPDATE of a row that changed, and those of generated columns.
type setKind int

const (
	givenSets setKind = iota
	onUpdateSets
	generatedSets
)

// set evaluates the SETs of a kind.
func (u *updateSource) set(ctx *sql.Context, row sql.Row, kind setKind) (_ sql.Row, err error) {
	for _, e := range u.sets {
		if u.kindOf(e) != kind {
			continue
		}
		if row, err = applySet(ctx, e, row); err != nil {
			return nil, err
		}
	}
	return row, nil
}

func (u *updateSource) kindOf(e sql.Expression) setKind {
	set, ok := e.(*expression.SetField)
	if !ok {
		return givenSets
	}
	if _, isOwn := set.RightChild.(*sql.ColumnDefaultValue); !isOwn {
		return givenSets
	}
	if field, ok := set.LeftChild.(*expression.GetField); ok {
		at := u.schema.IndexOfColName(strings.ToLower(field.Name()))
		if at >= 0 && u.schema[at].OnUpdate != nil {
			return onUpdateSets
		}
	}
	return generatedSets
}

func (u *updateSource) Close(ctx *sql.Context) error { return u.rows.Close(ctx) }

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
	firing    *firing
	foundRows bool
	ignore    bool
	done      bool
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
	u := &update{rows: rows, schema: target.Schema(), updater: target.Updater(ctx), checks: n.Checks(), ignore: n.Ignore}
	u.firing = fromContext(ctx).firing(target.Name(), updateEvent)
	u.foundRows = ctx.Client().Capabilities&clientFoundRows != 0
	return u, nil
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
		old, row := both[:len(both)/2], both[len(both)/2:]
		if sameRow(old, row) {
			if err := u.firing.fire(ctx, u.firing.after, old, row); err != nil {
				return nil, err
			}
			continue
		}
		err = whole(ctx, func() error { return u.write(ctx, old, row) })
		if err != nil && u.ignore && ignorable(err) {
			ctx.Session.Warn(&sql.Warning{Level: "Note", Code: sql.CastSQLError(err).Num, Message: err.Error()})
			continue
		}
		if err != nil {
			return nil, err
		}
		changed++
		if err := u.firing.fire(ctx, u.firing.after, old, row); err != nil {
			return nil, err
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

// ignorable reports whether IGNORE makes an error of a row a warning.
func ignorable(err error) bool {
	for _, kind := range plan.IgnorableErrors {
		if kind.Is(err) {
			return true
		}
	}
	return false
}

func (u *update) write(ctx *sql.Context, old, row sql.Row) error {
	for _, check := range u.checks {
		if !check.Enforced {
			continue
		}
		ok, err := sql.EvaluateCondition(ctx, check.Expr, row)
		if err != nil {
			return err
		}
		if sql.IsFalse(ok) {
			return sql.ErrCheckConstraintViolated.New(check.Name)
		}
	}
	// A table with foreign keys gives its schema twice.
	for i, v := range row {
		if v != nil || u.schema[i].Nullable {
			continue
		}
		err := sql.ErrInsertIntoNonNullableProvidedNull.New(u.schema[i].Name)
		if !u.ignore {
			return err
		}
		row[i] = u.schema[i].Type.Zero()
		ctx.Session.Warn(&sql.Warning{Level: "Note", Code: sql.CastSQLError(err).Num, Message: err.Error()})
	}
	return u.updater.Update(ctx, old, row)
}

func (u *update) Close(ctx *sql.Context) error {
	err := u.updater.Close(ctx)
	if closeErr := u.rows.Close(ctx); err == nil {
		err = closeErr
	}
	return err
}

// deletion deletes the rows it reads and gives one row: an OK result.
type deletion struct {
	rows    sql.RowIter
	deleter sql.RowDeleter
	firing  *firing
	done    bool
}

func (o execOverrides) delete(ctx *sql.Context, n *plan.DeleteFrom, row sql.Row) (sql.RowIter, error) {
	targets := n.GetDeleteTargets()
	if len(targets) != 1 {
		return nil, nil
	}
	target, err := plan.GetDeletable(targets[0])
	if err != nil {
		return nil, err
	}
	rows, err := o.build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return &deletion{rows: rows, deleter: target.Deleter(ctx), firing: fromContext(ctx).firing(target.Name(), deleteEvent)}, nil
}

func (d *deletion) Next(ctx *sql.Context) (sql.Row, error) {
	if d.done {
		return nil, io.EOF
	}
	d.done = true
	deleted := uint64(0)
	for {
		row, err := d.rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return sql.NewRow(types.OkResult{RowsAffected: deleted}), nil
		}
		if err == nil {
			err = d.firing.fire(ctx, d.firing.before, row, nil)
		}
		if err == nil {
			err = d.deleter.Delete(ctx, row)
		}
		if err == nil {
			err = d.firing.fire(ctx, d.firing.after, row, nil)
		}
		if err != nil {
			return nil, err
		}
		deleted++
	}
}

func (d *deletion) Close(ctx *sql.Context) error {
	err := d.deleter.Close(ctx)
	if closeErr := d.rows.Close(ctx); err == nil {
		err = closeErr
	}
	return err
}
