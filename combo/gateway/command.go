package gateway

import (
	"context"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
)

// runCommand runs the statements that need no plan. A nil result of a handled statement is out already.
func (s *Session) runCommand(ctx context.Context, stmt sqlparser.Statement, sql string, bindVars BindVars, emit Emit) (result *sqltypes.Result, handled bool, err error) {
	result, handled = &sqltypes.Result{}, true
	switch stmt := stmt.(type) {
	case *sqlparser.Begin:
		err = s.beginTransaction(ctx, stmt)
	case *sqlparser.Commit:
		err = s.commit(ctx)
	case *sqlparser.Rollback:
		err = s.rollback(ctx)
	case *sqlparser.Savepoint:
		err = s.savepoint(ctx, stmt.Name.String())
	case *sqlparser.SRollback:
		err = s.rollbackTo(ctx, stmt.Name.String())
	case *sqlparser.Release:
		err = s.release(ctx, stmt.Name.String())
	case *sqlparser.Set:
		err = s.set(ctx, stmt)
	case *sqlparser.Use:
		err = s.use(stmt.DBName.String())
	case *sqlparser.Show:
		if result, err = s.show(stmt, sql); result == nil && err == nil {
			err = s.runPlanned(ctx, stmt, sql, bindVars, emit)
		}
	case *sqlparser.Kill:
		err = s.kill(stmt)
	case *sqlparser.PrepareStmt:
		err = s.prepareNamed(ctx, stmt)
	case *sqlparser.ExecuteStmt:
		result, err = nil, s.executeNamed(ctx, stmt, emit)
	case *sqlparser.DeallocateStmt:
		err = s.deallocate(stmt)
	case *sqlparser.LockTables:
		s.warn(Warning{Level: "Warning", Code: 1235, Message: "LOCK TABLES does nothing"})
	case *sqlparser.Flush:
		err = s.flush(ctx, stmt, sql)
	case *sqlparser.Load:
		result, err = s.loadData(ctx, sql)
	case *sqlparser.UnlockTables:
		err = s.unlockTables(ctx)
	case *sqlparser.CommentOnly:
	case *sqlparser.VExplainStmt:
		result, err = nil, s.vexplain(ctx, stmt, sql, bindVars, emit)
	default:
		return s.runSchemaCommand(ctx, stmt, sql, bindVars, emit)
	}
	return result, handled, err
}

// runSchemaCommand runs statements about tables and keyspaces.
func (s *Session) runSchemaCommand(ctx context.Context, stmt sqlparser.Statement, sql string, bindVars BindVars, emit Emit) (result *sqltypes.Result, handled bool, err error) {
	if call, ok := stmt.(*sqlparser.CallProc); ok && isFillLookup(call) {
		rows, err := s.callFillLookup(ctx, call)
		return &sqltypes.Result{RowsAffected: rows}, true, err
	}
	switch stmt := stmt.(type) {
	case *sqlparser.AlterVschema, sqlparser.DBDDLStatement, *sqlparser.ExplainTab, *sqlparser.Analyze, *sqlparser.CallProc:
		return nil, true, s.runPlanned(ctx, stmt, sql, bindVars, emit)
	case sqlparser.DDLStatement:
		result, err := s.ddl(ctx, stmt, sql)
		return result, true, err
	case *sqlparser.AlterMigration:
		result, err := s.alterMigration(ctx, stmt, sql)
		return result, true, err
	case *sqlparser.ShowMigrationLogs, *sqlparser.ShowThrottledApps, *sqlparser.ShowThrottlerStatus:
		result, err := s.showAboutMigrations(stmt, sql)
		return result, true, err
	case *sqlparser.ExplainStmt:
		return nil, true, s.explain(ctx, stmt, sql, bindVars, emit)
	case *sqlparser.OtherAdmin:
		if query, isDo := doQuery(sql); isDo {
			return &sqltypes.Result{}, true, s.run(ctx, query, nil, func(*sqltypes.Result) error { return nil })
		}
		return nil, true, s.runPlanned(ctx, stmt, sql, bindVars, emit)
	default:
		return nil, false, nil
	}
}

// doQuery makes a SELECT of DO, which is one that nobody looks at.
func doQuery(sql string) (query string, ok bool) {
	words := strings.Fields(sql)
	if len(words) < 2 || !strings.EqualFold(words[0], "do") {
		return "", false
	}
	_, rest, _ := strings.Cut(strings.TrimSpace(sql), words[0])
	return "select " + rest, true
}
