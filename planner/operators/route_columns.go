package operators

import (
	"fmt"

	"vitess.io/vitess/go/vt/sqlparser"
)

// columnTaker is an operator that can carry columns of its own in SQL.
type columnTaker interface {
	Operator
	// addWithoutPushing adds a column without asking the source for anything.
	addWithoutPushing(ctx *Context, col *sqlparser.AliasedExpr, mode ColumnMode) int
	// derivedName is the name of the derived table that the operator becomes, empty if it becomes none.
	derivedName() string
}

// addedColumn says what became of a column that was to be added to SQL.
type addedColumn struct {
	offset   int      // -1: nothing could take it
	derived  string   // the derived table in the way, if that is why
	replaces Operator // the operator that takes the source's place, nil to keep it
}

// addToSQL adds a column to the nearest operator below that can carry it.
func addToSQL(ctx *Context, op Operator, col *sqlparser.AliasedExpr, mode ColumnMode) addedColumn {
	switch op := op.(type) {
	case *SubQuery:
		return addBelow(ctx, op, col, mode)
	case *Distinct, *Limit, *Ordering, *LockAndComment:
		return addBelow(ctx, op, col, mode)
	case *Filter:
		return addedColumn{offset: -1, derived: derivedTableBelow(op)}
	case *Union:
		proj := wrapInDerivedTable(ctx, op)
		added := addToSQL(ctx, proj, col, mode)
		if added.replaces == nil {
			added.replaces = proj
		}
		return added
	case *Horizon:
		return addedColumn{offset: -1, derived: op.Alias}
	case columnTaker:
		if name := op.derivedName(); name != "" {
			return addedColumn{offset: -1, derived: name}
		}
		return addedColumn{offset: op.addWithoutPushing(ctx, col, mode)}
	}
	return addedColumn{offset: -1}
}

// derivedTableBelow is the name of the derived table whose rows an operator passes on, empty for none.
func derivedTableBelow(op Operator) string {
	switch op := op.(type) {
	case *Horizon:
		return op.Alias
	case *Filter, *Ordering, *Distinct, *Limit, *LockAndComment:
		return derivedTableBelow(op.Inputs()[0])
	case columnTaker:
		return op.derivedName()
	}
	return ""
}

// addBelow passes the request to the first input.
func addBelow(ctx *Context, op Operator, col *sqlparser.AliasedExpr, mode ColumnMode) addedColumn {
	in := op.Inputs()
	added := addToSQL(ctx, in[0], col, mode)
	if added.replaces != nil {
		in[0] = added.replaces
		op.SetInputs(in)
		added.replaces = nil
	}
	return added
}

// addWeightStringToSQL adds the sort key of a column to the nearest operator below that can carry it.
func addWeightStringToSQL(ctx *Context, op Operator, offset int) (int, bool) {
	switch op := op.(type) {
	case *SubQuery:
		return addWeightStringToSQL(ctx, op.Outer, offset)
	case *Distinct, *Filter:
		return addWeightStringToSQL(ctx, op.Inputs()[0], offset)
	case *Projection, *Aggregator:
		return op.AddWeightString(ctx, offset, true), true
	case *Union:
		before := make([]Operator, len(op.Sources))
		for i, src := range op.Sources {
			before[i] = cloneTree(src)
		}
		if added, ok := op.addWeightStrings(ctx, offset); ok {
			return added, true
		}
		op.Sources = before
	}
	return -1, false
}

// projectAll puts a projection of all columns over an operator, so that more can be added. derived names the derived table
// whose columns they are, if they are.
func projectAll(ctx *Context, src Operator, derived string) *Projection {
	proj := newProjection(src)
	for _, col := range src.Columns(ctx) {
		if derived == "" {
			proj.add(&ProjExpr{Original: col, Eval: col.Expr, Col: col.Expr})
			continue
		}
		name := sqlparser.NewColNameWithQualifier(col.ColumnName(), sqlparser.NewTableName(derived))
		ctx.Sem.CopySemanticInfo(col.Expr, name)
		proj.add(&ProjExpr{Original: wrap(name), Eval: name, Col: name})
	}
	return proj
}

// wrapInDerivedTable makes a query the derived table dt with columns c0, c1, ... and selects them by the names they had.
func wrapInDerivedTable(ctx *Context, op Operator) *Projection {
	cols := op.Columns(ctx)
	inner := newProjection(op)
	inner.DT = &DerivedTable{ID: ctx.Sem.NewTableID(), Alias: "dt"}
	outer := newProjection(inner)
	for i, col := range cols {
		name := fmt.Sprintf("c%d", i)
		inner.DT.Columns = append(inner.DT.Columns, sqlparser.NewIdentifierCI(name))
		inner.add(newProjExpr(col))
		shown := newProjExpr(col)
		shown.Eval = sqlparser.NewColNameWithQualifier(name, sqlparser.NewTableName("dt"))
		outer.add(shown)
	}
	return outer
}
