package semantics

import (
	"strings"

	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// projection expands the stars of a select list and binds its expressions.
func (a *analyzer) projection(sel *sqlparser.Select, s *scope) error {
	var out []sqlparser.SelectExpr
	for _, e := range sel.GetColumns() {
		switch e := e.(type) {
		case *sqlparser.StarExpr:
			cols, err := a.expandStar(e, s)
			if err != nil {
				return err
			}
			if cols == nil {
				out = append(out, e)
			}
			out = append(out, cols...)
		default:
			out = append(out, e)
		}
	}
	sel.SelectExprs = &sqlparser.SelectExprs{Exprs: out}
	for _, e := range out {
		ae, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			continue
		}
		expr, err := a.expr(ae.Expr, s)
		if err != nil {
			return err
		}
		ae.Expr = expr
	}
	return nil
}

// expandStar lists the columns that a star stands for, nil where a table does not tell them.
func (a *analyzer) expandStar(star *sqlparser.StarExpr, s *scope) ([]sqlparser.SelectExpr, error) {
	matched := false
	var cols []sqlparser.SelectExpr
	for _, t := range s.tables {
		if !star.TableName.IsEmpty() && !t.matches(star.TableName) {
			continue
		}
		matched = true
		if !t.Authoritative {
			return nil, nil
		}
		cols = append(cols, s.columnsOf(t)...)
	}
	if !matched {
		return nil, vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.BadDb, "Unknown table '%s'", sqlparser.String(star.TableName))
	}
	return cols, nil
}

// columnsOf lists what a star takes from one table, in the order that standard SQL wants: columns shared by USING first, and
// those once only, with the first of the tables that share them.
func (s *scope) columnsOf(t *TableInfo) []sqlparser.SelectExpr {
	qualify := len(s.tables) > 1
	var shared, own []sqlparser.SelectExpr
	for _, col := range t.Columns {
		if col.Invisible {
			continue
		}
		name := sqlparser.NewColName(col.Name)
		if qualify {
			name.Qualifier = t.TableName()
		}
		tables, isShared := s.using[strings.ToLower(col.Name)]
		switch {
		case !isShared || !t.ID.IsSolvedBy(tables):
			own = append(own, &sqlparser.AliasedExpr{Expr: name})
		case tables.Constituents()[0] == t.ID:
			shared = append(shared, &sqlparser.AliasedExpr{Expr: name})
		}
	}
	return append(shared, own...)
}
