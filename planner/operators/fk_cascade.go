package operators

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
)

type (
	// FkCascade changes the rows of child tables before those of their parent. Selection finds the parents' values first; each
	// child's statement gets them as a bind variable.
	FkCascade struct {
		noColumns
		Parent    Operator
		Selection Planned
		Children  []FkChild
	}

	// FkChild is what happens to one child table. Its statement names the rows by the list BindVar, which holds the columns of
	// the selection that Cols says. With Computed it runs once per parent row.
	FkChild struct {
		Planned
		BindVar  string
		Cols     []int
		Computed []ComputedValue
	}

	// ComputedValue is the new value of a parent's column that is not the same for all rows: the selection returns it in column
	// Value, and in column Same whether the row has it already. BindVar hands it to the child's statement, where it takes the
	// place of Cols[At].
	ComputedValue struct {
		Same, Value, At int
		BindVar         string
	}
)

// Inputs is the change of the parent.
func (c *FkCascade) Inputs() []Operator { return []Operator{c.Parent} }

// SetInputs replaces it.
func (c *FkCascade) SetInputs(in []Operator) { c.Parent = in[0] }

// Clone copies the operator.
func (c *FkCascade) Clone(in []Operator) Operator {
	out := *c
	out.Parent, out.Children = in[0], slices.Clone(c.Children)
	return &out
}

// Describe names it.
func (c *FkCascade) Describe() string { return "FkCascade" }

func (c *FkCascade) plannedBeside() []Planned {
	all := []Planned{c.Selection}
	for _, child := range c.Children {
		all = append(all, child.Planned)
	}
	return all
}

// selection is a query that is made up column by column.
type selection struct {
	exprs []sqlparser.SelectExpr
}

// add makes the query return an expression, once, and says at which offset.
func (s *selection) add(expr sqlparser.Expr) int {
	at := slices.IndexFunc(s.exprs, func(have sqlparser.SelectExpr) bool {
		return sqlparser.Equals.Expr(have.(*sqlparser.AliasedExpr).Expr, expr)
	})
	if at < 0 {
		at, s.exprs = len(s.exprs), append(s.exprs, wrap(expr))
	}
	return at
}

// columns makes the query return columns of a table.
func (s *selection) columns(columns sqlparser.Columns, table sqlparser.TableName) []int {
	var at []int
	for _, column := range columns {
		at = append(at, s.add(sqlparser.NewColNameWithQualifier(column.String(), table)))
	}
	return at
}

// query is the statement.
func (s *selection) query(from []sqlparser.TableExpr, where *sqlparser.Where, orderBy sqlparser.OrderBy, lock sqlparser.Lock) *sqlparser.Select {
	return &sqlparser.Select{
		SelectExprs: &sqlparser.SelectExprs{Exprs: s.exprs}, From: from, Where: where, OrderBy: orderBy, Lock: lock,
	}
}
