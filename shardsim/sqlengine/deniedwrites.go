package sqlengine

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// clientAccount is who MySQL's errors speak of: grants are the gateway's, and to a shard all clients are one.
const clientAccount = "'root'@'localhost'"

// checkDenied refuses what nobody may do: to change information_schema, and to make tables in performance_schema or write to
// those that are there.
func checkDenied(stmt sqlparser.Statement) error {
	verb, tables := written(stmt)
	for _, t := range tables {
		switch db := strings.ToLower(t.Qualifier.String()); {
		case db == "information_schema", db == "performance_schema" && verb == "":
			return mysqlError(1044, "42000", "Access denied for user %s to database '%s'", clientAccount, db)
		case db == "performance_schema":
			return mysqlError(1142, "42000", "%s command denied to user %s for table '%s'", verb, clientAccount, t.Name.String())
		}
	}
	if db, ok := stmt.(sqlparser.DBDDLStatement); ok && strings.EqualFold(db.GetDatabaseName(), "information_schema") {
		return mysqlError(1044, "42000", "Access denied for user %s to database 'information_schema'", clientAccount)
	}
	return nil
}

// written returns the tables a statement writes to, with the word for what it does to their rows, and those it makes, alters or
// drops, with no word.
func written(stmt sqlparser.Statement) (verb string, tables sqlparser.TableNames) {
	switch ast := stmt.(type) {
	case *sqlparser.Insert:
		if name, ok := ast.Table.Expr.(sqlparser.TableName); ok {
			tables = sqlparser.TableNames{name}
		}
		return "INSERT", tables
	case *sqlparser.Update:
		return "UPDATE", qualifiedIn(ast.TableExprs)
	case *sqlparser.Delete:
		if len(ast.Targets) > 0 {
			return "DELETE", ast.Targets
		}
		return "DELETE", qualifiedIn(ast.TableExprs)
	case *sqlparser.TruncateTable:
		return "DROP", sqlparser.TableNames{ast.Table}
	case sqlparser.DDLStatement:
		return "", ast.AffectedTables()
	}
	return "", nil
}

// qualifiedIn returns the tables of a list that are named with their database, subqueries left out.
func qualifiedIn(exprs sqlparser.TableExprs) sqlparser.TableNames {
	var names sqlparser.TableNames
	for _, e := range exprs {
		if t, ok := e.(*sqlparser.AliasedTableExpr); ok {
			if name, isTable := t.Expr.(sqlparser.TableName); isTable && name.Qualifier.NotEmpty() {
				names = append(names, name)
			}
		}
	}
	return names
}

// unknownInformation gives a missing table of information_schema its own error.
func unknownInformation(err error, stmt sqlparser.Statement) error {
	found := err
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		t, ok := node.(sqlparser.TableName)
		if ok && strings.EqualFold(t.Qualifier.String(), "information_schema") && strings.Contains(err.Error(), "."+t.Name.String()+"' doesn't exist") {
			found = mysqlError(1109, "42S02", "Unknown table '%s' in information_schema", strings.ToUpper(t.Name.String()))
		}
		return found == err, nil
	}, stmt)
	return found
}

// identifierMax is the length of names, in characters.
const identifierMax = 64

// checkIdentifiers refuses names that are too long.
func checkIdentifiers(names ...string) error {
	for _, name := range names {
		if len([]rune(name)) > identifierMax {
			return mysqlError(1059, "42000", "Identifier name '%s' is too long", name)
		}
	}
	return nil
}
