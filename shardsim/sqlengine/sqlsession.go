package sqlengine

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/sirupsen/logrus"
	"vitess.io/vitess/go/mysql/sqlerror"

	"github.com/vitrodb/vitro/shardsim/store"
)

// sqlSession is the engine's view of a session. The stock one copies some thousand variables, 80 KB; this one keeps only
// what differs from the engine's shared defaults.
type sqlSession struct {
	engine *Engine
	shard  *Shard
	id     uint32
	client sql.Client

	vars     map[string]sql.SystemVarValue // session variables that were set
	userVars map[string]sql.TypedValue     // @variables by lower-case name

	warnings     []*sql.Warning
	warningsHeld bool
	lastInfo     map[string]int64
	lastText     map[string]string
	views        *sql.ViewRegistry
	indexes      *sql.IndexRegistry
	procParams   map[string]*sql.StoredProcParam
	logger       *logrus.Entry

	gmsTx            sql.Transaction
	ignoreAutoCommit bool

	runningStatement
	session  *Session
	invoking []*statement // those whose rows' triggers are running, outermost first
	now      time.Time    // when the outermost of them began, which is the time in their triggers
	// describes is set while information_schema finds out about the databases of all keyspaces.
	describes bool
	// afterRowCount is one more than ROW_COUNT(), which is -1 for a new session.
	afterRowCount int64
	handled       *sqlerror.SQLError // the condition whose handler runs, for RESIGNAL
	raised        *sqlerror.SQLError // the last statement's error, a condition beside its warnings
	temps         map[string]string  // temporary tables: the store's names by the lower-case ones
	tempsMade     int
	doomed        []string // the store's names of temporary tables that go when the transaction ends
	lockSeconds   int64    // innodb_lock_wait_timeout, 0: the default
}

// runningStatement is what a session knows of the statement it runs. That of a trigger has one of its own.
type runningStatement struct {
	st *statement
	// The transaction and the lock mode: what table scans go by.
	tx      *store.Tx
	stmt    scanMode
	corpora map[string]*matchCorpus // of MATCH
	// duplicate is the last unique key conflict, which the engine's own error tells too little about.
	duplicate *store.DuplicateError
	// target is the table the statement writes to, and writtenRows how many rows it has written: for error texts.
	target       *table
	writtenRows  int
	givenRow     int          // the row that is being assigned, from 1 on
	doubt        *sql.Warning // the last warning about a value, see assignment
	insertIDSet  bool         // LAST_INSERT_ID was set by the statement
	lastInsertID int64        // LAST_INSERT_ID() when it began
	givenAuto    uint64       // the last AUTO_INCREMENT value a row of the statement had
	deletedRows  int
	metRows      int // rows that were in the way of those to be inserted, and were updated; changedRows of them changed
	changedRows  int
	running      *sql.Context
	text         string
	temporary    bool // it makes a temporary table
}

// context makes the engine's context of a statement.
func (s *sqlSession) context(ctx context.Context, text string) *sql.Context {
	c := sql.NewContext(ctx, sql.WithSession(s), sql.WithQuery(text))
	if len(s.invoking) > 0 {
		c.SetQueryTime(s.now)
	}
	return c
}

// ctx returns the context of the running statement.
func (s *sqlSession) ctx() *sql.Context { return s.running }

// scanMode says how the running statement reads tables.
type scanMode struct {
	lock     store.LockMode
	policy   store.WaitPolicy
	targets  map[string]bool // lower-case names of the tables lock is for; nil: all but those spared
	spared   map[string]bool // lower-case names of tables in subqueries without a lock clause of their own
	shares   bool            // a write: other tables are read as by FOR SHARE, under READ COMMITTED without lock
	current  bool            // tables without lock are read at their newest commits
	copy     bool            // rows are given out as copies, as the statement changes them in place
	truncate bool            // TRUNCATE TABLE

	recollates bool // the engine may change types in place
}

var _ sql.Session = (*sqlSession)(nil)

func (s *sqlSession) Address() string            { return "localhost" }
func (s *sqlSession) Client() sql.Client         { return s.client }
func (s *sqlSession) SetClient(c sql.Client)     { s.client = c }
func (s *sqlSession) ID() uint32                 { return s.id }
func (s *sqlSession) SetConnectionId(uint32)     {}
func (s *sqlSession) GetCurrentDatabase() string { return s.shard.keyspace }

// SetCurrentDatabase is ignored: a shard has one database.
func (s *sqlSession) SetCurrentDatabase(string)                    {}
func (s *sqlSession) UseDatabase(*sql.Context, sql.Database) error { return nil }
func (s *sqlSession) ValidateSession(*sql.Context) error           { return nil }
func (s *sqlSession) GetTransaction() sql.Transaction              { return s.gmsTx }
func (s *sqlSession) SetTransaction(tx sql.Transaction)            {}
func (s *sqlSession) SetIgnoreAutoCommit(ignore bool)              { s.ignoreAutoCommit = ignore }
func (s *sqlSession) GetIgnoreAutoCommit() bool                    { return s.ignoreAutoCommit }
func (s *sqlSession) GetPrivilegeSet() (sql.PrivilegeSet, uint64)  { return nil, 0 }
func (s *sqlSession) SetPrivilegeSet(sql.PrivilegeSet, uint64)     {}
func (s *sqlSession) SetLogger(l *logrus.Entry)                    { s.logger = l }
func (s *sqlSession) SetIndexRegistry(r *sql.IndexRegistry)        { s.indexes = r }
func (s *sqlSession) SetViewRegistry(r *sql.ViewRegistry)          { s.views = r }

func (s *sqlSession) GetLogger() *logrus.Entry {
	if s.logger == nil {
		s.logger = s.engine.logger
	}
	return s.logger
}

func (s *sqlSession) GetIndexRegistry() *sql.IndexRegistry {
	if s.indexes == nil {
		s.indexes = sql.NewIndexRegistry()
	}
	return s.indexes
}

func (s *sqlSession) GetViewRegistry() *sql.ViewRegistry {
	if s.views == nil {
		s.views = sql.NewViewRegistry()
	}
	return s.views
}

// variable returns a variable's definition and session value.
func (s *sqlSession) variable(name string) (sql.SystemVarValue, bool) {
	if v, ok := s.vars[name]; ok {
		return v, true
	}
	v, ok := s.engine.defaults[name]
	return v, ok
}

func (s *sqlSession) SetSessionVariable(ctx *sql.Context, name string, value any) error {
	return s.setVariable(ctx, name, value, false)
}

func (s *sqlSession) InitSessionVariable(ctx *sql.Context, name string, value any) error {
	return s.setVariable(ctx, name, value, true)
}

func (s *sqlSession) setVariable(ctx *sql.Context, name string, value any, init bool) error {
	name = strings.ToLower(name)
	v, ok := s.variable(name)
	if !ok {
		return sql.ErrUnknownSystemVariable.New(name)
	}
	if text, ok := value.(string); ok && name == "sql_mode" {
		value = combinedMode(strings.TrimSpace(text))
	}
	var err error
	if name == "time_zone" {
		if err := checkZone(value); err != nil {
			return err
		}
	}
	if _, isInteger := bigInt(value); !isInteger && value != nil && countsThings(v.Var.GetType()) {
		return mysqlError(1232, "42000", "Incorrect argument type to variable '%s'", name)
	}
	if init {
		v, err = v.Var.InitValue(ctx, value, false)
	} else if v.Var.IsReadOnly() {
		return sql.ErrSystemVariableReadOnly.New(name)
	} else {
		v, err = v.Var.SetValue(ctx, value, false)
	}
	if err != nil {
		return err
	}
	if s.vars == nil {
		s.vars = make(map[string]sql.SystemVarValue)
	}
	s.vars[name] = v
	return nil
}

// holdVariable returns what gives a variable back the value it has now.
func (s *sqlSession) holdVariable(name string) (restore func()) {
	before, ok := s.vars[name]
	return func() {
		if ok {
			s.vars[name] = before
		} else {
			delete(s.vars, name)
		}
	}
}

// countsThings reports whether a variable is a number, and no switch.
func countsThings(t sql.Type) bool {
	v, ok := t.(sql.SystemVariableType)
	return ok && (v.UnderlyingType() == types.Int64 || v.UnderlyingType() == types.Uint64)
}

// isOfWrongType reports whether a value, as a text, is no integer and the variable is one.
func (s *sqlSession) isOfWrongType(name, value string) bool {
	v, ok := s.variable(strings.ToLower(name))
	_, isInteger := parseInt([]byte(value))
	return ok && !isInteger && countsThings(v.Var.GetType())
}

// combinedMode spells out the SQL modes that stand for several.
func combinedMode(text string) string {
	switch strings.ToUpper(text) {
	case "TRADITIONAL":
		return "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,TRADITIONAL,NO_ENGINE_SUBSTITUTION"
	case "ANSI":
		return "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ONLY_FULL_GROUP_BY,ANSI"
	}
	return text
}

// setDefault gives a variable its default, which the engine does not know, and reports whether there is such a variable.
func (s *sqlSession) setDefault(name string) bool {
	if _, known := s.engine.defaults[name]; !known {
		return false
	}
	delete(s.vars, name)
	return true
}

func (s *sqlSession) GetSessionVariable(_ *sql.Context, name string) (any, error) {
	v, ok := s.vars[name]
	if !ok {
		if v, ok = s.variable(strings.ToLower(name)); !ok {
			return nil, sql.ErrUnknownSystemVariable.New(name)
		}
	}
	return shownValue(v)
}

// shownValue turns the bits of a SET variable into its text.
func shownValue(v sql.SystemVarValue) (any, error) {
	if bits, ok := v.Val.(uint64); ok {
		if set, ok := v.Var.GetType().(sql.SetType); ok {
			return set.BitsToString(bits)
		}
	}
	return v.Val, nil
}

func (s *sqlSession) GetAllSessionVariables() map[string]any {
	all := make(map[string]any, len(s.engine.defaults))
	for name := range s.engine.defaults {
		v, _ := s.variable(name)
		if shown, err := shownValue(v); err == nil {
			all[name] = shown
		}
	}
	return all
}

func (s *sqlSession) SetUserVariable(_ *sql.Context, name string, value any, typ sql.Type) error {
	if s.userVars == nil {
		s.userVars = make(map[string]sql.TypedValue)
	}
	s.userVars[strings.ToLower(name)] = sql.TypedValue{Value: value, Typ: typ}
	return nil
}

func (s *sqlSession) GetUserVariable(_ *sql.Context, name string) (sql.Type, any, error) {
	v := s.userVars[strings.ToLower(name)]
	return v.Typ, v.Value, nil
}

func (s *sqlSession) GetStatusVariable(_ *sql.Context, name string) (any, error) {
	v, ok := s.engine.status[name]
	if !ok {
		return nil, sql.ErrUnknownStatusVariable.New(name)
	}
	return v.Value(), nil
}

func (s *sqlSession) SetStatusVariable(*sql.Context, string, any) error { return nil }

func (s *sqlSession) GetAllStatusVariables(*sql.Context) map[string]sql.StatusVarValue {
	all := make(map[string]sql.StatusVarValue, len(s.engine.status))
	for name, v := range s.engine.status {
		all[name] = v
	}
	return all
}

// IncrementStatusVariable is ignored: status counters of the engine are process-global.
func (s *sqlSession) IncrementStatusVariable(*sql.Context, string, int) {}

func (s *sqlSession) NewStoredProcParam(name string, param *sql.StoredProcParam) *sql.StoredProcParam {
	name = strings.ToLower(name)
	if p, ok := s.procParams[name]; ok {
		return p
	}
	if s.procParams == nil {
		s.procParams = make(map[string]*sql.StoredProcParam)
	}
	s.procParams[name] = param
	return param
}

func (s *sqlSession) GetStoredProcParam(name string) *sql.StoredProcParam {
	return s.procParams[strings.ToLower(name)]
}

func (s *sqlSession) SetStoredProcParam(name string, val any) error {
	p := s.GetStoredProcParam(name)
	if p == nil {
		return sql.ErrUnknownUserVariable.New(name)
	}
	p.SetValue(val)
	return nil
}

func (s *sqlSession) GetCharacterSet() sql.CharacterSetID {
	return s.charset("character_set_connection")
}

func (s *sqlSession) GetCharacterSetResults() sql.CharacterSetID {
	return s.charset("character_set_results")
}

func (s *sqlSession) charset(name string) sql.CharacterSetID {
	v, _ := s.variable(name)
	text, ok := v.Val.(string)
	if !ok {
		return sql.CharacterSet_Unspecified
	}
	id, err := sql.ParseCharacterSet(text)
	if err != nil {
		return sql.CharacterSet_utf8mb4
	}
	return id
}

func (s *sqlSession) GetCollation() sql.CollationID {
	v, _ := s.variable("collation_connection")
	text, ok := v.Val.(string)
	if !ok {
		return defaultCollation
	}
	if text == defaultCollationName {
		return defaultCollation
	}
	id, err := sql.ParseCollation("", text, false)
	if err != nil {
		return defaultCollation
	}
	return id
}

// unfitVerb is what the engine makes of a number in a message for texts.
var unfitVerb = regexp.MustCompile(`%!s\(\w+=(.*?)\)`)

// Warn notes a warning, but for the engine's about an index that is there twice: it sees the one it has just made.
func (s *sqlSession) Warn(w *sql.Warning) {
	if shown := unfitVerb.ReplaceAllString(w.Message, "$1"); shown != w.Message {
		plain := *w
		plain.Message, w = shown, &plain
	}
	if _, doubtful := doubtStates[w.Code]; doubtful {
		s.doubt = s.mysqlWarning(w)
	}
	if w.Code != 1831 {
		s.warnings = append(s.warnings, s.mysqlWarning(w))
	}
}

func (s *sqlSession) ClearWarningCount()   {}
func (s *sqlSession) LockWarnings()        { s.warningsHeld = true }
func (s *sqlSession) UnlockWarnings()      { s.warningsHeld = false }
func (s *sqlSession) WarningCount() uint16 { return uint16(len(s.warnings)) }

func (s *sqlSession) ClearWarnings() {
	if !s.warningsHeld {
		s.warnings = nil
	}
}

// Warnings returns the warnings, the last one first, as the engine wants them.
func (s *sqlSession) Warnings() []*sql.Warning {
	n := len(s.warnings)
	all := make([]*sql.Warning, n)
	for i, w := range s.warnings {
		all[n-1-i] = w
	}
	return all
}

// The engine's locks of GET_LOCK are not used: see namedLocks.
func (s *sqlSession) AddLock(string) error               { return nil }
func (s *sqlSession) DelLock(string) error               { return nil }
func (s *sqlSession) IterLocks(func(string) error) error { return nil }

func (s *sqlSession) SetLastQueryInfoInt(key string, value int64) {
	if key == sql.RowCount {
		s.afterRowCount = value + 1
		return
	}
	if s.lastInfo == nil {
		s.lastInfo = make(map[string]int64)
	}
	s.lastInfo[key] = value
	if key == sql.LastInsertId {
		s.insertIDSet = true
	}
}

// insertID returns what LAST_INSERT_ID was set to by the running statement.
func (s *sqlSession) insertID() (id uint64, set bool) {
	if !s.insertIDSet {
		return 0, false
	}
	return uint64(s.lastInfo[sql.LastInsertId]), true
}

// GetLastQueryInfoInt returns what a statement noted.
func (s *sqlSession) GetLastQueryInfoInt(key string) int64 {
	if key == sql.RowCount {
		return s.afterRowCount - 1
	}
	return s.lastInfo[key]
}

func (s *sqlSession) SetLastQueryInfoString(key, value string) {
	if s.lastText == nil {
		s.lastText = make(map[string]string)
	}
	s.lastText[key] = value
}

func (s *sqlSession) GetLastQueryInfoString(key string) string { return s.lastText[key] }

// reset makes the session as new. The caller has ended its transaction.
func (s *sqlSession) reset() {
	s.vars, s.userVars = nil, nil
	s.warnings, s.warningsHeld, s.raised = nil, false, nil
	s.lastInfo, s.lastText = nil, nil
	s.afterRowCount = 0
	s.procParams = nil
	s.views, s.indexes = nil, nil
	s.client.Capabilities = 0
	s.tx, s.stmt, s.duplicate = nil, scanMode{}, nil
	s.lockSeconds = 0
}

// engineTx stands for the running transaction in the engine's eyes; the Session drives the real one.
type engineTx struct{ readOnly bool }

func (t *engineTx) String() string   { return "transaction" }
func (t *engineTx) IsReadOnly() bool { return t.readOnly }

// fromContext returns our session of an engine context.
func fromContext(ctx *sql.Context) *sqlSession { return ctx.Session.(*sqlSession) }
