package sqlengine

import (
	"encoding/hex"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

func hasText(exprs []sql.Expression) bool {
	for _, e := range exprs {
		if newColumnKeyer(0, e.Type()).text != nil {
			return true
		}
	}
	return false
}

// weighCountDistinct makes COUNT(DISTINCT) count weight strings, where the engine counts 'a' and 'A' as two, and times.
func weighCountDistinct(agg *aggregation.CountDistinct) (sql.Expression, transform.TreeIdentity, error) {
	children := append([]sql.Expression(nil), agg.Children()...)
	same := transform.SameTree
	for i, c := range children {
		if _, isTime := c.Type().(types.TimeType); isTime {
			// The engine has no key for a time.
			children[i], same = &converted{child: c, typ: defaultTextType}, transform.NewTree
			continue
		}
		if _, done := c.(*weights); !done && hasText(children[i:i+1]) {
			children[i] = &weights{child: c, keyer: newColumnKeyer(0, c.Type())}
			same = transform.NewTree
		}
	}
	if same {
		return agg, same, nil
	}
	counted, err := agg.WithChildren(children...)
	return counted, same, err
}

// weights is a string's weight string, in hexadecimal.
type weights struct {
	child sql.Expression
	keyer columnKeyer
}

func (w *weights) Resolved() bool             { return w.child.Resolved() }
func (w *weights) String() string             { return w.child.String() }
func (w *weights) Type() sql.Type             { return defaultTextType }
func (w *weights) IsNullable() bool           { return w.child.IsNullable() }
func (w *weights) Children() []sql.Expression { return []sql.Expression{w.child} }

func (w *weights) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(w, len(children), 1)
	}
	c := *w
	c.child = children[0]
	return &c, nil
}

func (w *weights) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := w.child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	key, err := w.keyer.appendAny(ctx, nil, v)
	return hex.EncodeToString(key), err
}
