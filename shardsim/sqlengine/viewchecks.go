package sqlengine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"
)

// checkObjects refuses to take a table for a view, or a view for a table, and names of other databases.
func (s *Session) checkObjects(stmt sqlparser.Statement) error {
	switch ast := stmt.(type) {
	case *sqlparser.CreateView:
		if name := ast.ViewName.Name.String(); s.sql.tableNamed(name) != nil {
			if ast.IsReplace {
				return s.notOf(name, "VIEW")
			}
			return mysqlError(1050, "42S01", "Table '%s' already exists", name)
		}
		return checkViewColumns(ast.Columns, ast.Select)
	case *sqlparser.AlterView:
		name := ast.ViewName.Name.String()
		switch {
		case s.isView(name):
			return checkViewColumns(ast.Columns, ast.Select)
		case s.sql.tableNamed(name) != nil:
			return s.notOf(name, "VIEW")
		}
		return mysqlError(1146, "42S02", "Table '%s.%s' doesn't exist", s.shard.keyspace, name)
	case *sqlparser.DropView:
		return s.checkDropView(ast)
	case *sqlparser.CreateTable:
		if ast.OptLike != nil {
			return s.checkBaseTable(ast.OptLike.LikeTable.Name.String())
		}
	case *sqlparser.AlterTable:
		for _, option := range ast.AlterOptions {
			if rename, ok := option.(*sqlparser.RenameTableName); ok {
				if err := s.checkDatabase(rename.Table); err != nil {
					return err
				}
			}
		}
		return s.checkBaseTable(ast.Table.Name.String())
	case *sqlparser.RenameTable:
		for _, pair := range ast.TablePairs {
			if err := s.checkDatabase(pair.ToTable); err != nil {
				return err
			}
		}
	}
	return nil
}

// notOf is the error for an object of the other kind: VIEW or BASE TABLE is what it should be.
func (s *Session) notOf(name, kind string) error {
	return mysqlError(1347, "HY000", "'%s.%s' is not %s", s.shard.keyspace, name, kind)
}

func (s *Session) checkBaseTable(name string) error {
	if s.isView(name) && s.sql.tableNamed(name) == nil {
		return s.notOf(name, "BASE TABLE")
	}
	return nil
}

// checkDatabase refuses to move a table to another database: a shard is one.
func (s *Session) checkDatabase(t sqlparser.TableName) error {
	if db := t.Qualifier.String(); db != "" && !strings.EqualFold(db, s.shard.keyspace) {
		return mysqlError(1049, "42000", "Unknown database '%s'", db)
	}
	return nil
}

// checkDropView refuses to drop what is no view, and some of several views: all or none.
func (s *Session) checkDropView(drop *sqlparser.DropView) error {
	var missing []string
	for _, t := range drop.FromTables {
		name := t.Name.String()
		switch {
		case s.isView(name):
		case s.shard.db.Root().Table(name) != nil:
			return s.notOf(name, "VIEW")
		default:
			missing = append(missing, s.shard.keyspace+"."+name)
		}
	}
	switch {
	case len(missing) == 0:
		return nil
	case !drop.IfExists:
		return mysqlError(1051, "42S02", "Unknown table '%s'", strings.Join(missing, ","))
	}
	for _, name := range missing {
		s.sql.warnings = append(s.sql.warnings, &sql.Warning{Level: "Note", Code: 1051, Message: "Unknown table '" + name + "'"})
	}
	return nil
}

// checkViewColumns refuses a view with two columns of a name, as far as the statement tells them.
func checkViewColumns(columns sqlparser.Columns, query sqlparser.TableStatement) error {
	var names []string
	for _, c := range columns {
		names = append(names, c.String())
	}
	first, err := sqlparser.GetFirstSelect(query)
	if len(names) == 0 && err == nil && first.SelectExprs != nil {
		for _, e := range first.SelectExprs.Exprs {
			a, ok := e.(*sqlparser.AliasedExpr)
			if !ok {
				continue
			}
			col, isColumn := a.Expr.(*sqlparser.ColName)
			switch {
			case a.As.NotEmpty():
				names = append(names, a.As.String())
			case isColumn:
				names = append(names, col.Name.String())
			}
		}
	}
	seen := make(map[string]bool)
	for _, name := range names {
		if lower := strings.ToLower(name); seen[lower] {
			return mysqlError(1060, "42S21", "Duplicate column name '%s'", name)
		}
		seen[strings.ToLower(name)] = true
	}
	return nil
}
