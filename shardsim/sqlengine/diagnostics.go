package sqlengine

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// GET DIAGNOSTICS reads the conditions of the statement before: its warnings and its error. Neither parser knows it.

// getDiagnostics is the statement. The embedded one is for its methods.
type getDiagnostics struct {
	sqlparser.Statement
	stacked   bool
	condition string // the number's expression, "" for items of the statement
	items     []diagnosticsItem
}

// diagnosticsItem is target = name.
type diagnosticsItem struct{ target, name string }

var diagnosticsText = regexp.MustCompile(`(?is)^get\s+(?:(current|stacked)\s+)?diagnostics\s+(?:condition\s+(.+?)\s+)?(\S+\s*=[^;]*)`)

// parseDiagnostics returns a GET DIAGNOSTICS, or nil.
func parseDiagnostics(text string) sqlparser.Statement {
	found := diagnosticsText.FindStringSubmatch(strings.TrimSpace(text))
	if found == nil {
		return nil
	}
	d := getDiagnostics{Statement: &sqlparser.OtherAdmin{}, stacked: strings.EqualFold(found[1], "stacked"), condition: found[2]}
	for _, item := range strings.Split(found[3], ",") {
		target, name, ok := strings.Cut(item, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		ofStatement := name == "number" || name == "row_count"
		if _, ofCondition := conditionItems[name]; !ok || ofStatement == (d.condition != "") || !ofStatement && !ofCondition {
			return nil
		}
		d.items = append(d.items, diagnosticsItem{strings.TrimSpace(target), name})
	}
	return d
}

// conditionItems give what is known of a condition.
var conditionItems = map[string]func(e *sqlerror.SQLError) sqltypes.Value{
	"returned_sqlstate":  func(e *sqlerror.SQLError) sqltypes.Value { return sqltypes.NewVarChar(e.State) },
	"mysql_errno":        func(e *sqlerror.SQLError) sqltypes.Value { return sqltypes.NewInt64(int64(e.Num)) },
	"message_text":       func(e *sqlerror.SQLError) sqltypes.Value { return sqltypes.NewVarChar(e.Message) },
	"class_origin":       conditionOrigin,
	"subclass_origin":    conditionOrigin,
	"constraint_catalog": noItem, "constraint_schema": noItem, "constraint_name": noItem, "catalog_name": noItem, "schema_name": noItem,
	"table_name": noItem, "column_name": noItem, "cursor_name": noItem,
}

func noItem(*sqlerror.SQLError) sqltypes.Value { return sqltypes.NewVarChar("") }

// conditionOrigin tells the standard's classes of SQLSTATE from others.
func conditionOrigin(e *sqlerror.SQLError) sqltypes.Value {
	if c := e.State[0]; c >= '0' && c <= '4' || c >= 'A' && c <= 'H' {
		return sqltypes.NewVarChar("ISO 9075")
	}
	return sqltypes.NewVarChar("MySQL")
}

// conditions are those of the last statement.
func (s *sqlSession) conditions() []*sqlerror.SQLError {
	var all []*sqlerror.SQLError
	for _, w := range s.warnings {
		state, known := warningStates[w.Code]
		if !known {
			state = "01000"
		}
		all = append(all, mysqlError(w.Code, state, "%s", w.Message))
	}
	if s.raised != nil {
		all = append(all, s.raised)
	}
	return all
}

// warningStates are the SQLSTATEs of warnings that have another one than 01000, which are those of the same errors.
var warningStates = map[int]string{
	1048: "23000", 1050: "42S01", 1051: "42S02", 1062: "23000", 1264: "22003", 1292: "22007", 1329: "02000", 1359: "HY000", 1360: "HY000",
	1365: "22012", 1366: "HY000", 1406: "22001", 1411: "HY000", 1452: "23000",
}

// raise notes the error of a statement as its condition.
func (s *sqlSession) raise(err error) {
	var e *sqlerror.SQLError
	if errors.As(err, &e) {
		s.raised = e
	}
}

// diagnose runs GET DIAGNOSTICS. number computes the condition's number, and assign sets a target.
func (s *sqlSession) diagnose(d getDiagnostics, number func(text string) (sqltypes.Value, error), assign func(target string, v sqltypes.Value) error) error {
	all, rows := s.conditions(), s.afterRowCount-1
	if d.stacked {
		if s.handled == nil {
			return mysqlError(1887, "0Z002", "GET STACKED DIAGNOSTICS when handler not active")
		}
		all = []*sqlerror.SQLError{s.handled}
	}
	var about *sqlerror.SQLError
	if d.condition != "" {
		v, err := number(d.condition)
		if err != nil {
			return err
		}
		n, ok := parseInt(v.Raw())
		if !ok || n < 1 || int(n) > len(all) {
			return mysqlError(1758, "35000", "Invalid condition number")
		}
		about = all[n-1]
	}
	for _, item := range d.items {
		value := sqltypes.NewInt64(int64(len(all)))
		switch {
		case about != nil:
			value = conditionItems[item.name](about)
		case item.name == "row_count":
			value = sqltypes.NewInt64(rows)
		}
		if err := assign(item.target, value); err != nil {
			return err
		}
	}
	return nil
}

// diagnose runs a client's GET DIAGNOSTICS.
func (s *Session) diagnose(ctx context.Context, d getDiagnostics) error {
	warnings, raised, rows := s.sql.warnings, s.sql.raised, s.sql.afterRowCount
	r := &procedureRun{session: s, ctx: ctx, scopes: []*procedureScope{{}}}
	err := s.sql.diagnose(d, func(text string) (sqltypes.Value, error) {
		out := &emitter{}
		err := s.execute(ctx, "select "+text+" from dual", nil, out)
		s.sql.warnings, s.sql.raised, s.sql.afterRowCount = warnings, raised, rows
		if err != nil {
			return sqltypes.NULL, err
		}
		return out.whole.Rows[0][0], nil
	}, r.assignNamed)
	return err
}
