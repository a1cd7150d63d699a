package sqlengine

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// pointPlan is tiers 1 and 2: a statement that goes straight to the store, about one table or, a SELECT, a few that are joined
// by keys. It is made for one definition of each table and immutable. A plan may always decline at run time, for a value it does
// not know how to convert: tier 3 then decides, errors included.
type pointPlan struct {
	shard  *Shard
	access // of the table that is read first, which is the only one but for joins
	run    func(ctx context.Context, s *Session, p *pointPlan, st *statement, binds binds, out *emitter) (done bool, err error)

	tables     []pointTable
	columns    sql.Schema    // the tables', one after the other, and the computed ones: positions in rows are positions here
	width      int           // how many are the tables'
	uses       []bool        // which of the tables' columns a SELECT needs; the others stay NULL
	computed   []computation // see pointcompute.go
	parameters []parameter
	making     *making    // while the plan is made
	read       pointRead  // of a SELECT
	sets       []pointSet // of an UPDATE
	insert     *pointInsert
}

type binds = map[string]*querypb.BindVariable

// keyValue is where a value comes from: a bind variable, the text, or a column of the row so far.
type keyValue struct {
	bind  string
	list  bool // bind has several
	null  bool // NULL as a key of its own, which IS NULL finds
	typ   querypb.Type
	text  []byte
	inRow bool
	at    int
	keyer columnKeyer
}

// noPlan marks that a statement has no plan for a definition, laterPlan that it may have one when it comes again.
var noPlan, laterPlan = &pointPlan{}, &pointPlan{}

// point runs the statement in tier 1. done is false if it must go the long way.
func (s *Session) point(ctx context.Context, st *statement, binds binds, out *emitter) (done bool, err error) {
	if len(st.pointTables) == 0 || len(s.sql.temps) > 0 || s.opts.Isolation == Serializable || s.changesMeaning() {
		return false, nil
	}
	root := s.shard.db.Root()
	t := root.Table(st.pointTables[0])
	if t == nil {
		return false, nil
	}
	known, _ := st.points.Load(t.Def)
	p, _ := known.(*pointPlan)
	if p == nil || p == laterPlan || !p.isFor(root) {
		first := p != laterPlan
		var later bool
		if p, later = s.compilePoint(ctx, st, binds, first); !later {
			st.points.Store(t.Def, p)
		} else if first {
			st.points.Store(t.Def, laterPlan)
		}
	}
	if p == noPlan || st.isDML && (s.opts.ReadOnly || s.shard.hasTriggers(p.meta.name)) {
		return false, nil
	}
	return p.run(ctx, s, p, st, binds, out)
}

// isFor reports whether the definitions of the tables behind the first are still the plan's.
func (p *pointPlan) isFor(root *store.Root) bool {
	for i := 1; i < len(p.tables); i++ {
		if t := root.Table(p.tables[i].meta.name); t == nil || t.Def != p.tables[i].def {
			return false
		}
	}
	return true
}

// changesMeaning reports whether a session variable is set that statements may mean something else under.
func (s *Session) changesMeaning() bool {
	if len(s.sql.vars) == 0 {
		return false
	}
	if s.sql.zone() != nil {
		return true
	}
	for _, name := range [...]string{"autocommit", "sql_select_limit", "sql_safe_updates"} {
		if v, ok := s.sql.vars[name]; ok && v.Val != s.sql.engine.defaults[name].Val {
			return true
		}
	}
	mode, ok := s.sql.vars["sql_mode"]
	return ok && !strictMode(mode)
}

// strictMode reports whether an SQL mode refuses values that do not fit, and none of those is in it that change what is
// stored.
func strictMode(mode sql.SystemVarValue) bool {
	shown, err := shownValue(mode)
	text, ok := shown.(string)
	return err == nil && ok && strings.Contains(text, "STRICT_") &&
		!strings.Contains(text, "NO_AUTO_VALUE_ON_ZERO") && !strings.Contains(text, "PAD_CHAR_TO_FULL_LENGTH")
}

// pointTables returns the tables of a statement that may have a tier 1 plan, else none.
func pointTables(ast sqlparser.Statement) []string {
	var from []sqlparser.TableExpr
	switch ast := ast.(type) {
	case *sqlparser.Select:
		if ast.With != nil || ast.GroupBy != nil && ast.GroupBy.WithRollup || ast.Having != nil || ast.Windows != nil || ast.Into != nil || ast.SQLCalcFoundRows {
			return nil
		}
		names, _ := fromTables(ast.From)
		if len(names) > 1 && ast.Lock != sqlparser.NoLock {
			return nil
		}
		return names
	case *sqlparser.Update:
		if ast.With != nil || ast.Ignore || len(ast.OrderBy) > 0 || ast.Limit != nil || ast.Where == nil {
			return nil
		}
		from = ast.TableExprs
	case *sqlparser.Delete:
		if ast.With != nil || ast.Ignore || len(ast.OrderBy) > 0 || ast.Limit != nil || ast.Where == nil ||
			len(ast.Targets) > 0 || ast.Partitions != nil {
			return nil
		}
		from = ast.TableExprs
	case *sqlparser.Insert:
		if ast.Action != sqlparser.InsertAct || ast.OnDup != nil || ast.Partitions != nil || ast.RowAlias != nil {
			return nil
		}
		if rows, ok := ast.Rows.(sqlparser.Values); !ok || len(rows) == 0 {
			return nil
		}
		from = []sqlparser.TableExpr{ast.Table}
	}
	if names, ok := fromTables(from); ok && len(names) == 1 {
		return names
	}
	return nil
}

// compilePoint makes the plan of a statement for its tables' definitions, or noPlan. later tells that another execution may do:
// one with other bind variables or, after the first, the next one, as making a plan can be dearer than going the long way once.
func (s *Session) compilePoint(ctx context.Context, st *statement, binds binds, first bool) (plan *pointPlan, later bool) {
	before := s.sql.warnings
	defer func() { s.sql.warnings = before }() // constants are computed while a plan is made, and again when it runs
	m := &making{ctx: ctx, session: s, binds: binds, first: first}
	p := &pointPlan{shard: s.shard, making: m}
	ok := false
	switch ast := st.ast.(type) {
	case *sqlparser.Select:
		m.from = ast.From
		ok = p.compileFrom(ast.From) && p.compileSelect(st, ast)
		p.run = runPointSelect
	case *sqlparser.Update:
		ok = p.compileFrom(ast.TableExprs) && p.simpleTable(s.shard, true) && p.compileWhere(ast.Where) && p.byKeyAlone() && p.compileSets(ast)
		p.run = runPointUpdate
	case *sqlparser.Delete:
		ok = p.compileFrom(ast.TableExprs) && p.simpleTable(s.shard, true) && p.compileWhere(ast.Where) && p.byKeyAlone()
		p.run = runPointDelete
	case *sqlparser.Insert:
		ok = p.compileFrom([]sqlparser.TableExpr{ast.Table}) && p.simpleTable(s.shard, false) && p.compileInsert(ast)
		p.run = runPointInsert
	}
	if !ok || p.finishComputed() != nil {
		return noPlan, m.later
	}
	p.making = nil
	return p, false
}

// simpleTable reports whether writes to the table have nothing else to see to: checks, generated columns, foreign keys.
func (p *pointPlan) simpleTable(shard *Shard, parents bool) bool {
	m := p.meta
	if len(m.checks) > 0 || len(m.foreignKeys) > 0 {
		return false
	}
	for _, c := range m.columns {
		if c.Generated != nil || c.OnUpdate != nil {
			return false
		}
	}
	if !parents {
		return true
	}
	for _, t := range shard.db.Root().Tables() {
		for _, fk := range metaOf(t.Def).foreignKeys {
			if strings.EqualFold(fk.ParentTable, m.name) {
				return false
			}
		}
	}
	return true
}

// byKeyAlone reports whether the primary key is all there is to find the row by.
func (p *pointPlan) byKeyAlone() bool {
	return p.whole && !p.many && p.read.takesAll()
}

func newKeyValue(e sqlparser.Expr) (keyValue, bool) {
	switch e := e.(type) {
	case *sqlparser.Argument:
		return keyValue{bind: e.Name}, true
	case *sqlparser.Literal:
		switch e.Type {
		case sqlparser.IntVal:
			return keyValue{typ: querypb.Type_INT64, text: []byte(e.Val)}, true
		case sqlparser.StrVal:
			return keyValue{typ: querypb.Type_VARCHAR, text: []byte(e.Val)}, true
		case sqlparser.DecimalVal:
			return keyValue{typ: querypb.Type_DECIMAL, text: []byte(e.Val)}, true
		}
	case *sqlparser.NullVal:
		return keyValue{typ: querypb.Type_NULL_TYPE}, true
	}
	return keyValue{}, false
}

// get returns the type and the text of the value.
func (v *keyValue) get(binds binds) (querypb.Type, []byte, bool) {
	if v.bind == "" {
		return v.typ, v.text, true
	}
	bv := binds[v.bind]
	if bv == nil || bv.Type == querypb.Type_TUPLE {
		return 0, nil, false
	}
	return bv.Type, bv.Value, true
}

// append appends the key of the value, row being the row so far. ok is false if the long way must decide; none reports that
// no row can match.
func (v *keyValue) append(dst []byte, binds binds, row []any) (key []byte, none, ok bool) {
	switch {
	case v.null:
		return store.AppendNull(dst), false, true
	case v.inRow:
		if row[v.at] == nil {
			return nil, true, true
		}
		key, err := v.keyer.append(dst, row[v.at])
		return key, false, err == nil
	}
	typ, text, ok := v.get(binds)
	if !ok {
		return nil, false, false
	}
	return v.keyer.appendText(dst, typ, text)
}
