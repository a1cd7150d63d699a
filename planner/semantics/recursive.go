package semantics

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// Recursion is one use of a common table expression that reads itself:
//
//	with recursive n as (select 1 as i union all select i + 1 from n where i < 5) select i from n
//	                     seed                    term          work
//
// In the term the name means the rows that came last: the work table.
type Recursion struct {
	Name    sqlparser.IdentifierCS
	Columns sqlparser.Columns // as declared, nil for those of the seed
	Work    TableSet          // the work table, by its index in SemTable.Tables

	scope *scope
	info  *TableInfo // nil: the term has not read it yet
}

// Recursion is what is known of the UNION of a recursive common table expression, nil for other unions.
func (st *SemTable) Recursion(u *sqlparser.Union) *Recursion { return st.recursions[u] }

// WorkColumn is the position of a column of the work table that has that name, -1 for none.
func (st *SemTable) WorkColumn(r *Recursion, name string) int {
	for i, col := range r.info.Columns {
		if sqlparser.NewIdentifierCI(col.Name).EqualString(name) {
			return i
		}
	}
	return -1
}

// ReplaceColumns puts other expressions in the place of a table's columns, wherever a statement has them, and forgets the
// table for all that is built of them. The new expressions have the columns' types.
func (st *SemTable) ReplaceColumns(stmt sqlparser.SQLNode, table TableSet, with func(*sqlparser.ColName) sqlparser.Expr) {
	sqlparser.Rewrite(stmt, nil, func(c *sqlparser.Cursor) bool {
		expr, ok := c.Node().(sqlparser.Expr)
		if !ok || !isMapKey(expr) || !st.DirectDeps(expr).IsOverlapping(table) {
			return true
		}
		if col, ok := expr.(*sqlparser.ColName); ok {
			replacement := with(col)
			st.CopyType(col, replacement)
			c.Replace(replacement)
			return true
		}
		delete(st.direct, expr)
		delete(st.recursive, expr)
		return true
	})
}

// noteRecursion marks a copy of the query of a recursive common table expression. VT09026 if it is no UNION.
func (a *analyzer) noteRecursion(def *cte, query sqlparser.TableStatement) error {
	name := def.name.String()
	u, ok := query.(*sqlparser.Union)
	if !ok {
		return vterrors.VT09026(name)
	}
	term, ok := u.Right.(*sqlparser.Select)
	switch {
	case !ok, mentionsTable(u.Left, name):
		return vterrors.VT12001("recursive common table expression with several recursive parts")
	case u.Limit != nil, u.OrderBy != nil, term.Limit != nil, term.OrderBy != nil, term.Distinct, term.Having != nil:
		return vterrors.VT12001("DISTINCT, HAVING, ORDER BY or LIMIT in a recursive common table expression")
	case term.GroupBy != nil, sqlparser.ContainsAggregation(term.SelectExprs):
		return vterrors.VT09027(name)
	}
	a.st.recursions[u] = &Recursion{Name: def.name, Columns: def.columns}
	return nil
}

// recursiveTerm analyses the term of a recursion, whose seed is analysed.
func (a *analyzer) recursiveTerm(r *Recursion, term sqlparser.TableStatement, seed []block, outer *scope) ([]block, error) {
	r.scope = newScope(outer)
	r.scope.ctes[r.Name.String()] = &cte{name: r.Name, work: r, seed: a.describe(seed[0].sel.GetColumns())}
	blocks, err := a.query(term, r.scope, false)
	if err == nil && r.info == nil {
		err = vterrors.VT09029(r.Name.String())
	}
	if err == nil && isOptional(term.(*sqlparser.Select).From, r.info.AST) {
		err = vterrors.VT09028(r.Name.String())
	}
	return blocks, err
}

// workTable adds the work table of a recursion to the FROM clause of its term: once, and in no subquery, or VT09029.
func (a *analyzer) workTable(item *sqlparser.AliasedTableExpr, def *cte, s *scope) error {
	r := def.work
	if r.info != nil || s.parent != r.scope {
		return vterrors.VT09029(r.Name.String())
	}
	id, err := a.nextID()
	if err != nil {
		return err
	}
	info := &TableInfo{ID: id, Kind: WorkTable, Name: r.Name.String(), AST: item, Authoritative: true}
	if item.As.NotEmpty() {
		info.Name = item.As.String()
	}
	if len(r.Columns) > 0 && len(r.Columns) != len(def.seed) {
		return vterrors.VT03033()
	}
	for i, col := range def.seed {
		if col.expr == nil {
			return vterrors.VT09015()
		}
		name := col.name
		if len(r.Columns) > 0 {
			name = r.Columns[i].String()
		}
		info.Columns = append(info.Columns, ColumnInfo{Name: name, Type: col.typ})
	}
	r.info, r.Work = info, id
	a.st.Tables = append(a.st.Tables, info)
	return s.addTable(info)
}

// isOptional tells whether an outer join may leave a table out.
func isOptional(from []sqlparser.TableExpr, table *sqlparser.AliasedTableExpr) bool {
	holds := func(side sqlparser.TableExpr) bool {
		found := false
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			found = found || node == sqlparser.SQLNode(table)
			return !found, nil
		}, side)
		return found
	}
	for _, item := range from {
		optional := false
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			join, ok := node.(*sqlparser.JoinTableExpr)
			if ok {
				switch join.Join {
				case sqlparser.LeftJoinType, sqlparser.NaturalLeftJoinType:
					optional = optional || holds(join.RightExpr)
				case sqlparser.RightJoinType, sqlparser.NaturalRightJoinType:
					optional = optional || holds(join.LeftExpr)
				}
			}
			return true, nil
		}, item)
		if optional {
			return true
		}
	}
	return false
}
