package operators

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner/semantics"
)

type (
	// QueryGraph is a set of inner joined tables with the predicates between them, before an order of joins is chosen:
	//
	//	user ──(u.id = e.user_id)── user_extra
	//	  └────(u.x = m.x)───────── music         where u.name = 'a' is a predicate of user alone
	QueryGraph struct {
		nullary
		noColumns
		Tables []*QueryTable
		edges  []*edge
		// alone holds predicates that depend on no table.
		alone sqlparser.Expr
	}

	// edge holds the predicates that depend on one set of tables.
	edge struct {
		deps  semantics.TableSet
		preds []sqlparser.Expr
	}
)

func (qg *QueryGraph) introducesTables() semantics.TableSet {
	var ts semantics.TableSet
	for _, t := range qg.Tables {
		ts = ts.Merge(t.ID)
	}
	return ts
}

// Clone copies the graph. Tables are shared: their predicates are complete when the graph is copied.
func (qg *QueryGraph) Clone([]Operator) Operator {
	c := *qg
	c.Tables = append([]*QueryTable(nil), qg.Tables...)
	c.edges = append([]*edge(nil), qg.edges...)
	return &c
}

// Describe names the tables.
func (qg *QueryGraph) Describe() string {
	var names []string
	for _, t := range qg.Tables {
		names = append(names, sqlparser.String(t.Name))
	}
	return "QueryGraph " + strings.Join(names, ", ")
}

// mergeGraphs joins two graphs without a predicate.
func mergeGraphs(ctx *Context, a, b *QueryGraph) *QueryGraph {
	return &QueryGraph{
		Tables: append(a.Tables, b.Tables...),
		edges:  append(a.edges, b.edges...),
		alone:  ctx.Sem.And(a.alone, b.alone),
	}
}

// addPredicate files a predicate under the tables it depends on.
func (qg *QueryGraph) addPredicate(ctx *Context, pred sqlparser.Expr) {
	deps := ctx.Sem.RecursiveDeps(pred)
	switch deps.NumberOfTables() {
	case 0:
		if qg.alone != nil {
			pred = &sqlparser.AndExpr{Left: qg.alone, Right: pred}
		}
		qg.alone = pred
		return
	case 1:
		for _, t := range qg.Tables {
			if t.ID != deps {
				continue
			}
			if !ctx.Sem.Contains(t.Predicates, pred) {
				t.Predicates = append(t.Predicates, pred)
			}
			return
		}
	}
	for _, e := range qg.edges {
		if e.deps != deps {
			continue
		}
		if !ctx.Sem.Contains(e.preds, pred) {
			e.preds = append(e.preds, pred)
		}
		return
	}
	qg.edges = append(qg.edges, &edge{deps: deps, preds: []sqlparser.Expr{pred}})
}

// between returns the predicates that need tables of both sides and no others.
func (qg *QueryGraph) between(left, right semantics.TableSet) []sqlparser.Expr {
	var preds []sqlparser.Expr
	for _, e := range qg.edges {
		if e.deps.IsSolvedBy(left.Merge(right)) && e.deps.IsOverlapping(left) && e.deps.IsOverlapping(right) {
			preds = append(preds, e.preds...)
		}
	}
	return preds
}

// unsolved returns the predicates that need tables from outside of the graph.
func (qg *QueryGraph) unsolved() []sqlparser.Expr {
	var preds []sqlparser.Expr
	for _, e := range qg.edges {
		if !e.deps.IsSolvedBy(qg.introducesTables()) {
			preds = append(preds, e.preds...)
		}
	}
	return preds
}
