package sqlengine

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// fromScope are the tables of a query's FROM with their columns, as they are known before the engine binds it.
type fromScope []fromTable

type fromTable struct {
	name     string // lower case
	database string // "" of a derived table
	columns  map[string]bool
	known    bool // false of a view and what is not there: it may have any column
}

// fromScopes reads the FROM clauses of one statement.
type fromScopes struct {
	session *Session
	common  map[string]*sqlparser.CommonTableExpr // by lower-case name
}

func (s *Session) fromScopes(stmt sqlparser.Statement) *fromScopes {
	scopes := &fromScopes{session: s, common: make(map[string]*sqlparser.CommonTableExpr)}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if cte, ok := node.(*sqlparser.CommonTableExpr); ok {
			scopes.common[strings.ToLower(cte.ID.String())] = cte
		}
		return true, nil
	}, stmt)
	return scopes
}

// of returns what a query reads.
func (scopes *fromScopes) of(sel *sqlparser.Select) fromScope {
	var scope fromScope
	for _, from := range sel.From {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			switch node := node.(type) {
			case *sqlparser.Subquery:
				return false, nil
			case *sqlparser.AliasedTableExpr:
				scope = append(scope, scopes.table(node))
				return false, nil
			case *sqlparser.JSONTableExpr:
				scope = append(scope, fromTable{name: strings.ToLower(node.Alias.String())})
			}
			return true, nil
		}, from)
	}
	return scope
}

func (scopes *fromScopes) table(e *sqlparser.AliasedTableExpr) fromTable {
	t := fromTable{name: strings.ToLower(e.As.String())}
	switch source := e.Expr.(type) {
	case *sqlparser.DerivedTable:
		t.columns, t.known = scopes.derived(source.Select, e.Columns)
	case sqlparser.TableName:
		name := strings.ToLower(source.Name.String())
		if t.name == "" {
			t.name = name
		}
		if cte := scopes.common[name]; cte != nil && source.Qualifier.IsEmpty() {
			// One that reads itself has the columns of its first term, where it does not.
			delete(scopes.common, name)
			t.columns, t.known = scopes.derived(cte.Subquery, cte.Columns)
			scopes.common[name] = cte
			return t
		}
		t.database = scopes.session.shard.keyspace
		if stored := scopes.session.sql.tableNamed(name); stored != nil && (source.Qualifier.IsEmpty() || source.Qualifier.String() == t.database) {
			t.columns, t.known = make(map[string]bool), true
			for _, c := range metaOf(stored.Def).columns {
				t.columns[strings.ToLower(c.Name)] = true
			}
		}
	}
	return t
}

// derived returns the columns of a derived table.
func (scopes *fromScopes) derived(query sqlparser.TableStatement, named sqlparser.Columns) (columns map[string]bool, known bool) {
	columns = make(map[string]bool)
	for _, c := range named {
		columns[c.Lowered()] = true
	}
	if len(named) > 0 {
		return columns, true
	}
	first, err := sqlparser.GetFirstSelect(query)
	if err != nil || first.SelectExprs == nil {
		return nil, false
	}
	for _, e := range first.SelectExprs.Exprs {
		switch e := e.(type) {
		case *sqlparser.AliasedExpr:
			columns[strings.ToLower(e.ColumnName())] = true
		case *sqlparser.StarExpr:
			for _, t := range scopes.of(first) {
				if !e.TableName.IsEmpty() && !strings.EqualFold(e.TableName.Name.String(), t.name) {
					continue
				}
				if !t.known {
					return nil, false
				}
				for c := range t.columns {
					columns[c] = true
				}
			}
		default:
			return nil, false
		}
	}
	return columns, true
}

// find returns the table that a column may be of, nil if there is none; known tells that it is of that table.
func (scope fromScope) find(col *sqlparser.ColName) (found *fromTable, known bool) {
	for i := range scope {
		t := &scope[i]
		switch {
		case !col.Qualifier.IsEmpty():
			if strings.EqualFold(col.Qualifier.Name.String(), t.name) {
				return t, true
			}
		case t.columns[col.Name.Lowered()]:
			return t, true
		case !t.known && found == nil:
			found = t
		}
	}
	return found, false
}
