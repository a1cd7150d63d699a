package planner

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

func (b *builder) insert(stmt *sqlparser.Insert) (planned, error) {
	sem, err := semantics.Analyze(stmt, b.pc.Keyspace, b.pc)
	if err != nil {
		return planned{}, err
	}
	ctx := b.operatorContext(sem, stmt)
	prepareQuery(ctx, stmt)
	stmt.Table.As = sqlparser.NewIdentifierCS("")
	if err := ctx.FindForeignKeys(stmt); err != nil {
		return planned{}, err
	}
	if ks, tables := sem.SingleUnshardedKeyspace(); ks != nil && tables[0].AutoIncrement == nil && !ctx.KeepsForeignKeys() && !hasSubquery(stmt.OnDup) {
		ins := &engine.Insert{
			InsertCommon: engine.InsertCommon{
				Opcode: opcode.InsertUnsharded, Keyspace: ks, TableName: tables[0].Name.String(),
				FetchLastInsertID: sem.Signature.LastInsertIDArg,
			},
			Query: unqualified(stmt),
		}
		setHints(ins, stmt)
		return planned{ins, qualifiedNames(ks, tables)}, nil
	}
	info, err := sem.Info(sem.TableSetFor(stmt.Table))
	switch {
	case err != nil:
		return planned{}, err
	case info.Kind == semantics.VindexTable:
		return planned{}, vterrors.VT09014()
	case info.VTable != nil && info.VTable.Keyspace.Sharded && sem.NotUnshardedErr != nil:
		return planned{}, sem.NotUnshardedErr
	}
	return b.planIn(ctx, stmt)
}

// hasSubquery reports whether an ON DUPLICATE KEY UPDATE has a subquery, which shards do not take.
func hasSubquery(onDup sqlparser.OnDup) (found bool) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		_, isSubquery := node.(*sqlparser.Subquery)
		found = found || isSubquery
		return !found, nil
	}, onDup)
	return found
}

func (b *builder) update(stmt *sqlparser.Update) (planned, error) {
	if stmt.With != nil {
		return planned{}, vterrors.VT12001("WITH expression in UPDATE statement")
	}
	sem, err := semantics.Analyze(stmt, b.pc.Keyspace, b.pc)
	if err != nil {
		return planned{}, err
	}
	ctx := b.operatorContext(sem, stmt)
	prepareQuery(ctx, stmt)
	if err := ctx.FindForeignKeys(stmt); err != nil {
		return planned{}, err
	}
	if ks, tables := sem.SingleUnshardedKeyspace(); ks != nil && !ctx.KeepsForeignKeys() {
		upd := &engine.Update{DML: unshardedDML(stmt, ks, tables)}
		setHints(upd, stmt)
		return planned{upd, qualifiedNames(ks, tables)}, nil
	}
	if sem.NotUnshardedErr != nil {
		return planned{}, sem.NotUnshardedErr
	}
	return b.planIn(ctx, stmt)
}

func (b *builder) delete(stmt *sqlparser.Delete) (planned, error) {
	if stmt.With != nil {
		return planned{}, vterrors.VT12001("WITH expression in DELETE statement")
	}
	if err := simplifyDelete(stmt); err != nil {
		return planned{}, err
	}
	sem, err := semantics.Analyze(stmt, b.pc.Keyspace, b.pc)
	if err != nil {
		return planned{}, err
	}
	ctx := b.operatorContext(sem, stmt)
	prepareQuery(ctx, stmt)
	if err := ctx.FindForeignKeys(stmt); err != nil {
		return planned{}, err
	}
	if ks, tables := sem.SingleUnshardedKeyspace(); ks != nil && !ctx.KeepsForeignKeys() {
		return planned{&engine.Delete{DML: unshardedDML(stmt, ks, tables)}, qualifiedNames(ks, tables)}, nil
	}
	if sem.NotUnshardedErr != nil {
		return planned{}, sem.NotUnshardedErr
	}
	return b.planIn(ctx, stmt)
}

// simplifyDelete makes `delete t from t` and `delete from t using t` a plain DELETE. VT03003 if the names differ.
func simplifyDelete(stmt *sqlparser.Delete) error {
	if len(stmt.TableExprs) != 1 || len(stmt.Targets) != 1 {
		return nil
	}
	table, ok := stmt.TableExprs[0].(*sqlparser.AliasedTableExpr)
	if !ok {
		return nil
	}
	target := stmt.Targets[0].Name
	name, isTable := table.Expr.(sqlparser.TableName)
	switch {
	case table.As.NotEmpty() && !sqlparser.Equals.IdentifierCS(target, table.As):
		return vterrors.VT03003(target.String())
	case !isTable:
		return vterrors.VT03004(table.As.String())
	case table.As.IsEmpty() && !sqlparser.Equals.IdentifierCS(target, name.Name):
		return vterrors.VT03003(target.String())
	}
	stmt.TableExprs = sqlparser.TableExprs{&sqlparser.AliasedTableExpr{Expr: name}}
	stmt.Targets = nil
	if stmt.Where == nil {
		return nil
	}
	return sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		col, ok := node.(*sqlparser.ColName)
		if ok && col.Qualifier.NonEmpty() {
			col.Qualifier = name
		}
		return true, nil
	}, stmt.Where)
}

func unshardedDML(stmt sqlparser.Statement, ks *vindexes.Keyspace, tables []*vindexes.Table) *engine.DML {
	dml := engine.NewDML()
	dml.Keyspace, dml.Opcode, dml.Query = ks, opcode.Unsharded, unqualified(stmt)
	for _, t := range tables {
		dml.TableNames = append(dml.TableNames, t.Name.String())
	}
	return dml
}

// unqualified prints a statement without keyspaces.
func unqualified(stmt sqlparser.SQLNode) string {
	buf := sqlparser.NewTrackedBuffer(formatUnqualified)
	stmt.Format(buf)
	return buf.String()
}

func formatUnqualified(buf *sqlparser.TrackedBuffer, node sqlparser.SQLNode) {
	if name, ok := node.(sqlparser.TableName); ok {
		name.Name.Format(buf)
		return
	}
	node.Format(buf)
}
