package sqlengine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// fireInsert has the rows of an analysed INSERT fire triggers. Those of REPLACE tell LAST_INSERT_ID too, which the engine leaves out.
func fireInsert(ctx *sql.Context, n *plan.InsertInto) (sql.Node, error) {
	target, err := plan.GetInsertable(n.Destination)
	if err != nil {
		return nil, err
	}
	s := fromContext(ctx)
	counts := n.IsReplace && n.FirstGeneratedAutoIncRowIdx >= 0
	if !counts && !s.shard.hasTriggers(target.Name()) {
		return n, nil
	}
	writable, ok := target.(insertTarget)
	if !ok {
		return n, nil
	}
	d := &triggerDestination{insertTarget: writable, node: n.Destination, generated: -1}
	if counts {
		d.generated = n.FirstGeneratedAutoIncRowIdx
	}
	d.insert = s.firing(target.Name(), insertEvent)
	d.update = s.firing(target.Name(), updateEvent)
	d.delete = s.firing(target.Name(), deleteEvent)
	c := *n
	c.Destination = d
	if len(d.insert.before) > 0 {
		if c.Source, d.before, err = fireBeforeInsert(n, d.insert); err != nil {
			return nil, err
		}
		c.FirstGeneratedAutoIncRowIdx, d.generated = -1, -1
	}
	return &c, nil
}

// fireBeforeInsert splits what an INSERT reads: into the rows as they are given, and what is computed once triggers had them.
func fireBeforeInsert(n *plan.InsertInto, f *firing) (sql.Node, *beforeInsert, error) {
	schema := n.Destination.Schema()
	project, ok := n.Source.(*plan.Project)
	if !ok || len(project.Projections) != len(schema) {
		return nil, nil, errUnsupported("BEFORE INSERT triggers for this kind of INSERT")
	}
	given := append([]sql.Expression(nil), project.Projections...)
	last := make([]sql.Expression, len(schema))
	auto := -1
	for i, col := range schema {
		last[i] = expression.NewGetField(i, col.Type, col.Name, true)
		if counter, isAuto := given[i].(*expression.AutoIncrement); isAuto {
			again, err := counter.WithChildren(last[i])
			if err != nil {
				return nil, nil, err
			}
			auto, last[i], given[i] = i, again, counter.Child
		}
		if given[i] == nil {
			given[i] = expression.NewLiteral(nil, types.Null)
		}
		if col.Generated != nil {
			computed, err := byPosition(col.Generated, schema)
			if err != nil {
				return nil, nil, err
			}
			last[i] = computed
		}
	}
	source, err := project.WithExpressions(given...)
	if err != nil {
		return nil, nil, err
	}
	before := &beforeInsert{UnaryNode: plan.UnaryNode{Child: source}, firing: f, auto: auto}
	return plan.NewProject(last, before), before, nil
}

// byPosition has an expression read a table's columns where they are in its rows.
func byPosition(e sql.Expression, schema sql.Schema) (sql.Expression, error) {
	fresh, _, err := transform.Expr(e, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if field, ok := e.(*expression.GetField); ok {
			if at := schema.IndexOfColName(strings.ToLower(field.Name())); at >= 0 {
				return field.WithIndex(at), transform.NewTree, nil
			}
		}
		return e, transform.SameTree, nil
	})
	return fresh, err
}

// beforeInsert is a plan's source of rows that BEFORE INSERT triggers had.
type beforeInsert struct {
	plan.UnaryNode
	firing *firing
	auto   int  // the AUTO_INCREMENT column, which the triggers see as 0; -1 for none
	counts bool // the row that was given last has none: it is counted
}

var _ sql.Node = (*beforeInsert)(nil)

func (b *beforeInsert) String() string     { return b.Child.String() }
func (b *beforeInsert) Schema() sql.Schema { return b.Child.Schema() }
func (b *beforeInsert) IsReadOnly() bool   { return false }

func (b *beforeInsert) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(b, len(children), 1)
	}
	c := *b
	c.Child = children[0]
	return &c, nil
}

type beforeInsertIter struct {
	*beforeInsert
	rows sql.RowIter
}

func (i *beforeInsertIter) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := i.rows.Next(ctx)
	if err != nil {
		return nil, err
	}
	row = row.Copy()
	if i.auto < 0 {
		return row, i.firing.fire(ctx, i.firing.before, nil, row)
	}
	zero := i.firing.schema[i.auto].Type.Zero()
	isNull := row[i.auto] == nil
	if isNull {
		row[i.auto] = zero
	}
	if err := i.firing.fire(ctx, i.firing.before, nil, row); err != nil {
		return nil, err
	}
	if isNull && row[i.auto] == zero {
		row[i.auto] = nil
	}
	i.counts = row[i.auto] == nil || row[i.auto] == zero && !fromContext(ctx).hasMode("NO_AUTO_VALUE_ON_ZERO")
	return row, nil
}

func (i *beforeInsertIter) Close(ctx *sql.Context) error { return i.rows.Close(ctx) }

// insertTarget is what INSERT and REPLACE write to.
type insertTarget interface {
	sql.InsertableTable
	sql.ReplaceableTable
	sql.UpdatableTable
}

// triggerDestination is the destination of an INSERT whose rows fire triggers.
type triggerDestination struct {
	insertTarget
	node                   sql.Node
	insert, update, delete *firing
	before                 *beforeInsert // where the rows come from, nil without BEFORE INSERT triggers
	generated              int           // the row of a REPLACE that has the first generated AUTO_INCREMENT value, -1 for none
}

var _ sql.Node = (*triggerDestination)(nil)

func (d *triggerDestination) Resolved() bool                             { return d.node.Resolved() }
func (d *triggerDestination) String() string                             { return d.node.String() }
func (d *triggerDestination) Schema() sql.Schema                         { return d.node.Schema() }
func (d *triggerDestination) Children() []sql.Node                       { return nil }
func (d *triggerDestination) WithChildren(...sql.Node) (sql.Node, error) { return d, nil }
func (d *triggerDestination) IsReadOnly() bool                           { return false }
func (d *triggerDestination) Underlying() sql.Table                      { return d.insertTarget }

func (d *triggerDestination) Inserter(ctx *sql.Context) sql.RowInserter {
	return &firingEditor{destination: d, inserter: d.insertTarget.Inserter(ctx)}
}

func (d *triggerDestination) Replacer(ctx *sql.Context) sql.RowReplacer {
	replacer := d.insertTarget.Replacer(ctx)
	return &firingEditor{destination: d, inserter: replacer, deleter: replacer}
}

func (d *triggerDestination) Updater(ctx *sql.Context) sql.RowUpdater {
	return &firingEditor{destination: d, updater: d.insertTarget.Updater(ctx)}
}

// firingEditor fires triggers around what another editor writes. A row that is refused leaves nothing; what triggers did before
// it stays, also under IGNORE.
type firingEditor struct {
	destination *triggerDestination
	inserter    sql.RowInserter
	inserted    int
	deleter     sql.RowDeleter
	updater     sql.RowUpdater
}

func (e *firingEditor) StatementBegin(*sql.Context)              {}
func (e *firingEditor) DiscardChanges(*sql.Context, error) error { return nil }
func (e *firingEditor) StatementComplete(*sql.Context) error     { return nil }

// whole runs a write that leaves nothing if it fails.
func whole(ctx *sql.Context, write func() error) error {
	tx := fromContext(ctx).tx
	mark := tx.Mark()
	err := write()
	if err != nil {
		tx.RollbackToMark(mark)
	}
	return err
}

func (e *firingEditor) Insert(ctx *sql.Context, row sql.Row) error {
	if err := whole(ctx, func() error { return e.inserter.Insert(ctx, row) }); err != nil {
		return err
	}
	if e.inserted == e.destination.generated {
		for i, col := range e.destination.Schema() {
			if col.AutoIncrement {
				ctx.SetLastQueryInfoInt(sql.LastInsertId, int64(autoValue(row[i])))
			}
		}
	}
	e.inserted++
	if b := e.destination.before; b != nil && b.counts && !fromContext(ctx).insertIDSet {
		ctx.SetLastQueryInfoInt(sql.LastInsertId, int64(autoValue(row[b.auto])))
	}
	return e.destination.insert.fire(ctx, e.destination.insert.after, nil, row)
}

func (e *firingEditor) Update(ctx *sql.Context, old, row sql.Row) error {
	if err := whole(ctx, func() error { return e.updater.Update(ctx, old, row) }); err != nil {
		return err
	}
	return e.destination.update.fire(ctx, e.destination.update.after, old, row)
}

func (e *firingEditor) Delete(ctx *sql.Context, row sql.Row) error {
	f := e.destination.delete
	if err := f.fire(ctx, f.before, row, nil); err != nil {
		return err
	}
	if err := e.deleter.Delete(ctx, row); err != nil {
		return err
	}
	return f.fire(ctx, f.after, row, nil)
}

func (e *firingEditor) Close(ctx *sql.Context) error {
	for _, inner := range []sql.Closer{e.inserter, e.deleter, e.updater} {
		if inner != nil {
			if err := inner.Close(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
