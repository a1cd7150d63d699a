package semantics

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

func (a *analyzer) update(upd *sqlparser.Update) error {
	a.st.Signature.DML = true
	s := newScope(nil)
	if err := a.with(upd.With, s); err != nil {
		return err
	}
	for _, item := range upd.TableExprs {
		if err := a.tableExpr(item, s); err != nil {
			return err
		}
	}
	for _, set := range upd.Exprs {
		expr, err := a.expr(set.Expr, s)
		if err != nil {
			return err
		}
		set.Expr = expr
		if err := a.bindColumn(set.Name, s); err != nil {
			return err
		}
		a.st.DMLTargets = a.st.DMLTargets.Merge(a.st.direct[set.Name])
	}
	return a.dmlClauses(upd.Where, upd.OrderBy, upd.Limit, s)
}

func (a *analyzer) delete(del *sqlparser.Delete) error {
	a.st.Signature.DML = true
	s := newScope(nil)
	if err := a.with(del.With, s); err != nil {
		return err
	}
	if len(del.Targets) == 0 {
		if single, ok := del.TableExprs[0].(*sqlparser.AliasedTableExpr); ok {
			name, err := single.TableName()
			if err != nil {
				return err
			}
			del.Targets = append(del.Targets, name)
		}
	}
	for _, item := range del.TableExprs {
		if err := a.tableExpr(item, s); err != nil {
			return err
		}
	}
	for _, target := range del.Targets {
		id, err := deleteTarget(target, s)
		if err != nil {
			return err
		}
		a.st.DMLTargets = a.st.DMLTargets.Merge(id)
	}
	return a.dmlClauses(del.Where, del.OrderBy, del.Limit, s)
}

// deleteTarget finds the table that a DELETE names. VT03004 for a derived table.
func deleteTarget(target sqlparser.TableName, s *scope) (TableSet, error) {
	for _, t := range s.tables {
		if t.Name != target.Name.String() {
			continue
		}
		if t.Kind == DerivedTable {
			return TableSet{}, vterrors.VT03004(target.Name.String())
		}
		return t.ID, nil
	}
	return TableSet{}, nil
}

func (a *analyzer) dmlClauses(where *sqlparser.Where, order sqlparser.OrderBy, limit *sqlparser.Limit, s *scope) error {
	if where != nil {
		expr, err := a.expr(where.Expr, s)
		if err != nil {
			return err
		}
		where.Expr = expr
	}
	for _, o := range order {
		expr, err := a.expr(o.Expr, s)
		if err != nil {
			return err
		}
		o.Expr = expr
	}
	if limit != nil {
		return a.bindNode(limit, s)
	}
	return nil
}

func (a *analyzer) insert(ins *sqlparser.Insert) error {
	a.st.Signature.DML = true
	if ins.Action == sqlparser.ReplaceAct && !a.single {
		if err := a.soften(unlessUnsharded(vterrors.VT12001("REPLACE INTO with sharded keyspace"))); err != nil {
			return err
		}
	}
	s := newScope(nil)
	if err := a.aliasedTable(ins.Table, s); err != nil {
		return err
	}
	switch rows := ins.Rows.(type) {
	case sqlparser.Values:
		for _, row := range rows {
			for i, e := range row {
				expr, err := a.expr(e, s)
				if err != nil {
					return err
				}
				row[i] = expr
			}
		}
	case sqlparser.TableStatement:
		if _, err := a.query(rows, newScope(nil), false); err != nil {
			return err
		}
	}
	if ins.RowAlias != nil {
		if err := a.rowAlias(ins, s); err != nil {
			return err
		}
	}
	for _, set := range ins.OnDup {
		if err := a.bindNode(set, s); err != nil {
			return err
		}
	}
	return nil
}

// rowAlias makes the row that is inserted a table that ON DUPLICATE KEY UPDATE can name.
func (a *analyzer) rowAlias(ins *sqlparser.Insert, s *scope) error {
	target := s.tables[0]
	names := ins.Columns
	if len(names) == 0 {
		if !target.Authoritative {
			return vterrors.VT09015()
		}
		for _, col := range target.Columns {
			if !col.Invisible {
				names = append(names, sqlparser.NewIdentifierCI(col.Name))
			}
		}
	}
	if n := len(ins.RowAlias.Columns); n > 0 && n != len(names) {
		return vterrors.VT03033()
	}
	id, err := a.nextID()
	if err != nil {
		return err
	}
	name := ins.RowAlias.TableName.String()
	info := &TableInfo{
		ID: id, Kind: DerivedTable, Name: name, Authoritative: true,
		AST: &sqlparser.AliasedTableExpr{Expr: sqlparser.NewTableName(name)},
	}
	for i, col := range names {
		known, ok := target.column(col.String())
		shown := col.String()
		if len(ins.RowAlias.Columns) > 0 {
			if !ok {
				return unknownColumnInField(shown)
			}
			shown = ins.RowAlias.Columns[i].String()
		}
		added := ColumnInfo{Name: shown, deps: target.ID}
		if ok {
			added.Type = known.Type
		}
		info.Columns = append(info.Columns, added)
	}
	a.st.Tables = append(a.st.Tables, info)
	return s.addTable(info)
}
