package sqlengine

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Triggers are run by the interpreter of stored procedures: NEW and OLD are rows whose columns are variables to it. The engine
// knows nothing of triggers; its plans of writes have these places where rows fire them:
//
//	INSERT, REPLACE    values -> BEFORE INSERT -> AUTO_INCREMENT, generated columns -> checks -> write -> AFTER INSERT
//	  a row in the way   REPLACE: BEFORE DELETE -> delete it -> AFTER DELETE, and again
//	                     ON DUPLICATE KEY UPDATE: SET -> BEFORE UPDATE -> generated columns -> write -> AFTER UPDATE
//	UPDATE             SET -> BEFORE UPDATE -> generated columns -> checks -> write, if it changed -> AFTER UPDATE
//	DELETE             BEFORE DELETE -> delete -> AFTER DELETE
//
// What foreign keys do to other tables is within "write" and "delete" and fires nothing. A row is through before the next one
// begins. A trigger's statements belong to the transaction of the statement that fires it, even where that is the statement's
// own; an error ends and undoes the whole statement.
//
//	trigger.go      triggers, and running one
//	triggerplan.go  the places above
//	triggerddl.go   CREATE and DROP TRIGGER

// trigger is immutable.
type trigger struct {
	name, table  string
	time, event  string // before, after; insert, update, delete
	definer      string
	head, tail   string // the statement from TRIGGER on, before and after the table's name
	statement    string // the body's text
	body         dolt.Statement
	created      time.Time
	sqlMode      string
	tableWritten string // the table's name as the statement has it
}

// text is the statement that made the trigger, as SHOW CREATE TRIGGER has it.
func (t *trigger) text() string {
	return "CREATE DEFINER=" + t.definer + " " + t.head + t.tableWritten + t.tail
}

// sameKind reports whether two triggers are of one table, time and event.
func (t *trigger) sameKind(o *trigger) bool {
	return t.time == o.time && t.event == o.event && strings.EqualFold(t.table, o.table)
}

// hasTriggers reports whether writes to a table may fire any. A table that a session's temporary one hides has some, too.
func (s *Shard) hasTriggers(table string) bool {
	for _, t := range s.meta().triggers {
		if strings.EqualFold(t.table, table) {
			return true
		}
	}
	return false
}

// firing is what rows of a table fire at one event.
type firing struct {
	session       *Session
	schema        sql.Schema
	before, after []*trigger
}

// firing returns the triggers of a table's event, in order.
func (s *sqlSession) firing(table, event string) *firing {
	f := &firing{session: s.session}
	if s.temps[strings.ToLower(table)] != "" {
		return f
	}
	for _, t := range s.shard.meta().triggers {
		switch {
		case t.event != event || !strings.EqualFold(t.table, table):
		case t.time == beforeTime:
			f.before = append(f.before, t)
		default:
			f.after = append(f.after, t)
		}
	}
	if now := s.tableNamed(table); now != nil && len(f.before)+len(f.after) > 0 {
		f.schema = newTable(s.shard, now.Def).schema
	}
	return f
}

// triggerRow is NEW or OLD.
type triggerRow struct {
	name     string
	schema   sql.Schema
	row      sql.Row
	settable bool
}

// fire runs triggers for a row: OLD and NEW, nil for none. BEFORE triggers may change NEW in place.
func (f *firing) fire(ctx *sql.Context, triggers []*trigger, old, now sql.Row) error {
	for _, t := range triggers {
		if err := f.run(ctx, t, old, now); err != nil {
			return err
		}
	}
	return nil
}

func (f *firing) run(ctx *sql.Context, t *trigger, old, now sql.Row) (err error) {
	s, q := f.session, f.session.sql
	statement, rowCount, warnings, handled, raised := q.runningStatement, q.afterRowCount, q.warnings, q.handled, q.raised
	info := maps.Clone(q.lastInfo)
	own := s.tx == nil
	if own {
		s.tx = statement.tx
	}
	if len(q.invoking) == 0 {
		q.now = ctx.QueryTime()
	}
	q.invoking = append(q.invoking, statement.st)
	q.warnings, q.handled, q.raised = nil, nil, nil
	endLevel := statement.tx.SavepointLevel()
	// The trigger sees the LAST_INSERT_ID of before the statement, and what it makes of it ends with it.
	q.SetLastQueryInfoInt(sql.LastInsertId, statement.lastInsertID)
	defer func() {
		if own {
			s.tx = nil
		}
		q.invoking = q.invoking[:len(q.invoking)-1]
		q.runningStatement, q.lastInfo, q.afterRowCount, q.handled = statement, info, rowCount, handled
		q.raised = raised
		endLevel()
		q.warnings = append(slices.Clip(warnings), q.warnings...)
	}()
	restore, err := q.underMode(t.sqlMode)
	if err != nil {
		return err
	}
	defer restore()
	r := &procedureRun{session: s, ctx: ctx.Context, name: t.name, scopes: []*procedureScope{{}}}
	if now != nil {
		r.rows = append(r.rows, &triggerRow{"new", f.schema, now, t.time == beforeTime})
	}
	if old != nil {
		r.rows = append(r.rows, &triggerRow{"old", f.schema, old, false})
	}
	return r.run(t.body)
}

// rowVariable is a column of NEW or OLD as a variable, nil for other names.
func (r *procedureRun) rowVariable(row, column string) *procedureVariable {
	for _, tr := range r.rows {
		if !strings.EqualFold(tr.name, row) {
			continue
		}
		if at := tr.schema.IndexOfColName(column); at >= 0 {
			return &procedureVariable{name: tr.schema[at].Name, typ: tr.schema[at].Type, row: tr, at: at}
		}
	}
	return nil
}

// underMode has statements run under the SQL mode their routine was made in, until restore is called.
func (s *sqlSession) underMode(mode string) (restore func(), err error) {
	if mode == s.mode() {
		return func() {}, nil
	}
	restore = s.holdVariable("sql_mode")
	return restore, s.SetSessionVariable(sql.NewContext(sql.NewEmptyContext(), sql.WithSession(s)), "sql_mode", mode)
}

// checkInvoked refuses what a statement of a trigger may not do: commit, and change a table that a statement which fired the
// trigger uses.
func (s *Session) checkInvoked(st *statement) error {
	switch st.ast.(type) {
	case *sqlparser.Begin, *sqlparser.Commit, *sqlparser.Rollback, *sqlparser.LockTables, *sqlparser.UnlockTables, *sqlparser.Flush:
		return errCommitInTrigger()
	}
	if isDDL(st.ast) && !s.isTemporaryDDL(st.ast) {
		return errCommitInTrigger()
	}
	if !st.isDML {
		return nil
	}
	written := st.scan.targets
	if _, isInsert := st.ast.(*sqlparser.Insert); isInsert {
		written = map[string]bool{strings.ToLower(st.target): true}
	}
	for _, invoking := range s.sql.invoking {
		used := make(map[string]bool)
		s.tablesUsed(invoking, used)
		for name := range written {
			if used[name] {
				return mysqlError(1442, "HY000", "Can't update table '%s' in stored function/trigger because it is already used by statement which invoked this stored function/trigger.", name)
			}
		}
	}
	return nil
}

func errCommitInTrigger() error {
	return mysqlError(1422, "HY000", "Explicit or implicit commit is not allowed in stored function or trigger.")
}

// tablesUsed collects the tables a statement names, in lower case, and those of views.
func (s *Session) tablesUsed(st *statement, used map[string]bool) {
	for _, name := range st.tableNames() {
		if used[name] {
			continue
		}
		used[name] = true
		if view, isView := s.shard.meta().views[name]; isView {
			s.tablesUsed(s.shard.engine.statement(view.TextDefinition), used)
		}
	}
}

// tableNames returns the names of tables in the statement, in lower case.
func (st *statement) tableNames() []string {
	st.namesOnce.Do(func() {
		_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
			if name, ok := node.(sqlparser.TableName); ok && !name.IsEmpty() {
				if lower := strings.ToLower(name.Name.String()); !contains(st.names, lower) {
					st.names = append(st.names, lower)
				}
			}
			return true, nil
		}, st.ast)
	})
	return st.names
}
