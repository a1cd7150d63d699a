package sqlengine

import (
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// An UPDATE or DELETE of a join finds its rows first and writes each of them once, whatever it is joined with: the engine
// writes while it reads, once for each match. The join is run as a SELECT; then each table is written by a statement of its
// own, which is analysed as any other, so that triggers, foreign keys and generated columns do as they do there, and which is
// given the rows that were found.
//
//	update a join b on a.id = b.aid set a.v = a.v + b.w, b.x = 1
//	   select a.*, b.*, b.w from a join b on a.id = b.aid     locking a and b
//	   update a set v = a.v + :given_0                        for each row of a that was found
//	   update b set x = 1                                     for each row of b that was found
//
// Of several matches of a row, the first one gives the values.
type multiTable struct {
	session *Session
	st      *statement
	binds   map[string]*querypb.BindVariable

	from    []sqlparser.TableExpr
	with    *sqlparser.With
	where   *sqlparser.Where
	targets []*multiTarget
	given   []sqlparser.Expr // what the SELECT gives after the targets' rows
	types   []sql.Type       // of given
	outer   bool             // FROM has an outer join
}

// multiTarget is a table that is written.
type multiTarget struct {
	name  string // its alias, or its own name
	table *table
	write sqlparser.Statement
	at    int // where its columns begin in the rows of the SELECT
	rows  []foundRow
	seen  map[string]bool
}

// foundRow is a row to write, with the values given to its statement.
type foundRow struct {
	key   string // see table.locator: that of several rows in a table without primary key
	given sql.Row
}

// isMultiTable reports whether a statement writes to tables of a join.
func isMultiTable(stmt sqlparser.Statement) bool {
	switch ast := stmt.(type) {
	case *sqlparser.Update:
		return isJoined(ast.TableExprs)
	case *sqlparser.Delete:
		return isJoined(ast.TableExprs) && len(ast.Targets) > 0
	}
	return false
}

func isJoined(tables []sqlparser.TableExpr) bool {
	if len(tables) != 1 {
		return true
	}
	_, isTable := tables[0].(*sqlparser.AliasedTableExpr)
	return !isTable
}

// runMultiTable runs an UPDATE or DELETE of a join.
func (s *Session) runMultiTable(ctx context.Context, st *statement, binds map[string]*querypb.BindVariable, out *emitter) error {
	m := &multiTable{session: s, st: st, binds: binds}
	var err error
	switch ast := st.ast.(type) {
	case *sqlparser.Update:
		err = m.planUpdate(ast)
	case *sqlparser.Delete:
		err = m.planDelete(ast)
	}
	if err != nil {
		return err
	}
	if err := m.find(ctx); err != nil {
		return err
	}
	total := plan.UpdateInfo{}
	affected := uint64(0)
	for _, t := range m.targets {
		ok, err := m.writeAll(ctx, t)
		if err != nil {
			return err
		}
		affected += ok.RowsAffected
		if info, isUpdate := ok.Info.(plan.UpdateInfo); isUpdate {
			total.Matched += info.Matched
			total.Updated += info.Updated
		}
	}
	ok := types.OkResult{RowsAffected: affected}
	if _, isUpdate := st.ast.(*sqlparser.Update); isUpdate {
		ok.Info = total
	}
	return out.send(s.okResult(st, ok))
}

// base returns the table that an expression of FROM names, nil for derived tables, views and what is not there.
func (m *multiTable) base(t *sqlparser.AliasedTableExpr) (name string, found *table) {
	real, ok := t.Expr.(sqlparser.TableName)
	if !ok {
		return t.As.String(), nil
	}
	name = real.Name.String()
	if now := m.session.sql.tableNamed(name); now != nil && !m.isCommon(name) {
		found = newTable(m.session.shard, now.Def)
	}
	if t.As.NotEmpty() {
		name = t.As.String()
	}
	return name, found
}

// isCommon reports whether a name is a common table expression's.
func (m *multiTable) isCommon(name string) bool {
	if m.with == nil {
		return false
	}
	for _, cte := range m.with.CTEs {
		if strings.EqualFold(cte.ID.String(), name) {
			return true
		}
	}
	return false
}

// tables returns the tables of FROM by their names, in order.
func (m *multiTable) tables() []*multiTarget {
	var all []*multiTarget
	for _, e := range m.from {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			switch node := node.(type) {
			case *sqlparser.Subquery:
				return false, nil
			case *sqlparser.JoinTableExpr:
				m.outer = m.outer || node.Join != sqlparser.NormalJoinType && node.Join != sqlparser.NaturalJoinType && node.Join != sqlparser.StraightJoinType
			case *sqlparser.AliasedTableExpr:
				name, found := m.base(node)
				all = append(all, &multiTarget{name: name, table: found, seen: make(map[string]bool)})
				return false, nil
			}
			return true, nil
		}, e)
	}
	return all
}

// target returns the table a column of SET belongs to.
func (m *multiTable) target(tables []*multiTarget, col *sqlparser.ColName) (*multiTarget, error) {
	if q := col.Qualifier.Name.String(); q != "" {
		for _, t := range tables {
			if strings.EqualFold(t.name, q) {
				return m.writable(t)
			}
		}
		return nil, mysqlError(1054, "42S22", "Unknown column '%s' in 'field list'", sqlparser.String(col))
	}
	var found *multiTarget
	for _, t := range tables {
		if t.table == nil || t.table.schema.IndexOfColName(col.Name.String()) < 0 {
			continue
		}
		if found != nil {
			return nil, mysqlError(1052, "23000", "Column '%s' in field list is ambiguous", col.Name.String())
		}
		found = t
	}
	if found == nil {
		return nil, mysqlError(1054, "42S22", "Unknown column '%s' in 'field list'", col.Name.String())
	}
	return found, nil
}

func (m *multiTable) writable(t *multiTarget) (*multiTarget, error) {
	if t.table == nil {
		word := "UPDATE"
		if _, isDelete := m.st.ast.(*sqlparser.Delete); isDelete {
			word = "DELETE"
		}
		return nil, mysqlError(1288, "HY000", "The target table %s of the %s is not updatable", t.name, word)
	}
	return t, nil
}

func (m *multiTable) planUpdate(u *sqlparser.Update) error {
	if len(u.OrderBy) > 0 || u.Limit != nil {
		word := "LIMIT"
		if len(u.OrderBy) > 0 {
			word = "ORDER BY"
		}
		return mysqlError(1221, "HY000", "Incorrect usage of UPDATE and %s", word)
	}
	m.from, m.with, m.where = u.TableExprs, u.With, u.Where
	tables := m.tables()
	sets := make(map[*multiTarget]sqlparser.UpdateExprs)
	for _, e := range u.Exprs {
		t, err := m.target(tables, e.Name)
		if err != nil {
			return err
		}
		column := &sqlparser.ColName{Name: e.Name.Name}
		sets[t] = append(sets[t], &sqlparser.UpdateExpr{Name: column, Expr: m.givenTo(t, e.Expr)})
	}
	for _, t := range tables {
		if len(sets[t]) == 0 {
			continue
		}
		t.write = &sqlparser.Update{Ignore: u.Ignore, TableExprs: []sqlparser.TableExpr{t.expr()}, Exprs: sets[t]}
		m.targets = append(m.targets, t)
	}
	return nil
}

// expr is the table as a statement of its own names it.
func (t *multiTarget) expr() *sqlparser.AliasedTableExpr {
	e := &sqlparser.AliasedTableExpr{Expr: sqlparser.NewTableName(t.table.meta.name)}
	if t.name != t.table.meta.name {
		e.As = sqlparser.NewIdentifierCS(t.name)
	}
	return e
}

func (m *multiTable) planDelete(d *sqlparser.Delete) error {
	m.from, m.with, m.where = d.TableExprs, d.With, d.Where
	if len(d.OrderBy) > 0 || d.Limit != nil {
		return mysqlError(1221, "HY000", "Incorrect usage of DELETE and LIMIT")
	}
	tables := m.tables()
	for _, name := range d.Targets {
		for _, t := range tables {
			if !strings.EqualFold(t.name, name.Name.String()) || t.write != nil {
				continue
			}
			t, err := m.writable(t)
			if err != nil {
				return err
			}
			// The limit marks the place for the rows, and keeps the engine from emptying the table.
			t.write = &sqlparser.Delete{TableExprs: []sqlparser.TableExpr{&sqlparser.AliasedTableExpr{Expr: sqlparser.NewTableName(t.table.meta.name)}},
				Limit: &sqlparser.Limit{Rowcount: sqlparser.NewIntLiteral("1")}}
			m.targets = append(m.targets, t)
		}
	}
	return nil
}

// givenName names the bind variable of a value that the SELECT gives.
func givenName(i int) string { return "given_" + strconv.Itoa(i) }

// givenTo is an expression for the statement of one table: columns of other tables become values that are given. One with a
// subquery is given as a whole.
func (m *multiTable) givenTo(t *multiTarget, e sqlparser.Expr) sqlparser.Expr {
	give := func(e sqlparser.Expr) sqlparser.Expr {
		m.given = append(m.given, e)
		return sqlparser.NewArgument(givenName(len(m.given) - 1))
	}
	if hasSubquery(e) {
		return give(e)
	}
	return sqlparser.CopyOnRewrite(e, nil, func(c *sqlparser.CopyOnWriteCursor) {
		col, ok := c.Node().(*sqlparser.ColName)
		if !ok {
			return
		}
		if _, inDefault := c.Parent().(*sqlparser.Default); inDefault {
			return
		}
		q := col.Qualifier.Name.String()
		if q == "" && t.table.schema.IndexOfColName(col.Name.String()) >= 0 {
			// It is read as well, for the error if other tables have it too.
			m.given = append(m.given, col)
			return
		}
		if !strings.EqualFold(q, t.name) {
			c.Replace(give(col))
		}
	}, nil).(sqlparser.Expr)
}

// find runs the join and keeps the rows of each target, each of them once.
func (m *multiTable) find(ctx context.Context) error {
	exprs := &sqlparser.SelectExprs{}
	width := 0
	for _, t := range m.targets {
		t.at = width
		for _, c := range t.table.schema {
			exprs.Exprs = append(exprs.Exprs, &sqlparser.AliasedExpr{Expr: sqlparser.NewColNameWithQualifier(c.Name, sqlparser.NewTableName(t.name))})
		}
		width += len(t.table.schema)
	}
	for _, e := range m.given {
		exprs.Exprs = append(exprs.Exprs, &sqlparser.AliasedExpr{Expr: e, As: sqlparser.NewIdentifierCI(givenName(len(exprs.Exprs)))})
	}
	sel := &sqlparser.Select{With: m.with, SelectExprs: exprs, From: m.from, Where: m.where}
	note := func(node sql.Node) (sql.Node, error) {
		for _, c := range node.Schema()[width:] {
			m.types = append(m.types, c.Type)
		}
		return node, nil
	}
	return m.execute(ctx, sel, nil, note, func(row sql.Row) error {
		for _, t := range m.targets {
			if err := m.keep(t, row[t.at:t.at+len(t.table.schema)], row[width:]); err != nil {
				return err
			}
		}
		return nil
	})
}

// keep notes a row, unless it is there or an outer join found none.
func (m *multiTable) keep(t *multiTarget, row, given sql.Row) error {
	if missing, err := m.missing(t, row); missing || err != nil {
		return err
	}
	key, err := t.table.locator(m.session.sql, row)
	if err != nil || t.seen[key] {
		return err
	}
	t.seen[key] = true
	t.rows = append(t.rows, foundRow{key: key, given: given.Copy()})
	return nil
}

// missing reports whether a row is what an outer join gives for none.
func (m *multiTable) missing(t *multiTarget, row sql.Row) (bool, error) {
	if pk := t.table.meta.pk; len(pk) > 0 {
		return row[pk[0]] == nil, nil
	}
	for _, v := range row {
		if v != nil {
			return false, nil
		}
	}
	if m.outer {
		return false, errUnsupported("outer join that gives rows of NULLs for a table without primary key, which is written")
	}
	return false, nil
}

// locator returns the key of a row, in the table's primary key or in the index that stands for one.
func (t *table) locator(s *sqlSession, row sql.Row) (string, error) {
	keyer := t.def.Primary
	if keyer == nil {
		keyer = t.def.Indexes[t.def.Locator].Key
	}
	key, _, err := keyer.AppendKey(nil, t.original(s, row.Copy()))
	return string(key), err
}

// execute analyses a statement, lets edit change its plan, and runs it. exprs are bind variables besides the statement's own.
func (m *multiTable) execute(ctx context.Context, ast sqlparser.Statement, exprs map[string]sql.Expression, edit func(sql.Node) (sql.Node, error), each func(sql.Row) error) error {
	s := m.session
	st := &statement{text: sqlparser.String(ast), ast: ast, runs: ast, lists: m.st.lists, settles: true}
	if _, isSelect := ast.(*sqlparser.Select); !isSelect {
		st.isDML = true
	}
	v, err := m.session.variant(st, m.binds)
	if err != nil {
		return err
	}
	sctx := s.sql.context(ctx, v.text)
	s.sql.running = sctx
	parsed, err := parseEngine(sctx, v.text)
	if err != nil {
		return err
	}
	bound, err := s.sql.bindExpressions(m.binds)
	if err != nil {
		return err
	}
	for name, e := range exprs {
		bound[name] = e
	}
	node, _, err := s.analyseBound(sctx, st, parsed, v.text, bound)
	if err != nil {
		return err
	}
	if node, err = edit(node); err != nil {
		return err
	}
	rows, _, err := execOverrides{engine: s.shard.engine}.executed(sctx, node)
	if err != nil {
		return err
	}
	return eachRow(sctx, rows, each)
}

// writeAll writes the rows found of a table.
func (m *multiTable) writeAll(ctx context.Context, t *multiTarget) (types.OkResult, error) {
	var result types.OkResult
	if len(t.rows) == 0 {
		return result, nil
	}
	m.session.sql.target = t.table
	source := &foundRows{target: t}
	exprs := make(map[string]sql.Expression, len(m.given))
	for i := range m.given {
		exprs[givenName(i)] = &givenValue{source: source, at: i, typ: m.types[i]}
	}
	err := m.execute(ctx, t.write, exprs, func(node sql.Node) (sql.Node, error) {
		node, placed, err := placeRows(node, source)
		if err == nil && !placed {
			err = errUnsupported("this kind of multi-table statement")
		}
		return node, err
	}, func(row sql.Row) error {
		if types.IsOkResult(row) {
			result = types.GetOkResult(row)
		}
		return nil
	})
	return result, err
}

// placeRows puts the rows found in the place of what a statement of one table reads.
func placeRows(n sql.Node, source *foundRows) (sql.Node, bool, error) {
	children := n.Children()
	if len(children) == 0 {
		return n, false, nil
	}
	fresh := append([]sql.Node(nil), children...)
	switch n.(type) {
	case *plan.UpdateSource:
		source.Child = children[0]
		fresh[0] = source
	case *plan.Limit:
		source.Child = n
		return source, true, nil
	default:
		below, placed, err := placeRows(children[0], source)
		if err != nil || !placed {
			return n, placed, err
		}
		fresh[0] = below
	}
	again, err := n.WithChildren(fresh...)
	return again, true, err
}

// foundRows is a plan's source of rows that were found before. Its child is what the statement would have read.
type foundRows struct {
	plan.UnaryNode
	target *multiTarget
	given  sql.Row // of the row given last
}

var _ sql.Node = (*foundRows)(nil)

func (f *foundRows) String() string     { return f.Child.String() }
func (f *foundRows) Schema() sql.Schema { return f.Child.Schema() }
func (f *foundRows) IsReadOnly() bool   { return f.Child.IsReadOnly() }

func (f *foundRows) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(f, len(children), 1)
	}
	f.Child = children[0]
	return f, nil
}

// iter gives the rows as they are now: another target may be the same table.
func (f *foundRows) iter() sql.RowIter { return &foundIter{source: f} }

type foundIter struct {
	source *foundRows
	at     int
	now    []sql.Row // of the key given last, which are left
}

func (i *foundIter) Next(ctx *sql.Context) (sql.Row, error) {
	t := i.source.target
	for len(i.now) == 0 {
		if i.at == len(t.rows) {
			return nil, io.EOF
		}
		found := t.rows[i.at]
		i.at++
		var err error
		if i.now, err = t.table.located(ctx, found.key); err != nil {
			return nil, err
		}
		i.source.given = found.given
	}
	row := i.now[0]
	i.now = i.now[1:]
	return row, nil
}

func (i *foundIter) Close(*sql.Context) error { return nil }

// located returns the rows with a key, see locator.
func (t *table) located(ctx *sql.Context, key string) ([]sql.Row, error) {
	part := &partition{index: store.Primary, ranges: []store.Range{{Low: key, High: key + keyMax}}}
	if t.def.Primary == nil {
		part.index = t.def.Locator
	}
	rows, err := t.PartitionRows(ctx, part)
	if err != nil {
		return nil, err
	}
	var all []sql.Row
	err = eachRow(ctx, rows, func(row sql.Row) error {
		all = append(all, row)
		return nil
	})
	return all, err
}

// givenValue is a value that was found with the row being written.
type givenValue struct {
	source *foundRows
	at     int
	typ    sql.Type
}

func (g *givenValue) Resolved() bool             { return true }
func (g *givenValue) String() string             { return givenName(g.at) }
func (g *givenValue) Type() sql.Type             { return g.typ }
func (g *givenValue) IsNullable() bool           { return true }
func (g *givenValue) IsNonDeterministic() bool   { return true }
func (g *givenValue) Children() []sql.Expression { return nil }

func (g *givenValue) WithChildren(...sql.Expression) (sql.Expression, error) { return g, nil }

func (g *givenValue) Eval(*sql.Context, sql.Row) (any, error) { return g.source.given[g.at], nil }
