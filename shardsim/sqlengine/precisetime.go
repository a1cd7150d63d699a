package sqlengine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/vt/sqlparser"
)

// preciseTime is TIME with fractional digits, which the engine's TIME has no number of. The engine makes such a column
// without them, and it is given its type after.
type preciseTime struct {
	types.TimeType
	digits int32 // 1 to 6
}

// Equals implements sql.Type.
func (t preciseTime) Equals(other sql.Type) bool {
	o, ok := other.(preciseTime)
	return ok && o.digits == t.digits
}

// isTime reports whether a type is TIME, with or without fractional digits.
func isTime(t sql.Type) bool {
	_, is := t.(types.TimeType)
	return is
}

// timeDigits returns the fractional digits of a TIME type.
func timeDigits(t sql.Type) int32 {
	if p, ok := t.(preciseTime); ok {
		return p.digits
	}
	return 0
}

// roundTimespan rounds a time to a number of fractional digits.
func roundTimespan(t types.Timespan, digits int32) types.Timespan {
	unit := types.Timespan(1_000_000)
	for range digits {
		unit /= 10
	}
	half := unit / 2
	if t < 0 {
		half = -half
	}
	return (t + half) / unit * unit
}

// isPreciseTime reports whether a column is declared TIME(n).
func isPreciseTime(typ *sqlparser.ColumnType) bool {
	return typ != nil && strings.EqualFold(typ.Type, "time") && typ.Length != nil && *typ.Length > 0
}

// preciseTimes returns the columns a statement declares as TIME(n).
func preciseTimes(stmt sqlparser.Statement) map[string]int {
	var digits map[string]int
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if def, ok := node.(*sqlparser.ColumnDefinition); ok && isPreciseTime(def.Type) {
			if digits == nil {
				digits = make(map[string]int)
			}
			digits[def.Name.Lowered()] = *def.Type.Length
		}
		return true, nil
	}, stmt)
	return digits
}

// setPreciseTimes gives the columns of a statement that has run their digits.
func (s *Session) setPreciseTimes(ctx *sql.Context, stmt sqlparser.Statement) error {
	table := ""
	switch ast := stmt.(type) {
	case *sqlparser.CreateTable:
		table = ast.Table.Name.String()
	case *sqlparser.AlterTable:
		table = ast.Table.Name.String()
	default:
		return nil
	}
	digits := preciseTimes(stmt)
	t := s.sql.tableNamed(table)
	if digits == nil || t == nil {
		return nil
	}
	return newTable(s.shard, t.Def).alter(ctx, func(m *tableMeta) error {
		m.setPreciseTimes(digits)
		return nil
	}, nil)
}

// setPreciseTimes gives columns their digits, by lower-case name.
func (m *tableMeta) setPreciseTimes(digits map[string]int) {
	for _, c := range m.columns {
		if n, ok := digits[strings.ToLower(c.Name)]; ok {
			c.Type = preciseTime{TimeType: types.Time, digits: int32(min(n, 6))}
		}
	}
}
