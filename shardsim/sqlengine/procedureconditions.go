package sqlengine

import (
	"errors"
	"strconv"
	"strings"

	dolt "github.com/dolthub/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
)

// declare runs DECLARE.
func (r *procedureRun) declare(d *dolt.Declare) error {
	scope := r.scopes[len(r.scopes)-1]
	switch {
	case d.Variables != nil:
		return r.declareVariables(d.Variables)
	case d.Cursor != nil:
		name := strings.ToLower(d.Cursor.Name)
		if scope.cursors[name] != nil {
			return mysqlError(1333, "42000", "Duplicate cursor: %s", d.Cursor.Name)
		}
		if scope.cursors == nil {
			scope.cursors = make(map[string]*procedureCursor)
		}
		scope.cursors[name] = &procedureCursor{query: dolt.String(d.Cursor.SelectStmt)}
	case d.Condition != nil:
		if scope.conditions == nil {
			scope.conditions = make(map[string]dolt.DeclareCondition)
		}
		scope.conditions[strings.ToLower(d.Condition.Name)] = *d.Condition
	case d.Handler != nil:
		scope.handlers = append(scope.handlers, *d.Handler)
	}
	return nil
}

// handled looks for a handler of what a statement raised: none leaves an error as it is, CONTINUE makes it none, and EXIT
// leaves the block of the handler. Without an error, the statement's warnings may have handlers.
func (r *procedureRun) handled(err error) error {
	var leave *leaving
	if errors.As(err, &leave) {
		return err
	}
	var soft *softCondition
	isSoft := errors.As(err, &soft)
	var e *sqlerror.SQLError
	switch {
	case err == nil:
		if e = r.warned(); e == nil {
			return nil
		}
		isSoft = true
	case !errors.As(err, &e):
		return err
	}
	if len(r.session.sql.invoking) > 0 && isDeadlock(err) {
		return err // it has ended the transaction that the trigger is part of
	}
	for i := len(r.scopes) - 1; i >= 0; i-- {
		scope := r.scopes[i]
		if scope.handling {
			continue
		}
		if h := r.handlerIn(scope, e); h != nil {
			return r.handle(i, h, e)
		}
	}
	if err != nil && isSoft {
		r.session.sql.warnError("Warning", e)
		return nil
	}
	return err
}

// warned returns the last statement's first warning as a condition, if any block handles warnings.
func (r *procedureRun) warned() *sqlerror.SQLError {
	any := false
	for _, scope := range r.scopes {
		any = any || len(scope.handlers) > 0
	}
	if !any {
		return nil
	}
	for _, w := range r.session.sql.warnings {
		if w.Level == "Warning" && w.Code != 1329 {
			return mysqlError(w.Code, "01000", "%s", w.Message)
		}
	}
	return nil
}

// handle runs a handler in the scope that has it.
func (r *procedureRun) handle(at int, h *dolt.DeclareHandler, e *sqlerror.SQLError) error {
	inner, scope := r.scopes, r.scopes[at]
	r.scopes = r.scopes[: at+1 : at+1]
	scope.handling = true
	before := r.session.sql.handled
	r.session.sql.handled = e
	r.session.sql.warnings, r.session.sql.raised = nil, e
	err := r.run(h.Statement)
	r.session.sql.handled = before
	scope.handling = false
	r.scopes = inner
	if err != nil {
		return err
	}
	if h.Action == dolt.DeclareHandlerAction_Exit {
		return &leaving{scope: scope}
	}
	return nil
}

// handlerIn returns the block's handler for a condition: one for its number comes before one for its SQLSTATE, and that before
// one for its class.
func (r *procedureRun) handlerIn(scope *procedureScope, e *sqlerror.SQLError) *dolt.DeclareHandler {
	var best *dolt.DeclareHandler
	rank := 0
	for i := range scope.handlers {
		for _, c := range scope.handlers[i].ConditionValues {
			if n := r.matches(c, e); n > rank {
				best, rank = &scope.handlers[i], n
			}
		}
	}
	return best
}

// matches returns how well a condition of a handler fits: 3 by number, 2 by SQLSTATE, 1 by class, 0 not at all.
func (r *procedureRun) matches(c dolt.DeclareHandlerCondition, e *sqlerror.SQLError) int {
	number := func(v *dolt.SQLVal) bool { return v != nil && string(v.Val) == strconv.Itoa(int(e.Num)) }
	isWarning, isNotFound := strings.HasPrefix(e.State, "01"), strings.HasPrefix(e.State, "02")
	fits, rank := false, 1
	switch c.ValueType {
	case dolt.DeclareHandlerCondition_MysqlErrorCode:
		fits, rank = number(c.MysqlErrorCode), 3
	case dolt.DeclareHandlerCondition_SqlState:
		fits, rank = c.String == e.State, 2
	case dolt.DeclareHandlerCondition_ConditionName:
		named, ok := r.condition(c.String)
		fits, rank = ok && named.SqlStateValue == e.State, 2
		if ok && named.SqlStateValue == "" {
			fits, rank = number(named.MysqlErrorCode), 3
		}
	case dolt.DeclareHandlerCondition_SqlWarning:
		fits = isWarning
	case dolt.DeclareHandlerCondition_NotFound:
		fits = isNotFound
	case dolt.DeclareHandlerCondition_SqlException:
		fits = !isWarning && !isNotFound
	}
	if !fits {
		return 0
	}
	return rank
}

func (r *procedureRun) condition(name string) (dolt.DeclareCondition, bool) {
	for i := len(r.scopes) - 1; i >= 0; i-- {
		if c, ok := r.scopes[i].conditions[strings.ToLower(name)]; ok {
			return c, true
		}
	}
	return dolt.DeclareCondition{}, false
}

// signal raises a condition: SIGNAL's, or for RESIGNAL the one that is handled, with other items where they are given.
func (r *procedureRun) signal(stmt *dolt.Signal, handled *sqlerror.SQLError) error {
	state := stmt.SqlStateValue
	if stmt.ConditionName != "" {
		c, ok := r.condition(stmt.ConditionName)
		if !ok {
			return mysqlError(1319, "42000", "Undefined CONDITION: %s", stmt.ConditionName)
		}
		if c.SqlStateValue == "" {
			return mysqlError(1646, "HY000", "SIGNAL/RESIGNAL can only use a CONDITION defined with SQLSTATE")
		}
		state = c.SqlStateValue
	}
	num, text := 1644, "Unhandled user-defined exception condition"
	switch {
	case state == "" && handled != nil:
		num, text, state = int(handled.Num), handled.Message, handled.State
	case state == "":
		return mysqlError(1645, "0K000", "RESIGNAL when handler not active")
	case strings.HasPrefix(state, "00"):
		return mysqlError(1407, "42000", "Bad SQLSTATE: '%s'", state)
	case strings.HasPrefix(state, "01"):
		num, text = 1642, "Unhandled user-defined warning condition"
	case strings.HasPrefix(state, "02"):
		num, text = 1643, "Unhandled user-defined not found condition"
	}
	for _, item := range stmt.Info {
		v, err := r.value(item.Value)
		if err != nil {
			return err
		}
		switch item.ConditionItemName {
		case dolt.SignalConditionItemName_MessageText:
			text = v.ToString()
		case dolt.SignalConditionItemName_MysqlErrno:
			n, ok := parseInt(v.Raw())
			if !ok || n < 1 || n > 65535 {
				return mysqlError(1231, "42000", "Variable 'MYSQL_ERRNO' can't be set to the value of '%s'", v.ToString())
			}
			num = int(n)
		}
	}
	raised := mysqlError(num, state, "%s", text)
	if strings.HasPrefix(state, "01") {
		return &softCondition{raised}
	}
	return raised
}

// quietly runs a statement that leaves the conditions of the one before, unless it has some itself.
func (r *procedureRun) quietly(f func() error) error {
	q := r.session.sql
	warnings, raised := q.warnings, q.raised
	err := f()
	if err == nil && len(q.warnings) == 0 {
		q.warnings, q.raised = warnings, raised
	}
	return err
}

// diagnose runs GET DIAGNOSTICS, which comes as the argument of a CALL.
func (r *procedureRun) diagnose(text string) error {
	d, ok := parseDiagnostics(text).(getDiagnostics)
	if !ok {
		return errUnsupported("GET DIAGNOSTICS of these items")
	}
	return r.handled(r.session.sql.diagnose(d, func(text string) (v sqltypes.Value, err error) {
		expr, err := dolt.Parse("select " + text + " from dual")
		if err != nil {
			return v, syntaxError(text, err)
		}
		err = r.quietly(func() error {
			v, err = r.value(expr.(*dolt.Select).SelectExprs[0].(*dolt.AliasedExpr).Expr)
			return err
		})
		return v, err
	}, r.assignNamed))
}
