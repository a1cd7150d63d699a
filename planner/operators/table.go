package operators

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
)

type (
	// Table is a table below a route.
	Table struct {
		nullary
		Query  *QueryTable
		VTable *vindexes.Table
		Cols   []*sqlparser.ColName
	}

	// QueryTable is a table as the FROM clause names it, with the predicates that concern it alone.
	QueryTable struct {
		ID          semantics.TableSet
		Alias       *sqlparser.AliasedTableExpr
		Name        sqlparser.TableName
		Predicates  []sqlparser.Expr
		IsInfSchema bool
		// IsWork: it stands for the row that a recursion goes on from.
		IsWork bool
	}
)

func (t *Table) introducesTables() semantics.TableSet { return t.Query.ID }

// Clone copies the table.
func (t *Table) Clone([]Operator) Operator {
	c := *t
	c.Cols = append([]*sqlparser.ColName(nil), t.Cols...)
	return &c
}

// AddColumn is a bug of the caller: a route puts a projection over its table first.
func (t *Table) AddColumn(*Context, *sqlparser.AliasedExpr, ColumnMode) int {
	panic(vterrors.VT13001("columns cannot be added to a table"))
}

// AddWeightString is a bug of the caller.
func (t *Table) AddWeightString(*Context, int, bool) int {
	panic(vterrors.VT13001("weight strings cannot be added to a table"))
}

// FindColumn finds a column by name.
func (t *Table) FindColumn(_ *Context, expr sqlparser.Expr, _ bool) int {
	if col, ok := expr.(*sqlparser.ColName); ok {
		for i, own := range t.Cols {
			if own.Name.Equal(col.Name) {
				return i
			}
		}
	}
	return -1
}

// Columns are those that were asked for.
func (t *Table) Columns(*Context) []*sqlparser.AliasedExpr {
	out := make([]*sqlparser.AliasedExpr, len(t.Cols))
	for i, col := range t.Cols {
		out[i] = wrap(col)
	}
	return out
}

// SelectExprs are the columns.
func (t *Table) SelectExprs(ctx *Context) []sqlparser.SelectExpr {
	return asSelectExprs(t.Columns(ctx))
}

// OrderedBy is no order.
func (t *Table) OrderedBy(*Context) []OrderBy { return nil }

// Describe names the table.
func (t *Table) Describe() string { return "Table " + t.VTable.String() }

// renamed returns the table under the name that a routing rule gave it; the old name stays as the alias.
func (qt *QueryTable) renamed(name sqlparser.IdentifierCS) *QueryTable {
	c := *qt
	c.Alias = sqlparser.Clone(qt.Alias)
	if c.Alias.As.IsEmpty() {
		c.Alias.As = qt.Name.Name
	}
	c.Name.Name = name
	return &c
}
