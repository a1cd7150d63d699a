package sqlengine

import (
	"context"
	"strconv"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
)

// PREPARE keeps a text by a name of the session, whose ? are the bind variables v1, v2, ... of EXECUTE.

// prepareFrom runs PREPARE: of a text, or of what @name holds.
func (s *Session) prepareFrom(ctx context.Context, name, text, variable string) error {
	if variable != "" {
		value, err := s.userVariable(ctx, variable)
		if err != nil {
			return err
		}
		if text = value.ToString(); value.IsNull() {
			text = "NULL"
		}
	}
	delete(s.prepared, strings.ToLower(name))
	st := s.shard.engine.statement(text)
	if st.err != nil {
		return st.err
	}
	switch st.ast.(type) {
	case *sqlparser.PrepareStmt, *sqlparser.ExecuteStmt, *sqlparser.DeallocateStmt, *sqlparser.Use, *sqlparser.LockTables, *sqlparser.UnlockTables,
		*sqlparser.Begin, *sqlparser.Savepoint, *sqlparser.SRollback, *sqlparser.Release, *sqlparser.CreateProcedure, engineDDL, getDiagnostics:
		return mysqlError(1295, "HY000", "This command is not supported in the prepared statement protocol yet")
	case *sqlparser.CommentOnly:
		return mysqlError(1065, "42000", "Query was empty")
	}
	if s.prepared == nil {
		s.prepared = make(map[string]string)
	}
	s.prepared[strings.ToLower(name)] = text
	return nil
}

// executePrepared runs EXECUTE with the values of variables.
func (s *Session) executePrepared(ctx context.Context, name string, variables []string, out *emitter) error {
	text, ok := s.prepared[strings.ToLower(name)]
	if !ok {
		return mysqlError(1243, "HY000", "Unknown prepared statement handler (%s) given to EXECUTE", name)
	}
	binds := make(map[string]*querypb.BindVariable, len(variables))
	for i, variable := range variables {
		value, err := s.userVariable(ctx, variable)
		if err != nil {
			return err
		}
		binds["v"+strconv.Itoa(i+1)] = sqltypes.ValueBindVariable(value)
	}
	if placeholders(s.shard.engine.statement(text).ast) != len(variables) {
		return mysqlError(1210, "HY000", "Incorrect arguments to EXECUTE")
	}
	return s.execute(ctx, text, binds, out)
}

// placeholders counts the ? of a statement.
func placeholders(ast sqlparser.Statement) int {
	n := 0
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if arg, ok := node.(*sqlparser.Argument); ok && strings.HasPrefix(arg.Name, "v") {
			n++
		}
		return true, nil
	}, ast)
	return n
}

// deallocate runs DEALLOCATE PREPARE.
func (s *Session) deallocate(name string) error {
	if _, ok := s.prepared[strings.ToLower(name)]; !ok {
		return mysqlError(1243, "HY000", "Unknown prepared statement handler (%s) given to DEALLOCATE PREPARE", name)
	}
	delete(s.prepared, strings.ToLower(name))
	return nil
}

// userVariable returns the value of @name.
func (s *Session) userVariable(ctx context.Context, name string) (sqltypes.Value, error) {
	out := &emitter{}
	if err := s.execute(ctx, "select @"+strings.TrimPrefix(name, "@")+" from dual", nil, out); err != nil {
		return sqltypes.NULL, err
	}
	return out.whole.Rows[0][0], nil
}
