package sqlengine

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// checkColumnUsers refuses to drop or rename a column that a generated column, a default, a functional index or a check needs. The
// engine leaves them with the name of a column that is not there. A generated column, an index or a check that the statement drops
// itself needs nothing, and a check of one column goes with it.
func (s *Session) checkColumnUsers(stmt sqlparser.Statement) error {
	alter, ok := stmt.(*sqlparser.AlterTable)
	if !ok {
		return nil
	}
	t := s.sql.tableNamed(alter.Table.Name.String())
	if t == nil {
		return nil
	}
	u := &columnUsers{m: metaOf(t.Def), parse: s.shard.engine.env.Parser().ParseExpr, dropped: make(map[string]bool)}
	for _, option := range alter.AlterOptions {
		switch o := option.(type) {
		case *sqlparser.DropColumn:
			u.dropped["column "+o.Name.Name.Lowered()] = true
		case *sqlparser.DropKey:
			kind := "index "
			if o.Type == sqlparser.CheckKeyType {
				kind = "check "
			}
			u.dropped[kind+o.Name.Lowered()] = true
		}
	}
	for _, option := range alter.AlterOptions {
		var err error
		switch o := option.(type) {
		case *sqlparser.DropColumn:
			err = u.check(o.Name.Name, true)
		case *sqlparser.RenameColumn:
			if !o.OldName.Name.Equal(o.NewName.Name) {
				err = u.check(o.OldName.Name, false)
			}
		case *sqlparser.ChangeColumn:
			if !o.OldColumn.Name.Equal(o.NewColDefinition.Name) {
				err = u.check(o.OldColumn.Name, false)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// columnUsers is what an ALTER TABLE has to leave in order.
type columnUsers struct {
	m       *tableMeta
	parse   func(string) (sqlparser.Expr, error)
	dropped map[string]bool // "column c", "index i", "check k", in lower case
}

// check returns MySQL's error if anything needs the column, which is dropped or renamed.
func (u *columnUsers) check(name sqlparser.IdentifierCI, drop bool) error {
	column := name.String()
	for _, c := range u.m.columns {
		if name.EqualString(c.Name) || u.dropped["column "+strings.ToLower(c.Name)] {
			continue
		}
		if c.Generated != nil && u.names(c.Generated.Expr.String(), name) {
			return mysqlError(3108, "HY000", "Column '%s' has a generated column dependency.", column)
		}
		if c.Default != nil && isExpressionDefault(columnDefault(c)) && u.names(columnDefault(c), name) {
			return mysqlError(3766, "HY000", "Column '%s' of table '%s' has a default value expression dependency and cannot be dropped or renamed.", column, u.m.name)
		}
	}
	for _, x := range u.m.search {
		parts := "f(" + strings.ReplaceAll(x.parts, " DESC", "") + ")"
		if x.kind == "" && !u.dropped["index "+strings.ToLower(x.name)] && u.names(parts, name) {
			return mysqlError(3837, "HY000", "Column '%s' has a functional index dependency and cannot be dropped or renamed.", column)
		}
	}
	for _, k := range u.m.checks {
		columns := u.columns(k.CheckExpression)
		if u.dropped["check "+strings.ToLower(k.Name)] || !slices.Contains(columns, name.Lowered()) || drop && len(columns) == 1 {
			continue
		}
		return mysqlError(3959, "HY000", "Check constraint '%s' uses column '%s', hence column cannot be dropped or renamed.", k.Name, column)
	}
	return nil
}

func (u *columnUsers) names(expr string, column sqlparser.IdentifierCI) bool {
	return slices.Contains(u.columns(expr), column.Lowered())
}

// columns returns the columns that an expression names, in lower case, each once.
func (u *columnUsers) columns(text string) (names []string) {
	expr, err := u.parse(text)
	if err != nil {
		return nil
	}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if c, ok := node.(*sqlparser.ColName); ok && !slices.Contains(names, c.Name.Lowered()) {
			names = append(names, c.Name.Lowered())
		}
		return true, nil
	}, expr)
	return names
}
