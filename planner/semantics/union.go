package semantics

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// union analyses both sides, then gives the union columns of its own, then binds its ORDER BY to them.
func (a *analyzer) union(u *sqlparser.Union, outer *scope) ([]block, error) {
	a.st.Signature.Union = true
	a.st.Signature.Distinct = a.st.Signature.Distinct || u.Distinct
	s := newScope(outer)
	if err := a.with(u.With, s); err != nil {
		return nil, err
	}
	if err := checkUnionOrder(u); err != nil {
		return nil, err
	}
	for _, side := range []sqlparser.TableStatement{u.Left, u.Right} {
		if sel, ok := side.(*sqlparser.Select); ok && sel.SQLCalcFoundRows {
			return nil, vterrors.VT12001("SQL_CALC_FOUND_ROWS not supported with union")
		}
	}
	left, err := a.query(u.Left, s, false)
	if err != nil {
		return nil, err
	}
	var right []block
	recursion := a.st.Recursion(u)
	if recursion != nil {
		right, err = a.recursiveTerm(recursion, u.Right, left, s)
	} else {
		right, err = a.query(u.Right, s, false)
	}
	if err != nil {
		return nil, err
	}
	blocks := append(left, right...)
	if err := a.unionColumns(u, blocks); err != nil {
		return nil, err
	}
	if err := a.unionOrder(u, blocks); err != nil {
		return nil, err
	}
	if u.Limit != nil {
		return blocks, a.bindNode(u.Limit, s)
	}
	return blocks, nil
}

// checkUnionOrder refuses qualified columns: the rows of a union come from no table.
func checkUnionOrder(u *sqlparser.Union) error {
	return sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.ColName:
			if !node.Qualifier.IsEmpty() {
				return false, invalidArgument("Table `%s` from one of the SELECTs cannot be used in global ORDER clause", node.Qualifier.Name.String())
			}
		case *sqlparser.Subquery:
			return false, nil
		}
		return true, nil
	}, u.OrderBy)
}

// unionColumns makes the columns of a union: the names of the first block, the types and dependencies of all.
func (a *analyzer) unionColumns(u *sqlparser.Union, blocks []block) error {
	first := blocks[0].sel.GetColumns()
	known := true
	cols := make([]sqlparser.SelectExpr, 0, len(first))
	for _, e := range first {
		ae, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			known = false
			cols = append(cols, e)
			continue
		}
		cols = append(cols, &sqlparser.AliasedExpr{Expr: sqlparser.NewColName(ae.ColumnName())})
	}
	a.st.unions[u] = cols
	if !known {
		return nil
	}
	deps := make([]TableSet, len(first))
	types := make([]evalengine.TypeAggregator, len(first))
	for _, b := range blocks {
		exprs := b.sel.GetColumns()
		if len(exprs) != len(first) && !hasStar(exprs) {
			return columnCountDiffers(len(first), len(exprs))
		}
		for i, e := range exprs {
			ae, ok := e.(*sqlparser.AliasedExpr)
			if !ok || i >= len(first) {
				continue
			}
			deps[i] = deps[i].Merge(a.st.RecursiveDeps(ae.Expr))
			if err := types[i].Add(a.st.typeOf(ae.Expr), a.env); err != nil {
				return err
			}
		}
	}
	for i, e := range cols {
		expr := e.(*sqlparser.AliasedExpr).Expr
		a.st.recursive[expr] = deps[i]
		if typ := types[i].Type(); typ.Valid() {
			a.st.types[expr] = typ
		}
	}
	return nil
}

func hasStar(exprs []sqlparser.SelectExpr) bool {
	for _, e := range exprs {
		if _, ok := e.(*sqlparser.StarExpr); ok {
			return true
		}
	}
	return false
}

// unionOrder binds the ORDER BY of a union to the columns of the union, by name or by position.
func (a *analyzer) unionOrder(u *sqlparser.Union, blocks []block) error {
	first := blocks[0].sel
	for _, order := range u.OrderBy {
		replaced, _, err := a.position(order.Expr, first, "order clause")
		if err != nil {
			return err
		}
		if replaced != nil {
			name := "" // a literal in the select list orders nothing
			if ae := a.columnAt(order.Expr, first); ae != nil {
				name = ae.ColumnName()
			}
			order.Expr = withCollation(order.Expr, sqlparser.NewColName(name))
		}
		if err := a.bindUnionOrder(order.Expr, first, blocks); err != nil {
			return err
		}
	}
	return nil
}

func (a *analyzer) bindUnionOrder(expr sqlparser.Expr, first *sqlparser.Select, blocks []block) error {
	return sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.ColName:
			return false, a.bindUnionColumn(node, first, blocks)
		case *sqlparser.Subquery:
			_, err := a.query(node.Select, newScope(nil), false)
			return false, err
		}
		a.typeNode(node)
		return true, nil
	}, expr)
}

func (a *analyzer) bindUnionColumn(col *sqlparser.ColName, first *sqlparser.Select, blocks []block) error {
	for i, e := range first.GetColumns() {
		ae, ok := e.(*sqlparser.AliasedExpr)
		if !ok || columnName(ae) != col.Name.String() {
			continue
		}
		var direct, recursive TableSet
		for _, b := range blocks {
			if i >= b.sel.GetColumnCount() {
				continue
			}
			if ae, ok := b.sel.GetColumns()[i].(*sqlparser.AliasedExpr); ok {
				direct = direct.Merge(a.st.DirectDeps(ae.Expr))
				recursive = recursive.Merge(a.st.RecursiveDeps(ae.Expr))
			}
		}
		a.st.direct[col], a.st.recursive[col] = direct, recursive
		return nil
	}
	if hasStar(first.GetColumns()) {
		return nil
	}
	return a.soften(unlessUnsharded(columnNotFound{column: col}))
}
