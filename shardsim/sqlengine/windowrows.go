package sqlengine

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// windowRows runs window functions. Without a row to look at there is none in the result: the engine gives one, or fails.
func (o execOverrides) windowRows(ctx *sql.Context, n *plan.Window, row sql.Row) (sql.RowIter, error) {
	if _, begun := n.Child.(*begunRows); begun {
		return nil, nil // the engine's
	}
	rows, err := o.build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	first, err := rows.Next(ctx)
	if errors.Is(err, io.EOF) {
		return sql.RowsToRowIter(), rows.Close(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, rows.Close(ctx))
	}
	fed, err := n.WithChildren(&begunRows{UnaryNode: plan.UnaryNode{Child: n.Child}, first: first, rest: rows})
	if err != nil {
		return nil, err
	}
	return o.build(ctx, fed, row)
}

// begunRows are the rows of a node of which the first one was read.
type begunRows struct {
	plan.UnaryNode
	first sql.Row // nil once it is given
	rest  sql.RowIter
}

var (
	_ sql.Node    = (*begunRows)(nil)
	_ sql.RowIter = (*begunRows)(nil)
)

func (b *begunRows) String() string     { return b.Child.String() }
func (b *begunRows) Schema() sql.Schema { return b.Child.Schema() }
func (b *begunRows) IsReadOnly() bool   { return b.Child.IsReadOnly() }

func (b *begunRows) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(b, len(children), 1)
	}
	c := *b
	c.Child = children[0]
	return &c, nil
}

// Next implements sql.RowIter.
func (b *begunRows) Next(ctx *sql.Context) (sql.Row, error) {
	if row := b.first; row != nil {
		b.first = nil
		return row, nil
	}
	return b.rest.Next(ctx)
}

// Close implements sql.RowIter.
func (b *begunRows) Close(ctx *sql.Context) error { return b.rest.Close(ctx) }
