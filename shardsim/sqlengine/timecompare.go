package sqlengine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/mysql/datetime"
)

// compareSpans gives comparisons of a TIME column with texts the times that the texts are, which have forms that the engine does not read:
// '1 1:1:1' is a day and an hour. A text that is none is an error.
func compareSpans(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	operands := e.Children()
	in, isIn := e.(*expression.InTuple)
	if isIn {
		list, ok := in.Right().(expression.Tuple)
		if !ok || !isTime(in.Left().Type()) {
			return e, nil
		}
		fresh, err := spanConstants(ctx, list)
		if err != nil || fresh == nil {
			return e, err
		}
		return in.WithChildren(in.Left(), expression.Tuple(fresh))
	}
	if holds, _ := comparisonHolds(e); holds == nil {
		if _, isBetween := e.(*expression.Between); !isBetween {
			return e, nil
		}
	}
	if !slices.ContainsFunc(operands, func(o sql.Expression) bool { return isTime(o.Type()) }) {
		return e, nil
	}
	fresh, err := spanConstants(ctx, operands)
	if err != nil || fresh == nil {
		return e, err
	}
	return e.WithChildren(fresh...)
}

// spanConstants puts times in the place of texts, nil if there are none.
func spanConstants(ctx *sql.Context, operands []sql.Expression) ([]sql.Expression, error) {
	var fresh []sql.Expression
	for i, o := range operands {
		lit, ok := o.(*expression.Literal)
		if !ok {
			continue
		}
		text, ok := lit.Value().(string)
		if !ok {
			continue
		}
		span, err := spanOfText(ctx, text)
		if err != nil {
			return nil, err
		}
		if fresh == nil {
			fresh = slices.Clone(operands)
		}
		fresh[i] = expression.NewLiteral(span, types.Time)
	}
	return fresh, nil
}

func spanOfText(ctx *sql.Context, text string) (any, error) {
	if t, _, state := datetime.ParseTime(strings.TrimSpace(text), -1); state == datetime.TimeOK {
		return types.Timespan(t.ToDuration().Microseconds()), nil
	}
	span, _, err := types.Time.Convert(ctx, text)
	return span, err
}
