package gateway

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
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
		result, err = s.show(ctx, stmt)
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
	case *sqlparser.UnlockTables, *sqlparser.Flush, *sqlparser.CommentOnly:
	case *sqlparser.VExplainStmt:
		result, err = s.vexplain(ctx, stmt, bindVars)
	default:
		return s.runSchemaCommand(ctx, stmt, sql, bindVars, emit)
	}
	return result, handled, err
}

// runSchemaCommand runs statements about tables and keyspaces.
func (s *Session) runSchemaCommand(ctx context.Context, stmt sqlparser.Statement, sql string, bindVars BindVars, emit Emit) (result *sqltypes.Result, handled bool, err error) {
	result = &sqltypes.Result{}
	switch stmt := stmt.(type) {
	case *sqlparser.AlterVschema:
		return result, true, s.alterVSchema(stmt)
	case *sqlparser.CreateDatabase:
		return result, true, s.createKeyspace(ctx, stmt)
	case *sqlparser.DropDatabase:
		return result, true, s.dropKeyspace(ctx, stmt)
	case *sqlparser.AlterDatabase:
		return nil, true, vterrors.VT12001("ALTER DATABASE")
	case sqlparser.DDLStatement:
		return result, true, s.ddl(ctx, stmt)
	case *sqlparser.ExplainTab:
		result, err = s.describe(ctx, stmt)
		return result, true, err
	case *sqlparser.ExplainStmt:
		return nil, true, s.explain(ctx, stmt, bindVars, emit)
	case *sqlparser.Analyze:
		result, err = s.sendTable(ctx, stmt.Table, "analyze table "+quoteName(stmt.Table.Name.String()))
		return result, true, err
	case *sqlparser.OtherAdmin:
		return result, true, s.otherAdmin(ctx, sql)
	case *sqlparser.CallProc:
		return nil, true, s.callProcedure(ctx, stmt, emit)
	default:
		return nil, false, nil
	}
}
