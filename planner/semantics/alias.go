package semantics

import (
	"errors"

	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// aliasRewriter replaces names of the select list by the expressions they stand for. The clauses differ in when a name means
// the alias and when the column of a table; decide says that.
type aliasRewriter struct {
	a      *analyzer
	s      *scope
	names  map[string]alias
	udfs   []string
	root   sqlparser.Expr
	decide func(r *aliasRewriter, col *sqlparser.ColName, item alias, insideAggr bool) (takeAlias bool, err error)
	// kept, if set, is asked about each column that is not replaced.
	kept func(col *sqlparser.ColName, insideAggr bool) error
	// qualify writes the table into the columns of the expression that is put in.
	qualify bool

	aggrDepth int
	err       error
}

func (r *aliasRewriter) rewrite(e sqlparser.Expr) (sqlparser.Expr, error) {
	out := sqlparser.CopyOnRewrite(e, r.down, r.up, nil).(sqlparser.Expr)
	return out, r.err
}

func (r *aliasRewriter) isAggr(node sqlparser.SQLNode) bool {
	switch node := node.(type) {
	case sqlparser.AggrFunc:
		return true
	case *sqlparser.FuncExpr:
		return node.Name.EqualsAnyString(r.udfs)
	}
	return false
}

func (r *aliasRewriter) down(node, _ sqlparser.SQLNode) bool {
	if _, isSub := node.(*sqlparser.Subquery); isSub || r.err != nil {
		return false
	}
	if r.isAggr(node) {
		r.aggrDepth++
	}
	return true
}

func (r *aliasRewriter) up(c *sqlparser.CopyOnWriteCursor) {
	if r.err != nil {
		return
	}
	if r.isAggr(c.Node()) {
		r.aggrDepth--
		return
	}
	col, ok := c.Node().(*sqlparser.ColName)
	if !ok {
		return
	}
	replacement, err := r.replacement(col)
	if err != nil {
		r.err = err
		c.StopTreeWalk()
		return
	}
	if replacement != nil {
		c.Replace(replacement)
	}
}

// replacement is the expression that a column stands for, nil for a column that stays.
func (r *aliasRewriter) replacement(col *sqlparser.ColName) (sqlparser.Expr, error) {
	inside := r.aggrDepth > 0
	item, found := r.names[col.Name.Lowered()]
	if found && col.Qualifier.IsEmpty() {
		take, err := r.decide(r, col, item, inside)
		if err != nil {
			return nil, err
		}
		if take {
			return r.expand(col, item, inside)
		}
	}
	if r.kept != nil {
		return nil, r.kept(col, inside)
	}
	return nil, nil
}

func (r *aliasRewriter) expand(col *sqlparser.ColName, item alias, insideAggr bool) (sqlparser.Expr, error) {
	if item.ambiguous {
		return nil, ambiguousColumn{col}
	}
	if insideAggr && sqlparser.ContainsAggregation(item.expr) {
		return nil, invalidUseOfGroupFunction()
	}
	if !r.qualify {
		return sqlparser.Clone(item.expr), nil
	}
	return sqlparser.CopyOnRewrite(item.expr, nil, r.a.qualifyColumn, nil).(sqlparser.Expr), nil
}

// qualifyColumn writes the table that a bound column comes from into the column.
func (a *analyzer) qualifyColumn(c *sqlparser.CopyOnWriteCursor) {
	col, ok := c.Node().(*sqlparser.ColName)
	if !ok || col.Qualifier.NonEmpty() {
		return
	}
	info, err := a.st.InfoForExpr(col)
	if err != nil {
		c.Replace(sqlparser.NewColName(col.Name.String()))
		return
	}
	c.Replace(sqlparser.NewColNameWithQualifier(col.Name.String(), info.TableName()))
}

// onTable tells whether a table of the FROM clause has the column, and whether that is known for certain.
func (r *aliasRewriter) onTable(col *sqlparser.ColName) (onTable, certain bool) {
	found, err := r.s.search(col, false)
	if err != nil || found.ambiguous {
		return false, true
	}
	return found.found, found.certain
}

func isNotFound(err error) bool {
	var missing columnNotFound
	return errors.As(err, &missing)
}

func unsupported(format string, args ...any) error {
	return vterrors.Errorf(vtrpcpb.Code_UNIMPLEMENTED, format, args...)
}
