package combo

import (
	"maps"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// qualifyTables names the keyspace of the tables that a view's query reads, for the query takes the view's place in statements
// of sessions that have another keyspace selected, or none. ctes are the names of the common table expressions around the
// query, in lower case: they are in no keyspace, nor is dual.
func qualifyTables(query sqlparser.TableStatement, keyspace sqlparser.IdentifierCS, ctes map[string]bool) {
	if with := query.GetWith(); with != nil {
		outer := ctes
		ctes = map[string]bool{}
		maps.Copy(ctes, outer)
		for _, cte := range with.CTEs {
			name := strings.ToLower(cte.ID.String())
			ctes[name] = ctes[name] || with.Recursive // else it does not see itself
			qualifyTables(cte.Subquery, keyspace, ctes)
			ctes[name] = true
		}
	}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.With:
			return false, nil
		case sqlparser.TableStatement:
			if node != query && node.GetWith() != nil {
				qualifyTables(node, keyspace, ctes)
				return false, nil
			}
		case *sqlparser.AliasedTableExpr:
			name, ok := node.Expr.(sqlparser.TableName)
			lowered := strings.ToLower(name.Name.String())
			if ok && name.Qualifier.IsEmpty() && lowered != "dual" && !ctes[lowered] {
				name.Qualifier = keyspace
				node.Expr = name
			}
		}
		return true, nil
	}, query)
}
