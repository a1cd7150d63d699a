package gateway

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"time"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner"
	"github.com/vitrodb/vitro/planner/engine"
)

// execute runs one statement: as its text or its shape was run before, or parsed and then by its kind.
func (s *Session) execute(ctx context.Context, sql string, bindVars BindVars, emit Emit) error {
	seen := seenText{text: planKey{vschema: s.gateway.VSchema(), session: s.planKey(), query: sql}}
	if plan, vars := seen.find(s.gateway, bindVars); plan != nil && !s.blocked {
		s.warnings = s.warnings[:0]
		return s.runPlan(ctx, plan, vars, false, emit)
	}
	stmt, known, err := planner.Parse(s.gateway.env.Parser(), sql)
	if err != nil {
		return parseError(err)
	}
	if _, rollsBack := stmt.(*sqlparser.Rollback); s.blocked && !rollsBack {
		return vterrors.VT09032()
	}
	s.blocked = false
	if !isAboutWarnings(stmt) {
		s.warnings = nil
	}
	switch stmt.(type) {
	case *sqlparser.Select, *sqlparser.Union, *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
		return s.runQuery(ctx, stmt, known, bindVars, &seen, emit)
	}
	result, handled, err := s.runCommand(ctx, stmt, sql, bindVars, emit)
	if err != nil {
		return err
	}
	if handled {
		if result == nil {
			return nil
		}
		s.rowCount = int64(result.RowsAffected)
		if result.Fields != nil {
			s.rowCount = -1
			s.foundRows = uint64(len(result.Rows))
		}
		return emit(result)
	}
	return s.runQuery(ctx, stmt, known, bindVars, nil, emit)
}

// isAboutWarnings reports whether a statement leaves the last one's warnings alone.
func isAboutWarnings(stmt sqlparser.Statement) bool {
	show, ok := stmt.(*sqlparser.Show)
	if !ok {
		return false
	}
	basic, ok := show.Internal.(*sqlparser.ShowBasic)
	return ok && (basic.Command == sqlparser.Warnings || basic.Command == sqlparser.Errors)
}

// parseError is a syntax error as Vitess reports it.
func parseError(err error) error {
	var coded *sqlerror.SQLError
	if errors.As(err, &coded) {
		return err
	}
	if errors.Is(err, sqlparser.ErrEmpty) {
		return sqlerror.NewSQLError(sqlerror.EREmptyQuery, sqlerror.SSClientError, "Query was empty")
	}
	return err
}

// run parses and runs a query of the gateway's own.
func (s *Session) run(ctx context.Context, sql string, bindVars BindVars, emit Emit) error {
	stmt, known, err := planner.Parse(s.gateway.env.Parser(), sql)
	if err != nil {
		return parseError(err)
	}
	return s.runQuery(ctx, stmt, known, bindVars, nil, emit)
}

// runQuery normalises, plans and runs a statement. With seen, its text is remembered.
func (s *Session) runQuery(ctx context.Context, stmt sqlparser.Statement, known sqlparser.BindVars, bindVars BindVars, seen *seenText, emit Emit) error {
	n, err := s.normalise(stmt, known, bindVars)
	if err != nil {
		return err
	}
	cached, err := s.planOf(n)
	if err != nil {
		return err
	}
	if seen != nil && !n.personal && seen.text.vschema == s.gateway.VSchema() {
		seen.remember(s.gateway, n, cached, bindVars)
	}
	return s.runPlan(ctx, cached, n.bindVars, true, emit)
}

// runPlan runs a plan. owned bind variables may be added to.
func (s *Session) runPlan(ctx context.Context, cached *cachedPlan, bindVars BindVars, owned bool, emit Emit) error {
	plan := cached.plan
	if plan.Instructions == nil {
		return vterrors.VT12001("statement " + plan.QueryType.String())
	}
	bindVars, err := s.addNeeds(cached.needs, bindVars, owned)
	if err != nil {
		return err
	}
	if s.tx == nil && !s.autocommit {
		s.tx = newTransaction(s)
	}
	ctx, cancel := s.withTimeout(ctx, cached)
	defer cancel()
	x := &execution{session: s, leaf: cached.leaf, together: cached.together, isDML: cached.isDML}
	if s.tx == nil && s.nextTx != (TxOptions{}) {
		x.own = newTransaction(s) // SET TRANSACTION was about this statement
	}
	env := s.newEnv(x)
	if cached.ignoresMemory {
		env.MemoryRowsMax = 0
	}
	counter := resultCounter{session: s, emit: emit, isUpdate: plan.QueryType == sqlparser.StmtUpdate}
	err = s.guarded(plan, func() error { return plan.Instructions.Execute(ctx, env, bindVars, counter.piece) })
	if s.tx != nil {
		s.tx.sources = append(s.tx.sources, cached.sources...)
	}
	if err = x.finish(ctx, err); err != nil {
		return err
	}
	if s.tx == nil {
		s.copySources(ctx, cached.sources)
	}
	for _, warning := range plan.Warnings {
		s.Warn(warning)
	}
	return counter.done()
}

// withTimeout bounds a statement by the session's query_timeout, in milliseconds, unless it has one of its own.
func (s *Session) withTimeout(ctx context.Context, cached *cachedPlan) (context.Context, context.CancelFunc) {
	text, ok := s.vars.own("query_timeout")
	millis, err := strconv.Atoi(text)
	if !ok || err != nil || millis <= 0 || cached.ownTimeout {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(millis)*time.Millisecond)
}

// newEnv returns what one execution may reach.
func (s *Session) newEnv(x *execution) *engine.Env {
	return &engine.Env{
		Shards: x, Session: s, Commands: s, Facts: s, Tables: s, Lookups: &lookups{execution: x, isDML: x.isDML},
		Collation: s.collation(), MemoryRowsMax: s.gateway.cfg.MemoryRowsMax, FanOutMax: s.gateway.cfg.FanOutMax,
		FoundRows: s.info.FoundRows,
	}
}

// guarded turns a panic of a primitive into an error.
func (s *Session) guarded(plan *engine.Plan, f func() error) (err error) {
	defer s.recovered(plan.Original, &err)
	return f()
}

// recovered is for defer: it turns a panic into an error that names the query. The log hears where it came from.
func (s *Session) recovered(query string, err *error) {
	r := recover()
	if r == nil {
		return
	}
	if log := s.gateway.cfg.Log; log != nil {
		log(fmt.Sprintf("panic: %v, at: %s\n%s", r, query, debug.Stack()))
	}
	*err = vterrors.VT13001(fmt.Sprintf("%v in %s", r, query))
}

// isTogether reports whether a tree both reads and writes, so that its reads belong in the write's transaction. A single
// write decides by itself.
func isTogether(p engine.Primitive) bool {
	return p.NeedsTransaction() && len(p.Inputs()) > 0
}

// resultCounter passes a result on and keeps what FOUND_ROWS(), ROW_COUNT() and LAST_INSERT_ID() answer next. The result
// of a write is held back until it is committed.
type resultCounter struct {
	session  *Session
	emit     Emit
	isUpdate bool // the statement is an UPDATE
	hasRows  bool // the statement has a result set
	rows     uint64
	write    *sqltypes.Result
}

func (rc *resultCounter) piece(piece *sqltypes.Result) error {
	rc.hasRows = rc.hasRows || piece.Fields != nil
	rc.rows += uint64(len(piece.Rows))
	if piece.InsertIDUpdated() {
		rc.session.lastInsertID = piece.InsertID
	}
	if !rc.hasRows {
		rc.write = piece
		return nil
	}
	return rc.emit(piece)
}

// done emits the result of a write, which is committed now.
func (rc *resultCounter) done() error {
	s := rc.session
	defer func() { s.foundRowsSet = false }()
	if rc.hasRows {
		s.rowCount = -1
		if !s.foundRowsSet {
			s.foundRows = rc.rows
		}
		return nil
	}
	if rc.write == nil {
		rc.write = &sqltypes.Result{}
	}
	if rc.isUpdate && rc.write.Info == "" && rc.write.RowsAffected == 0 {
		told := *rc.write
		told.Info = engine.NoneMatched
		rc.write = &told
	}
	s.rowCount = int64(rc.write.RowsAffected)
	return rc.emit(rc.write)
}
