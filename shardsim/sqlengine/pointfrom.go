package sqlengine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// pointTable is a table of FROM, in the order there.
type pointTable struct {
	alias string
	def   *store.TableDef
	meta  *tableMeta
	start int  // position of its first column
	left  bool // LEFT JOINed: without a match its columns are NULL
	on    sqlparser.Expr
	seen  int // position of the first table that ON knows; the last one is the table itself
}

// pointTablesMax bounds the joins of tier 1, whose orders are all tried.
const pointTablesMax = 5

// fromTables returns the names of the tables of FROM, if these are plain tables, inner joins and left joins of one with the
// next, without USING.
func fromTables(from []sqlparser.TableExpr) (names []string, ok bool) {
	ok = eachTable(from, func(t *sqlparser.AliasedTableExpr, _ *sqlparser.JoinTableExpr) bool {
		name, isName := t.Expr.(sqlparser.TableName)
		if !isName || name.Qualifier.NotEmpty() || t.Partitions != nil || len(t.Hints) > 0 || len(t.Columns) > 0 {
			return false
		}
		names = append(names, name.Name.String())
		return len(names) <= pointTablesMax
	})
	if !ok {
		return nil, false
	}
	return names, true
}

// eachTable visits the tables of FROM with the joins that they are on the right side of, nil for none, until visit returns
// false or there is something else.
func eachTable(from []sqlparser.TableExpr, visit func(*sqlparser.AliasedTableExpr, *sqlparser.JoinTableExpr) bool) bool {
	for _, e := range from {
		switch e := e.(type) {
		case *sqlparser.AliasedTableExpr:
			if !visit(e, nil) {
				return false
			}
		case *sqlparser.JoinTableExpr:
			right, ok := e.RightExpr.(*sqlparser.AliasedTableExpr)
			switch e.Join {
			case sqlparser.NormalJoinType, sqlparser.LeftJoinType:
			default:
				ok = false
			}
			if !ok || e.Condition == nil || len(e.Condition.Using) > 0 {
				return false
			}
			if !eachTable([]sqlparser.TableExpr{e.LeftExpr}, visit) || !visit(right, e) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// compileFrom lists the tables and their columns.
func (p *pointPlan) compileFrom(from []sqlparser.TableExpr) bool {
	root := p.shard.db.Root()
	ok := eachTable(from, func(e *sqlparser.AliasedTableExpr, join *sqlparser.JoinTableExpr) bool {
		name := e.Expr.(sqlparser.TableName).Name.String()
		known := root.Table(name)
		if known == nil {
			return false
		}
		t := pointTable{alias: e.As.String(), def: known.Def, meta: metaOf(known.Def), start: len(p.columns)}
		if t.alias == "" {
			t.alias = t.meta.name
		}
		if slices.ContainsFunc(p.tables, func(other pointTable) bool { return strings.EqualFold(other.alias, t.alias) }) {
			return false
		}
		t.seen = len(p.tables)
		if join != nil {
			t.left, t.on, t.seen = join.Join == sqlparser.LeftJoinType, join.Condition.On, p.tables[len(p.tables)-1].seen
		}
		p.tables = append(p.tables, t)
		p.columns = append(p.columns, t.columns()...)
		return true
	})
	if ok {
		p.access, p.making.scope, p.width = p.tables[0].access(), p.tables, len(p.columns)
	}
	return ok
}

// columns are the table's as the result has them.
func (t *pointTable) columns() sql.Schema {
	columns := make(sql.Schema, len(t.meta.columns))
	for i := range columns {
		col := *t.meta.columns[i]
		col.Source, col.Nullable = t.alias, col.Nullable || t.left
		columns[i] = &col
	}
	return columns
}

func (t *pointTable) access() access {
	return access{def: t.def, meta: t.meta, start: t.start, index: store.Primary}
}

// has reports whether a column is the table's.
func (t *pointTable) has(at int) bool { return t.start <= at && at < t.start+len(t.meta.columns) }

// column returns the position of a plain column, or -1, also for one that is ambiguous.
func (p *pointPlan) column(e sqlparser.Expr) int {
	col, ok := e.(*sqlparser.ColName)
	if !ok || col.Qualifier.Qualifier.NotEmpty() {
		return -1
	}
	return p.columnOf(col.Qualifier.Name.String(), col.Name.String())
}

// columnOf returns the position of a column of the table by that alias, or of any if there is none.
func (p *pointPlan) columnOf(alias, name string) int {
	found := -1
	for i := range p.making.scope {
		t := &p.making.scope[i]
		if alias != "" && !strings.EqualFold(alias, t.alias) {
			continue
		}
		at := t.meta.columns.IndexOfColName(name)
		if at < 0 {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = t.start + at
	}
	if found >= 0 {
		p.use(found)
	}
	return found
}

// use notes that a SELECT needs a column: only those are taken out of the rows.
func (p *pointPlan) use(at int) {
	p.uses = append(p.uses, make([]bool, max(0, at+1-len(p.uses)))...)
	p.uses[at] = true
}

// compileWhere takes the conditions of a WHERE and the ways to the rows that they allow.
func (p *pointPlan) compileWhere(where *sqlparser.Where) bool {
	if len(p.tables) > 1 {
		return p.compileJoins(where)
	}
	var own joinConditions
	if where != nil && !p.addConditions(&own, where.Expr) {
		return false
	}
	p.read.filter = rowFilter{conditions: p.take(own.conditions), pairs: own.pairs, computed: own.computed}
	return true
}
