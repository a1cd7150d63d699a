package operators

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
)

type (
	// Operator is a node of the logical plan. Columns are known by their offset in what the operator returns; a parent that
	// needs a column asks for it and is told where it will be.
	Operator interface {
		// Inputs are the operators below, left to right. The slice may be changed; SetInputs hands it back.
		Inputs() []Operator
		SetInputs([]Operator)
		// Clone copies the node over other inputs. What the copy changes later does not show in the original.
		Clone(inputs []Operator) Operator

		// AddColumn makes the operator return an expression and says at which offset.
		AddColumn(ctx *Context, col *sqlparser.AliasedExpr, mode ColumnMode) int
		// AddWeightString makes the operator return the weight string of the column at offset. underRoute says that the
		// operator will be SQL, so that nothing need be fetched from below.
		AddWeightString(ctx *Context, offset int, underRoute bool) int
		// FindColumn says at which offset an expression is returned already, -1 if it is not.
		FindColumn(ctx *Context, expr sqlparser.Expr, underRoute bool) int
		// Columns are the columns returned. VT09015 when a star hides them.
		Columns(ctx *Context) []*sqlparser.AliasedExpr
		// SelectExprs are Columns that may be stars.
		SelectExprs(ctx *Context) []sqlparser.SelectExpr
		// OrderedBy is the order in which rows come out, nil for none.
		OrderedBy(ctx *Context) []OrderBy

		// Describe says in one line what the node is, for traces.
		Describe() string
	}

	// ColumnMode says how AddColumn adds.
	ColumnMode struct {
		// Reuse an equal column that is there already.
		Reuse bool
		// Group the rows by the column too, where they are being grouped.
		Group bool
	}

	// OrderBy is one term of an order.
	OrderBy struct {
		// Inner is the term as it goes into SQL.
		Inner *sqlparser.Order
		// Expr is the expression that the planner compares with others.
		Expr sqlparser.Expr
	}

	// tableIntroducer is an operator that brings tables into the tree.
	tableIntroducer interface {
		introducesTables() semantics.TableSet
	}

	// truncater is an operator that can drop the columns from an offset on.
	truncater interface {
		setTruncation(columns int)
	}
)

// unary is embedded by operators with one input that pass its columns on.
type unary struct {
	Source Operator
}

// Inputs is the source.
func (u *unary) Inputs() []Operator { return []Operator{u.Source} }

// SetInputs replaces the source.
func (u *unary) SetInputs(in []Operator) { u.Source = in[0] }

// AddColumn asks the source.
func (u *unary) AddColumn(ctx *Context, col *sqlparser.AliasedExpr, mode ColumnMode) int {
	return u.Source.AddColumn(ctx, col, mode)
}

// AddWeightString asks the source.
func (u *unary) AddWeightString(ctx *Context, offset int, underRoute bool) int {
	return u.Source.AddWeightString(ctx, offset, underRoute)
}

// FindColumn asks the source.
func (u *unary) FindColumn(ctx *Context, expr sqlparser.Expr, underRoute bool) int {
	return u.Source.FindColumn(ctx, expr, underRoute)
}

// Columns are the source's.
func (u *unary) Columns(ctx *Context) []*sqlparser.AliasedExpr { return u.Source.Columns(ctx) }

// SelectExprs are the source's.
func (u *unary) SelectExprs(ctx *Context) []sqlparser.SelectExpr { return u.Source.SelectExprs(ctx) }

// OrderedBy is the source's order.
func (u *unary) OrderedBy(ctx *Context) []OrderBy { return u.Source.OrderedBy(ctx) }

// truncated is embedded beside unary by operators that can drop trailing columns. 0 drops none.
type truncated struct {
	ResultColumns int
}

func (t *truncated) setTruncation(columns int) { t.ResultColumns = columns }

// keep returns the columns that are not dropped.
func keep[T any](t *truncated, cols []T) []T {
	if t.ResultColumns == 0 || t.ResultColumns >= len(cols) {
		return cols
	}
	return cols[:t.ResultColumns]
}

// noColumns is embedded by operators that return no rows that a parent could use.
type noColumns struct{}

// AddColumn is a bug of the caller.
func (noColumns) AddColumn(*Context, *sqlparser.AliasedExpr, ColumnMode) int { panic(errNoColumns) }

// AddWeightString is a bug of the caller.
func (noColumns) AddWeightString(*Context, int, bool) int { panic(errNoColumns) }

// FindColumn finds nothing.
func (noColumns) FindColumn(*Context, sqlparser.Expr, bool) int { return -1 }

// Columns is a bug of the caller.
func (noColumns) Columns(*Context) []*sqlparser.AliasedExpr { panic(errNoColumns) }

// SelectExprs is a bug of the caller.
func (noColumns) SelectExprs(*Context) []sqlparser.SelectExpr { panic(errNoColumns) }

// OrderedBy is no order.
func (noColumns) OrderedBy(*Context) []OrderBy { return nil }

var errNoColumns = vterrors.VT13001("operator has no columns")

// nullary is embedded by operators without inputs.
type nullary struct{}

// Inputs is nothing.
func (nullary) Inputs() []Operator { return nil }

// SetInputs accepts nothing.
func (nullary) SetInputs(in []Operator) {
	if len(in) > 0 {
		panic(vterrors.VT13001("operator without inputs was given some"))
	}
}

// refuse ends the planning of the statement with an error that the client sees; see Plan.
func refuse(err error) {
	panic(refusal{err})
}

// refusal carries an error up through the rewrites.
type refusal struct{ error }

// Unwrap gives the error that the client sees.
func (r refusal) Unwrap() error { return r.error }

// must refuses on an error.
func must[T any](value T, err error) T {
	if err != nil {
		refuse(err)
	}
	return value
}

// wrap makes a column of an expression.
func wrap(expr sqlparser.Expr) *sqlparser.AliasedExpr { return &sqlparser.AliasedExpr{Expr: expr} }

// asSelectExprs widens columns.
func asSelectExprs(cols []*sqlparser.AliasedExpr) []sqlparser.SelectExpr {
	out := make([]sqlparser.SelectExpr, len(cols))
	for i, col := range cols {
		out[i] = col
	}
	return out
}

// weightString is the SQL function that gives the sort key of an expression.
func weightString(expr sqlparser.Expr) *sqlparser.WeightStringFuncExpr {
	return &sqlparser.WeightStringFuncExpr{Expr: expr}
}
