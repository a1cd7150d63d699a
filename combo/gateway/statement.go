package gateway

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
)

// execute runs one statement: from the text cache, or parsed and then by its kind.
func (s *Session) execute(ctx context.Context, sql string, bindVars BindVars, emit Emit) error {
	key := planKey{vschema: s.gateway.VSchema(), session: s.planKey(), query: sql}
	if cached, ok := s.gateway.texts.get(key); ok {
		s.warnings = s.warnings[:0]
		return s.runPlan(ctx, cached.plan, mergeVars(cached.literals, bindVars), false, emit)
	}
	stmt, known, err := s.gateway.env.Parser().Parse2(sql)
	if err != nil {
		return parseError(err)
	}
	if !isAboutWarnings(stmt) {
		s.warnings = nil
	}
	switch stmt.(type) {
	case *sqlparser.Select, *sqlparser.Union, *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
		return s.runQuery(ctx, stmt, known, bindVars, key, emit)
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
	return s.runQuery(ctx, stmt, known, bindVars, planKey{}, emit)
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

// mergeVars joins a statement's literals and the client's bind variables; neither is changed.
func mergeVars(literals, bindVars BindVars) BindVars {
	if len(bindVars) == 0 {
		return literals
	}
	if len(literals) == 0 {
		return bindVars
	}
	out := make(BindVars, len(literals)+len(bindVars))
	for name, value := range literals {
		out[name] = value
	}
	for name, value := range bindVars {
		out[name] = value
	}
	return out
}

// run parses and runs a query of the gateway's own.
func (s *Session) run(ctx context.Context, sql string, bindVars BindVars, emit Emit) error {
	stmt, known, err := s.gateway.env.Parser().Parse2(sql)
	if err != nil {
		return parseError(err)
	}
	return s.runQuery(ctx, stmt, known, bindVars, planKey{}, emit)
}

// runQuery normalises, plans and runs a statement. With a text key the plan is remembered for the very text.
func (s *Session) runQuery(ctx context.Context, stmt sqlparser.Statement, known sqlparser.BindVars, bindVars BindVars, text planKey, emit Emit) error {
	n, err := s.normalise(stmt, known, bindVars)
	if err != nil {
		return err
	}
	cached, err := s.planOf(n)
	if err != nil {
		return err
	}
	if text.query != "" && !n.personal && len(text.query) <= textLengthMax && text.vschema == s.gateway.VSchema() {
		s.gateway.texts.put(text, textPlan{plan: cached, literals: literalsOf(n.bindVars, bindVars)})
	}
	return s.runPlan(ctx, cached, n.bindVars, true, emit)
}

// literalsOf returns the bind variables that came of the text, not of the client.
func literalsOf(all, given BindVars) BindVars {
	out := make(BindVars, len(all))
	for name, value := range all {
		if _, ok := given[name]; !ok {
			out[name] = value
		}
	}
	return out
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
	x := &execution{session: s, leaf: cached.leaf, together: isTogether(plan.Instructions)}
	env := s.newEnv(x)
	counter := resultCounter{session: s, emit: emit}
	err = s.guarded(plan, func() error { return plan.Instructions.Execute(ctx, env, bindVars, counter.piece) })
	if err = x.finish(ctx, err); err != nil {
		return err
	}
	for _, warning := range plan.Warnings {
		s.Warn(warning)
	}
	return counter.done()
}

// newEnv returns what one execution may reach.
func (s *Session) newEnv(x *execution) *engine.Env {
	return &engine.Env{
		Shards: x, Session: s, Commands: s, Facts: s, Tables: s,
		Collation: s.collation(), MemoryRowsMax: s.gateway.cfg.MemoryRowsMax, FanOutMax: s.gateway.cfg.FanOutMax,
	}
}

// guarded turns a panic of a primitive into an error that names the query.
func (s *Session) guarded(plan *engine.Plan, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			println(string(debug.Stack()))
			err = vterrors.VT13001(fmt.Sprintf("%v in %s", r, plan.Original))
		}
	}()
	return f()
}

// isTogether reports whether a tree both reads and writes, so that its reads belong in the write's transaction. A single
// write decides by itself.
func isTogether(p engine.Primitive) bool {
	return p.NeedsTransaction() && len(p.Inputs()) > 0
}

// resultCounter passes a result on and keeps what FOUND_ROWS(), ROW_COUNT() and LAST_INSERT_ID() answer next. The result
// of a write is held back until it is committed.
type resultCounter struct {
	session *Session
	emit    Emit
	hasRows bool // the statement has a result set
	rows    uint64
	write   *sqltypes.Result
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
	s.rowCount = int64(rc.write.RowsAffected)
	return rc.emit(rc.write)
}
