package sqlengine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	dolterrors "github.com/dolthub/vitess/go/mysql"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"vitess.io/vitess/go/mysql/sqlerror"

	"github.com/vitrodb/vitro/shardsim/store"
)

// mysqlError makes an error with MySQL's number, SQLSTATE and wording.
func mysqlError(num int, state, format string, args ...any) *sqlerror.SQLError {
	return sqlerror.NewSQLErrorf(sqlerror.ErrorCode(num), state, format, args...)
}

// errUnsupported refuses what shards do not do.
func errUnsupported(what string) error {
	return mysqlError(1235, "42000", "This version of MySQL doesn't yet support '%s'", what)
}

// storeError gives an error of the store its MySQL number. It returns nil for nil.
func storeError(err error, table string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrLockTimeout):
		return mysqlError(1205, "HY000", "Lock wait timeout exceeded; try restarting transaction")
	case errors.Is(err, store.ErrDeadlock):
		return mysqlError(1213, "40001", "Deadlock found when trying to get lock; try restarting transaction")
	case errors.Is(err, store.ErrLocked):
		return mysqlError(3572, "HY000", "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.")
	case errors.Is(err, store.ErrTableChanged):
		return mysqlError(1412, "HY000", "Table definition has changed, please retry transaction")
	case errors.Is(err, store.ErrTableExists):
		return sql.ErrTableAlreadyExists.New(table)
	case errors.Is(err, store.ErrNoTable):
		return sql.ErrTableNotFound.New(table)
	}
	return err
}

// mysqlError turns any error of a statement into the one MySQL gives.
func (s *sqlSession) mysqlError(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	var done *sqlerror.SQLError
	if errors.As(sql.UnwrapError(err), &done) {
		return done
	}
	if errors.As(storeError(err, ""), &done) {
		return done
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return mysqlError(3024, "HY000", "Query execution was interrupted, maximum statement execution time exceeded")
	case errors.Is(err, context.Canceled):
		return mysqlError(1317, "70100", "Query execution was interrupted")
	}
	cause := sql.UnwrapError(err)
	if s.duplicate != nil && (sql.ErrPrimaryKeyViolation.Is(cause) || sql.ErrUniqueKeyViolation.Is(cause)) {
		return duplicateError(s.duplicate)
	}
	if named := s.columnError(err); named != nil {
		return named
	}
	return s.mapError(cause)
}

// mapError looks an engine error up in errorTable.
func (s *sqlSession) mapError(err error) error {
	if e := s.foreignKeyError(err); e != nil {
		return e
	}
	if e := s.keyTypeError(err); e != nil {
		return e
	}
	for i := range errorTable {
		m := &errorTable[i]
		if !m.kind.Is(err) {
			continue
		}
		args := kindArgs(m.kind.Message, innermost(err, m))
		if m.kind == sql.ErrInvalidJSONText && len(args) == 3 {
			return jsonTextError(args[0], args[1], args[2])
		}
		if m.kind == sql.ErrInvalidSystemVariableValue && len(args) == 2 && s.isOfWrongType(args[0], args[1]) {
			return mysqlError(1232, "42000", "Incorrect argument type to variable '%s'", args[0])
		}
		return mysqlError(m.num, m.state, "%s", fill(m.text, args, s.shard.keyspace))
	}
	var old *dolterrors.SQLError
	if errors.As(err, &old) && old.Num != 0 && old.Num != 1105 {
		return mysqlError(old.Num, old.State, "%s", old.Message)
	}
	for _, m := range textTable {
		if args, ok := matchText(m.pattern, err.Error()); ok {
			return mysqlError(m.num, m.state, "%s", fill(m.text, args, s.shard.keyspace))
		}
	}
	return mysqlError(1105, "HY000", "%s", err.Error())
}

// innermost returns the text of the error that is of the mapping's kind, without what wraps it.
func innermost(err error, m *errorMapping) string {
	text := err.Error()
	for {
		inner := errors.Unwrap(err)
		if inner == nil || !m.kind.Is(inner) {
			return text
		}
		err, text = inner, inner.Error()
	}
}

// kindArgs gets back the arguments an error text was made of, given its format.
func kindArgs(format, text string) []string {
	args, _ := matchText(format, text)
	return args
}

// matchText matches a text against a format whose verbs (%s, %q, %v, %d, %T) stand for arguments.
func matchText(format, text string) (args []string, ok bool) {
	for {
		at := strings.IndexByte(format, '%')
		if at < 0 {
			return args, format == "" && text == "" || format == text
		}
		if !strings.HasPrefix(text, format[:at]) {
			return nil, false
		}
		text = text[at:]
		quoted := format[at+1] == 'q'
		format = format[at+2:]
		next := format
		if i := strings.IndexByte(format, '%'); i >= 0 {
			next = format[:i]
		}
		end := len(text)
		if next != "" {
			if end = strings.Index(text, next); end < 0 {
				return nil, false
			}
		}
		arg := text[:end]
		if quoted && len(arg) >= 2 {
			arg = arg[1 : len(arg)-1]
		}
		args = append(args, arg)
		text = text[end:]
	}
}

// fill puts arguments in for {0}, {1} ... and the database for {db}.
func fill(text string, args []string, db string) string {
	text = strings.ReplaceAll(text, "{db}", db)
	for i := range 4 {
		arg := ""
		if i < len(args) {
			arg = args[i]
		}
		text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", i), arg)
	}
	return text
}

// duplicateError is MySQL's text for a unique key conflict.
func duplicateError(dup *store.DuplicateError) error {
	return mysqlError(1062, "23000", "Duplicate entry '%s' for key '%s.%s'", duplicateEntry(dup), dup.Table, dup.Index)
}

// columnError gives errors of a value that does not fit the column's name, which the engine does not know: it tells the
// row alone.
func (s *sqlSession) columnError(err error) error {
	var insert sql.WrappedInsertError
	var convert sql.WrappedTypeConversionError
	switch {
	case errors.As(err, &insert):
		if s.target == nil || len(insert.OffendingRow) < len(s.target.schema) {
			return nil
		}
		for i, col := range s.target.schema {
			v := insert.OffendingRow[i]
			if v == nil {
				continue
			}
			_, inRange, cErr := col.Type.Convert(s.ctx(), v)
			if cErr != nil || !bool(inRange) {
				return s.valueError(col, v, cErr)
			}
		}
	case errors.As(err, &convert):
		if s.target == nil || convert.OffendingIdx >= len(s.target.schema) {
			return nil
		}
		return s.valueError(s.target.schema[convert.OffendingIdx], convert.OffendingVal, convert.Err)
	}
	return nil
}

// valueError is the error for a value that does not fit its column.
func (s *sqlSession) valueError(col *sql.Column, v any, cause error) error {
	return s.valueErrorOf(col.Name, col.Type, v, cause)
}

// valueErrorOf is the error for a value that does not fit a column of the name and type, nil if there is none known.
func (s *sqlSession) valueErrorOf(name string, typ sql.Type, v any, cause error) error {
	row := max(s.givenRow, 1)
	shown := fmt.Sprint(v)
	if b, ok := v.([]byte); ok {
		shown = string(b)
	}
	_, isText := v.(string)
	switch typ := typ.(type) {
	case sql.EnumType, sql.SetType:
		return mysqlError(1265, "01000", "Data truncated for column '%s' at row %d", name, row)
	case sql.StringType:
		if types.ErrBadCharsetString.Is(cause) || sql.ErrCharSetInvalidString.Is(cause) {
			return mysqlError(1366, "HY000", "Incorrect string value: '%s' for column '%s' at row %d", hexBytes(shown), name, row)
		}
		return mysqlError(1406, "22001", "Data too long for column '%s' at row %d", name, row)
	case sql.NumberType:
		if isText && !looksNumeric(shown) {
			kind := "integer"
			if typ.IsFloat() {
				kind = "double"
			}
			return mysqlError(1366, "HY000", "Incorrect %s value: '%s' for column '%s' at row %d", kind, shown, name, row)
		}
		return mysqlError(1264, "22003", "Out of range value for column '%s' at row %d", name, row)
	case sql.DecimalType:
		if isText && !looksNumeric(shown) {
			return mysqlError(1366, "HY000", "Incorrect decimal value: '%s' for column '%s' at row %d", shown, name, row)
		}
		return mysqlError(1264, "22003", "Out of range value for column '%s' at row %d", name, row)
	case sql.DatetimeType:
		word := "datetime"
		if types.IsDateType(typ) {
			word = "date"
		}
		return mysqlError(1292, "22007", "Incorrect %s value: '%s' for column '%s' at row %d", word, shown, name, row)
	case types.TimeType:
		return mysqlError(1292, "22007", "Incorrect time value: '%s' for column '%s' at row %d", shown, name, row)
	case types.JsonType:
		fault := strings.TrimSuffix(jsonFault(shown), ".")
		if fault == "" {
			fault = `"Invalid value." at position 0`
		}
		return mysqlError(3140, "22032", "Invalid JSON text: %s in value for column '%s.%s'.", fault, s.targetName(), name)
	case types.BitType:
		return mysqlError(1406, "22001", "Data too long for column '%s' at row %d", name, row)
	case types.YearType_:
		return mysqlError(1264, "22003", "Out of range value for column '%s' at row %d", name, row)
	}
	return nil
}

// targetName is the name of the table the statement writes to.
func (s *sqlSession) targetName() string {
	if s.target == nil {
		return ""
	}
	return s.target.meta.name
}

func looksNumeric(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && strings.Trim(s, "+-.0123456789eE") == "" && strings.ContainsAny(s, "0123456789")
}

func hexBytes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s) && i < 6; i++ {
		if s[i] < 0x80 {
			b.WriteByte(s[i])
		} else {
			fmt.Fprintf(&b, "\\x%02X", s[i])
		}
	}
	return b.String()
}

// warnError notes a warning with an error's number and text.
func (s *sqlSession) warnError(level string, err error) {
	var e *sqlerror.SQLError
	if errors.As(err, &e) {
		s.warnings = append(s.warnings, &sql.Warning{Level: level, Code: int(e.Num), Message: e.Message})
	}
}

// ignoredError is the error that IGNORE made a warning with a text, nil for other warnings.
func (s *sqlSession) ignoredError(text string) *sqlerror.SQLError {
	for _, kind := range plan.IgnorableErrors {
		found, ok := matchText(kind.Message, text)
		if !ok || len(found) == 0 {
			continue
		}
		args := make([]any, len(found))
		for i, arg := range found {
			args[i] = arg
		}
		var e *sqlerror.SQLError
		if errors.As(s.mapError(kind.New(args...)), &e) {
			return e
		}
	}
	return nil
}

// mysqlWarning gives a warning of the engine MySQL's level, number and text.
func (s *sqlSession) mysqlWarning(w *sql.Warning) *sql.Warning {
	if w.Code == 1062 && s.duplicate != nil {
		return &sql.Warning{Level: "Warning", Code: 1062, Message: duplicateError(s.duplicate).(*sqlerror.SQLError).Message}
	}
	if w.Code == 1292 && strings.Contains(w.Message, "incorrect double value") {
		return &sql.Warning{Level: "Warning", Code: w.Code, Message: strings.Replace(w.Message, "double", "DOUBLE", 1)}
	}
	if table, ok := matchText("Unknown table '%s'", w.Message); ok && w.Code == 1051 && !strings.Contains(table[0], ".") {
		return &sql.Warning{Level: w.Level, Code: w.Code, Message: "Unknown table '" + s.shard.keyspace + "." + table[0] + "'"}
	}
	if e := s.ignoredError(w.Message); e != nil {
		return &sql.Warning{Level: "Warning", Code: int(e.Num), Message: e.Message}
	}
	if w.Level == "Note" && w.Code != 1051 && w.Code != 1050 && w.Code != 1007 && w.Code != 1008 {
		c := *w
		c.Level = "Warning"
		return &c
	}
	return w
}
