package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

// Vindex answers a SELECT from a vindex as if it were a table: `select id, keyspace_id from user_index where id = 1`.
type Vindex struct {
	nullary
	ID     semantics.TableSet
	Name   string
	Vindex vindexes.Vindex
	Cols   []*sqlparser.ColName
	// Value is what id is compared with, nil until the predicate was seen.
	Value sqlparser.Expr
}

func (v *Vindex) introducesTables() semantics.TableSet { return v.ID }

// Clone copies the operator.
func (v *Vindex) Clone([]Operator) Operator {
	c := *v
	c.Cols = slices.Clone(v.Cols)
	return &c
}

// addPredicate takes the one predicate that a vindex can answer. VT09018 for all others.
func (v *Vindex) addPredicate(ctx *Context, pred sqlparser.Expr) Operator {
	for _, p := range sqlparser.SplitAndExpression(nil, pred) {
		cmp, isCmp := p.(*sqlparser.ComparisonExpr)
		switch {
		case ctx.Sem.RecursiveDeps(p).NumberOfTables() > 1:
			refuseVindexWhere("multiple tables involved")
		case v.Value != nil:
			refuseVindexWhere("multiple filters")
		case !isCmp:
			refuseVindexWhere("not a comparison")
		case cmp.Operator != sqlparser.EqualOp && cmp.Operator != sqlparser.InOp:
			refuseVindexWhere("not equality")
		}
		col, isCol := cmp.Left.(*sqlparser.ColName)
		switch {
		case !isCol:
			refuseVindexWhere("lhs is not a column")
		case !col.Name.EqualString("id"):
			refuseVindexWhere("lhs is not id")
		case !sqlparser.IsValue(cmp.Right) && !sqlparser.IsSimpleTuple(cmp.Right):
			refuseVindexWhere("rhs is not a value")
		}
		v.Value = cmp.Right
	}
	return v
}

func refuseVindexWhere(why string) {
	refuse(vterrors.VT09018("WHERE clause for vindex function must be of the form id = <val> or id in(<val>,...) (" + why + ")"))
}

// AddColumn adds a column of the vindex.
func (v *Vindex) AddColumn(ctx *Context, col *sqlparser.AliasedExpr, _ ColumnMode) int {
	if at := v.FindColumn(ctx, col.Expr, true); at >= 0 {
		return at
	}
	name, ok := col.Expr.(*sqlparser.ColName)
	if !ok {
		refuse(vterrors.VT09018("cannot add '" + sqlparser.String(col.Expr) + "' expression to a table/vindex"))
	}
	v.Cols = append(v.Cols, name)
	return len(v.Cols) - 1
}

// AddWeightString is a bug of the caller: the columns are bytes.
func (v *Vindex) AddWeightString(*Context, int, bool) int {
	panic(vterrors.VT13001("a vindex has no weight strings"))
}

// FindColumn finds a column that was added.
func (v *Vindex) FindColumn(ctx *Context, expr sqlparser.Expr, _ bool) int {
	return slices.IndexFunc(v.Cols, func(c *sqlparser.ColName) bool { return ctx.Sem.EqualsWithDeps(expr, c) })
}

// Columns are those that were added.
func (v *Vindex) Columns(*Context) []*sqlparser.AliasedExpr {
	cols := make([]*sqlparser.AliasedExpr, len(v.Cols))
	for i, c := range v.Cols {
		cols[i] = wrap(c)
	}
	return cols
}

// SelectExprs are the columns.
func (v *Vindex) SelectExprs(ctx *Context) []sqlparser.SelectExpr {
	return asSelectExprs(v.Columns(ctx))
}

// OrderedBy is no order.
func (v *Vindex) OrderedBy(*Context) []OrderBy { return nil }

// Describe names the vindex.
func (v *Vindex) Describe() string { return "Vindex " + v.Name }
