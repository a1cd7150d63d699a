package sqlengine

import (
	"context"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// A temporary table is a session's own and hides a permanent one of its name. The store keeps it among the others under a
// name that no statement can write, so that transactions undo what they did to it; sessions find tables by tableNamed.
//
//	session 7: temps["t"] = "\x007.1\x00t"      store: "t", "\x007.1\x00t"

// isTemporary reports whether the table is a session's own.
func (m *tableMeta) isTemporary() bool { return m.stored != "" }

// storedName is the table's name in the store.
func (m *tableMeta) storedName() string {
	if m.stored != "" {
		return m.stored
	}
	return m.name
}

// permanent returns the tables that all sessions see.
func permanent(root *store.Root) []*store.Table {
	var all []*store.Table
	for _, t := range root.Tables() {
		if !metaOf(t.Def).isTemporary() {
			all = append(all, t)
		}
	}
	return all
}

// tableNamed returns the newest version of the table that a name means to the session, nil if there is none.
func (s *sqlSession) tableNamed(name string) *store.Table {
	root := s.shard.db.Root()
	if stored, ok := s.temps[strings.ToLower(name)]; ok {
		return root.Table(stored)
	}
	return root.Table(name)
}

// hidden is the name of a new temporary table in the store. The count tells it from one of the name that was dropped in the
// open transaction.
func (s *sqlSession) hidden(name string) string {
	s.tempsMade++
	return "\x00" + strconv.FormatUint(uint64(s.id), 10) + "." + strconv.Itoa(s.tempsMade) + "\x00" + strings.ToLower(name)
}

// hide has a temporary table hide a permanent one of its name.
func (s *sqlSession) hide(name, stored string) {
	if s.temps == nil {
		s.temps = make(map[string]string)
	}
	s.temps[strings.ToLower(name)] = stored
}

// uncover drops a temporary table.
func (s *sqlSession) uncover(ctx context.Context, name string) error {
	stored := s.temps[strings.ToLower(name)]
	delete(s.temps, strings.ToLower(name))
	return s.shard.db.DropTable(ctx, stored, s.lockWait())
}

// dropTemps drops the session's temporary tables. No transaction of it is open: nothing else locks them.
func (s *sqlSession) dropTemps() {
	for _, stored := range s.temps {
		s.doomed = append(s.doomed, stored)
	}
	s.temps = nil
	s.dropDoomed()
}

// isTemporaryDDL reports whether a DDL statement is about temporary tables alone: it leaves an open transaction open.
func (s *Session) isTemporaryDDL(ast sqlparser.Statement) bool {
	switch ast := ast.(type) {
	case *sqlparser.CreateTable:
		return ast.Temp
	case *sqlparser.DropTable:
		return ast.Temp
	}
	return false
}

// exists reports whether the table to create is there.
func (s *Session) exists(create *sqlparser.CreateTable) bool {
	name := create.Table.Name.String()
	if create.Temp {
		return s.sql.temps[strings.ToLower(name)] != ""
	}
	return s.shard.db.Root().Table(name) != nil
}

// dropTemporary runs DROP TEMPORARY TABLE, which drops no others.
func (s *Session) dropTemporary(drop *sqlparser.DropTable, out *emitter) error {
	for _, t := range drop.FromTables {
		name := t.Name.String()
		if s.sql.temps[strings.ToLower(name)] == "" {
			s.sql.warnings = append(s.sql.warnings, &sql.Warning{Level: "Note", Code: 1051, Message: "Unknown table '" + s.shard.keyspace + "." + name + "'"})
			continue
		}
		s.sql.doomed = append(s.sql.doomed, s.sql.temps[strings.ToLower(name)])
		delete(s.sql.temps, strings.ToLower(name))
	}
	return out.send(&sqltypes.Result{})
}

// doom has a table that a statement made in vain go when the statement's transaction ends, which has locks of its rows until then.
func (s *sqlSession) doom(name string) {
	if t := s.tableNamed(name); t != nil {
		s.doomed = append(s.doomed, t.Def.Name)
		delete(s.temps, strings.ToLower(name))
	}
}

// dropDoomed drops the tables that were to go with ended transactions.
func (s *sqlSession) dropDoomed() {
	for _, stored := range s.doomed {
		_ = s.shard.db.DropTable(context.Background(), stored, s.lockWait())
	}
	s.doomed = nil
}

// checkTemporary refuses what MySQL does with temporary tables: foreign keys, and two uses of one in a statement.
func (s *Session) checkTemporary(stmt sqlparser.Statement) error {
	switch ast := stmt.(type) {
	case *sqlparser.CreateTable:
		s.sql.temporary = ast.Temp
		hidden := s.sql.temps[strings.ToLower(ast.Table.Name.String())] != ""
		if !ast.Temp {
			if hidden {
				return errUnsupported("CREATE TABLE of a table that a temporary one hides")
			}
			return nil
		}
		if ast.TableSpec != nil {
			for _, c := range ast.TableSpec.Constraints {
				if _, ok := c.Details.(*sqlparser.ForeignKeyDefinition); ok {
					return mysqlError(1215, "HY000", "Cannot add foreign key constraint")
				}
			}
		}
	case *sqlparser.DropTable:
		for _, t := range ast.FromTables {
			if ast.Temp && s.sql.temps[strings.ToLower(t.Name.String())] == "" && !ast.IfExists {
				return mysqlError(1051, "42S02", "Unknown table '%s.%s'", s.shard.keyspace, t.Name.String())
			}
		}
	}
	if len(s.sql.temps) == 0 {
		return nil
	}
	if view, ok := stmt.(*sqlparser.CreateView); ok {
		return s.checkViewed(view)
	}
	if isDDL(stmt) {
		return nil
	}
	return s.checkReopened(stmt)
}

// checkReopened refuses a statement that uses a temporary table more than once.
func (s *Session) checkReopened(stmt sqlparser.Statement) error {
	used := make(map[string]bool)
	var refused error
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		t, ok := node.(*sqlparser.AliasedTableExpr)
		if !ok {
			return refused == nil, nil
		}
		name, ok := t.Expr.(sqlparser.TableName)
		lower := strings.ToLower(name.Name.String())
		if !ok || s.sql.temps[lower] == "" {
			return refused == nil, nil
		}
		if used[lower] {
			shown := name.Name.String()
			if t.As.NotEmpty() {
				shown = t.As.String()
			}
			refused = mysqlError(1137, "HY000", "Can't reopen table: '%s'", shown)
		}
		used[lower] = true
		return refused == nil, nil
	}, stmt)
	return refused
}

// checkViewed refuses a view of a temporary table.
func (s *Session) checkViewed(view *sqlparser.CreateView) error {
	for _, t := range tablesIn(view.Select) {
		if s.sql.temps[strings.ToLower(t)] != "" {
			return mysqlError(1352, "HY000", "View's SELECT refers to a temporary table '%s'", t)
		}
	}
	return nil
}

// tablesIn returns the names of the tables that a query reads, as they are written.
func tablesIn(query sqlparser.SQLNode) []string {
	var names []string
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if t, ok := node.(*sqlparser.AliasedTableExpr); ok {
			if name, isTable := t.Expr.(sqlparser.TableName); isTable {
				names = append(names, name.Name.String())
			}
		}
		return true, nil
	}, query)
	return names
}
