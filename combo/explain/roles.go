package explain

import (
	"strings"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"
)

// role is what a table is for, where queries on it are not like others.
type role int

const (
	sequence role = iota + 1
	entries       // of a consistent lookup
)

type tableKey struct{ keyspace, table string }

// rolesOf finds the sequences and the tables of consistent lookups.
func rolesOf(def *vschemapb.SrvVSchema) map[tableKey]role {
	roles := map[tableKey]role{}
	for name, keyspace := range def.GetKeyspaces() {
		for table, tableDef := range keyspace.GetTables() {
			if tableDef.GetType() == "sequence" {
				roles[tableKey{name, table}] = sequence
			}
		}
		for _, vindex := range keyspace.GetVindexes() {
			if !strings.HasPrefix(vindex.GetType(), "consistent_lookup") {
				continue
			}
			key := tableKey{name, vindex.GetParams()["table"]}
			if before, after, ok := strings.Cut(key.table, "."); ok {
				key = tableKey{before, after}
			}
			roles[key] = entries
		}
	}
	return roles
}

// tableOf is the one table a statement reads or writes, "" for several.
func tableOf(stmt sqlparser.Statement) string {
	var exprs []sqlparser.TableExpr
	switch stmt := stmt.(type) {
	case *sqlparser.Select:
		exprs = stmt.From
	case *sqlparser.Update:
		exprs = stmt.TableExprs
	case *sqlparser.Delete:
		exprs = stmt.TableExprs
	case *sqlparser.Insert:
		exprs = []sqlparser.TableExpr{stmt.Table}
	}
	if len(exprs) != 1 {
		return ""
	}
	if aliased, ok := exprs[0].(*sqlparser.AliasedTableExpr); ok {
		return sqlparser.GetTableName(aliased.Expr).String()
	}
	return ""
}
