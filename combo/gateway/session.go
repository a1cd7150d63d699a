package gateway

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtenv"

	"github.com/vitrodb/vitro/vindexes/key"
)

// Session is one client's. It runs one statement at a time; only interruption comes from elsewhere.
type Session struct {
	gateway *Gateway
	info    ConnInfo

	target      key.Target
	targetText  string
	planKeyText string // empty: to be made

	vars          *variables
	userVariables map[string]*querypb.BindVariable
	prepared      map[string]namedStatement // by PREPARE, by name

	autocommit bool
	tx         *transaction         // nil: none is open
	blocked    bool                 // VT15001 ended the transaction: only ROLLBACK goes on
	nextTx     TxOptions            // SET TRANSACTION for the next one
	held       map[string]Conn      // connections kept for GET_LOCK and as kept, by keyspace/shard
	kept       map[string]*keptConn // those of them with temporary tables and locks of FLUSH TABLES

	lastInsertID uint64
	foundRows    uint64
	foundRowsSet bool // the running statement set it itself
	rowCount     int64

	warningsMu sync.Mutex
	warnings   []Warning // of the last statement that was not about them

	mu      sync.Mutex
	running *statementRun // nil: idle
	killed  bool
}

// statementRun is what other sessions see of a running statement.
type statementRun struct {
	sql    string
	since  time.Time
	cancel context.CancelCauseFunc
}

func newSession(g *Gateway, info ConnInfo) *Session {
	s := &Session{gateway: g, info: info}
	s.clear()
	return s
}

// clear makes the session as new; nothing may be open.
func (s *Session) clear() {
	s.target = key.Target{TabletType: primaryType}
	s.targetText, s.planKeyText = "", ""
	s.vars = s.gateway.globals.Load().forSession()
	s.userVariables = map[string]*querypb.BindVariable{}
	s.prepared = map[string]namedStatement{}
	autocommit, isSet := s.vars.own("autocommit")
	s.autocommit, s.blocked = !isSet || isOn(autocommit), false
	s.nextTx = TxOptions{}
	s.lastInsertID, s.foundRows, s.rowCount = 0, 0, 0
	s.warnings = nil
}

// errInterrupted is what a killed statement fails with.
func errInterrupted() error {
	return sqlerror.NewSQLError(sqlerror.ERQueryInterrupted, sqlerror.SSQueryInterrupted, "Query execution was interrupted")
}

// Execute runs one statement. Text statements have no bind variables; prepared ones have v1, v2, ... for their
// parameters. emit gets the result in pieces, the first with the fields; statements without a result set emit one piece
// with RowsAffected and InsertID.
func (s *Session) Execute(ctx context.Context, sql string, bindVars BindVars, emit func(*sqltypes.Result) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := s.begin(sql, cancel); err != nil {
		return err
	}
	defer s.end()
	err := s.execute(ctx, sql, bindVars, emit)
	if err != nil && ctx.Err() != nil {
		if cause := context.Cause(ctx); isInterruption(cause) {
			return cause
		}
	}
	return err
}

func isInterruption(err error) bool {
	var mysqlErr *sqlerror.SQLError
	return errors.As(err, &mysqlErr) && mysqlErr.Num == sqlerror.ERQueryInterrupted
}

// begin announces a statement.
func (s *Session) begin(sql string, cancel context.CancelCauseFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed {
		return errInterrupted()
	}
	s.running = &statementRun{sql: sql, since: s.gateway.cfg.Now(), cancel: cancel}
	return nil
}

func (s *Session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = nil
	if s.killed {
		s.abandon()
	}
}

// interrupt stops the running statement, and with connection set the session too. It may come from another goroutine.
func (s *Session) interrupt(connection bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if connection && !s.killed {
		s.killed = true
		if s.info.Hangup != nil {
			s.info.Hangup()
		}
	}
	switch {
	case s.running != nil:
		s.running.cancel(errInterrupted())
	case s.killed:
		s.abandon()
	}
}

// abandon gives back what a killed session holds, whether its client ever speaks again or not. mu is held, and no statement
// runs or will run.
func (s *Session) abandon() {
	// A failing rollback has nobody to be told.
	_ = s.rollback(context.Background())
	s.closeHeld()
}

// Status returns what the protocol tells after a statement.
func (s *Session) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Status{
		Autocommit:    s.autocommit,
		InTransaction: s.tx != nil,
		Warnings:      uint16(min(len(s.warnings), 0xFFFF)),
	}
}

// Reset rolls back and makes the session as new, but for its database.
func (s *Session) Reset(ctx context.Context) error {
	if err := s.begin("reset connection", func(error) {}); err != nil {
		return err
	}
	defer s.end()
	err := s.rollback(ctx)
	s.closeHeld()
	database := s.targetText
	s.clear()
	if database != "" {
		return errors.Join(err, s.use(database))
	}
	return err
}

// Close rolls back and forgets the session.
func (s *Session) Close() {
	s.interrupt(true)
	s.gateway.forget(s)
}

// ID returns the connection's number, as CONNECTION_ID() and KILL know it.
func (s *Session) ID() uint32 { return s.info.ID }

// Environment is the parser and the collations; Session gives expressions their facts (evalengine.VCursor).
func (s *Session) Environment() *vtenv.Environment { return s.gateway.env }

// GetKeyspace is what expressions take for the selected keyspace.
func (s *Session) GetKeyspace() string { return s.keyspace() }

// SQLMode is the session's sql_mode.
func (s *Session) SQLMode() string {
	value, _ := s.variable("sql_mode")
	return value.text
}

// TimeZone is the session's time_zone.
func (s *Session) TimeZone() *time.Location {
	value, _ := s.variable("time_zone")
	zone, err := parseTimeZone(value.text)
	if err != nil {
		return time.Local
	}
	return zone
}

// SetLastInsertID is LAST_INSERT_ID(expr).
func (s *Session) SetLastInsertID(id uint64) { s.lastInsertID = id }

// collation is the connection's.
func (s *Session) collation() collations.ID {
	env := s.gateway.env.CollationEnv()
	if name, ok := s.vars.own("collation_connection"); ok {
		if id := env.LookupByName(strings.ToLower(name)); id != collations.Unknown {
			return id
		}
	}
	return env.DefaultConnectionCharset()
}

// functionResult returns the value of a function that the normaliser made a bind variable.
func (s *Session) functionResult(name string) *querypb.BindVariable {
	switch name {
	case sqlparser.LastInsertIDName:
		return sqltypes.Uint64BindVariable(s.lastInsertID)
	case sqlparser.FoundRowsName:
		return sqltypes.Int64BindVariable(int64(s.foundRows))
	case sqlparser.RowCountName:
		return sqltypes.Int64BindVariable(s.rowCount)
	case sqlparser.DBVarName:
		if s.targetText == "" {
			return sqltypes.NullBindVariable
		}
		return sqltypes.StringBindVariable(s.targetText)
	default:
		return sqltypes.NullBindVariable
	}
}

// userVariable returns @name, NULL where it was never set.
func (s *Session) userVariable(name string) *querypb.BindVariable {
	if value, ok := s.userVariables[strings.ToLower(name)]; ok {
		return value
	}
	return sqltypes.NullBindVariable
}
