package planner

import (
	"cmp"
	"encoding/json"
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner/semantics"
)

type (
	// columnUsage says what a statement does with its columns, for the choice of vindexes (VEXPLAIN KEYS).
	columnUsage struct {
		StatementType   string           `json:"statementType"`
		GroupingColumns []usedColumn     `json:"groupingColumns,omitempty"`
		FilterColumns   []comparedColumn `json:"filterColumns,omitempty"`
		SelectColumns   []usedColumn     `json:"selectColumns,omitempty"`
		JoinPredicates  []joinedColumns  `json:"joinPredicates,omitempty"`
	}
	// usedColumn is a column of a table, both as SQL writes them.
	usedColumn struct{ table, name string }
	// comparedColumn is a column compared with a value.
	comparedColumn struct {
		column usedColumn
		op     sqlparser.ComparisonExprOperator
	}
	// joinedColumns are columns of two tables that are compared.
	joinedColumns struct {
		left, right usedColumn
		op          sqlparser.ComparisonExprOperator
	}
	// usageCollector reads a statement.
	usageCollector struct {
		sem   *semantics.SemTable
		usage columnUsage
	}
)

func (c usedColumn) String() string     { return c.table + "." + c.name }
func (c comparedColumn) String() string { return c.column.String() + " " + c.op.JSONString() }
func (j joinedColumns) String() string {
	return j.left.String() + " " + j.op.JSONString() + " " + j.right.String()
}

// MarshalJSON writes "table.column".
func (c usedColumn) MarshalJSON() ([]byte, error) { return json.Marshal(c.String()) }

// MarshalJSON writes "table.column op".
func (c comparedColumn) MarshalJSON() ([]byte, error) { return json.Marshal(c.String()) }

// MarshalJSON writes "table.column op table.column".
func (j joinedColumns) MarshalJSON() ([]byte, error) { return json.Marshal(j.String()) }

func (b *builder) keysOf(stmt sqlparser.Statement) (columnUsage, error) {
	sem, err := semantics.Analyze(stmt, b.pc.Keyspace, b.pc)
	if err != nil {
		return columnUsage{}, err
	}
	c := usageCollector{sem: sem, usage: columnUsage{StatementType: sqlparser.ASTToStatementType(stmt).String()}}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		c.visit(node)
		return true, nil
	}, stmt)
	return c.sorted(), nil
}

func (c *usageCollector) visit(node sqlparser.SQLNode) {
	switch node := node.(type) {
	case *sqlparser.Where:
		if node != nil {
			c.predicate(node.Expr)
		}
	case *sqlparser.JoinCondition:
		if node != nil && node.On != nil {
			c.predicate(node.On)
		}
	case *sqlparser.GroupBy:
		if node == nil {
			return
		}
		for _, expr := range node.Exprs {
			if col, ok := c.column(expr); ok {
				c.usage.GroupingColumns = append(c.usage.GroupingColumns, col)
			}
		}
	case *sqlparser.AliasedExpr:
		_ = sqlparser.Walk(func(inner sqlparser.SQLNode) (bool, error) {
			if expr, ok := inner.(*sqlparser.ColName); ok {
				if col, ok := c.column(expr); ok {
					c.usage.SelectColumns = append(c.usage.SelectColumns, col)
				}
			}
			return true, nil
		}, node)
	}
}

// column is the column of a table that an expression is.
func (c *usageCollector) column(expr sqlparser.Expr) (usedColumn, bool) {
	col, ok := expr.(*sqlparser.ColName)
	if !ok {
		return usedColumn{}, false
	}
	info, err := c.sem.InfoForExpr(col)
	if err != nil || info.VTable == nil {
		return usedColumn{}, false
	}
	return usedColumn{sqlparser.String(info.VTable.Name), sqlparser.String(col.Name)}, true
}

func (c *usageCollector) predicate(expr sqlparser.Expr) {
	for _, part := range sqlparser.SplitAndExpression(nil, expr) {
		switch part := part.(type) {
		case *sqlparser.ComparisonExpr:
			c.comparison(part)
		case *sqlparser.BetweenExpr:
			if col, ok := c.column(part.Left); ok {
				c.usage.FilterColumns = append(c.usage.FilterColumns,
					comparedColumn{col, sqlparser.GreaterEqualOp}, comparedColumn{col, sqlparser.LessEqualOp})
			}
		}
	}
}

func (c *usageCollector) comparison(expr *sqlparser.ComparisonExpr) {
	left, isLeft := c.column(expr.Left)
	right, isRight := c.column(expr.Right)
	switched, canSwitch := expr.Operator.SwitchSides()
	if isLeft && isRight && c.sem.RecursiveDeps(expr.Left) != c.sem.RecursiveDeps(expr.Right) {
		join := joinedColumns{left, right, expr.Operator}
		if canSwitch && left.String() > right.String() {
			join = joinedColumns{right, left, switched}
		}
		c.usage.JoinPredicates = append(c.usage.JoinPredicates, join)
		return
	}
	if isLeft {
		c.usage.FilterColumns = append(c.usage.FilterColumns, comparedColumn{left, expr.Operator})
	}
	if isRight && canSwitch {
		c.usage.FilterColumns = append(c.usage.FilterColumns, comparedColumn{right, switched})
	}
}

// sorted is the usage without repetitions, however the statement was written.
func (c *usageCollector) sorted() columnUsage {
	byName := func(x, y usedColumn) int { return cmp.Compare(x.String(), y.String()) }
	u := c.usage
	slices.SortFunc(u.GroupingColumns, byName)
	u.GroupingColumns = slices.Compact(u.GroupingColumns)
	slices.SortFunc(u.SelectColumns, byName)
	u.SelectColumns = slices.Compact(u.SelectColumns)
	slices.SortStableFunc(u.FilterColumns, func(x, y comparedColumn) int { return byName(x.column, y.column) })
	u.FilterColumns = slices.Compact(u.FilterColumns)
	slices.SortStableFunc(u.JoinPredicates, func(x, y joinedColumns) int {
		return cmp.Or(cmp.Compare(x.left.name, y.left.name), cmp.Compare(x.right.name, y.right.name))
	})
	u.JoinPredicates = slices.Compact(u.JoinPredicates)
	return u
}
