package operators

import (
	"fmt"
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/semantics"
)

// ToSQL makes the statement that a route sends of the operators below it. The second result is the Insert, Update or Delete
// among them, nil for a query.
func ToSQL(ctx *Context, op Operator) (stmt sqlparser.Statement, dml Operator, err error) {
	defer func() {
		if r := recover(); r != nil {
			stmt, dml, err = nil, nil, recovered(r)
		}
	}()
	stmt, dml = toStatement(ctx, op)
	return stmt, dml, nil
}

func toStatement(ctx *Context, op Operator) (sqlparser.Statement, Operator) {
	p := &printer{ctx: ctx}
	p.print(op)
	p.sortTables()
	sqlparser.RemoveKeyspaceIgnoreSysSchema(p.stmt)
	return p.stmt, p.dml
}

// printer builds one statement from the bottom up; stmt is nil as long as there is no table and no predicate.
type printer struct {
	ctx  *Context
	stmt sqlparser.Statement
	dml  Operator
	// inside is the recursion whose term is printed as shards read it, nil for none.
	inside *semantics.Recursion
	// oneRow names the work table if FROM holds but dual for it, and is empty else.
	oneRow string
}

// tableLister is a statement with a FROM clause and a WHERE.
type tableLister interface {
	sqlparser.Statement
	GetFrom() []sqlparser.TableExpr
	SetFrom([]sqlparser.TableExpr)
	GetWherePredicate() sqlparser.Expr
	SetWherePredicate(sqlparser.Expr)
}

func (p *printer) print(op Operator) {
	switch op := op.(type) {
	case *Table:
		p.table(op)
	case *Projection:
		p.projection(op)
	case *Aggregator:
		p.aggregator(op)
	case *ApplyJoin:
		p.join(op)
	case *Filter:
		p.print(op.Source)
		for _, pred := range op.Predicates {
			p.predicate(pred)
		}
	case *Horizon:
		p.horizon(op)
	case *Ordering:
		p.print(op.Source)
		for _, order := range op.Order {
			p.ordered().AddOrder(order.Inner)
		}
	case *Limit:
		p.print(op.Source)
		p.ordered().SetLimit(op.AST)
	case *Distinct:
		p.print(op.Source)
		p.query().(sqlparser.Distinctable).MakeDistinct()
	case *Window:
		p.print(op.Source)
	case *RecurseCTE:
		p.recursion(op, op.recursion.Name.String())
		for _, col := range op.SelectExprs(p.ctx) {
			p.stmt.(*sqlparser.Select).AddSelectExpr(col)
		}
	case *Union:
		p.union(op)
	case *Insert:
		p.stmt, p.dml = op.AST, op
	case *Update:
		p.stmt, p.dml = op.emptyStatement(), op
		p.print(op.Source)
	case *Delete:
		p.stmt, p.dml = &sqlparser.Delete{Ignore: op.Ignore, Targets: sqlparser.TableNames{op.Target.Name}}, op
		p.print(op.Source)
	default:
		refuse(vterrors.VT13001(fmt.Sprintf("unknown operator to convert to SQL: %T", op)))
	}
}

func (p *printer) query() sqlparser.TableStatement { return p.stmt.(sqlparser.TableStatement) }

func (p *printer) ordered() sqlparser.OrderAndLimit { return p.stmt.(sqlparser.OrderAndLimit) }

func (p *printer) table(op *Table) {
	if op.Query.IsWork {
		p.workTable(op.Query)
		return
	}
	name := sqlparser.TableName{Name: op.Query.Name.Name}
	if op.Query.IsInfSchema {
		name.Qualifier = op.Query.Name.Qualifier
	}
	p.tableExpr(op.Query.ID, &sqlparser.AliasedTableExpr{
		Expr: name, As: op.Query.Alias.As, Hints: op.Query.Alias.Hints,
	})
	for _, pred := range op.Query.Predicates {
		p.predicate(pred)
	}
	for _, col := range op.Cols {
		p.column(wrap(col))
	}
}

// workTable prints the row that a recursion goes on from: dual, as its columns are bind variables, or the work table where the
// shards do it all.
func (p *printer) workTable(qt *QueryTable) {
	item := &sqlparser.AliasedTableExpr{Expr: qt.Name}
	if p.inside != nil {
		item = qt.Alias
	} else {
		p.oneRow = must(p.ctx.Sem.Info(qt.ID)).Name
	}
	p.tableExpr(qt.ID, item)
	for _, pred := range qt.Predicates {
		p.predicate(pred)
	}
}

// deriveOneRow makes a derived table of dual, which cannot be joined.
func (p *printer) deriveOneRow() {
	row := &sqlparser.Select{From: p.stmt.(tableLister).GetFrom()}
	row.AddSelectExpr(wrap(sqlparser.NewIntLiteral("1")))
	p.stmt.(tableLister).SetFrom([]sqlparser.TableExpr{&sqlparser.AliasedTableExpr{
		Expr: &sqlparser.DerivedTable{Select: row}, As: sqlparser.NewIdentifierCS(p.oneRow),
	}})
	p.oneRow = ""
}

// dropOneRow leaves dual out of a FROM clause that has more.
func (p *printer) dropOneRow() {
	if p.oneRow != "" {
		p.stmt.(tableLister).SetFrom(nil)
		p.oneRow = ""
	}
}

// tableExpr adds an item to FROM; the analysis knows the table by it from now on.
func (p *printer) tableExpr(id semantics.TableSet, item *sqlparser.AliasedTableExpr) {
	if p.stmt == nil {
		p.stmt = &sqlparser.Select{}
	}
	if info, err := p.ctx.Sem.Info(id); err == nil {
		info.AST = item
	}
	from := p.stmt.(tableLister)
	from.SetFrom(append(from.GetFrom(), item))
}

// derive makes the statement so far a derived table. It stands before all tables, as the analysis does not know its expression.
func (p *printer) derive(alias string, columns sqlparser.Columns) {
	query := p.query()
	p.stmt = nil
	p.tableExpr(semantics.TableSet{}, &sqlparser.AliasedTableExpr{
		Expr: &sqlparser.DerivedTable{Select: query}, As: sqlparser.NewIdentifierCS(alias), Columns: columns,
	})
}

// predicate adds to WHERE, or to HAVING if it aggregates. A join predicate that is printed with its join is left out.
func (p *printer) predicate(pred sqlparser.Expr) {
	pred = currentForm(pred)
	if pred == nil {
		return
	}
	if p.stmt == nil {
		p.stmt = &sqlparser.Select{}
	}
	add := func(sqlparser.Expr) {}
	switch stmt := p.stmt.(type) {
	case *sqlparser.Select:
		add = stmt.AddWhere
		if p.ctx.containsAggr(pred) {
			add = stmt.AddHaving
		}
	case *sqlparser.Update:
		add = stmt.AddWhere
	case *sqlparser.Delete:
		add = stmt.AddWhere
	default:
		refuse(vterrors.VT12001("predicate above a " + fmt.Sprintf("%T", stmt)))
	}
	for _, part := range sqlparser.SplitAndExpression(nil, pred) {
		add(part)
	}
}

// column adds to the select list. A union has its columns already; others need it to be a derived table.
func (p *printer) column(col sqlparser.SelectExpr) {
	switch stmt := p.stmt.(type) {
	case *sqlparser.Select:
		stmt.AddSelectExpr(col)
	case *sqlparser.Union:
		if ae, ok := col.(*sqlparser.AliasedExpr); ok {
			if name, ok := ae.Expr.(*sqlparser.ColName); ok {
				p.checkUnionColumn(stmt, name)
				return
			}
		}
		sel := &sqlparser.Select{From: []sqlparser.TableExpr{&sqlparser.AliasedTableExpr{
			Expr: &sqlparser.DerivedTable{Select: stmt}, As: sqlparser.NewIdentifierCS("dt"),
		}}}
		sel.SetSelectExprs(namesOnly(firstSelect(stmt).GetColumns())...)
		p.stmt = sel
		p.column(col)
	default:
		refuse(vterrors.VT13001(fmt.Sprintf("unknown select statement type: %T", stmt)))
	}
}

// namesOnly selects columns by the names that a select list gives them.
func namesOnly(exprs []sqlparser.SelectExpr) []sqlparser.SelectExpr {
	out := make([]sqlparser.SelectExpr, len(exprs))
	for i, e := range exprs {
		out[i] = e
		if ae, ok := e.(*sqlparser.AliasedExpr); ok {
			out[i] = wrap(sqlparser.NewColName(ae.ColumnName()))
		}
	}
	return out
}

func (p *printer) checkUnionColumn(union *sqlparser.Union, name *sqlparser.ColName) {
	known := slices.ContainsFunc(firstSelect(union).GetColumns(), func(e sqlparser.SelectExpr) bool {
		ae, ok := e.(*sqlparser.AliasedExpr)
		return !ok || ae.ColumnName() == name.Name.String()
	})
	if !known {
		refuse(vterrors.VT12001("did not find column [" + sqlparser.String(name) + "] on UNION"))
	}
}

func (p *printer) clearColumns() {
	if sel, ok := p.stmt.(*sqlparser.Select); ok {
		sel.SelectExprs = nil
	}
}

func (p *printer) projection(op *Projection) {
	p.print(op.Source)
	_, isSelect := p.stmt.(*sqlparser.Select)
	if isSelect {
		p.clearColumns()
		for _, col := range op.SelectExprs(p.ctx) {
			p.column(col)
		}
	}
	if op.DT != nil {
		p.derive(op.DT.Alias, op.DT.Columns)
	}
	if !isSelect {
		for _, col := range op.SelectExprs(p.ctx) {
			p.column(col)
		}
	}
}

func (p *printer) aggregator(op *Aggregator) {
	p.print(op.Source)
	p.clearColumns()
	for _, col := range op.Columns(p.ctx) {
		p.column(col)
	}
	sel := p.stmt.(*sqlparser.Select)
	for _, g := range op.Grouping {
		sel.AddGroupBy(g.Inner)
		if g.WeightString != -1 {
			sel.AddGroupBy(weightString(g.Inner))
		}
	}
	if op.Rollup {
		sel.GroupBy.WithRollup = true
	}
	if op.DT != nil {
		p.derive(op.DT.Alias, op.DT.Columns)
	}
}

// join prints both sides with the predicates between them; those that were pushed to the right side must not be printed there.
func (p *printer) join(op *ApplyJoin) {
	preds := make([]sqlparser.Expr, len(op.predicates))
	for i, pred := range op.predicates {
		preds[i] = pred.original
		if pred.pred != nil {
			pred.pred.state.current = nil
		}
	}
	p.print(op.LHS)
	right := &printer{ctx: p.ctx, inside: p.inside}
	right.print(op.RHS)
	switch {
	case right.stmt == nil:
	case p.stmt == nil:
		p.stmt = right.stmt
	default:
		p.joinWith(right, sqlparser.AndExpressions(preds...), op.JoinType)
	}
}

func (p *printer) joinWith(other *printer, on sqlparser.Expr, joinType sqlparser.JoinType) {
	left, right := p.stmt.(tableLister), other.stmt.(tableLister)
	if joinType == sqlparser.NormalJoinType {
		p.dropOneRow()
		other.dropOneRow()
	} else if p.oneRow != "" {
		p.deriveOneRow()
	}
	if sel, ok := left.(*sqlparser.Select); ok {
		for _, col := range right.(*sqlparser.Select).GetColumns() {
			sel.AddSelectExpr(col)
		}
	}
	where := append(sqlparser.SplitAndExpression(nil, left.GetWherePredicate()),
		sqlparser.SplitAndExpression(nil, right.GetWherePredicate())...)
	if right.GetWherePredicate() != nil {
		left.SetWherePredicate(p.ctx.Sem.And(where...))
	}
	if joinType == sqlparser.NormalJoinType {
		left.SetFrom(append(left.GetFrom(), right.GetFrom()...))
		for _, pred := range sqlparser.SplitAndExpression(nil, on) {
			p.predicate(pred)
		}
		return
	}
	left.SetFrom([]sqlparser.TableExpr{&sqlparser.JoinTableExpr{
		LeftExpr: oneItem(left.GetFrom()), RightExpr: oneItem(right.GetFrom()), Join: joinType,
		Condition: &sqlparser.JoinCondition{On: on},
	}})
}

func oneItem(from []sqlparser.TableExpr) sqlparser.TableExpr {
	if len(from) == 1 {
		return from[0]
	}
	return &sqlparser.ParenTableExpr{Exprs: from}
}

func (p *printer) union(op *Union) {
	p.print(op.Sources[0])
	for _, src := range op.Sources[1:] {
		other := &printer{ctx: p.ctx}
		other.print(src)
		p.stmt = &sqlparser.Union{Left: p.query(), Right: other.query(), Distinct: op.distinct}
	}
}

// horizon prints a whole query block over its tables.
func (p *printer) horizon(op *Horizon) {
	if r, ok := op.Source.(*RecurseCTE); ok {
		p.recursion(r, op.Alias)
		return
	}
	p.print(op.Source)
	if !op.isDerived() {
		copyClauses(op.Query, p.query())
		return
	}
	switch query := p.stmt.(type) {
	case *sqlparser.Select:
		from := op.Query.(*sqlparser.Select)
		query.Having = andHaving(query.Having, from.Having)
		query.Limit, query.OrderBy, query.GroupBy = from.Limit, from.OrderBy, from.GroupBy
		query.SelectExprs, query.Distinct = from.SelectExprs, from.Distinct
	case *sqlparser.Union:
		from := op.Query.(*sqlparser.Union)
		query.Limit, query.OrderBy, query.Distinct = from.Limit, from.OrderBy, from.Distinct
	}
	p.derive(op.Alias, op.ColumnAliases)
}

func andHaving(a, b *sqlparser.Where) *sqlparser.Where {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	a.Expr = sqlparser.AndExpressions(a.Expr, b.Expr)
	return a
}

// copyClauses gives a statement that has tables and WHERE the other clauses of a query.
func copyClauses(from, to sqlparser.TableStatement) {
	switch from := from.(type) {
	case *sqlparser.Select:
		to, ok := to.(*sqlparser.Select)
		if !ok {
			refuse(vterrors.VT13001("AST did not match"))
		}
		to.SelectExprs, to.Distinct, to.Comments = from.SelectExprs, from.Distinct, from.Comments
		to.GroupBy, to.Having, to.OrderBy, to.Limit = from.GroupBy, from.Having, from.OrderBy, from.Limit
		to.Windows = from.Windows
	case *sqlparser.Union:
		to, ok := to.(*sqlparser.Union)
		if !ok {
			refuse(vterrors.VT13001("AST did not match"))
		}
		copyClauses(from.Left, to.Left)
		copyClauses(from.Right, to.Right)
		to.OrderBy, to.Limit = from.OrderBy, from.Limit
	}
}

// sortTables puts the tables of each FROM in the order of the statement: joins may have been planned in another.
func (p *printer) sortTables() {
	if p.stmt == nil {
		return
	}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if sel, ok := node.(*sqlparser.Select); ok {
			slices.SortStableFunc(sel.From, func(a, b sqlparser.TableExpr) int {
				left, okL := a.(*sqlparser.AliasedTableExpr)
				right, okR := b.(*sqlparser.AliasedTableExpr)
				if !okL || !okR {
					return 0
				}
				return p.ctx.Sem.TableSetFor(left).TableOffset() - p.ctx.Sem.TableSetFor(right).TableOffset()
			})
		}
		return true, nil
	}, p.stmt)
}
