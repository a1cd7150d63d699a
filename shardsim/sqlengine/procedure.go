package sqlengine

import (
	"context"
	"errors"
	"strings"

	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
)

// Stored procedures are parsed by the engine's parser and run here, statement by statement, each as if a client had sent it:
// with its own warnings, and with its own transaction where none is open. Local variables are bind variables of these
// statements.
//
//	procedure.go           the call, blocks, branches and loops
//	procedurevariables.go  variables, parameters, expressions
//	procedureconditions.go handlers, SIGNAL, what an error leads to
//	procedurecursors.go    cursors and SELECT ... INTO

// procedureRun is one call of a procedure.
type procedureRun struct {
	session *Session
	ctx     context.Context
	name    string
	scopes  []*procedureScope // innermost last
	rows    []*triggerRow     // NEW and OLD, of a trigger
	calls   []string          // names of the procedures that are running, this one last
	result  *sqltypes.Result  // the last result set, else what the last statement counted; nil before the first of a trigger
}

// procedureScope is a block, or the parameters of the procedure.
type procedureScope struct {
	label      string
	variables  map[string]*procedureVariable
	cursors    map[string]*procedureCursor
	conditions map[string]dolt.DeclareCondition
	handlers   []dolt.DeclareHandler
	handling   bool // a handler of the block runs: its handlers do not catch what that raises
}

// leaving ends the blocks and loops up to the one with a label, or up to a scope; again is for ITERATE.
type leaving struct {
	label string
	scope *procedureScope
	again bool
}

func (l *leaving) Error() string { return "leaving " + l.label }

// callProcedure runs CALL. binds are the statement's bind variables.
func (s *Session) callProcedure(ctx context.Context, call *sqlparser.CallProc, binds map[string]*querypb.BindVariable, out *emitter) error {
	outer := &procedureRun{session: s, ctx: ctx, scopes: []*procedureScope{{}}}
	result, err := outer.call(call.Name.Name.String(), call.Params, binds)
	if err != nil {
		return err
	}
	return out.send(result)
}

// call runs another procedure, from a client's CALL or a procedure's.
func (r *procedureRun) call(name string, params []sqlparser.Expr, binds map[string]*querypb.BindVariable) (*sqltypes.Result, error) {
	p, ok := r.session.shard.meta().procedures[strings.ToLower(name)]
	if !ok {
		return nil, r.session.noProcedure(name)
	}
	spec := p.parsed.ProcedureSpec
	if len(params) != len(spec.Params) {
		return nil, mysqlError(1318, "42000", "Incorrect number of arguments for PROCEDURE %s.%s; expected %d, got %d", r.session.shard.keyspace, p.name, len(spec.Params), len(params))
	}
	if err := r.checkDepth(p.name); err != nil {
		return nil, err
	}
	inner := &procedureRun{session: r.session, ctx: r.ctx, name: p.name, calls: append(r.calls[:len(r.calls):len(r.calls)], strings.ToLower(name)),
		result: &sqltypes.Result{}}
	scope, err := r.parameters(p.name, spec.Params, params, binds)
	if err != nil {
		return nil, err
	}
	inner.scopes = []*procedureScope{scope}
	restore, err := r.session.sql.underMode(p.sqlMode)
	if err == nil {
		err = inner.run(spec.Body)
	}
	restore()
	if err != nil {
		return nil, err
	}
	return inner.result, r.giveBack(spec.Params, params, scope)
}

// checkDepth refuses a procedure that calls itself more often than max_sp_recursion_depth says.
func (r *procedureRun) checkDepth(name string) error {
	depth := int64(0)
	for _, c := range r.calls {
		if strings.EqualFold(c, name) {
			depth++
		}
	}
	v, _ := r.session.sql.variable("max_sp_recursion_depth")
	if limit := variableNumber(v.Val); depth > limit {
		return mysqlError(1456, "HY000", "Recursive limit %d (as set by the max_sp_recursion_depth variable) was exceeded for routine %s", limit, name)
	}
	return r.ctx.Err()
}

// run runs a statement. An error that a handler catches is none, unless the handler leaves its block.
func (r *procedureRun) run(stmt dolt.Statement) error {
	if err := r.ctx.Err(); err != nil {
		return r.session.sql.mysqlError(err)
	}
	switch stmt := stmt.(type) {
	case *dolt.BeginEndBlock:
		return r.block(stmt.Label, stmt.Statements)
	case *dolt.IfStatement:
		return r.branch(stmt)
	case *dolt.CaseStatement:
		return r.choose(stmt)
	case *dolt.While:
		return r.loop(stmt.Label, stmt.Condition, nil, stmt.Statements)
	case *dolt.Repeat:
		return r.loop(stmt.Label, nil, stmt.Condition, stmt.Statements)
	case *dolt.Loop:
		return r.loop(stmt.Label, nil, nil, stmt.Statements)
	case *dolt.Leave:
		return &leaving{label: strings.ToLower(stmt.Label)}
	case *dolt.Iterate:
		return &leaving{label: strings.ToLower(stmt.Label), again: true}
	case *dolt.Declare:
		return r.quietly(func() error { return r.handled(r.declare(stmt)) })
	case *dolt.Set:
		return r.quietly(func() error { return r.handled(r.set(stmt)) })
	case *dolt.Call:
		if text := hiddenStatement(stmt); diagnosticsText.MatchString(text) {
			return r.quietly(func() error { return r.diagnose(text) })
		} else if text != "" {
			_, err := r.query(text)
			return r.handled(err)
		}
	}
	return r.handled(r.simple(stmt))
}

func (r *procedureRun) all(statements dolt.Statements) error {
	for _, stmt := range statements {
		if err := r.run(stmt); err != nil {
			return err
		}
	}
	return nil
}

func (r *procedureRun) block(label string, statements dolt.Statements) error {
	scope := &procedureScope{label: strings.ToLower(label)}
	r.scopes = append(r.scopes, scope)
	depth := len(r.scopes)
	err := r.all(statements)
	r.scopes = r.scopes[:depth-1]
	var leave *leaving
	if errors.As(err, &leave) && (leave.scope == scope || leave.scope == nil && leave.label == scope.label && label != "" && !leave.again) {
		return nil
	}
	return err
}

func (r *procedureRun) branch(stmt *dolt.IfStatement) error {
	for _, c := range stmt.Conditions {
		yes, err := r.holds(c.Expr)
		if err != nil {
			return r.handled(err)
		}
		if yes {
			return r.all(c.Statements)
		}
	}
	return r.all(stmt.Else)
}

func (r *procedureRun) choose(stmt *dolt.CaseStatement) error {
	for _, c := range stmt.Cases {
		condition := c.Case
		if stmt.Expr != nil {
			condition = &dolt.ComparisonExpr{Operator: dolt.EqualStr, Left: stmt.Expr, Right: c.Case}
		}
		yes, err := r.holds(condition)
		if err != nil {
			return r.handled(err)
		}
		if yes {
			return r.all(c.Statements)
		}
	}
	if stmt.Else == nil {
		return r.handled(mysqlError(1339, "20000", "Case not found for CASE statement"))
	}
	return r.all(stmt.Else)
}

// loop runs statements while a condition holds, or until one does.
func (r *procedureRun) loop(label string, while, until dolt.Expr, statements dolt.Statements) error {
	for {
		if while != nil {
			if yes, err := r.holds(while); err != nil || !yes {
				return r.handled(err)
			}
		}
		err := r.all(statements)
		var leave *leaving
		if errors.As(err, &leave) && leave.scope == nil && label != "" && leave.label == strings.ToLower(label) {
			if !leave.again {
				return nil
			}
			err = nil
		}
		if err != nil {
			return err
		}
		if until != nil {
			if yes, err := r.holds(until); err != nil || yes {
				return r.handled(err)
			}
		}
		if err := r.ctx.Err(); err != nil {
			return r.session.sql.mysqlError(err)
		}
	}
}

// simple runs a statement that has no others inside.
func (r *procedureRun) simple(stmt dolt.Statement) error {
	switch stmt := stmt.(type) {
	case *dolt.Signal:
		return r.signal(stmt, nil)
	case *dolt.Resignal:
		return r.signal(&stmt.Signal, r.session.sql.handled)
	case *dolt.OpenCursor:
		return r.openCursor(stmt.Name)
	case *dolt.FetchCursor:
		return r.fetch(stmt)
	case *dolt.CloseCursor:
		return r.closeCursor(stmt.Name)
	case *dolt.Select:
		if stmt.Into != nil {
			return r.selectInto(stmt)
		}
	case *dolt.Call:
		return r.nested(stmt)
	case *dolt.Prepare, *dolt.Execute, *dolt.Deallocate:
		return r.dynamic(stmt)
	}
	result, err := r.query(dolt.String(stmt))
	if err == nil && len(result.Fields) > 0 && len(r.session.sql.invoking) > 0 {
		return errResultInTrigger()
	}
	if err == nil {
		r.count(result)
		r.give(result)
	}
	return err
}

// count counts a result set.
func (r *procedureRun) count(result *sqltypes.Result) {
	if len(result.Fields) > 0 {
		r.session.resultSets++
	}
}

// give takes the result of a statement. Counts do not come after rows.
func (r *procedureRun) give(result *sqltypes.Result) {
	if r.result == nil || len(result.Fields) > 0 || len(r.result.Fields) == 0 {
		r.result = result
	}
}

// dynamic runs PREPARE, EXECUTE and DEALLOCATE PREPARE.
func (r *procedureRun) dynamic(stmt dolt.Statement) error {
	s := r.session
	if len(s.sql.invoking) > 0 {
		return errDynamicInTrigger()
	}
	s.sql.warnings, s.sql.raised = nil, nil
	switch stmt := stmt.(type) {
	case *dolt.Prepare:
		if strings.HasPrefix(stmt.Expr, "@") {
			return s.prepareFrom(r.ctx, stmt.Name, "", stmt.Expr)
		}
		return s.prepareFrom(r.ctx, stmt.Name, stmt.Expr, "")
	case *dolt.Execute:
		out := &emitter{}
		if err := s.executePrepared(r.ctx, stmt.Name, stmt.VarList, out); err != nil {
			return err
		}
		if out.whole != nil {
			r.count(out.whole)
			r.give(out.whole)
		}
	case *dolt.Deallocate:
		return s.deallocate(stmt.Name)
	}
	return nil
}

// nested runs the CALL of a procedure.
func (r *procedureRun) nested(call *dolt.Call) error {
	params := make([]sqlparser.Expr, len(call.Params))
	for i, p := range call.Params {
		expr, err := r.session.shard.engine.env.Parser().ParseExpr(dolt.String(p))
		if err != nil {
			return syntaxError(dolt.String(p), err)
		}
		params[i] = expr
	}
	result, err := r.call(call.ProcName.Name.String(), params, nil)
	if err == nil {
		r.give(result)
	}
	return err
}

// query runs a statement of the procedure, in which names of variables are their values.
func (r *procedureRun) query(text string) (*sqltypes.Result, error) {
	ast, err := r.session.shard.engine.env.Parser().Parse(text)
	if err != nil {
		return nil, syntaxError(text, err)
	}
	binds := make(map[string]*querypb.BindVariable)
	bound, err := r.bound(ast, binds)
	if err != nil {
		return nil, err
	}
	out := &emitter{}
	if err := r.session.execute(r.ctx, rewrittenText(bound), binds, out); err != nil {
		return nil, err
	}
	if out.whole == nil {
		return &sqltypes.Result{}, nil
	}
	return out.whole, nil
}
