package sqlengine

import (
	"encoding/hex"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/vt/sqlparser"
)

// needsRetyping reports whether a statement needs retypeAggregates, and whether because of arithmetic.
func needsRetyping(stmt sqlparser.Statement) (found, arithmetic bool) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.Sum, *sqlparser.Avg:
			found = true
		case *sqlparser.Count:
			found = found || node.Distinct
		case *sqlparser.BinaryExpr:
			switch node.Operator {
			case sqlparser.PlusOp, sqlparser.MinusOp, sqlparser.MultOp:
				found, arithmetic = true, true
			}
		}
		return true, nil
	}, stmt)
	return found, arithmetic
}

// retypeAggregates gives references to SUM and AVG the aggregate's type. The binder takes them for double, so that
// whatever is computed of an exact sum would be double too. And it lets COUNT(DISTINCT) count under collations, and arithmetic check its range. It works on a plan that is bound and not analysed: there
// references still hold column ids.
func retypeAggregates(node sql.Node, arithmetic bool) (sql.Node, error) {
	exact := make(map[sql.ColumnId]sql.Type)
	distinct := false
	transform.Inspect(node, func(n sql.Node) bool {
		g, ok := n.(*plan.GroupBy)
		if !ok {
			return true
		}
		for _, e := range g.SelectedExprs {
			switch agg := e.(type) {
			case *aggregation.Sum:
				exact[agg.Id()] = agg.Type()
			case *aggregation.Avg:
				exact[agg.Id()] = agg.Type()
			case *aggregation.CountDistinct:
				distinct = distinct || hasText(agg.Children())
			}
		}
		return true
	})
	if len(exact) == 0 && !distinct && !arithmetic {
		return node, nil
	}
	node, _, err := transform.NodeExprsWithOpaque(node, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		switch e := e.(type) {
		case *aggregation.CountDistinct:
			return weighCountDistinct(e)
		case *expression.Arithmetic:
			if checked, ok := checkArithmetic(e); ok {
				return checked, transform.NewTree, nil
			}
			return e, transform.SameTree, nil
		}
		gf, ok := e.(*expression.GetField)
		if !ok || gf.TableId() != 0 || gf.Type() != types.Float64 {
			return e, transform.SameTree, nil
		}
		typ, ok := exact[gf.Id()]
		if !ok || typ == types.Float64 {
			return e, transform.SameTree, nil
		}
		return expression.NewGetFieldWithTable(gf.Index(), 0, typ, gf.Database(), gf.Table(), gf.Name(), gf.IsNullable()), transform.NewTree, nil
	})
	return node, err
}

func hasText(exprs []sql.Expression) bool {
	for _, e := range exprs {
		if newColumnKeyer(0, e.Type()).text != nil {
			return true
		}
	}
	return false
}

// weighCountDistinct makes COUNT(DISTINCT) count weight strings: the engine counts 'a' and 'A' as two.
func weighCountDistinct(agg *aggregation.CountDistinct) (sql.Expression, transform.TreeIdentity, error) {
	children := append([]sql.Expression(nil), agg.Children()...)
	same := transform.SameTree
	for i, c := range children {
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
