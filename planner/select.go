package planner

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/planner/operators"
	"github.com/vitrodb/vitro/planner/semantics"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// query plans a SELECT or UNION.
func (b *builder) query(stmt sqlparser.TableStatement) (planned, error) {
	sel, isSelect := stmt.(*sqlparser.Select)
	if !isSelect {
		return b.operatorQuery(stmt)
	}
	primitive, err := b.atGateway(sel)
	if err != nil {
		return planned{}, err
	}
	if primitive != nil {
		used := "dual"
		if ks := b.pc.preferredKeyspace(); ks != nil {
			used = ks.Name + ".dual"
		}
		return planned{primitive, []string{used}}, nil
	}
	if sel.SQLCalcFoundRows && sel.Limit != nil {
		return b.calcFoundRows(sel)
	}
	sel.SQLCalcFoundRows = false
	out, err := b.operatorQuery(sel)
	if err != nil {
		return planned{}, err
	}
	if asksSystemTablesOfAll(out.primitive) {
		// Predicates in another form may tell the schema.
		rewritten, ok := sqlparser.RewritePredicate(stmt).(sqlparser.TableStatement)
		if again, err := b.operatorQuery(rewritten); ok && err == nil && !asksSystemTablesOfAll(again.primitive) {
			return again, nil
		}
	}
	if isOnlyDual(sel) || (sel.GroupBy == nil && sel.SelectExprs.AllAggregation()) {
		hasRowOverNothing(out.primitive)
	}
	return out, nil
}

// hasRowOverNothing makes a route that reaches no shard ask one all the same: the query has a row even over no rows.
func hasRowOverNothing(p engine.Primitive) {
	switch p := p.(type) {
	case *engine.Route:
		p.NoRoutesSpecialHandling = true
	case *engine.VindexLookup:
		p.SendTo.NoRoutesSpecialHandling = true
	}
}

func asksSystemTablesOfAll(p engine.Primitive) bool {
	route, ok := p.(*engine.Route)
	return ok && route.Opcode == opcode.DBA && len(route.SysTableTableName)+len(route.SysTableTableSchema) == 0
}

// operatorQuery plans a query that needs tables: as it is if one unsharded keyspace has them, by the operator tree else.
func (b *builder) operatorQuery(stmt sqlparser.TableStatement) (planned, error) {
	sem, err := semantics.Analyze(stmt, b.pc.Keyspace, b.pc)
	if err != nil {
		return planned{}, err
	}
	if mirrored := b.mirrored(sem, stmt); mirrored != nil {
		return b.withMirror(sem, stmt, mirrored)
	}
	if ks, tables := sem.SingleUnshardedKeyspace(); ks != nil {
		route, err := b.unshardedRoute(stmt, ks)
		return planned{route, qualifiedNames(ks, tables)}, err
	}
	return b.analysedQuery(sem, stmt)
}

// analysedQuery plans a query by the operator tree.
func (b *builder) analysedQuery(sem *semantics.SemTable, stmt sqlparser.TableStatement) (planned, error) {
	if sem.NotUnshardedErr != nil {
		return planned{}, sem.NotUnshardedErr
	}
	prepareQuery(b.operatorContext(sem, stmt), stmt)
	return b.plan(sem, stmt)
}

// unshardedRoute sends a query to the one shard of a keyspace.
func (b *builder) unshardedRoute(stmt sqlparser.TableStatement, ks *vindexes.Keyspace) (engine.Primitive, error) {
	dropQualifiers(stmt)
	route := &engine.Route{RoutingParameters: &engine.RoutingParameters{Opcode: opcode.Unsharded, Keyspace: ks}}
	primitive, err := b.wireUp(route, stmt)
	if err == nil {
		setHints(primitive, stmt)
	}
	return primitive, err
}

// dropQualifiers removes keyspaces: a shard's database may have another name.
func dropQualifiers(stmt sqlparser.Statement) {
	sqlparser.SafeRewrite(stmt, nil, func(c *sqlparser.Cursor) bool {
		switch node := c.Node().(type) {
		case *sqlparser.AliasedExpr:
			sqlparser.RemoveKeyspaceInCol(node.Expr)
		case *sqlparser.StarExpr:
			node.TableName.Qualifier = sqlparser.NewIdentifierCS("")
		case sqlparser.TableName:
			c.Replace(sqlparser.TableName{Name: node.Name})
		}
		return true
	})
}

func qualifiedNames(ks *vindexes.Keyspace, tables []*vindexes.Table) []string {
	var names []string
	for _, t := range tables {
		names = append(names, ks.Name+"."+t.Name.String())
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (b *builder) operatorContext(sem *semantics.SemTable, stmt sqlparser.Statement) *operators.Context {
	ctx := operators.NewContext(sem, b.pc, b.reserved, stmt)
	ctx.LeftToRight = b.pc.LeftToRight || hintsOf(stmt).leftToRight
	return ctx
}

// plan takes an analysed statement through the operator tree.
func (b *builder) plan(sem *semantics.SemTable, stmt sqlparser.Statement) (planned, error) {
	return b.planIn(b.operatorContext(sem, stmt), stmt)
}

// planIn takes a statement through the operator tree in a context that was made for it.
func (b *builder) planIn(ctx *operators.Context, stmt sqlparser.Statement) (planned, error) {
	root, err := operators.Plan(ctx, stmt)
	b.trace = append(b.trace, ctx.Trace...)
	if err != nil {
		return planned{}, err
	}
	primitive, err := b.transform(ctx, root)
	if err != nil {
		return planned{}, err
	}
	return planned{primitive, operators.TablesUsed(root)}, nil
}

// prepareQuery moves those parts of HAVING that do not aggregate to WHERE, and writes the names that routing rules gave tables
// into the statement.
func prepareQuery(ctx *operators.Context, stmt sqlparser.Statement) {
	sqlparser.Rewrite(stmt, func(c *sqlparser.Cursor) bool {
		switch node := c.Node().(type) {
		case *sqlparser.Select:
			splitHaving(ctx, node)
		case *sqlparser.AliasedTableExpr:
			renameRouted(ctx.Sem, node)
		}
		return true
	}, nil)
}

func splitHaving(ctx *operators.Context, sel *sqlparser.Select) {
	if sel.Having == nil {
		return
	}
	preds := sqlparser.SplitAndExpression(nil, sel.Having.Expr)
	sel.Having = nil
	for _, pred := range preds {
		if ctx.Aggregates(pred) {
			sel.AddHaving(pred)
		} else {
			sel.AddWhere(pred)
		}
	}
}

func renameRouted(sem *semantics.SemTable, node *sqlparser.AliasedTableExpr) {
	name, ok := node.Expr.(sqlparser.TableName)
	if !ok {
		return
	}
	info, err := sem.Info(sem.TableSetFor(node))
	if err != nil || info.VTable == nil || info.VTable.Name.String() == name.Name.String() {
		return
	}
	if node.As.IsEmpty() {
		node.As = name.Name
	}
	name.Name = info.VTable.Name
	name.Qualifier = sqlparser.NewIdentifierCS(info.VTable.Keyspace.Name)
	node.Expr = name
}

// atGateway plans a SELECT without tables that the gateway can answer itself, nil for all others.
func (b *builder) atGateway(sel *sqlparser.Select) (engine.Primitive, error) {
	if !isOnlyDual(sel) {
		return nil, nil
	}
	cfg := &evalengine.Config{Collation: b.pc.ConnCollation(), Environment: b.pc.Env}
	proj := &engine.Projection{Input: &engine.SingleRow{}}
	var locks []*engine.LockFunc
	for _, e := range sel.GetColumns() {
		ae, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			return nil, nil
		}
		if fn, isLock := ae.Expr.(*sqlparser.LockingFunc); isLock {
			lock := &engine.LockFunc{Typ: fn}
			if fn.Name != nil {
				name, err := evalengine.Translate(fn.Name, cfg)
				if err != nil {
					return nil, err
				}
				lock.Name = name
			}
			locks = append(locks, lock)
			continue
		}
		if len(locks) > 0 {
			return nil, vterrors.VT12001("LOCK function and other expression: [" + sqlparser.String(ae) + "] in same select query")
		}
		expr, err := evalengine.Translate(ae.Expr, cfg)
		if err != nil {
			return nil, nil // a shard will know
		}
		name := ae.As.String()
		if name == "" {
			name = sqlparser.String(ae.Expr)
		}
		proj.Exprs, proj.Cols = append(proj.Exprs, expr), append(proj.Cols, name)
	}
	if len(locks) > 0 {
		return b.lock(sel, locks)
	}
	return proj, nil
}

func (b *builder) lock(sel *sqlparser.Select, locks []*engine.LockFunc) (engine.Primitive, error) {
	names := b.pc.VSchema.KeyspaceNames()
	if len(names) == 0 {
		return nil, vterrors.VT09005()
	}
	ks := b.pc.VSchema.Keyspaces[names[0]].Keyspace
	return &engine.Lock{
		Keyspace:          ks,
		TargetDestination: key.DestinationKeyspaceID{0},
		FieldQuery:        sqlparser.NewTrackedBuffer(sqlparser.FormatImpossibleQuery).WriteNode(sel).String(),
		LockFunctions:     locks,
	}, nil
}

// isOnlyDual tells whether a SELECT is no more than a select list over dual.
func isOnlyDual(sel *sqlparser.Select) bool {
	if sel.Where != nil || sel.GroupBy != nil || sel.Having != nil || sel.OrderBy != nil || len(sel.From) != 1 {
		return false
	}
	if sel.Limit != nil {
		if sel.Limit.Offset != nil {
			return false
		}
		if lit, ok := sel.Limit.Rowcount.(*sqlparser.Literal); sel.Limit.Rowcount != nil && (!ok || lit.Val == "0") {
			return false
		}
	}
	table, ok := sel.From[0].(*sqlparser.AliasedTableExpr)
	if !ok {
		return false
	}
	name, ok := table.Expr.(sqlparser.TableName)
	return ok && name.Name.String() == "dual" && name.Qualifier.IsEmpty()
}

// calcFoundRows plans SQL_CALC_FOUND_ROWS as the query with its LIMIT and a count of the query without.
func (b *builder) calcFoundRows(sel *sqlparser.Select) (planned, error) {
	count := sqlparser.Clone(sel)
	sel.SQLCalcFoundRows = false
	limited, err := b.operatorQuery(sel)
	if err != nil {
		return planned{}, err
	}
	count.SQLCalcFoundRows, count.OrderBy, count.Limit = false, nil, nil
	star := &sqlparser.AliasedExpr{Expr: &sqlparser.CountStar{}}
	if count.GroupBy == nil && count.Having == nil && !count.Distinct {
		count.SetSelectExprs(star)
	} else {
		inner := count
		count = &sqlparser.Select{From: []sqlparser.TableExpr{&sqlparser.AliasedTableExpr{
			Expr: &sqlparser.DerivedTable{Select: inner}, As: sqlparser.NewIdentifierCS("t"),
		}}}
		count.SetSelectExprs(star)
	}
	counted, err := b.operatorQuery(count)
	if err != nil {
		return planned{}, err
	}
	hasRowOverNothing(counted.primitive)
	return planned{&engine.SQLCalcFoundRows{LimitPrimitive: limited.primitive, CountPrimitive: counted.primitive}, counted.tables}, nil
}
