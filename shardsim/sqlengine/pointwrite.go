package sqlengine

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// errDecline makes a tier 1 write give up before it has changed anything.
var errDecline = errors.New("not a point statement")

// pointSet is SET column = value, or SET column = column + value.
type pointSet struct {
	at    int
	value keyValue
	add   bool
	minus bool
}

func (p *pointPlan) compileSets(u *sqlparser.Update) bool {
	for _, e := range u.Exprs {
		at := p.column(e.Name)
		if at < 0 || p.meta.columns[at].PrimaryKey {
			return false
		}
		for _, other := range p.sets {
			if other.at == at {
				return false
			}
		}
		set := pointSet{at: at}
		value := e.Expr
		if bin, ok := e.Expr.(*sqlparser.BinaryExpr); ok {
			number, isNumber := p.meta.columns[at].Type.(sql.NumberType)
			if !isNumber || number.IsFloat() || p.column(bin.Left) != at {
				return false
			}
			switch bin.Operator {
			case sqlparser.PlusOp:
			case sqlparser.MinusOp:
				set.minus = true
			default:
				return false
			}
			set.add, value = true, bin.Right
		}
		v, ok := newKeyValue(value)
		if !ok {
			return false
		}
		set.value = v
		p.sets = append(p.sets, set)
	}
	return len(p.sets) > 0
}

// convert returns the value as the column keeps it. errDecline if it does not fit as it is.
func (s *Session) convertPoint(ctx context.Context, col *sql.Column, v *keyValue, binds binds) (any, error) {
	typ, text, ok := v.get(binds)
	if !ok {
		return nil, errDecline
	}
	if kept, ok := plainValue(col.Type, typ, text); ok {
		return kept, nil
	}
	given, from, err := s.sql.bindValue(typ, text)
	if err != nil {
		return nil, errDecline
	}
	if given == nil {
		if !col.Nullable {
			return nil, errDecline
		}
		return nil, nil
	}
	warned := len(s.sql.warnings)
	target := assignTarget{s: s.sql, ctx: ctx, column: col.Name, typ: col.Type, shape: shapeOf(col)}
	kept, err := target.assign(given, from)
	if err != nil || len(s.sql.warnings) > warned {
		s.sql.warnings = s.sql.warnings[:warned]
		return nil, errDecline
	}
	if span, ok := kept.(types.Timespan); ok {
		kept = roundTimespan(span, timeDigits(col.Type))
	}
	return kept, nil
}

// added returns column + value or column - value, if it stays in small integers.
func (s *Session) added(ctx context.Context, col *sql.Column, old any, set *pointSet, binds binds) (any, error) {
	typ, text, ok := set.value.get(binds)
	if !ok || !sqltypes.IsIntegral(typ) {
		return nil, errDecline
	}
	n, ok := parseInt(text)
	was, isInt := bigInt(old)
	if !ok || !isInt || !was.IsInt64() || !small(n) || !small(was.Int64()>>16) {
		return nil, errDecline
	}
	sum := was.Int64() + n
	if set.minus {
		sum = was.Int64() - n
	}
	if sum < 0 && sqltypes.IsUnsigned(typ) {
		return nil, errDecline
	}
	conv, inRange, err := col.Type.Convert(ctx, sum)
	if err != nil || !bool(inRange) || !keepsInteger(sum, conv) {
		return nil, errDecline
	}
	return conv, nil
}

// runPoint runs a write in a statement of its own. Declining rolls the statement back: nothing was changed yet.
func (s *Session) runPoint(ctx context.Context, st *statement, out *emitter, f func() (*sqltypes.Result, error)) (done bool, err error) {
	var res *sqltypes.Result
	declined := false
	s.sql.warnings = nil
	err = s.inStatement(ctx, st, func() (err error) {
		res, err = f()
		if errors.Is(err, errDecline) {
			declined = true
			return nil
		}
		return err
	})
	if err != nil || declined {
		return !declined, err
	}
	return true, out.send(res)
}

// match is a row a write is about, locked.
type match struct {
	pk  string
	rec store.Record
	row []any // of rec
	new []any // what UPDATE makes of it
}

// matching is one execution of an UPDATE or DELETE, and the rows that match. A session has one and uses it again.
type matching struct {
	plan  *pointPlan
	v     pointValues
	found []match
}

// take implements taker.
func (m *matching) take(pk string, rec store.Record) (more bool, err error) {
	row := rec.Row()
	ok, err := m.plan.read.filter.passes(row, &m.v)
	if ok {
		m.found = append(m.found, match{pk: pk, rec: rec, row: row})
	}
	return true, err
}

// find locks the rows that match. The writes come after: a scan must not meet what they change.
func (m *matching) find(ctx context.Context, s *Session, st *statement) error {
	if m.v.none {
		return nil
	}
	_, err := m.plan.each(ctx, s.sql.tx, st.scan, &m.v.accessValues, m)
	return storeError(err, m.plan.meta.name)
}

// end forgets everything but memory.
func (m *matching) end() {
	clear(m.found)
	clear(m.v.sets)
	*m = matching{found: m.found[:0], v: pointValues{sets: m.v.sets[:0]}}
}

// runMatching finds the rows of a write and gives them to f.
func (s *Session) runMatching(ctx context.Context, p *pointPlan, st *statement, binds binds, out *emitter, f func([]match) (*sqltypes.Result, error)) (done bool, err error) {
	m := &s.matching
	if m.plan != nil {
		return false, nil
	}
	defer m.end()
	if !p.values(&m.v, binds) {
		return false, nil
	}
	m.plan = p
	return s.runPoint(ctx, st, out, func() (*sqltypes.Result, error) {
		if err := m.find(ctx, s, st); err != nil {
			return nil, err
		}
		return f(m.found)
	})
}

func runPointUpdate(ctx context.Context, s *Session, p *pointPlan, st *statement, binds binds, out *emitter) (bool, error) {
	return s.runMatching(ctx, p, st, binds, out, func(found []match) (_ *sqltypes.Result, err error) {
		// All values are made before the first row changes: one that does not fit declines.
		for i := range found {
			if found[i].new, err = p.updated(ctx, s, found[i].row, binds); err != nil {
				return nil, err
			}
		}
		changed := 0
		for i := range found {
			m := &found[i]
			if sameRow(m.row, m.new) {
				continue
			}
			changed++
			if err := s.sql.tx.UpdateAt(ctx, p.def, m.pk, m.rec, m.new); err != nil {
				return nil, p.writeError(err)
			}
			if at := p.meta.autoColumn(); at >= 0 && m.new[at] != m.row[at] {
				newTable(s.shard, p.def).countOn(autoValue(m.new[at]))
			}
		}
		res := &sqltypes.Result{RowsAffected: uint64(changed), Info: updateInfo(len(found), changed)}
		if s.sql.client.Capabilities&clientFoundRows != 0 {
			res.RowsAffected = uint64(len(found))
		}
		return res, nil
	})
}

// updated returns the row as SET makes it.
func (p *pointPlan) updated(ctx context.Context, s *Session, old []any, binds binds) ([]any, error) {
	row := append([]any(nil), old...)
	for i := range p.sets {
		set := &p.sets[i]
		col := p.meta.columns[set.at]
		var err error
		switch {
		case !set.add:
			row[set.at], err = s.convertPoint(ctx, col, &set.value, binds)
		case row[set.at] != nil:
			row[set.at], err = s.added(ctx, col, row[set.at], set, binds)
		}
		if err != nil {
			return nil, err
		}
	}
	return row, nil
}

func updateInfo(matched, changed int) string {
	return "Rows matched: " + strconv.Itoa(matched) + "  Changed: " + strconv.Itoa(changed) + "  Warnings: 0"
}

// writeError gives errors of the store MySQL's words.
func (p *pointPlan) writeError(err error) error {
	return newWriteError(err, p.meta.name)
}

func runPointDelete(ctx context.Context, s *Session, p *pointPlan, st *statement, binds binds, out *emitter) (bool, error) {
	return s.runMatching(ctx, p, st, binds, out, func(found []match) (*sqltypes.Result, error) {
		for i := range found {
			if err := s.sql.tx.DeleteAt(ctx, p.def, found[i].pk, found[i].rec); err != nil {
				return nil, p.writeError(err)
			}
		}
		return &sqltypes.Result{RowsAffected: uint64(len(found))}, nil
	})
}

// pointInsert is INSERT INTO t (columns) VALUES ... of constants. With IGNORE rows that are there are passed over; values that
// do not fit are the engine's.
type pointInsert struct {
	ignore   bool
	rows     [][]keyValue
	columns  []int // positions of the columns given
	defaults []any // a whole row: what the columns not given get
	auto     int   // position of the AUTO_INCREMENT column, or -1
}

func (p *pointPlan) compileInsert(ins *sqlparser.Insert) bool {
	m := p.meta
	pi := &pointInsert{ignore: bool(ins.Ignore), auto: m.autoColumn(), defaults: make([]any, len(m.columns))}
	given := make([]bool, len(m.columns))
	for _, c := range ins.Columns {
		at := m.columns.IndexOfColName(c.String())
		if at < 0 || given[at] {
			return false
		}
		given[at] = true
		pi.columns = append(pi.columns, at)
	}
	if values := ins.Rows.(sqlparser.Values); len(ins.Columns) == 0 && len(values[0]) > 0 {
		// No list of columns: all of them. With VALUES () too: none.
		for at := range m.columns {
			given[at] = true
			pi.columns = append(pi.columns, at)
		}
	}
	for i, c := range m.columns {
		if given[i] || i == pi.auto {
			continue
		}
		v, ok := m.constantDefault(c)
		if !ok {
			return false
		}
		pi.defaults[i] = v
	}
	for _, row := range ins.Rows.(sqlparser.Values) {
		if len(row) != len(pi.columns) {
			return false
		}
		values := make([]keyValue, len(row))
		for i, e := range row {
			var ok bool
			if values[i], ok = newKeyValue(e); !ok {
				return false
			}
		}
		pi.rows = append(pi.rows, values)
	}
	p.insert = pi
	return true
}

// constantDefault returns what a column gets that is not given, if that is a constant.
func (m *tableMeta) constantDefault(c *sql.Column) (any, bool) {
	if c.Default == nil {
		return nil, c.Nullable
	}
	text := columnDefault(c)
	if isExpressionDefault(text) {
		return nil, false
	}
	shown := m.shownDefault(c)
	if shown == nil {
		return nil, c.Nullable
	}
	if _, isBit := c.Type.(interface{ NumberOfBits() uint8 }); isBit {
		return nil, false
	}
	v, inRange, err := c.Type.Convert(context.Background(), shown)
	if err != nil || !bool(inRange) {
		return nil, false
	}
	if span, ok := v.(types.Timespan); ok {
		v = roundTimespan(span, timeDigits(c.Type))
	}
	return v, true
}

func runPointInsert(ctx context.Context, s *Session, p *pointPlan, st *statement, binds binds, out *emitter) (bool, error) {
	rows := make([][]any, len(p.insert.rows))
	for i, values := range p.insert.rows {
		row := append([]any(nil), p.insert.defaults...)
		for j := range values {
			at := p.insert.columns[j]
			if at == p.insert.auto {
				if typ, _, ok := values[j].get(binds); ok && typ == querypb.Type_NULL_TYPE {
					continue
				}
			}
			v, err := s.convertPoint(ctx, p.meta.columns[at], &values[j], binds)
			if err != nil {
				return false, nil
			}
			row[at] = v
		}
		rows[i] = row
	}
	return s.runPoint(ctx, st, out, func() (*sqltypes.Result, error) { return p.insertRows(ctx, s, rows) })
}

func (p *pointPlan) insertRows(ctx context.Context, s *Session, rows [][]any) (*sqltypes.Result, error) {
	res := &sqltypes.Result{}
	t := s.shard.db.Root().Table(p.meta.name)
	if t == nil || t.Def != p.def {
		return nil, errDecline
	}
	var last uint64
	for _, row := range rows {
		generated := false
		if at := p.insert.auto; at >= 0 {
			if row[at] == nil || autoValue(row[at]) == 0 && isZero(row[at]) {
				// Past the type's end it stays there, and is a duplicate, as in MySQL.
				v, _, err := p.meta.columns[at].Type.Convert(ctx, t.NextAuto(s.sql.autoSeries()))
				if err != nil {
					return nil, mysqlError(1467, "HY000", "Failed to read auto-increment value from storage engine")
				}
				row[at], generated = v, true
			} else {
				t.BumpAuto(autoValue(row[at]))
			}
		}
		if err := s.sql.tx.Insert(ctx, p.def, row); err != nil {
			if !p.passes(s, err) {
				return nil, p.writeError(err)
			}
			continue
		}
		res.RowsAffected++
		switch {
		case generated && res.InsertID == 0:
			res.InsertID, res.InsertIDChanged = autoValue(row[p.insert.auto]), true
		case !generated && p.insert.auto >= 0:
			last = autoValue(row[p.insert.auto])
		}
	}
	if res.InsertIDChanged {
		s.sql.SetLastQueryInfoInt(sql.LastInsertId, int64(res.InsertID))
	} else {
		res.InsertID = last
	}
	if len(rows) > 1 {
		passed := len(rows) - int(res.RowsAffected)
		res.Info = fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", len(rows), passed, passed)
	}
	return res, nil
}

// passes makes a warning of a duplicate that IGNORE passes over; it is false for other errors.
func (p *pointPlan) passes(s *Session, err error) bool {
	var duplicate *store.DuplicateError
	if !p.insert.ignore || !errors.As(err, &duplicate) {
		return false
	}
	var shown *sqlerror.SQLError
	if !errors.As(p.writeError(err), &shown) {
		return false
	}
	s.sql.warnings = append(s.sql.warnings, &sql.Warning{Level: "Warning", Code: int(shown.Num), Message: shown.Message})
	return true
}

func isZero(v any) bool {
	n, ok := bigInt(v)
	return ok && n.Sign() == 0
}

// keepsInteger reports whether a conversion between integer types kept the value: the engine's wraps some.
func keepsInteger(given, converted any) bool {
	a, ok := bigInt(given)
	if !ok {
		return true
	}
	b, ok := bigInt(converted)
	return !ok || a.Cmp(b) == 0
}
