package semantics

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/vindexes"
)

// block is an analysed SELECT: its scope stays open for the ORDER BY of a union around it.
type block struct {
	sel   *sqlparser.Select
	scope *scope
}

// query analyses a SELECT or UNION inside of outer (nil at the top) and returns its query blocks, leftmost first.
func (a *analyzer) query(stmt sqlparser.TableStatement, outer *scope, top bool) ([]block, error) {
	switch stmt := stmt.(type) {
	case *sqlparser.Select:
		s, err := a.selectBlock(stmt, outer, top)
		return []block{{stmt, s}}, err
	case *sqlparser.Union:
		return a.union(stmt, outer)
	default:
		return nil, vterrors.VT12001("VALUES statement in a sharded keyspace")
	}
}

func (a *analyzer) selectBlock(sel *sqlparser.Select, outer *scope, top bool) (*scope, error) {
	s := newScope(outer)
	if err := a.checkSelect(sel, outer, top); err != nil {
		return nil, err
	}
	a.noteSelect(sel)
	if err := a.with(sel.With, s); err != nil {
		return nil, err
	}
	for _, named := range sel.Windows {
		for _, def := range named.Windows {
			s.windows[def.Name.Lowered()] = true
		}
	}
	for _, item := range sel.From {
		if err := a.fromItem(item, s); err != nil {
			return nil, err
		}
	}
	if err := a.checkNextval(sel, s); err != nil {
		return nil, err
	}
	if err := a.projection(sel, s); err != nil {
		return nil, err
	}
	if sel.Where != nil {
		expr, err := a.expr(sel.Where.Expr, s)
		if err != nil {
			return nil, err
		}
		sel.Where.Expr = expr
	}
	return s, a.afterProjection(sel, s)
}

// afterProjection analyses the clauses that can use the names of the select list.
func (a *analyzer) afterProjection(sel *sqlparser.Select, s *scope) error {
	names := selectAliases(sel)
	if sel.GroupBy != nil {
		if err := a.groupBy(sel, s, names); err != nil {
			return err
		}
	}
	if sel.Having != nil {
		if err := a.having(sel, s, names); err != nil {
			return err
		}
	}
	for _, named := range sel.Windows {
		for _, def := range named.Windows {
			if err := a.bindNode(def, s); err != nil {
				return err
			}
		}
	}
	if err := a.orderBy(sel.OrderBy, sel, s, names); err != nil {
		return err
	}
	if sel.Limit != nil {
		return a.bindNode(sel.Limit, s)
	}
	return nil
}

// with makes the common table expressions of a statement known to its scope; each use becomes a derived table.
func (a *analyzer) with(w *sqlparser.With, s *scope) error {
	if w == nil {
		return nil
	}
	for _, def := range w.CTEs {
		name := def.ID.String()
		if _, ok := s.ctes[name]; ok {
			return vterrors.VT03013(name)
		}
		recursive := mentionsTable(def.Subquery, name)
		if recursive && !w.Recursive {
			return vterrors.VT12001("do not support CTE that use the CTE alias inside the CTE query")
		}
		s.ctes[name] = &cte{name: def.ID, query: def.Subquery, columns: def.Columns, recursive: recursive}
	}
	w.CTEs = nil
	return nil
}

func mentionsTable(stmt sqlparser.SQLNode, name string) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if t, ok := node.(sqlparser.TableName); ok && t.Qualifier.IsEmpty() && t.Name.String() == name {
			found = true
		}
		return !found, nil
	}, stmt)
	return found
}

// fromItem analyses one item of FROM. Its ON conditions see the tables of this item only.
func (a *analyzer) fromItem(item sqlparser.TableExpr, s *scope) error {
	own := newScope(s.parent)
	own.ctes = s.ctes
	if err := a.tableExpr(item, own); err != nil {
		return err
	}
	return s.join(own)
}

func (a *analyzer) tableExpr(item sqlparser.TableExpr, s *scope) error {
	switch item := item.(type) {
	case *sqlparser.AliasedTableExpr:
		return a.aliasedTable(item, s)
	case *sqlparser.JoinTableExpr:
		return a.joinExpr(item, s)
	case *sqlparser.ParenTableExpr:
		for _, e := range item.Exprs {
			if err := a.tableExpr(e, s); err != nil {
				return err
			}
		}
		return nil
	case *sqlparser.JSONTableExpr:
		return vterrors.VT12001("json_table expressions")
	}
	return vterrors.VT12001("table expression: " + sqlparser.String(item))
}

func (a *analyzer) aliasedTable(item *sqlparser.AliasedTableExpr, s *scope) error {
	if work, err := a.inlineCTE(item, s); work || err != nil {
		return err
	}
	switch expr := item.Expr.(type) {
	case *sqlparser.DerivedTable:
		return a.derivedTable(item, expr, s)
	case sqlparser.TableName:
		info, ok := a.early[item]
		if !ok {
			var err error
			if info, err = a.newTable(item, expr); err != nil {
				return err
			}
		}
		item.Hints = withoutVindexHints(item.Hints)
		return s.addTable(info)
	}
	return vterrors.VT12001("table expression: " + sqlparser.String(item))
}

// inlineCTE puts the query of a common table expression in the place of its name. It reports whether the name means a work table
// instead, which is added to the scope.
func (a *analyzer) inlineCTE(item *sqlparser.AliasedTableExpr, s *scope) (work bool, err error) {
	name, ok := item.Expr.(sqlparser.TableName)
	if !ok || name.Qualifier.NotEmpty() {
		return false, nil
	}
	def := s.findCTE(name.Name.String())
	if def == nil {
		return false, nil
	}
	if def.work != nil {
		return true, a.workTable(item, def, s)
	}
	if item.As.IsEmpty() {
		item.As = name.Name
	}
	// A second use of the same expression is a table of its own.
	query := a.copyQuery(def.query)
	item.Expr = &sqlparser.DerivedTable{Select: query}
	if len(def.columns) > 0 {
		item.Columns = def.columns
	}
	if def.recursive {
		err = a.noteRecursion(def, query)
	}
	return false, err
}

// copyQuery clones a query whose tables the first pass has seen already: the first copy takes those over.
func (a *analyzer) copyQuery(query sqlparser.TableStatement) sqlparser.TableStatement {
	clone := vindexes.CopyQuery(query)
	var from, to []*sqlparser.AliasedTableExpr
	collect := func(list *[]*sqlparser.AliasedTableExpr) sqlparser.Visit {
		return func(node sqlparser.SQLNode) (bool, error) {
			if t, ok := node.(*sqlparser.AliasedTableExpr); ok {
				*list = append(*list, t)
			}
			return true, nil
		}
	}
	_ = sqlparser.Walk(collect(&from), query)
	_ = sqlparser.Walk(collect(&to), clone)
	for i, t := range from {
		if info, ok := a.early[t]; ok {
			delete(a.early, t)
			info.AST = to[i]
			a.early[to[i]] = info
		}
	}
	return clone
}

func withoutVindexHints(hints sqlparser.IndexHints) sqlparser.IndexHints {
	var kept sqlparser.IndexHints
	for _, hint := range hints {
		if !hint.Type.IsVindexHint() {
			kept = append(kept, hint)
		}
	}
	return kept
}

func (a *analyzer) derivedTable(item *sqlparser.AliasedTableExpr, dt *sqlparser.DerivedTable, s *scope) error {
	if dt.Lateral {
		return vterrors.VT12001("lateral derived tables")
	}
	if sel, ok := dt.Select.(*sqlparser.Select); ok && sel.Limit == nil {
		sel.OrderBy = nil // the order of a derived table means nothing without LIMIT
	}
	blocks, err := a.query(dt.Select, s, false)
	if err != nil {
		return err
	}
	id, err := a.nextID()
	if err != nil {
		return err
	}
	var cols []derivedColumn
	if union, ok := dt.Select.(*sqlparser.Union); ok {
		cols = a.describe(a.st.unions[union])
	} else {
		cols = a.describe(blocks[0].sel.GetColumns())
	}
	info, err := newDerivedTable(id, item, cols, blocks[0].scope.tables)
	if err != nil {
		return err
	}
	a.st.Tables = append(a.st.Tables, info)
	return s.addTable(info)
}

// describe lists the columns of a select list with what they depend on.
func (a *analyzer) describe(exprs []sqlparser.SelectExpr) []derivedColumn {
	var cols []derivedColumn
	for _, e := range exprs {
		ae, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			cols = append(cols, derivedColumn{})
			continue
		}
		cols = append(cols, derivedColumn{
			name: columnName(ae), expr: ae.Expr, deps: a.st.RecursiveDeps(ae.Expr), typ: a.st.typeOf(ae.Expr),
		})
	}
	return cols
}

// columnName is the name that a select expression gives its column.
func columnName(ae *sqlparser.AliasedExpr) string {
	if ae.As.NotEmpty() {
		return ae.As.String()
	}
	if col, ok := ae.Expr.(*sqlparser.ColName); ok {
		return col.Name.String()
	}
	return sqlparser.String(ae.Expr)
}

func (st *SemTable) typeOf(expr sqlparser.Expr) evalengine.Type {
	if !isMapKey(expr) {
		return evalengine.Type{}
	}
	return st.types[expr]
}

// checkSelect refuses what Vitess refuses of a query block as such.
func (a *analyzer) checkSelect(sel *sqlparser.Select, outer *scope, top bool) error {
	if sel.SQLCalcFoundRows && !top {
		return invalidArgument("Incorrect usage/placement of 'SQL_CALC_FOUND_ROWS'")
	}
	what := "INTO"
	if isNextval(sel) {
		what = "NEXT"
	} else if sel.Into == nil {
		return nil
	}
	if outer != nil {
		return wrongPlacement(what)
	}
	if sel.Into != nil {
		return a.soften(unlessUnsharded(vterrors.VT12001("INTO on sharded keyspace")))
	}
	return nil
}

func isNextval(sel *sqlparser.Select) bool {
	if sel.GetColumnCount() != 1 {
		return false
	}
	_, ok := sel.GetColumns()[0].(*sqlparser.Nextval)
	return ok
}

// checkNextval makes sure that NEXT asks one sequence.
func (a *analyzer) checkNextval(sel *sqlparser.Select, s *scope) error {
	if !isNextval(sel) {
		return nil
	}
	if len(s.tables) != 1 {
		return vterrors.VT13001("Next statement should not contain multiple tables")
	}
	vtable := s.tables[0].VTable
	if vtable == nil {
		return invalidArgument("Table information is not provided in vschema for table `%s`", s.tables[0].Name)
	}
	if vtable.Type != vindexes.TypeSequence {
		return invalidArgument("NEXT used on a non-sequence table `%s`", vtable.Name.String())
	}
	return nil
}

func (a *analyzer) noteSelect(sel *sqlparser.Select) {
	sig := &a.st.Signature
	sig.Distinct = sig.Distinct || sel.Distinct
	sig.Aggregation = sig.Aggregation || sel.GroupBy != nil
}
