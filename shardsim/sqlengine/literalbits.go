package sqlengine

import (
	"encoding/binary"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// literalBits lets arithmetic and bit operators take hexadecimal and bit literals as the unsigned numbers they are there. To
// the engine they are texts. Bit operators of a binary column and a literal are about bytes: those stay.
func literalBits(e sql.Expression) (sql.Expression, error) {
	switch e.(type) {
	case *expression.Arithmetic, *expression.UnaryMinus, *expression.Div, *expression.IntDiv, *expression.Mod:
	case *expression.BitOp:
		if op := e.(*expression.BitOp); onBytes(op.Op, op.Children()) {
			return e, nil
		}
	default:
		return e, nil
	}
	children := append([]sql.Expression(nil), e.Children()...)
	changed := false
	for i, c := range children {
		lit, ok := c.(*expression.Literal)
		if !ok {
			continue
		}
		raw, ok := lit.Value().([]byte)
		if !ok || len(raw) > 8 {
			continue
		}
		var wide [8]byte
		copy(wide[8-len(raw):], raw)
		children[i], changed = expression.NewLiteral(binary.BigEndian.Uint64(wide[:]), types.Uint64), true
	}
	if !changed {
		return e, nil
	}
	return e.WithChildren(children...)
}
