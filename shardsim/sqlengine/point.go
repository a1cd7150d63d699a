package sqlengine

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// pointPlan is tier 1: a statement about one table that goes straight to the store. It is made for one definition of the
// table and immutable. A plan may always decline at run time, for a value it does not know how to convert: tier 3 then
// decides, errors included.
type pointPlan struct {
	shard *Shard
	def   *store.TableDef
	meta  *tableMeta
	run   func(ctx context.Context, s *Session, p *pointPlan, st *statement, binds binds, out *emitter) (done bool, err error)

	key    []keyValue // one per primary key column, in key order; nil if another way is taken
	list   string     // name of the list bind variable of an IN, else empty
	read   pointRead  // of a SELECT
	sets   []pointSet // of an UPDATE
	insert *pointInsert
}

type binds = map[string]*querypb.BindVariable

// keyValue is where a value comes from: a bind variable or the text.
type keyValue struct {
	bind  string
	typ   querypb.Type
	text  []byte
	keyer columnKeyer
}

// noPlan marks that a statement has no tier 1 plan for a definition.
var noPlan = &pointPlan{}

// point runs the statement in tier 1. done is false if it must go the long way.
func (s *Session) point(ctx context.Context, st *statement, binds binds, out *emitter) (done bool, err error) {
	if st.pointTable == "" || s.opts.Isolation == Serializable || s.changesMeaning() {
		return false, nil
	}
	t := s.shard.db.Root().Table(st.pointTable)
	if t == nil {
		return false, nil
	}
	var p *pointPlan
	if known, ok := st.points.Load(t.Def); ok {
		p = known.(*pointPlan)
	} else {
		p = s.compilePoint(ctx, st, t.Def, binds)
		st.points.Store(t.Def, p)
	}
	if p == noPlan || st.isDML && (s.opts.ReadOnly || s.shard.hasTriggers()) {
		return false, nil
	}
	return p.run(ctx, s, p, st, binds, out)
}

// changesMeaning reports whether a session variable is set that statements may mean something else under.
func (s *Session) changesMeaning() bool {
	if len(s.sql.vars) == 0 {
		return false
	}
	if s.sql.zone() != nil {
		return true
	}
	for _, name := range [...]string{"autocommit", "sql_select_limit"} {
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

// pointTable returns the table of a statement that may have a tier 1 plan, else "".
func pointTable(ast sqlparser.Statement) string {
	var from []sqlparser.TableExpr
	switch ast := ast.(type) {
	case *sqlparser.Select:
		if ast.With != nil || ast.GroupBy != nil && ast.GroupBy.WithRollup || ast.Having != nil || ast.Windows != nil || ast.Into != nil || ast.SQLCalcFoundRows {
			return ""
		}
		from = ast.From
	case *sqlparser.Update:
		if ast.With != nil || ast.Ignore || len(ast.OrderBy) > 0 || ast.Limit != nil || ast.Where == nil {
			return ""
		}
		from = ast.TableExprs
	case *sqlparser.Delete:
		if ast.With != nil || ast.Ignore || len(ast.OrderBy) > 0 || ast.Limit != nil || ast.Where == nil ||
			len(ast.Targets) > 0 || ast.Partitions != nil {
			return ""
		}
		from = ast.TableExprs
	case *sqlparser.Insert:
		if ast.Action != sqlparser.InsertAct || ast.Ignore || ast.OnDup != nil || ast.Partitions != nil || ast.RowAlias != nil {
			return ""
		}
		if rows, ok := ast.Rows.(sqlparser.Values); !ok || len(rows) == 0 {
			return ""
		}
		from = []sqlparser.TableExpr{ast.Table}
	}
	if len(from) != 1 {
		return ""
	}
	t, ok := from[0].(*sqlparser.AliasedTableExpr)
	if !ok || t.Partitions != nil || len(t.Hints) > 0 {
		return ""
	}
	name, ok := t.Expr.(sqlparser.TableName)
	if !ok || name.Qualifier.NotEmpty() {
		return ""
	}
	return name.Name.String()
}

// compilePoint makes the tier 1 plan of a statement for a table's definition, or noPlan.
func (s *Session) compilePoint(ctx context.Context, st *statement, def *store.TableDef, binds binds) *pointPlan {
	p := &pointPlan{shard: s.shard, def: def, meta: metaOf(def)}
	ok := false
	switch ast := st.ast.(type) {
	case *sqlparser.Select:
		ok = p.compileSelect(ctx, s, st, ast, binds)
		p.run = runPointSelect
	case *sqlparser.Update:
		ok = p.simpleTable(s.shard, true) && p.compileWhere(ast.Where, ast.TableExprs) && p.byKeyAlone() && p.compileSets(ast)
		p.run = runPointUpdate
	case *sqlparser.Delete:
		ok = p.simpleTable(s.shard, true) && p.compileWhere(ast.Where, ast.TableExprs) && p.byKeyAlone()
		p.run = runPointDelete
	case *sqlparser.Insert:
		ok = p.simpleTable(s.shard, false) && p.compileInsert(ast)
		p.run = runPointInsert
	}
	if !ok {
		return noPlan
	}
	return p
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

// compileWhere takes the conditions of a WHERE and an access path for them.
func (p *pointPlan) compileWhere(where *sqlparser.Where, from []sqlparser.TableExpr) bool {
	conds, ok := p.conditions(where, aliasOf(p.meta, from))
	p.read.filters = p.takeKey(conds)
	if p.key == nil {
		p.takeIndex()
	}
	return ok
}

// byKeyAlone reports whether the primary key is all there is to find the row by.
func (p *pointPlan) byKeyAlone() bool {
	return p.key != nil && p.list == "" && len(p.read.filters) == 0
}

// aliasOf returns the name columns of the one table are qualified by.
func aliasOf(m *tableMeta, from []sqlparser.TableExpr) string {
	if alias := from[0].(*sqlparser.AliasedTableExpr).As.String(); alias != "" {
		return alias
	}
	return m.name
}

// column returns the position of a plain column, or -1.
func (p *pointPlan) column(e sqlparser.Expr, alias string) int {
	col, ok := e.(*sqlparser.ColName)
	if !ok || col.Qualifier.Qualifier.NotEmpty() {
		return -1
	}
	if q := col.Qualifier.Name.String(); q != "" && !strings.EqualFold(q, alias) {
		return -1
	}
	return p.meta.columns.IndexOfColName(col.Name.String())
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
		}
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

// append appends the key of the value. ok is false if the long way must decide; none reports that no row can match.
func (v *keyValue) append(dst []byte, binds binds) (key []byte, none, ok bool) {
	typ, text, ok := v.get(binds)
	if !ok {
		return nil, false, false
	}
	return v.keyer.appendText(dst, typ, text)
}

// appendText appends the key of a value in its text form, if it is of the column's own kind.
func (c *columnKeyer) appendText(dst []byte, typ querypb.Type, text []byte) (key []byte, none, ok bool) {
	if typ == querypb.Type_NULL_TYPE {
		return nil, true, true
	}
	switch t := c.typ.(type) {
	case sql.NumberType:
		if !sqltypes.IsIntegral(typ) {
			return nil, false, false
		}
		if t.IsSigned() {
			n, ok := parseInt(text)
			return store.AppendInt(dst, n), false, ok
		}
		n, ok := parseUint(text)
		return store.AppendUint(dst, n), false, ok
	case sql.StringType:
		if !sqltypes.IsQuoted(typ) {
			return nil, false, false
		}
		return c.appendString(dst, string(text)), false, true
	}
	return nil, false, false
}

// parseInt parses a plain decimal number of at most 18 digits: longer ones go the long way.
func parseInt(text []byte) (int64, bool) {
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	n, ok := parseUint(text)
	if negative {
		return -int64(n), ok
	}
	return int64(n), ok
}

func parseUint(text []byte) (uint64, bool) {
	if len(text) == 0 || len(text) > 18 {
		return 0, false
	}
	var n uint64
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, true
}

// primaryKey returns the key of the row the statement is about.
func (p *pointPlan) primaryKey(binds binds) (pk string, none, ok bool) {
	var buf [96]byte
	key := buf[:0]
	for i := range p.key {
		var nothing bool
		if key, nothing, ok = p.key[i].append(key, binds); !ok || nothing {
			return "", nothing, ok
		}
	}
	return string(key), false, true
}
