package sqlengine

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/vt/sqlparser"
)

// The rows of an INSERT may name what the engine's may not: columns of the row itself, which have the value given before or
// their default, DEFAULT for generated columns, and nothing for columns without a default, which have a zero where SQL mode or
// IGNORE let them (manual, 15.2.7: INSERT Statement, 13.6: Data Type Default Values).
//
//	insert into t (a, b) values (1, a + 1)           ->   insert into t (a, b) values (1, cast(1 as signed) + 1)
//	insert into t (a, generated) values (1, default) ->   insert into t (a) values (1)
type completion struct {
	session *Session
	meta    *tableMeta
	lenient bool
	columns []*sql.Column // of the rows
	missing map[string]bool
}

// namesOwnColumns reports whether rows hold DEFAULT or columns.
func namesOwnColumns(stmt sqlparser.Statement) bool {
	ins, ok := stmt.(*sqlparser.Insert)
	if !ok {
		return false
	}
	rows, ok := ins.Rows.(sqlparser.Values)
	found := false
	for _, row := range rows {
		for _, e := range row {
			switch e := e.(type) {
			case *sqlparser.Literal, *sqlparser.Argument, *sqlparser.NullVal:
			default:
				_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
					switch node.(type) {
					case *sqlparser.Subquery:
						return false, nil
					case *sqlparser.ColName, *sqlparser.Default:
						found = true
					}
					return !found, nil
				}, e)
			}
		}
	}
	return ok && found
}

// completed returns an INSERT of rows as the engine takes it; the same if it does already.
func (s *Session) completed(ins *sqlparser.Insert, named bool) *sqlparser.Insert {
	lenient := !s.sql.strict() || bool(ins.Ignore)
	name, isTable := ins.Table.Expr.(sqlparser.TableName)
	rows, isRows := ins.Rows.(sqlparser.Values)
	if !isTable || !isRows || len(rows) == 0 {
		return ins
	}
	t := s.sql.tableNamed(name.Name.String())
	if t == nil {
		return ins
	}
	c := &completion{session: s, meta: metaOf(t.Def), lenient: lenient, missing: make(map[string]bool)}
	if !c.match(ins) {
		return ins
	}
	absent := c.absent()
	if !named && len(absent) == 0 {
		return ins
	}
	dropped := c.generatedDefaults(rows)
	out := *ins
	out.Columns = nil
	for i, column := range c.columns {
		if !dropped[i] {
			out.Columns = append(out.Columns, sqlparser.NewIdentifierCI(column.Name))
		}
	}
	for _, column := range absent {
		out.Columns = append(out.Columns, sqlparser.NewIdentifierCI(column.Name))
	}
	fresh := make(sqlparser.Values, len(rows))
	for n, row := range rows {
		given := c.row(row)
		for i, e := range given {
			if !dropped[i] {
				fresh[n] = append(fresh[n], e)
			}
		}
		for _, column := range absent {
			fresh[n] = append(fresh[n], zeroOf(column))
			if lacksDefault(column) {
				c.warn(column)
			}
		}
	}
	out.Rows = fresh
	return &out
}

// match finds the columns that the rows are of; false where the rows do not suit them.
func (c *completion) match(ins *sqlparser.Insert) bool {
	rows := ins.Rows.(sqlparser.Values)
	for _, name := range ins.Columns {
		at := c.meta.columns.IndexOfColName(name.String())
		if at < 0 {
			return false
		}
		c.columns = append(c.columns, c.meta.columns[at])
	}
	if len(ins.Columns) == 0 && len(rows[0]) > 0 {
		c.columns = c.meta.columns
	}
	for _, row := range rows {
		if len(row) != len(c.columns) {
			return false
		}
	}
	return true
}

// absent are the columns without a default that are not given, where they may be: an ENUM always, as its first member is one.
func (c *completion) absent() []*sql.Column {
	var absent []*sql.Column
	for _, column := range c.meta.columns {
		given := false
		for _, g := range c.columns {
			given = given || g == column
		}
		_, isEnum := column.Type.(sql.EnumType)
		isEnum = isEnum && !column.Nullable && column.Default == nil && column.Generated == nil
		if !given && (isEnum || c.lenient && lacksDefault(column)) {
			absent = append(absent, column)
		}
	}
	return absent
}

// generatedDefaults tells the generated columns that all rows leave to be generated.
func (c *completion) generatedDefaults(rows sqlparser.Values) map[int]bool {
	dropped := make(map[int]bool)
	for i, column := range c.columns {
		all := column.Generated != nil
		for _, row := range rows {
			def, isDefault := row[i].(*sqlparser.Default)
			all = all && isDefault && def.ColName == ""
		}
		if all {
			dropped[i] = true
		}
	}
	return dropped
}

// row is a row without names of its own columns.
func (c *completion) row(row sqlparser.ValTuple) sqlparser.ValTuple {
	fresh := make(sqlparser.ValTuple, len(row))
	for i, e := range row {
		def, isDefault := e.(*sqlparser.Default)
		if isDefault && def.ColName == "" && c.lenient && lacksDefault(c.columns[i]) {
			fresh[i] = zeroOf(c.columns[i])
			c.warn(c.columns[i])
			continue
		}
		into := func(node, _ sqlparser.SQLNode) bool {
			_, isQuery := node.(*sqlparser.Subquery)
			return !isQuery
		}
		fresh[i] = sqlparser.CopyOnRewrite(e, into, func(cur *sqlparser.CopyOnWriteCursor) {
			if col, ok := cur.Node().(*sqlparser.ColName); ok {
				if value := c.value(col, fresh[:i]); value != nil {
					cur.Replace(value)
				}
			}
		}, nil).(sqlparser.Expr)
	}
	return fresh
}

// value is what a column of the row has so far, nil if that cannot be said.
func (c *completion) value(col *sqlparser.ColName, before sqlparser.ValTuple) sqlparser.Expr {
	if !col.Qualifier.IsEmpty() && !strings.EqualFold(col.Qualifier.Name.String(), c.meta.name) {
		return nil
	}
	at := c.meta.columns.IndexOfColName(col.Name.String())
	if at < 0 || c.meta.columns[at].Generated != nil {
		return nil
	}
	column := c.meta.columns[at]
	for i, e := range before {
		if c.columns[i] != column {
			continue
		}
		if def, isDefault := e.(*sqlparser.Default); isDefault && def.ColName == "" {
			return c.session.defaultOf(column)
		}
		if isVolatile(e) {
			return nil
		}
		return storedAs(e, column.Type)
	}
	return c.session.defaultOf(column)
}

// isVolatile reports whether an expression has another value each time, or is a query.
func isVolatile(e sqlparser.Expr) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.Subquery:
			found = true
		case *sqlparser.FuncExpr:
			found = found || node.Name.EqualString("rand") || node.Name.EqualString("uuid") || node.Name.EqualString("random_bytes")
		}
		return !found, nil
	}, e)
	return found
}

// storedAs is a value as a column of a type holds it.
func storedAs(e sqlparser.Expr, typ sql.Type) sqlparser.Expr {
	cast := &sqlparser.ConvertType{}
	switch t := typ.(type) {
	case sql.DecimalType:
		length, scale := int(t.Precision()), int(t.Scale())
		cast.Type, cast.Length, cast.Scale = "decimal", &length, &scale
	case sql.NumberType:
		if t.IsFloat() {
			return e
		}
		cast.Type = "signed"
		if !t.IsSigned() {
			cast.Type = "unsigned"
		}
	default:
		return e
	}
	return &sqlparser.CastExpr{Expr: e, Type: cast}
}

// defaultOf is a column's default as an expression: NULL or a zero if there is none, nil if it is computed.
func (s *Session) defaultOf(column *sql.Column) sqlparser.Expr {
	if column.Default == nil {
		if column.Nullable && !column.AutoIncrement {
			return &sqlparser.NullVal{}
		}
		return zeroOf(column)
	}
	text := defaultExpr(column.Default)
	if isExpressionDefault(text) && !isTimeDefault(text) {
		return nil
	}
	expr, err := s.shard.engine.env.Parser().ParseExpr(unwrapped(text))
	if err != nil {
		return nil
	}
	return expr
}

// zeroOf is what a column without a default has where it is not given.
func zeroOf(column *sql.Column) sqlparser.Expr {
	switch t := column.Type.(type) {
	case sql.EnumType:
		first, _ := t.At(1)
		return sqlparser.NewStrLiteral(first)
	case sql.DatetimeType:
		if types.IsDateType(t) {
			return sqlparser.NewStrLiteral("0000-00-00")
		}
		return sqlparser.NewStrLiteral("0000-00-00 00:00:00")
	case sql.StringType, sql.SetType:
		return sqlparser.NewStrLiteral("")
	}
	if types.IsJSON(column.Type) {
		return sqlparser.NewStrLiteral("null")
	}
	return sqlparser.NewIntLiteral("0")
}

// warn tells once that a column has no default.
func (c *completion) warn(column *sql.Column) {
	if c.missing[column.Name] {
		return
	}
	c.missing[column.Name] = true
	c.session.sql.warnings = append(c.session.sql.warnings, &sql.Warning{Level: "Warning", Code: 1364,
		Message: fmt.Sprintf("Field '%s' doesn't have a default value", column.Name)})
}
