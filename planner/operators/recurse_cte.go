package operators

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
)

// RecurseCTE runs a seed and then, for each row that came, a term, until no row comes. Its sources are those two. The term
// reads the row through bind variables:
//
//	with recursive n as (select 1 as i union all select i + 1 from n where i < 5)
//	                     select 1 as i           select :n_i + 1 from dual where :n_i < 5
type RecurseCTE struct {
	Union
	recursion *semantics.Recursion
	// Vars are the term's bind variables by name and the column of the row that fills them.
	Vars map[string]int
	// columns are those columns as the term wrote them.
	columns map[string]*sqlparser.ColName
	// Checks are the columns by which rows that came before are dropped, nil if all rows stay. Set once offsets are planned.
	Checks []DistinctColumn
}

// fromRecursion makes the operator of the UNION of a recursive common table expression.
func fromRecursion(ctx *Context, u *sqlparser.Union, r *semantics.Recursion) *Horizon {
	op := &RecurseCTE{recursion: r, Vars: map[string]int{}, columns: map[string]*sqlparser.ColName{}}
	op.bind(ctx, u.Right.(*sqlparser.Select))
	op.Union = *unionOf(ctx, u)
	return newHorizon(op, u)
}

// bind makes bind variables of the columns of the work table.
func (r *RecurseCTE) bind(ctx *Context, term *sqlparser.Select) {
	work := r.recursion.Work
	for _, e := range term.GetColumns() {
		if ae, ok := e.(*sqlparser.AliasedExpr); ok && ae.As.IsEmpty() && ctx.Sem.DirectDeps(ae.Expr).IsOverlapping(work) {
			ae.As = sqlparser.NewIdentifierCI(ae.ColumnName())
		}
	}
	ctx.Sem.ReplaceColumns(term, work, func(col *sqlparser.ColName) sqlparser.Expr {
		at := ctx.Sem.WorkColumn(r.recursion, col.Name.String())
		if at < 0 {
			refuse(vterrors.VT13001("no column " + col.Name.String() + " in the recursion " + r.recursion.Name.String()))
		}
		name := ctx.argumentFor(col)
		r.Vars[name], r.columns[name] = at, col
		return sqlparser.NewArgument(name)
	})
}

// Clone copies the operator.
func (r *RecurseCTE) Clone(in []Operator) Operator {
	c := *r
	c.Union = *r.Union.Clone(in).(*Union)
	return &c
}

// Describe names the expression.
func (r *RecurseCTE) Describe() string { return "RecurseCTE " + r.recursion.Name.String() }

func (r *RecurseCTE) planOffsets(ctx *Context) Operator {
	r.Union.planOffsets(ctx)
	if r.distinct {
		r.Checks = distinctColumns(ctx, r)
	}
	return nil
}

// pushRecurseCTE gives a recursion whole to the shards, where the rows of one shard lead to rows of that shard alone and are
// not compared with those of others.
func pushRecurseCTE(ctx *Context, r *RecurseCTE) (Operator, string) {
	p, ok := pairRoutes(ctx, r.Sources[0], r.Sources[1])
	if !ok {
		return r, ""
	}
	var routing Routing
	seed, term := p.left.Routing, p.right.Routing
	switch {
	case p.kindR == dualKind, p.kindR == anyShardKind && p.sameKeyspace:
		routing = seed
	case p.right.IsSingleShard() && !r.routesByRow(term) && (p.kindL == dualKind || p.kindL == anyShardKind && p.sameKeyspace):
		routing = term
	case p.kindL == shardedKind && p.kindR == shardedKind && p.sameKeyspace:
		l, r := seed.(*ShardedRouting), term.(*ShardedRouting)
		if p.left.IsSingleShard() && l.code == r.code && l.sameVindex(r) && equalValues(ctx, l.values(), r.values()) {
			routing = seed
		}
	}
	if routing == nil || r.distinct && p.kindL != dualKind && !p.left.IsSingleShard() {
		return r, ""
	}
	r.Sources = []Operator{p.left.Source, p.right.Source}
	return &Route{unary: unary{r}, MergedWith: []*Route{p.right}, Routing: routing}, "push recursion under route"
}

// recurses tells whether a tree holds a recursion.
func recurses(op Operator) bool {
	found := false
	visit(op, func(op Operator) bool {
		_, is := op.(*RecurseCTE)
		found = found || is
		return !found
	})
	return found
}

// routesByRow tells whether a term goes to the shard that the row before tells.
func (r *RecurseCTE) routesByRow(term Routing) bool {
	sharded, ok := term.(*ShardedRouting)
	if !ok {
		return false
	}
	by := false
	for _, value := range sharded.values() {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			arg, isArg := node.(*sqlparser.Argument)
			by = by || isArg && r.columns[arg.Name] != nil
			return !by, nil
		}, value)
	}
	return by
}

// recursion prints a recursion that shards do: the expression, and a query block that reads it under a name.
func (p *printer) recursion(r *RecurseCTE, alias string) {
	seed, term := &printer{ctx: p.ctx}, &printer{ctx: p.ctx, inside: r.recursion}
	seed.print(r.Sources[0])
	term.print(r.Sources[1])
	def := &sqlparser.CommonTableExpr{ID: r.recursion.Name, Columns: r.recursion.Columns, Subquery: &sqlparser.Union{
		Left: seed.query(), Right: r.unbind(term.query()), Distinct: r.distinct,
	}}
	item := &sqlparser.AliasedTableExpr{Expr: sqlparser.TableName{Name: def.ID}}
	if alias != def.ID.String() {
		item.As = sqlparser.NewIdentifierCS(alias)
	}
	p.tableExpr(semantics.TableSet{}, item)
	p.stmt.(*sqlparser.Select).With = &sqlparser.With{Recursive: true, CTEs: []*sqlparser.CommonTableExpr{def}}
}

// unbind puts the columns of the work table back in the place of their bind variables.
func (r *RecurseCTE) unbind(term sqlparser.TableStatement) sqlparser.TableStatement {
	return sqlparser.Rewrite(sqlparser.Clone(term), nil, func(c *sqlparser.Cursor) bool {
		switch node := c.Node().(type) {
		case *sqlparser.Argument:
			if col := r.columns[node.Name]; col != nil {
				c.Replace(sqlparser.Clone(col))
			}
		case *sqlparser.AliasedExpr:
			if text := (&sqlparser.AliasedExpr{Expr: node.Expr}).ColumnName(); text == node.As.String() {
				node.As = sqlparser.NewIdentifierCI("") // bind kept the name
			}
		}
		return true
	}).(sqlparser.TableStatement)
}

// stacked is the union of an operator that puts the rows of its sources one after the other.
func stacked(op Operator) (*Union, bool) {
	switch op := op.(type) {
	case *Union:
		return op, true
	case *RecurseCTE:
		return &op.Union, true
	}
	return nil, false
}
