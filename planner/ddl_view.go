package planner

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

const (
	viewElsewhere = "Select query does not belong to the same keyspace as the view statement"
	viewComplex   = "Complex select queries are not supported in create or alter view statements"
)

// viewPlace checks that a view's query stays in the view's keyspace: where views are the gateway's, its tables must; else one
// route must answer it. The definition stays as it was written, for what a star means may change, but for tables that routing
// rules lead elsewhere.
func (b *builder) viewPlace(stmt sqlparser.DDLStatement, query sqlparser.TableStatement) (place, error) {
	p, err := b.ddlTable(stmt)
	if err != nil {
		return place{}, err
	}
	check := b.checkViewRoute
	if b.pc.ViewsEnabled {
		check = b.checkViewTables
	}
	checked := vindexes.CopyQuery(query)
	written, found := tablesOf(query), tablesOf(checked)
	if err := check(checked, p.keyspace); err != nil {
		return place{}, err
	}
	for i, table := range written {
		if name, ok := found[i].Expr.(sqlparser.TableName); ok {
			table.Expr, table.As = name, found[i].As
		}
	}
	_ = sqlparser.VisitAllSelects(query, func(sel *sqlparser.Select, _ int) error {
		sel.SQLCalcFoundRows = false // there is nobody to ask for them
		return nil
	})
	sqlparser.RemoveKeyspace(stmt)
	return p, nil
}

// tablesOf lists the tables of a query in the order of its text.
func tablesOf(query sqlparser.TableStatement) (all []*sqlparser.AliasedTableExpr) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if table, ok := node.(*sqlparser.AliasedTableExpr); ok {
			all = append(all, table)
		}
		return true, nil
	}, query)
	return all
}

func (b *builder) checkViewTables(query sqlparser.TableStatement, ks *vindexes.Keyspace) error {
	sem, err := semantics.Analyze(query, b.pc.Keyspace, b.pc)
	if err != nil {
		return err
	}
	var used *vindexes.Keyspace
	for _, info := range sem.Tables {
		if info.VTable == nil {
			continue
		}
		if used != nil && used != info.VTable.Keyspace {
			return vterrors.VT12001(viewComplex)
		}
		used = info.VTable.Keyspace
	}
	if used != ks {
		return vterrors.VT12001(viewElsewhere)
	}
	return nil
}

func (b *builder) checkViewRoute(query sqlparser.TableStatement, ks *vindexes.Keyspace) error {
	out, err := b.query(query)
	if err != nil {
		return err
	}
	if leavesKeyspace(out.primitive, ks) {
		return vterrors.VT12001(viewElsewhere)
	}
	route, ok := out.primitive.(*engine.Route)
	if !ok {
		return vterrors.VT12001(viewComplex)
	}
	switch route.Opcode {
	case opcode.Unsharded, opcode.EqualUnique, opcode.Scatter:
		return nil
	}
	return vterrors.VT12001(viewComplex)
}

// leavesKeyspace tells whether some route of a tree goes to another keyspace.
func leavesKeyspace(p engine.Primitive, ks *vindexes.Keyspace) bool {
	if route, ok := p.(*engine.Route); ok && route.Keyspace != ks {
		return true
	}
	for _, input := range p.Inputs() {
		if leavesKeyspace(input.Primitive, ks) {
			return true
		}
	}
	return false
}
