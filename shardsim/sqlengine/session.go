package sqlengine

import (
	"context"
	"errors"
	"runtime/debug"
	"sort"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/shardsim/store"
)

// Session runs statements on a shard, one at a time. It is not safe for concurrent use.
type Session struct {
	shard *Shard
	sql   *sqlSession
	tx    *store.Tx // the explicit transaction, nil outside of one
	opts  TxOptions // of the open transaction, else of the next
	owner uint64    // of the next transactions, see SetOwner

	defaults TxOptions // of SET SESSION TRANSACTION
	nextOnly bool      // opts come from SET TRANSACTION: they are for one transaction or statement

	locks    sessionLocks
	prepared map[string]string // texts by the lower-case names of PREPARE

	resultSets int // see ResultSets

	ended    *store.Tx // of the last statement that had one of its own: memory for the next
	reading  reading
	matching matching
}

// freeSessionsMax bounds the pool of a shard.
const freeSessionsMax = 256

// Session returns a session without a transaction and with default variables.
func (s *Shard) Session() *Session {
	s.mu.Lock()
	if n := len(s.free); n > 0 {
		session := s.free[n-1]
		s.free = s.free[:n-1]
		s.mu.Unlock()
		return session
	}
	s.mu.Unlock()
	e := s.engine
	session := &Session{shard: s, sql: &sqlSession{engine: e, shard: s, id: e.lastID.Add(1), gmsTx: &engineTx{}}}
	session.sql.session = session
	return session
}

// Close rolls back and returns the session to its shard's pool.
func (s *Session) Close() {
	s.Reset()
	s.shard.mu.Lock()
	defer s.shard.mu.Unlock()
	if len(s.shard.free) < freeSessionsMax {
		s.shard.free = append(s.shard.free, s)
	}
}

// Reset rolls back and makes the session as new.
func (s *Session) Reset() {
	s.end(false)
	s.releaseTables()
	s.releaseGlobal()
	s.owner, s.prepared = 0, nil
	s.opts, s.defaults, s.nextOnly = TxOptions{}, TxOptions{}, false
	s.sql.dropTemps()
	s.shard.engine.locks.releaseAll(s.sql.id)
	s.sql.reset()
}

// InTransaction reports whether an explicit transaction is open.
func (s *Session) InTransaction() bool { return s.tx != nil }

// FoundRows makes UPDATE report the rows it matched, as CLIENT_FOUND_ROWS does.
func (s *Session) FoundRows(on bool) {
	s.sql.client.Capabilities = 0
	if on {
		s.sql.client.Capabilities = clientFoundRows
	}
}

// clientFoundRows is the protocol's capability flag.
const clientFoundRows = 1 << 1

// Warnings returns the warnings of the last statement, first one first.
func (s *Session) Warnings() []Warning {
	all := make([]Warning, 0, len(s.sql.warnings))
	for _, w := range s.sql.warnings {
		all = append(all, Warning{Level: w.Level, Code: uint16(w.Code), Message: w.Message})
	}
	return all
}

// ResultSets returns how many result sets the procedures of the last statement gave, also if it failed later.
func (s *Session) ResultSets() int { return s.resultSets }

// Begin commits an open transaction, gives locked tables back and starts another one.
func (s *Session) Begin(ctx context.Context, opts TxOptions) error {
	if err := s.commit(ctx); err != nil {
		return err
	}
	s.releaseTables()
	return s.begin(opts)
}

func (s *Session) begin(opts TxOptions) error {
	s.opts = opts
	s.tx = s.newTx(nil, opts)
	if opts.ConsistentSnapshot {
		s.tx.Snapshot()
	}
	s.sql.gmsTx = &engineTx{readOnly: opts.ReadOnly}
	return nil
}

// newTx begins a transaction, in the memory of one that has ended if that is not nil.
func (s *Session) newTx(again *store.Tx, opts TxOptions) *store.Tx {
	fresh := opts.Isolation == ReadCommitted || opts.Isolation == ReadUncommitted
	return s.shard.db.BeginAgain(again, store.TxOptions{FreshReads: fresh, LockWait: s.sql.lockWait(), Owner: s.owner, PassBy: s.locks.held})
}

// SetOwner says whose transactions come, for LockWaits: those with parts on several shards have one number.
func (s *Session) SetOwner(owner uint64) { s.owner = owner }

// Commit commits the open transaction, if there is one.
func (s *Session) Commit(ctx context.Context) error { return s.commit(ctx) }

// CommitPart commits a part of the open transaction, which goes on; see store.Part. An error ends the transaction.
func (s *Session) CommitPart(_ context.Context, part Part, entryTables []string) error {
	if s.tx == nil {
		return nil
	}
	err := s.tx.CommitPart(part, entryTables)
	if err != nil {
		_ = s.end(false) // rolling back cannot fail
	}
	return s.sql.mysqlError(storeError(err, ""))
}

// Rollback rolls the open transaction back, if there is one.
func (s *Session) Rollback(context.Context) error { return s.end(false) }

// end ends the explicit transaction.
func (s *Session) end(commit bool) error {
	tx := s.tx
	if tx == nil {
		return nil
	}
	defer s.sql.dropDoomed()
	s.tx, s.opts, s.nextOnly = nil, s.defaults, false
	s.sql.gmsTx = &engineTx{}
	if !commit {
		tx.Rollback()
		return nil
	}
	return s.sql.mysqlError(storeError(tx.Commit(), ""))
}

// SetSystemVariables sets session variables to SQL values, in the order of their names.
func (s *Session) SetSystemVariables(vars map[string]string) error {
	names := make([]string, 0, len(vars))
	for name := range vars {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if _, err := s.Query(context.Background(), "set @@session."+name+" = "+vars[name], nil); err != nil {
			return err
		}
	}
	return nil
}

// Query runs one statement and returns its whole result.
func (s *Session) Query(ctx context.Context, text string, binds map[string]*querypb.BindVariable) (*sqltypes.Result, error) {
	out := &emitter{}
	if err := s.run(ctx, text, binds, out); err != nil {
		return nil, err
	}
	if out.whole == nil {
		return &sqltypes.Result{}, nil
	}
	return out.whole, nil
}

// emitter is what results are given to. It marks the caller's own errors. Without emit it keeps the whole result.
type emitter struct {
	emit  func(*sqltypes.Result) error
	err   error
	whole *sqltypes.Result
	count int64 // what ROW_COUNT() gives next: -1 after a result set
}

func (e *emitter) send(r *sqltypes.Result) error {
	if len(r.Fields) > 0 {
		e.count = -1
	} else if e.count >= 0 {
		e.count = int64(r.RowsAffected)
	}
	switch {
	case e.emit != nil:
		e.err = e.emit(r)
	case e.whole == nil:
		e.whole = r
	default:
		e.whole.Rows = append(e.whole.Rows, r.Rows...)
	}
	return e.err
}

// Execute runs one statement and emits its result in pieces, the first one with fields.
func (s *Session) Execute(ctx context.Context, text string, binds map[string]*querypb.BindVariable, emit func(*sqltypes.Result) error) error {
	return s.run(ctx, text, binds, &emitter{emit: emit})
}

// run is Execute. An error of the emitter comes before what became of it on its way.
func (s *Session) run(ctx context.Context, text string, binds map[string]*querypb.BindVariable, out *emitter) (err error) {
	defer s.recovered(text, &err)
	s.resultSets = 0
	if err = s.execute(ctx, text, binds, out); out.err != nil {
		return out.err
	}
	return err
}

func (s *Session) execute(ctx context.Context, text string, binds map[string]*querypb.BindVariable, out *emitter) (err error) {
	defer func() {
		if err != nil {
			out.count = -1
			s.sql.raise(err)
		}
		s.sql.SetLastQueryInfoInt(sql.RowCount, out.count)
	}()
	if err := ctx.Err(); err != nil {
		return s.sql.mysqlError(err)
	}
	st := s.shard.engine.statement(text)
	if st.err != nil {
		return st.err
	}
	if d, ok := st.ast.(getDiagnostics); ok {
		if err := s.diagnose(ctx, d); err != nil {
			return err
		}
		return out.send(&sqltypes.Result{})
	}
	if s.nextOnly && !isSet(st.ast) {
		defer s.statementUsedNext()
	}
	if !keepsWarnings(st.ast) {
		s.sql.warnings, s.sql.raised = nil, nil
	}
	if len(s.sql.invoking) > 0 {
		if err := s.checkInvoked(st); err != nil {
			return err
		}
	}
	admitted, err := s.admit(ctx, st)
	if err != nil {
		return err
	}
	defer admitted()
	ctx = s.passing(ctx)
	if done, err := s.point(ctx, st, binds, out); done {
		return err
	}
	if done, err := s.executeControl(ctx, st, binds, out); done {
		return s.sql.mysqlError(err)
	}
	if s.opts.ReadOnly && (st.isDML || isDDL(st.ast)) {
		return mysqlError(1792, "25006", "Cannot execute statement in a READ ONLY transaction.")
	}
	if isDDL(st.ast) && !s.isTemporaryDDL(st.ast) {
		if err := s.commit(ctx); err != nil {
			return err
		}
	}
	err = s.inStatement(ctx, st, func() error { return s.runEngine(ctx, st, binds, out) })
	if isSet(st.ast) {
		s.readTransactionVariables()
	}
	return err
}

// keepsWarnings reports whether a statement leaves the warnings of the one before.
func keepsWarnings(ast sqlparser.Statement) bool {
	show, ok := ast.(*sqlparser.Show)
	if !ok {
		return false
	}
	basic, ok := show.Internal.(*sqlparser.ShowBasic)
	return ok && basic.Command == sqlparser.Warnings
}

func isDDL(ast sqlparser.Statement) bool {
	switch ast.(type) {
	case sqlparser.DDLStatement, sqlparser.DBDDLStatement:
		return true
	}
	return false
}

func isSet(ast sqlparser.Statement) bool {
	_, ok := ast.(*sqlparser.Set)
	return ok
}

// inStatement runs f with a transaction: the open one, of which an error undoes the statement alone, or one of its own.
func (s *Session) inStatement(ctx context.Context, st *statement, f func() error) (err error) {
	own := s.tx == nil
	if own && s.autocommitOff() && !isDDL(st.ast) {
		if err := s.begin(s.opts); err != nil {
			return err
		}
		own = false
	}
	tx := s.tx
	if own {
		tx = s.newTx(s.ended, TxOptions{})
		s.ended = nil // a statement within this one needs its own
		defer func() { s.ended = tx }()
	}
	tx.StatementBegins()
	mark := tx.Mark()
	q := s.sql
	q.runningStatement = runningStatement{st: st, tx: tx, stmt: st.scan, text: st.text, lastInsertID: q.lastInfo[sql.LastInsertId]}
	tx.SetLockWait(q.lockWait())
	if s.opts.Isolation == Serializable && q.stmt.lock == store.NoLock && !own {
		q.stmt.lock = store.Shared
	}
	defer func() {
		q.tx, q.stmt, q.running = nil, scanMode{}, nil
	}()
	err = placed(q.mysqlError(s.guarded(st.text, f)), st.ast)
	err = alterError(st.ast, err, q.givenRow+1)
	switch {
	case err == nil && own:
		return q.mysqlError(storeError(tx.Commit(), ""))
	case err != nil && own:
		tx.Rollback()
		q.dropDoomed()
	case err != nil && isDeadlock(err):
		s.end(false)
	case err != nil:
		tx.RollbackToMark(mark)
	}
	return err
}

func isDeadlock(err error) bool {
	var e *sqlerror.SQLError
	return errors.As(err, &e) && e.Num == sqlerror.ERLockDeadlock
}

// autocommitOff reports whether SET autocommit = 0 is in effect.
func (s *Session) autocommitOff() bool {
	v, ok := s.sql.vars["autocommit"]
	if !ok {
		return false
	}
	switch n := v.Val.(type) {
	case int8:
		return n == 0
	case int64:
		return n == 0
	case bool:
		return !n
	}
	return false
}

// guarded runs f, and turns a panic of the engine into an error.
func (s *Session) guarded(text string, f func() error) (err error) {
	defer s.recovered(text, &err)
	return f()
}

// recovered is for defer: it turns a panic into an error.
func (s *Session) recovered(text string, err *error) {
	if r := recover(); r != nil {
		s.shard.engine.logger.WithField("statement", text).Errorf("panic: %v\n%s", r, debug.Stack())
		*err = mysqlError(1105, "HY000", "internal error of the SQL engine: %v", r)
	}
}

// executeControl runs the statements that are about the session and its transaction.
func (s *Session) executeControl(ctx context.Context, st *statement, binds map[string]*querypb.BindVariable, out *emitter) (done bool, err error) {
	switch ast := st.ast.(type) {
	case *sqlparser.Begin:
		err = s.startTransaction(ctx, ast)
	case *sqlparser.Commit:
		err = s.Commit(ctx)
	case *sqlparser.Rollback:
		err = s.Rollback(ctx)
	case *sqlparser.Savepoint:
		if s.tx != nil {
			s.tx.Savepoint(ast.Name.String())
		}
	case *sqlparser.SRollback:
		err = s.savepoint(ast.Name.String(), func(tx *store.Tx, name string) error { return tx.RollbackTo(name) })
	case *sqlparser.Release:
		err = s.savepoint(ast.Name.String(), func(tx *store.Tx, name string) error { return tx.Release(name) })
	case *sqlparser.Use:
		if name := ast.DBName.String(); name != "" && !strings.EqualFold(name, s.shard.keyspace) {
			err = mysqlError(1049, "42000", "Unknown database '%s'", name)
		}
	case *sqlparser.LockTables, *sqlparser.UnlockTables, *sqlparser.Flush:
		err = s.locked(ctx, ast)
	case *sqlparser.CreateDatabase, *sqlparser.DropDatabase, *sqlparser.AlterDatabase:
		err = errUnsupported("CREATE, ALTER or DROP DATABASE on a shard")
	case *sqlparser.PrepareStmt:
		variable, text := "", ""
		switch e := ast.Statement.(type) {
		case *sqlparser.Variable:
			variable = e.Name.String()
		case *sqlparser.Literal:
			text = e.Val
		}
		err = s.prepareFrom(ctx, ast.Name.String(), text, variable)
	case *sqlparser.ExecuteStmt:
		var variables []string
		for _, v := range ast.Arguments {
			variables = append(variables, v.Name.String())
		}
		return true, s.executePrepared(ctx, ast.Name.String(), variables, out)
	case *sqlparser.DeallocateStmt:
		err = s.deallocate(ast.Name.String())
	case *sqlparser.Set:
		return s.executeSet(ctx, ast, out)
	case *sqlparser.CommentOnly:
	default:
		return s.executeShow(ctx, st, binds, out)
	}
	if err != nil {
		return true, err
	}
	return true, out.send(&sqltypes.Result{})
}

func (s *Session) savepoint(name string, f func(*store.Tx, string) error) error {
	if s.tx == nil || f(s.tx, name) != nil {
		return mysqlError(1305, "42000", "SAVEPOINT %s does not exist", name)
	}
	return nil
}

// executeSet refuses what would change the whole process; session and user variables go to the engine.
func (s *Session) executeSet(_ context.Context, set *sqlparser.Set, out *emitter) (bool, error) {
	for _, e := range set.Exprs {
		switch e.Var.Scope {
		case sqlparser.GlobalScope, sqlparser.PersistSysScope, sqlparser.PersistOnlySysScope:
			return true, errUnsupported("SET GLOBAL on a shard")
		case sqlparser.SessionScope, sqlparser.NoScope:
			// The engine knows this one as a global variable alone.
			if e.Var.Name.Lowered() == "innodb_lock_wait_timeout" {
				return true, s.setLockWait(e.Expr, out)
			}
			if _, isDefault := e.Expr.(*sqlparser.Default); isDefault && len(set.Exprs) == 1 && s.sql.setDefault(e.Var.Name.Lowered()) {
				return true, out.send(&sqltypes.Result{})
			}
		case sqlparser.NextTxScope:
			return true, s.setNextTransaction(set.Exprs, out)
		}
	}
	return false, nil
}

func (s *Session) setLockWait(value sqlparser.Expr, out *emitter) error {
	lit, ok := value.(*sqlparser.Literal)
	n, fits := int64(0), false
	if ok {
		n, fits = parseInt([]byte(lit.Val))
	}
	if _, isDefault := value.(*sqlparser.Default); isDefault {
		n, fits = 0, true
	} else if n < 1 {
		fits = false
	}
	if isWord := ok && lit.Type != sqlparser.IntVal; !fits && isWord {
		return mysqlError(1232, "42000", "Incorrect argument type to variable 'innodb_lock_wait_timeout'")
	}
	if !fits {
		return mysqlError(1231, "42000", "Variable 'innodb_lock_wait_timeout' can't be set to the value of '%s'", sqlparser.String(value))
	}
	s.sql.lockSeconds = n
	return out.send(&sqltypes.Result{})
}
