package gateway

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

var _ sqlparser.VSchemaViews = (*Session)(nil)

// FindView implements sqlparser.VSchemaViews: the definition that takes a view's place, and the name that a routing rule gave it.
func (s *Session) FindView(name sqlparser.TableName) (sqlparser.TableStatement, *sqlparser.TableName) {
	keyspace := name.Qualifier.String()
	if keyspace == "" {
		keyspace = s.keyspace()
	}
	return s.gateway.VSchema().FindRoutedView(keyspace, name.Name.String(), s.target.TabletType)
}

// refuseUnwritable refuses what planning would make nonsense of: the query of a view where a write names its table, a value
// where SELECT ... INTO names a variable, and a file of rows that no shard returns.
func (s *Session) refuseUnwritable(stmt sqlparser.Statement) error {
	var written []sqlparser.TableExpr
	switch stmt := stmt.(type) {
	case *sqlparser.Insert:
		written = []sqlparser.TableExpr{stmt.Table}
	case *sqlparser.Update:
		written = stmt.TableExprs
	case *sqlparser.Delete:
		written = stmt.TableExprs
	case sqlparser.TableStatement:
		if hasInto(stmt) {
			return vterrors.VT12001("SELECT ... INTO")
		}
	}
	if len(written) != 1 {
		return nil // a join may read views
	}
	if table, ok := written[0].(*sqlparser.AliasedTableExpr); ok {
		if name, ok := table.Expr.(sqlparser.TableName); ok && s.isView(name) {
			return vterrors.VT12001("writing to view " + name.Name.String())
		}
	}
	return nil
}

func (s *Session) isView(name sqlparser.TableName) bool {
	view, _ := s.FindView(name)
	return view != nil
}

// hasInto reports whether a query has INTO, which may stand in the last SELECT of a union.
func hasInto(query sqlparser.TableStatement) bool {
	switch query := query.(type) {
	case *sqlparser.Select:
		return query.Into != nil
	case *sqlparser.Union:
		return query.Into != nil || hasInto(query.Right)
	}
	return false
}
