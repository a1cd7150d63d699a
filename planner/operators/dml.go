package operators

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

type (
	// TargetTable is the table that a DML statement changes.
	TargetTable struct {
		ID     semantics.TableSet
		VTable *vindexes.Table
		Name   sqlparser.TableName
	}

	// DMLWithInput finds rows first and then changes them by their keys, for statements that no shard can run as they are.
	DMLWithInput struct {
		noColumns
		Source Operator
		DML    []Operator
		// cols are the key columns of each statement of DML; Offsets is where Source returns them.
		cols    [][]*sqlparser.ColName
		Offsets [][]int
		// values are those of Source's rows that each statement needs as bind variables, Vars where Source returns them.
		values [][]boundExpr
		Vars   []map[string]int
	}
)

// Inputs are the source and the statements.
func (d *DMLWithInput) Inputs() []Operator { return append([]Operator{d.Source}, d.DML...) }

// SetInputs replaces them.
func (d *DMLWithInput) SetInputs(in []Operator) { d.Source, d.DML = in[0], in[1:] }

// Clone copies the operator.
func (d *DMLWithInput) Clone(in []Operator) Operator {
	c := *d
	c.SetInputs(in)
	return &c
}

func (d *DMLWithInput) planOffsets(ctx *Context) Operator {
	d.Offsets, d.Vars = make([][]int, len(d.cols)), make([]map[string]int, len(d.cols))
	for i, cols := range d.cols {
		for _, col := range cols {
			d.Offsets[i] = append(d.Offsets[i], d.Source.AddColumn(ctx, wrap(col), ColumnMode{Reuse: true}))
		}
	}
	for i, values := range d.values {
		for _, value := range values {
			if d.Vars[i] == nil {
				d.Vars[i] = map[string]int{}
			}
			d.Vars[i][value.name] = d.Source.AddColumn(ctx, wrap(value.expr), ColumnMode{Reuse: true})
		}
	}
	return nil
}

// Describe names it.
func (d *DMLWithInput) Describe() string { return "DMLWithInput" }

// pushDML makes a change part of the route that finds its rows. A sequence or a reference table is changed where it is, not in
// a copy.
func pushDML(op Operator, src Operator) (Operator, string) {
	route, ok := src.(*Route)
	if !ok {
		return op, ""
	}
	switch r := route.Routing.(type) {
	case *SequenceRouting:
		route.Routing = &AnyShardRouting{fixed: r.fixed}
	case *AnyShardRouting:
		r.Alternates = nil
	}
	return swap(op, route, "pushed DML under route")
}

// dmlAboveRoutes makes what is still above a route find its rows first.
func dmlAboveRoutes(ctx *Context, root Operator) Operator {
	out, _ := bottomUp(ctx, root, aboveRoutes, func(op Operator) (Operator, string) {
		switch op := op.(type) {
		case *Delete:
			return changeByKey(ctx, op, op.Source, &op.Target, op.OwnedVindexQuery)
		case *Update:
			return changeByKey(ctx, op, op.Source, &op.Target, op.OwnedVindexQuery)
		}
		return op, ""
	})
	return out
}

// changeByKey selects the primary keys of the rows and changes those. VT09015 where the key is not known.
func changeByKey(ctx *Context, op, src Operator, target *TargetTable, owned *sqlparser.Select) (Operator, string) {
	if len(target.VTable.PrimaryKey) == 0 {
		refuse(vterrors.VT09015())
	}
	proj := newProjection(src)
	var cols []*sqlparser.ColName
	for _, name := range target.VTable.PrimaryKey {
		col := sqlparser.NewColNameWithQualifier(name.String(), target.Name)
		ctx.Sem.SetRecursiveDeps(col, target.ID)
		proj.AddColumn(ctx, wrap(col), ColumnMode{Reuse: true})
		cols = append(cols, col)
	}
	var table *QueryTable
	visit(src, func(op Operator) bool {
		if t, ok := op.(*Table); ok && t.Query.ID == target.ID {
			table = t.Query
		}
		return table == nil
	})
	if table == nil {
		refuse(vterrors.VT13001("target table not found below the change"))
	}
	pred := keyIsListed(cols)
	if owned != nil {
		owned.From = sqlparser.TableExprs{table.Alias}
		owned.Where = sqlparser.NewWhere(sqlparser.WhereClause, pred)
		owned.OrderBy, owned.Limit = nil, nil
	}
	byKey := &QueryTable{
		ID: table.ID, Alias: sqlparser.Clone(table.Alias), Name: sqlparser.Clone(table.Name), Predicates: []sqlparser.Expr{pred},
	}
	op.SetInputs([]Operator{&QueryGraph{Tables: []*QueryTable{byKey}}})
	return &DMLWithInput{Source: proj, DML: []Operator{op}, cols: [][]*sqlparser.ColName{cols}}, "changed DML to find its rows first"
}

// primaryVindex is the vindex that places the rows of a table. VT09001 where there is none, or it is not unique.
func primaryVindex(vtable *vindexes.Table) *vindexes.ColumnVindex {
	if len(vtable.ColumnVindexes) == 0 || !vtable.ColumnVindexes[0].IsUnique() {
		refuse(vterrors.VT09001(vtable.Name))
	}
	return vtable.ColumnVindexes[0]
}

// targetOf describes the table that a column or a name of the statement belongs to. The source of a reference table is changed
// in its place.
func targetOf(ctx *Context, op Operator, info *semantics.TableInfo) TargetTable {
	vtable := info.VTable
	if vtable == nil {
		refuse(vterrors.VT12001("update information schema tables"))
	}
	if vtable.Type == vindexes.TypeReference && vtable.Source != nil {
		vtable = useSource(ctx, op, info.ID, vtable)
	}
	return TargetTable{ID: info.ID, VTable: vtable, Name: info.TableName()}
}

// useSource puts the source of a reference table into the query graph. VT12001 with other tables beside it.
func useSource(ctx *Context, op Operator, id semantics.TableSet, vtable *vindexes.Table) *vindexes.Table {
	source, _, err := ctx.Schema.FindTableOrVindex(vtable.Source.TableName)
	must(source, err)
	visit(op, func(op Operator) bool {
		qg, ok := op.(*QueryGraph)
		if !ok {
			return true
		}
		if len(qg.Tables) > 1 {
			refuse(vterrors.VT12001("DML on reference table with join"))
		}
		for _, t := range qg.Tables {
			if t.ID == id {
				name := sqlparser.NewTableNameWithQualifier(source.Name.String(), source.Keyspace.Name)
				t.Alias = sqlparser.NewAliasedTableExpr(name, t.Alias.As.String())
				t.Name, _ = t.Alias.TableName()
			}
		}
		return false
	})
	return source
}

// orderRows sorts the rows that a limited change may choose from.
func orderRows(ctx *Context, op Operator, orderBy sqlparser.OrderBy) Operator {
	var order []OrderBy
	var seen []sqlparser.Expr
	for _, o := range orderBy {
		if !sqlparser.IsNull(o.Expr) && addUnlessKnown(ctx, &seen, o.Expr) {
			order = append(order, OrderBy{Inner: sqlparser.Clone(o), Expr: o.Expr})
		}
	}
	if len(order) == 0 {
		return op
	}
	return newOrdering(op, order)
}
