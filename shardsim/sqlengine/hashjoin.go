package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/vitrodb/vitro/shardsim/store"
)

// hashLookup gives the rows of a hash join's right side that may match a left row; the join checks its condition on each.
// The engine's own keys miss rows that are equal under a collation, or equal numbers of different types.
func (o execOverrides) hashLookup(ctx *sql.Context, n *plan.HashLookup, left sql.Row) (sql.RowIter, error) {
	keyer := newPairKeyer(n.LeftProbeKey, n.RightEntryKey)
	if n.JoinType.IsPartial() {
		keyer = nil
	}
	n.Mutex.Lock()
	defer n.Mutex.Unlock()
	if n.Lookup == nil {
		rows, err := o.build(ctx, n.Child, left)
		if err != nil {
			return nil, err
		}
		lookup := make(map[any][]sql.Row)
		err = eachRow(ctx, rows, func(row sql.Row) error {
			key, err := keyer.key(ctx, row, false)
			lookup[key] = append(lookup[key], row)
			return err
		})
		if err != nil {
			return nil, err
		}
		n.Lookup = &lookup
	}
	key, err := keyer.key(ctx, left, true)
	if err != nil {
		return nil, err
	}
	return sql.RowsToRowIter((*n.Lookup)[key]...), nil
}

// pairKeyer makes keys of both sides of equalities that are the same if the sides are equal. Pairs of types it has no
// common key for do not count.
type pairKeyer []keyPair

type keyPair struct {
	left, right sql.Expression
	exact       bool // numbers: by their decimal value
	keyer       columnKeyer
}

func newPairKeyer(left, right sql.Expression) pairKeyer {
	lefts, rights := parts(left), parts(right)
	if len(lefts) != len(rights) {
		return nil
	}
	var k pairKeyer
	for i := range lefts {
		p := keyPair{left: lefts[i], right: rights[i]}
		lt, rt := p.left.Type(), p.right.Type()
		_, _, leftExact := exactDigits(lt)
		_, _, rightExact := exactDigits(rt)
		lk, rk := newColumnKeyer(0, lt), newColumnKeyer(0, rt)
		_, leftTime := lt.(sql.DatetimeType)
		_, rightTime := rt.(sql.DatetimeType)
		switch {
		case leftExact && rightExact:
			p.exact = true
		case leftTime && rightTime:
			p.keyer = lk
		case lk.text != nil && rk.text != nil && lk.text.ID() == rk.text.ID():
			p.keyer = lk
		default:
			continue
		}
		k = append(k, p)
	}
	return k
}

func parts(e sql.Expression) []sql.Expression {
	if t, ok := e.(expression.Tuple); ok {
		return t
	}
	return []sql.Expression{e}
}

func (k pairKeyer) key(ctx *sql.Context, row sql.Row, left bool) (string, error) {
	var buf [96]byte
	key := buf[:0]
	for i := range k {
		p := &k[i]
		e := p.right
		if left {
			e = p.left
		}
		v, err := e.Eval(ctx, row)
		if err != nil {
			return "", err
		}
		switch {
		case v == nil:
			key = store.AppendNull(key)
		case p.exact:
			d, err := exactDecimal(v)
			if err != nil {
				return "", err
			}
			key = appendDecimal(key, d)
		default:
			if key, err = p.keyer.appendAny(ctx, key, v); err != nil {
				return "", err
			}
		}
	}
	return string(key), nil
}
