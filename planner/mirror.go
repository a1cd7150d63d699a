package planner

import (
	"slices"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/planner/semantics"
)

// mirroredQuery is a query on the tables that mirror rules lead to, in place of its own.
type mirroredQuery struct {
	stmt    sqlparser.TableStatement
	percent float32
}

// mirrored is the query as mirror rules have it, nil if no rule applies. Rules of several tables mirror as much as the least of
// them. A query that has a table without a rule beside others is not mirrored: half of it would run where its rows are not.
func (b *builder) mirrored(sem *semantics.SemTable, stmt sqlparser.TableStatement) *mirroredQuery {
	if len(b.pc.VSchema.MirrorRules) == 0 {
		return nil
	}
	targets := map[string]sqlparser.TableName{} // by keyspace.table
	q := &mirroredQuery{}
	for _, t := range sem.Tables {
		if t.Kind != semantics.BaseTable || t.VTable == nil {
			continue
		}
		name := t.VTable.Name.String()
		rule, err := b.pc.VSchema.FindMirrorRule(t.VTable.Keyspace.Name, name, b.pc.tabletType())
		switch {
		case name == "dual":
			continue
		case err != nil || rule == nil:
			return nil
		case rule.Percent > 0 && (q.percent == 0 || rule.Percent < q.percent):
			q.percent = rule.Percent
		}
		targets[t.VTable.Keyspace.Name+"."+name] = sqlparser.TableName{
			Name: rule.Table.Name, Qualifier: sqlparser.NewIdentifierCS(rule.Table.Keyspace.Name),
		}
	}
	if q.percent == 0 {
		return nil
	}
	q.stmt = retargeted(sem, stmt, targets)
	return q
}

// retargeted is a copy of a query with other tables, which keep the names that the query calls them by.
func retargeted(sem *semantics.SemTable, stmt sqlparser.TableStatement, targets map[string]sqlparser.TableName) sqlparser.TableStatement {
	own := aliasedTables(stmt)
	copied := sqlparser.Clone(stmt)
	for i, expr := range aliasedTables(copied) {
		name, isName := expr.Expr.(sqlparser.TableName)
		info, err := sem.Info(sem.TableSetFor(own[i]))
		if !isName || err != nil || info.VTable == nil {
			continue
		}
		target, ok := targets[info.VTable.Keyspace.Name+"."+info.VTable.Name.String()]
		if !ok {
			continue
		}
		if expr.As.IsEmpty() && target.Name != name.Name {
			expr.As = name.Name
		}
		expr.Expr = target
	}
	return copied
}

// aliasedTables are the table expressions of a statement in the order of its text.
func aliasedTables(stmt sqlparser.SQLNode) (tables []*sqlparser.AliasedTableExpr) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if table, ok := node.(*sqlparser.AliasedTableExpr); ok {
			tables = append(tables, table)
		}
		return true, nil
	}, stmt)
	return tables
}

// withMirror plans a query and its mirror. Mirroring is best effort: a mirrored query that cannot be planned is left out.
func (b *builder) withMirror(sem *semantics.SemTable, stmt sqlparser.TableStatement, q *mirroredQuery) (planned, error) {
	if ks, _ := sem.SingleUnshardedKeyspace(); ks != nil {
		// Such statements are analysed no further unless asked for.
		var err error
		if sem, err = semantics.AnalyzeWhole(stmt, b.pc.Keyspace, b.pc); err != nil {
			return planned{}, err
		}
	}
	out, err := b.analysedQuery(sem, stmt)
	if err != nil {
		return out, err
	}
	// The rule names the very table: routing rules may lead back to where reads come from.
	vschema, context, unrouted := *b.pc.VSchema, *b.pc, *b
	vschema.RoutingRules = nil
	context.VSchema, unrouted.pc = &vschema, &context
	sem, err = semantics.AnalyzeWhole(q.stmt, context.Keyspace, &context)
	if err != nil {
		return out, nil
	}
	target, err := unrouted.analysedQuery(sem, q.stmt)
	if err != nil {
		return out, nil
	}
	tables := append(slices.Clone(out.tables), target.tables...)
	slices.Sort(tables)
	return planned{
		primitive: &engine.Mirror{Percent: q.percent, Input: out.primitive, Target: target.primitive},
		tables:    slices.Compact(tables),
	}, nil
}
