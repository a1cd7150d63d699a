package gateway

import (
	"context"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes"
)

var (
	_ engine.Commands    = (*Session)(nil)
	_ engine.Session     = (*Session)(nil)
	_ engine.TableFinder = (*Session)(nil)
)

// Command implements engine.Commands: it runs the primitives that are the gateway's own business.
func (s *Session) Command(ctx context.Context, p engine.Primitive, bindVars BindVars) (*sqltypes.Result, error) {
	switch p := p.(type) {
	case *engine.DBDDL:
		result := &sqltypes.Result{}
		if p.Create {
			result.RowsAffected = 1
		}
		return result, s.changeKeyspaces(ctx, p)
	case *engine.RevertMigration:
		return nil, vterrors.VT12001("REVERT VITESS_MIGRATION")
	case *engine.AlterVSchema:
		return &sqltypes.Result{}, s.alterVSchema(p.AlterVschemaDDL)
	case *engine.UpdateTarget:
		return &sqltypes.Result{}, s.use(p.Target)
	case *engine.SessionPrimitive:
		if strings.EqualFold(p.Name, "SHOW WARNINGS") {
			return s.showWarnings()
		}
	case *engine.ShowExec:
		return s.showBasic(&sqlparser.ShowBasic{Command: p.Command, Filter: p.ShowFilter})
	case *engine.TransactionStatus:
		return showTransactions(), nil
	case *engine.Set:
		for _, op := range p.Ops {
			if err := s.setOp(ctx, op, bindVars); err != nil {
				return nil, err
			}
		}
		return &sqltypes.Result{}, nil
	}
	return nil, vterrors.VT12001(engine.Describe(p).OperatorType)
}

// setOp sets a planned variable.
func (s *Session) setOp(ctx context.Context, op engine.SetOp, bindVars BindVars) error {
	switch op := op.(type) {
	case *engine.UserDefinedVariable:
		value, err := s.evaluate(ctx, op.Expr, bindVars)
		if err != nil {
			return err
		}
		s.SetUserVariable(op.Name, value)
		return nil
	case *engine.SysVarSetAware:
		value, err := s.evaluate(ctx, op.Expr, bindVars)
		if err != nil {
			return err
		}
		return s.setSession(ctx, op.Name, value.ToString(), false)
	case *engine.SysVarReservedConn:
		return s.setPlanned(ctx, op.Name, op.Expr)
	case *engine.SysVarCheckAndIgnore:
		return s.setPlanned(ctx, op.Name, op.Expr)
	case *engine.SysVarIgnore:
		return s.setPlanned(ctx, op.Name, op.Expr)
	default:
		return vterrors.VT12001("SET " + op.VariableName())
	}
}

func (s *Session) evaluate(ctx context.Context, expr evalengine.Expr, bindVars BindVars) (sqltypes.Value, error) {
	result, err := evalengine.NewExpressionEnv(ctx, bindVars, s).Evaluate(expr)
	return result.Value(s.collation()), err
}

func (s *Session) setPlanned(ctx context.Context, name, sql string) error {
	expr, err := s.gateway.env.Parser().ParseExpr(sql)
	if err != nil {
		return err
	}
	text, isDefault, err := s.settingText(ctx, expr)
	if err != nil {
		return err
	}
	return s.setSession(ctx, name, text, isDefault)
}

// SetUserVariable implements engine.Session.
func (s *Session) SetUserVariable(name string, value sqltypes.Value) {
	s.userVariables[strings.ToLower(name)] = sqltypes.ValueBindVariable(value)
}

// SetFoundRows implements engine.Session.
func (s *Session) SetFoundRows(n uint64) { s.foundRowsSet, s.foundRows = true, n }

// Warn implements engine.Session.
func (s *Session) Warn(warning *querypb.QueryWarning) {
	s.warn(Warning{Level: "Warning", Code: uint16(warning.Code), Message: warning.Message})
}

// WarningCount implements engine.Session.
func (s *Session) WarningCount() int {
	s.warningsMu.Lock()
	defer s.warningsMu.Unlock()
	return len(s.warnings)
}

// Variable implements engine.Session.
func (s *Session) Variable(name string) (string, bool) {
	value, ok := s.variable(strings.ToLower(name))
	return value.shown(), ok
}

// FindTable implements engine.TableFinder.
func (s *Session) FindTable(keyspace, name string) (*vindexes.Table, error) {
	if keyspace == "" {
		keyspace = s.keyspace()
	}
	return s.gateway.VSchema().FindRoutedTable(keyspace, name, s.target.TabletType)
}

// warningsMax is MySQL's default of max_error_count.
const warningsMax = 1024

// warn adds a warning of the running statement. Parts of a statement may call it at once.
func (s *Session) warn(warning Warning) {
	s.warningsMu.Lock()
	defer s.warningsMu.Unlock()
	if len(s.warnings) < warningsMax {
		s.warnings = append(s.warnings, warning)
	}
}

// noteWarnings takes over the warnings of a shard's last statement.
func (s *Session) noteWarnings(conn Conn) {
	for _, warning := range conn.Warnings() {
		s.warn(warning)
	}
}
