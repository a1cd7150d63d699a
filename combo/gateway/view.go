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

// refuseUnwritable refuses what normalising would make nonsense of: the query of a view where a write names its table, and a
// value where SELECT ... INTO names a variable.
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
		if into := intoOf(stmt); into != nil && len(into.VarList) > 0 {
			return vterrors.VT12001("SELECT ... INTO a variable")
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

// intoOf is the INTO of a query, which the last SELECT of a union may have.
func intoOf(stmt sqlparser.TableStatement) *sqlparser.SelectInto {
	switch stmt := stmt.(type) {
	case *sqlparser.Select:
		return stmt.Into
	case *sqlparser.Union:
		if stmt.Into == nil {
			return intoOf(stmt.Right)
		}
		return stmt.Into
	}
	return nil
}
