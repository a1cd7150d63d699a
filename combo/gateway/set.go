package gateway

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/sysvars"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner"
	"github.com/vitrodb/vitro/planner/engine"
)

// set runs a SET statement: one variable after the other, each seeing those before it.
func (s *Session) set(ctx context.Context, stmt *sqlparser.Set) error {
	for _, expr := range stmt.Exprs {
		if err := s.setOne(ctx, expr); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) setOne(ctx context.Context, expr *sqlparser.SetExpr) error {
	name := expr.Var.Name.Lowered()
	if expr.Var.Scope == sqlparser.VariableScope {
		value, err := s.valueOf(ctx, expr.Expr)
		if err != nil {
			return err
		}
		s.userVariables[name] = sqltypes.ValueBindVariable(value)
		return nil
	}
	if expr.Var.Scope == sqlparser.VitessMetadataScope {
		return vterrors.VT12001("SET @@vitess_metadata")
	}
	text, isDefault, err := s.settingText(ctx, expr.Expr)
	if err != nil {
		return err
	}
	switch expr.Var.Scope {
	case sqlparser.GlobalScope, sqlparser.PersistSysScope, sqlparser.PersistOnlySysScope:
		return s.setGlobal(name, text, isDefault)
	case sqlparser.NextTxScope:
		return s.setNextTransaction(name, text)
	default:
		return s.setSession(ctx, name, text, isDefault)
	}
}

// settingText evaluates what a system variable is set to. Bare words are texts; DEFAULT is told apart.
func (s *Session) settingText(ctx context.Context, expr sqlparser.Expr) (text string, isDefault bool, err error) {
	switch expr := expr.(type) {
	case *sqlparser.Default:
		return "", true, nil
	case *sqlparser.ColName:
		if strings.EqualFold(expr.Name.String(), "default") {
			return "", true, nil
		}
		return expr.Name.String(), false, nil
	}
	value, err := s.valueOf(ctx, expr)
	if err != nil {
		return "", false, err
	}
	return value.ToString(), false, nil
}

// valueOf evaluates an expression of a SET: at once where it can be, else as SELECT would.
func (s *Session) valueOf(ctx context.Context, expr sqlparser.Expr) (sqltypes.Value, error) {
	if value, ok := s.constant(ctx, expr); ok {
		return value, nil
	}
	result := &sqltypes.Result{}
	err := s.run(ctx, "select "+sqlparser.String(expr)+" from dual", nil, func(piece *sqltypes.Result) error {
		result.Rows = append(result.Rows, piece.Rows...)
		return nil
	})
	if err != nil {
		return sqltypes.NULL, err
	}
	if len(result.Rows) != 1 || len(result.Rows[0]) != 1 {
		return sqltypes.NULL, sqlerror.NewSQLErrorf(sqlerror.EROperandColumns, sqlerror.SSWrongNumberOfColumns, "Operand should contain 1 column(s)")
	}
	return result.Rows[0][0], nil
}

// constant evaluates an expression that needs no variables and no shard.
func (s *Session) constant(ctx context.Context, expr sqlparser.Expr) (sqltypes.Value, bool) {
	translated, err := evalengine.Translate(expr, &evalengine.Config{
		Collation: s.collation(), Environment: s.gateway.env, SQLMode: evalengine.ParseSQLMode(s.SQLMode()),
	})
	if err != nil {
		return sqltypes.NULL, false
	}
	result, err := evalengine.NewExpressionEnv(ctx, nil, s).Evaluate(translated)
	if err != nil {
		return sqltypes.NULL, false
	}
	return result.Value(s.collation()), true
}

// setSession sets one of the session's variables.
func (s *Session) setSession(ctx context.Context, name, text string, isDefault bool) error {
	switch name {
	case "names", "charset":
		return s.setCharset(text, isDefault)
	case "tx_isolation":
		name = "transaction_isolation"
	case "tx_read_only":
		name = "transaction_read_only"
	}
	if def := systemVariables[name]; def.global && def.use != readOnlyUse {
		return unknownVariable(name) // Vitess knows no variable that sessions have no value of
	}
	def, text, err := newSetting(name, text, isDefault)
	if err != nil {
		return err
	}
	if name == "autocommit" {
		return s.setAutocommit(ctx, isOn(text))
	}
	return s.keepSetting(name, text, def, isDefault)
}

// keepSetting keeps a value, DEFAULT meaning the global one, and tells it to the shards it matters to; they refuse what they
// do not know.
func (s *Session) keepSetting(name, text string, def variableDef, isDefault bool) error {
	before, had := s.vars.own(name)
	global, isSet := s.gateway.globals.Load().own(name)
	if isDefault && isSet {
		text = global
	}
	if isDefault && def.use != shardUse && !isSet {
		s.vars.unset(name)
	} else {
		s.vars.set(name, text)
	}
	s.planKeyText = ""
	if def.use != shardUse {
		return nil
	}
	err := s.tellShards()
	if err != nil {
		s.vars.unset(name)
		if had {
			s.vars.set(name, before)
		}
	}
	return err
}

// tellShards applies the session's settings to its open connections, or tries them on one where there are none.
func (s *Session) tellShards() error {
	told := false
	err := s.openConns(func(conn Conn) error {
		told = true
		return s.applySettings(conn)
	})
	if err != nil || told {
		return err
	}
	for _, keyspace := range s.gateway.cfg.Topology.Keyspaces() {
		shards, err := s.gateway.cfg.Topology.Shards(keyspace)
		if err != nil || len(shards) == 0 {
			continue
		}
		conn, err := s.connect(engine.Shard{Keyspace: keyspace, Name: shards[0].Name})
		if err != nil {
			return err
		}
		conn.Close()
		return nil
	}
	return nil
}

// setAutocommit commits the open transaction when autocommit comes on.
func (s *Session) setAutocommit(ctx context.Context, on bool) error {
	if on && !s.autocommit {
		s.autocommit = true
		return s.commit(ctx)
	}
	s.autocommit = on
	return nil
}

// charsets are those a client may ask for. Text is always sent as utf8mb4.
var charsets = []string{"utf8", "utf8mb3", "utf8mb4", "latin1", "default"}

// setCharset is SET NAMES and SET CHARACTER SET.
func (s *Session) setCharset(text string, isDefault bool) error {
	name := strings.ToLower(text)
	if isDefault || name == "default" {
		for _, v := range []string{"names", "character_set_client", "character_set_connection", "character_set_results", "collation_connection"} {
			s.vars.unset(v)
		}
		s.planKeyText = ""
		return nil
	}
	if !slices.Contains(charsets, name) {
		return vterrors.Errorf(vtrpcpb.Code_UNIMPLEMENTED, "charset/name %v is not supported", text)
	}
	env := s.gateway.env.CollationEnv()
	s.vars.set("names", name)
	for _, v := range []string{"character_set_client", "character_set_connection", "character_set_results"} {
		s.vars.set(v, name)
	}
	s.vars.unset("collation_connection")
	if id := env.DefaultCollationForCharset(name); id != collations.Unknown && name != "utf8mb4" {
		s.vars.set("collation_connection", env.LookupName(id))
	}
	s.planKeyText = ""
	return nil
}

// errCantChangeTransaction is MySQL's ER_CANT_CHANGE_TX_CHARACTERISTICS.
const errCantChangeTransaction = sqlerror.ErrorCode(1568)

// setNextTransaction is SET TRANSACTION, for the next transaction alone.
func (s *Session) setNextTransaction(name, text string) error {
	if s.tx != nil {
		return sqlerror.NewSQLError(errCantChangeTransaction, "25001",
			"Transaction characteristics can't be changed while a transaction is in progress")
	}
	switch name {
	case "transaction_isolation", "tx_isolation":
		text, err := checkSetting("transaction_isolation", text, systemVariables["transaction_isolation"])
		if err != nil {
			return err
		}
		s.nextTx.Isolation = text
	default:
		s.nextTx.ReadOnly = isOn(text)
	}
	return nil
}

// setGlobal keeps a value for sessions that begin later, and for SHOW GLOBAL VARIABLES.
func (s *Session) setGlobal(name, text string, isDefault bool) error {
	_, text, err := newSetting(name, text, isDefault)
	if err != nil {
		return err
	}
	g := s.gateway
	g.mu.Lock()
	defer g.mu.Unlock()
	globals := g.globals.Load().clone()
	globals.set(name, text)
	g.globals.Store(globals)
	return nil
}

// unknownVariable is error 1193. Settings Vitess knows and refuses are refused by name.
func unknownVariable(name string) error {
	if _, ok := sysvars.AllSystemVariables[name]; ok {
		return vterrors.VT12001("system setting: " + name)
	}
	return vterrors.VT05006(name)
}

// checkSetting refuses values a variable can not have, and returns the value as it is kept.
func checkSetting(name, text string, def variableDef) (string, error) {
	wrong := func() (string, error) {
		return "", vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.WrongValueForVar,
			"variable '%s' can't be set to the value of '%s'", name, text)
	}
	switch name {
	case "sql_mode":
		return checkSQLMode(text)
	case "transaction_isolation":
		text = strings.ToUpper(strings.ReplaceAll(text, " ", "-"))
		if !slices.Contains([]string{"READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"}, text) {
			return wrong()
		}
		return text, nil
	case "transaction_mode":
		text = strings.ToUpper(text)
		if !slices.Contains([]string{"UNSPECIFIED", "SINGLE", "MULTI", "TWOPC"}, text) {
			return "", vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.WrongValueForVar, "invalid transaction_mode: %s", text)
		}
		return text, nil
	case "workload":
		return strings.ToUpper(text), nil
	case "ddl_strategy":
		_, err := parseDDLStrategy(text)
		return text, err
	case "time_zone":
		if _, err := parseTimeZone(text); err != nil {
			return "", sqlerror.NewSQLErrorf(sqlerror.ERUnknownTimeZone, sqlerror.SSUnknownSQLState, "Unknown or incorrect time zone: '%s'", text)
		}
		return text, nil
	}
	switch def.kind {
	case switchKind:
		switch strings.ToLower(text) {
		case "0", "1", "on", "off", "true", "false":
			return onOff(isOn(text)), nil
		}
		return wrong()
	case numberKind:
		if _, err := sqltypes.NewDecimal(text).ToCastInt64(); err != nil && strings.Trim(text, "-.0123456789") != "" {
			return "", vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.WrongTypeForVar, "incorrect argument type to variable '%s'", name)
		}
	}
	return text, nil
}

// parseTimeZone reads SYSTEM, an offset such as +02:00, or a name.
func parseTimeZone(text string) (*time.Location, error) {
	if text == "" || strings.EqualFold(text, "SYSTEM") {
		return time.Local, nil
	}
	var hours, minutes int
	var sign rune
	if n, _ := fmt.Sscanf(text, "%c%d:%d", &sign, &hours, &minutes); n == 3 && (sign == '+' || sign == '-') && hours <= 14 && minutes < 60 {
		offset := hours*3600 + minutes*60
		if sign == '-' {
			offset = -offset
		}
		return time.FixedZone(text, offset), nil
	}
	return time.LoadLocation(text)
}

// selectLimit is sql_select_limit, 0 for none.
func (s *Session) selectLimit() int {
	text, ok := s.vars.own("sql_select_limit")
	if !ok {
		return 0
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 0 {
		return 0 // the default is more than an int holds
	}
	return limit
}

// foreignKeyChecks is nil unless the session set the variable.
func (s *Session) foreignKeyChecks() *bool {
	text, ok := s.vars.own("foreign_key_checks")
	if !ok {
		return nil
	}
	on := isOn(text)
	return &on
}

// foreignKeyChecksOf is what counts for one statement, or for the one that it explains: its SET_VAR hint goes before the
// session.
func (s *Session) foreignKeyChecksOf(stmt sqlparser.Statement) (*bool, error) {
	if explain, ok := stmt.(*sqlparser.VExplainStmt); ok {
		stmt = explain.Statement
	}
	if !sqlparser.IsDMLStatement(stmt) {
		return s.foreignKeyChecks(), nil
	}
	checks, err := planner.HintedForeignKeyChecks(stmt)
	if err != nil || checks != nil {
		return checks, err
	}
	return s.foreignKeyChecks(), nil
}

// newSetting finds a variable that may be set, and checks its new value: its default with isDefault.
func newSetting(name, text string, isDefault bool) (variableDef, string, error) {
	def, ok := systemVariables[name]
	if !ok {
		return def, "", unknownVariable(name)
	}
	if def.use == readOnlyUse {
		return def, "", vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.IncorrectGlobalLocalVar, "variable '%s' is a read only variable", name)
	}
	if isDefault {
		text = def.text
	}
	text, err := checkSetting(name, text, def)
	return def, text, err
}
