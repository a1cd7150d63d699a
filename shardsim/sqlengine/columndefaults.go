package sqlengine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// checkColumnDefaults refuses literal defaults that their columns cannot hold: the engine's own errors do not say whose they are,
// and it takes some.
func (s *sqlSession) checkColumnDefaults(ctx *sql.Context, node sql.Node) (refused error) {
	check := func(c *sql.Column, d *sql.ColumnDefaultValue) {
		if refused == nil {
			refused = s.checkColumnDefault(ctx, c, d)
		}
	}
	transform.Inspect(node, func(n sql.Node) bool {
		switch n := n.(type) {
		case *plan.CreateTable:
			for _, c := range n.PkSchema().Schema {
				check(c, c.Default)
			}
		case *plan.AddColumn:
			check(n.Column(), n.Column().Default)
		case *plan.ModifyColumn:
			check(n.NewColumn(), n.NewColumn().Default)
		case *plan.AlterDefaultSet:
			if at := n.TargetSchema().IndexOfColName(n.ColumnName); at >= 0 {
				check(n.TargetSchema()[at], n.Default)
			}
		}
		return refused == nil
	})
	return refused
}

func (s *sqlSession) checkColumnDefault(ctx *sql.Context, c *sql.Column, d *sql.ColumnDefaultValue) error {
	if d == nil {
		return nil
	}
	lit, ok := d.Expr.(*expression.Literal)
	if !ok || d.IsParenthesized() {
		return nil
	}
	invalid := mysqlError(1067, "42000", "Invalid default value for '%s'", c.Name)
	v, err := lit.Eval(ctx, nil)
	if err != nil {
		return err
	}
	if v == nil {
		if !c.Nullable {
			return invalid
		}
		return nil
	}
	t := assignTarget{s: s, ctx: ctx, column: c.Name, typ: c.Type}
	if _, err := t.assign(v, lit.Type()); err != nil {
		return invalid
	}
	return nil
}
