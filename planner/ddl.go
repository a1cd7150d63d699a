package planner

import (
	"fmt"
	"slices"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes"
)

// differentDestinations is what a statement about tables of several keyspaces is refused with.
const differentDestinations = "Tables or Views specified in the query do not belong to the same destination"

// ddl plans a schema change of one keyspace.
func (b *builder) ddl(sql string, stmt sqlparser.DDLStatement) (planned, error) {
	if b.pc.Destination != nil {
		return b.bypassText(sql, true)
	}
	p, err := b.ddlPlace(stmt)
	if err != nil {
		return planned{}, err
	}
	if stmt.IsTemporary() {
		if err := b.unshardedOnly(p.keyspace, "temporary table", "Temporary table not supported in sharded database %s", p.keyspace.Name); err != nil {
			return planned{}, err
		}
	}
	if stmt.IsFullyParsed() {
		sql = sqlparser.String(stmt)
	}
	var used []string
	for _, name := range stmt.AffectedTables() {
		used = append(used, p.keyspace.Name+"."+name.Name.String())
	}
	slices.Sort(used)
	return planned{&engine.DDL{
		Keyspace: p.keyspace, SQL: sql, DDL: stmt, NormalDDL: p.send(sql, false), CreateTempTable: stmt.IsTemporary(),
	}, slices.Compact(used)}, nil
}

// ddlPlace finds where a schema change belongs, and takes the keyspace out of its names.
func (b *builder) ddlPlace(stmt sqlparser.DDLStatement) (place, error) {
	switch stmt := stmt.(type) {
	case *sqlparser.CreateTable, *sqlparser.AlterTable, *sqlparser.TruncateTable:
		p, err := b.ddlTable(stmt)
		if err != nil {
			return place{}, err
		}
		sqlparser.RemoveSpecificKeyspace(stmt, p.keyspace.Name)
		return p, b.checkForeignKeys(stmt, p.keyspace)
	case *sqlparser.CreateView:
		return b.viewPlace(stmt, stmt.Select)
	case *sqlparser.AlterView:
		return b.viewPlace(stmt, stmt.Select)
	case *sqlparser.DropView:
		if b.pc.ViewsEnabled {
			return b.dropViews(stmt)
		}
		return b.dropTables(stmt)
	case *sqlparser.DropTable:
		return b.dropTables(stmt)
	case *sqlparser.RenameTable:
		return b.renameTables(stmt)
	case *sqlparser.CreateProcedure:
		p, err := b.procedurePlace(stmt, stmt.Name)
		if err == nil && p.keyspace.Sharded {
			err = vterrors.VT12001("CREATE PROCEDURE is not supported on sharded keyspaces")
		}
		if err == nil {
			sqlparser.RemoveSpecificKeyspace(stmt, p.keyspace.Name)
		}
		return p, err
	case *sqlparser.DropProcedure:
		return b.procedurePlace(stmt, stmt.Name)
	}
	return place{}, vterrors.VT13001(fmt.Sprintf("unexpected DDL statement type: %T", stmt))
}

// ddlTable is the place of the table a statement is about.
func (b *builder) ddlTable(stmt sqlparser.DDLStatement) (place, error) {
	p, name, err := b.pc.tablePlaceOrSelected(stmt.GetTable())
	if err == nil {
		stmt.SetTable("", name.Name.String())
	}
	return p, err
}

func (b *builder) procedurePlace(stmt sqlparser.DDLStatement, name sqlparser.TableName) (place, error) {
	p, err := b.pc.selected(name.Qualifier.String())
	if err == nil {
		stmt.SetTable("", name.Name.String())
	}
	return p, err
}

// checkForeignKeys refuses foreign keys where the keyspace disallows them: VT10001.
func (b *builder) checkForeignKeys(stmt sqlparser.DDLStatement, ks *vindexes.Keyspace) error {
	if !b.pc.ForeignKeysDisallowed && b.pc.VSchema.Keyspaces[ks.Name].ForeignKeyMode != vschemapb.Keyspace_disallow {
		return nil
	}
	return sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if _, ok := node.(*sqlparser.ForeignKeyDefinition); ok {
			return false, vterrors.VT10001()
		}
		return true, nil
	}, stmt)
}

// together is the place that several tables have in common. VT12001 where they have none.
func together(places []place) (place, error) {
	for _, p := range places {
		if p != places[0] {
			return place{}, vterrors.VT12001(differentDestinations)
		}
	}
	return places[0], nil
}

func (b *builder) dropTables(stmt sqlparser.DDLStatement) (place, error) {
	names := stmt.GetFromTables()
	places := make([]place, len(names))
	for i, name := range names {
		p, bare, err := b.pc.tablePlaceOrSelected(name)
		if err != nil {
			return place{}, err
		}
		places[i], names[i] = p, bare
	}
	return together(places)
}

func (b *builder) renameTables(stmt *sqlparser.RenameTable) (place, error) {
	places := make([]place, len(stmt.TablePairs))
	for i, pair := range stmt.TablePairs {
		p, bare, err := b.pc.tablePlaceOrSelected(pair.FromTable)
		if err != nil {
			return place{}, err
		}
		places[i], pair.FromTable = p, bare
		if pair.ToTable.Qualifier.IsEmpty() {
			continue
		}
		to, err := b.pc.selected(pair.ToTable.Qualifier.String())
		if err != nil {
			return place{}, err
		}
		if to.keyspace != p.keyspace {
			return place{}, vterrors.VT03002(p.keyspace.Name, to.keyspace.Name)
		}
		pair.ToTable.Qualifier = sqlparser.NewIdentifierCS("")
	}
	return together(places)
}

// dropViews finds the keyspace of views, by their names alone: VT03013 for one that is named twice.
func (b *builder) dropViews(stmt *sqlparser.DropView) (place, error) {
	var found place
	seen := map[string]bool{}
	for _, name := range stmt.GetFromTables() {
		p, err := b.viewKeyspace(name)
		if err != nil {
			return place{}, err
		}
		if found.keyspace != nil && found.keyspace != p.keyspace {
			return place{}, vterrors.VT12001("cannot drop views from multiple keyspace in a single statement")
		}
		if seen[name.Name.String()] {
			return place{}, vterrors.VT03013(name.Name.String())
		}
		found, seen[name.Name.String()] = p, true
	}
	return found, nil
}

// viewKeyspace is the keyspace that has a view of that name, or the one that is named or selected.
func (b *builder) viewKeyspace(name sqlparser.TableName) (place, error) {
	if name.Qualifier.IsEmpty() && b.pc.Keyspace == "" {
		for _, keyspace := range b.pc.VSchema.KeyspaceNames() {
			if ks := b.pc.VSchema.Keyspaces[keyspace]; ks.Views[name.Name.String()] != nil {
				return place{keyspace: ks.Keyspace}, nil
			}
		}
	}
	return b.pc.selected(name.Qualifier.String())
}
