package sqlengine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// rowStep is an expression among those of ON DUPLICATE KEY UPDATE: it is given the row as the ones before made it, and gives the
// next one's. The row is the one that is there, followed by the one that was to be inserted.
type rowStep struct {
	step func(ctx *sql.Context, row sql.Row) (sql.Row, error)
}

func (r *rowStep) Resolved() bool                                         { return true }
func (r *rowStep) String() string                                         { return "update" }
func (r *rowStep) Type() sql.Type                                         { return types.Null }
func (r *rowStep) IsNullable() bool                                       { return false }
func (r *rowStep) Children() []sql.Expression                             { return nil }
func (r *rowStep) WithChildren(...sql.Expression) (sql.Expression, error) { return r, nil }
func (r *rowStep) Eval(ctx *sql.Context, row sql.Row) (any, error)        { return r.step(ctx, row) }

// completeUpdate adds to the SETs of ON DUPLICATE KEY UPDATE what follows from them, which the engine does for UPDATE alone:
// columns ON UPDATE CURRENT_TIMESTAMP of a row that changed, generated columns, and BEFORE UPDATE triggers.
func completeUpdate(sets []sql.Expression, schema sql.Schema, f *firing) ([]sql.Expression, error) {
	sets, err := setDefaults(sets, schema)
	if err != nil {
		return nil, err
	}
	generated, now, err := derivedColumns(sets, schema)
	if err != nil || len(sets) == 0 || len(generated) == 0 && len(now) == 0 && len(f.before) == 0 {
		return sets, err
	}
	var old sql.Row
	width := len(schema)
	remember := &rowStep{func(_ *sql.Context, row sql.Row) (sql.Row, error) {
		old = row[:width].Copy()
		return row, nil
	}}
	complete := &rowStep{func(ctx *sql.Context, row sql.Row) (sql.Row, error) {
		row = row.Copy()
		changing := row[:width:width]
		if !sameRow(old, changing) {
			if err := setAll(ctx, now, changing); err != nil {
				return nil, err
			}
		}
		if err := setAll(ctx, generated, changing); err != nil || len(f.before) == 0 {
			return row, err
		}
		if err := f.fire(ctx, f.before, old, changing); err != nil {
			return nil, err
		}
		return row, setAll(ctx, generated, changing)
	}}
	return append(append([]sql.Expression{remember}, sets...), complete), nil
}

// setDefaults gives SET column = DEFAULT the column's default, which the engine knows in UPDATE alone.
func setDefaults(sets []sql.Expression, schema sql.Schema) ([]sql.Expression, error) {
	fresh := append([]sql.Expression(nil), sets...)
	for i, e := range sets {
		set, ok := e.(*expression.SetField)
		if !ok || !isDefaultColumn(set.RightChild) {
			continue
		}
		field, ok := set.LeftChild.(*expression.GetField)
		at := -1
		if ok {
			at = schema.IndexOfColName(field.Name())
		}
		if at < 0 {
			continue
		}
		col := schema[at]
		var value sql.Expression = expression.NewLiteral(nil, types.Null)
		switch {
		case lacksDefault(col):
			return nil, mysqlError(1364, "HY000", "Field '%s' doesn't have a default value", col.Name)
		case col.Default != nil:
			value = col.Default
		}
		again, err := set.WithChildren(set.LeftChild, value)
		if err != nil {
			return nil, err
		}
		fresh[i] = again
	}
	return fresh, nil
}

// isDefaultColumn reports whether a value is the word DEFAULT.
func isDefaultColumn(e sql.Expression) bool {
	if w, ok := e.(*expression.Wrapper); ok {
		e = w.Unwrap()
	}
	_, ok := e.(*expression.DefaultColumn)
	return ok
}

// columnValue is what a column of a row is set to.
type columnValue struct {
	at    int
	value sql.Expression
}

func setAll(ctx *sql.Context, values []columnValue, row sql.Row) error {
	for _, c := range values {
		v, err := c.value.Eval(ctx, row)
		if err != nil {
			return err
		}
		row[c.at] = v
	}
	return nil
}

// derivedColumns returns the generated columns of a table, and those ON UPDATE that are not among the SETs.
func derivedColumns(sets []sql.Expression, schema sql.Schema) (generated, now []columnValue, err error) {
	isSet := make(map[string]bool)
	for _, e := range sets {
		if set, ok := e.(*expression.SetField); ok {
			if field, ok := set.LeftChild.(*expression.GetField); ok {
				isSet[strings.ToLower(field.Name())] = true
			}
		}
	}
	for i, col := range schema {
		var value sql.Expression
		switch {
		case col.Generated != nil:
			if value, err = byPosition(col.Generated, schema); err != nil {
				return nil, nil, err
			}
			generated = append(generated, columnValue{i, value})
		case col.OnUpdate != nil && !isSet[strings.ToLower(col.Name)]:
			now = append(now, columnValue{i, col.OnUpdate})
		}
	}
	return generated, now, nil
}
