package sqlengine

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// hasDefaultOf reports whether a query asks for DEFAULT(column).
func hasDefaultOf(stmt sqlparser.Statement) bool {
	if _, isQuery := stmt.(sqlparser.TableStatement); !isQuery {
		return false
	}
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		def, ok := node.(*sqlparser.Default)
		found = found || ok && def.ColName != ""
		return !found, nil
	}, stmt)
	return found
}

// expandDefaults puts the defaults of columns in the place of DEFAULT(column), which the engine has for writes alone.
func (s *Session) expandDefaults(stmt sqlparser.Statement) (sqlparser.Statement, error) {
	scopes := s.fromScopes(stmt)
	var refused error
	out := sqlparser.CopyOnRewrite(stmt, nil, func(c *sqlparser.CopyOnWriteCursor) {
		sel, ok := c.Node().(*sqlparser.Select)
		if !ok || refused != nil {
			return
		}
		fresh := sqlparser.CopyOnRewrite(sel, nil, func(c *sqlparser.CopyOnWriteCursor) {
			def, ok := c.Node().(*sqlparser.Default)
			if !ok || def.ColName == "" || refused != nil {
				return
			}
			value, err := s.defaultIn(scopes.of(sel), sel, def.ColName)
			if err != nil {
				refused = err
				return
			}
			c.Replace(value)
		}, nil)
		c.Replace(fresh)
	}, nil).(sqlparser.Statement)
	return out, refused
}

// defaultIn is the default of a column of a query's tables.
func (s *Session) defaultIn(scope fromScope, sel *sqlparser.Select, name string) (sqlparser.Expr, error) {
	found, known := scope.find(sqlparser.NewColName(name))
	if found != nil && known && found.database != "" {
		if t := s.sql.tableNamed(aliases(sel.From)[found.name]); t != nil {
			column := metaOf(t.Def).columns[metaOf(t.Def).columns.IndexOfColName(strings.ToLower(name))]
			if lacksDefault(column) || column.AutoIncrement {
				return nil, mysqlError(1364, "HY000", "Field '%s' doesn't have a default value", column.Name)
			}
			value := s.defaultOf(column)
			if value == nil {
				return nil, mysqlError(3773, "HY000", "DEFAULT function cannot be used with default value expressions")
			}
			return value, nil
		}
	}
	return nil, mysqlError(1054, "42S22", "Unknown column '%s' in 'field list'", name)
}
