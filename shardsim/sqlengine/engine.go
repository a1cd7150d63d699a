package sqlengine

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/memo"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/variables"
	"github.com/sirupsen/logrus"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtenv"

	"github.com/vitrodb/vitro/shardsim/store"
)

// MySQL 8's default, which the engine does not have by itself.
const (
	defaultCollation     = sql.Collation_utf8mb4_0900_ai_ci
	defaultCollationName = "utf8mb4_0900_ai_ci"
)

// defaultSQLMode is MySQL 8.4's.
const defaultSQLMode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"

// serverVersion decides the syntax of version comments and what collations exist.
const serverVersion = "8.4.6"

// Engine is one SQL engine for any number of shards. It is safe for concurrent use.
type Engine struct {
	analyzer *analyzer.Analyzer
	env      *vtenv.Environment
	logger   *logrus.Entry
	locks    *namedLocks
	// defaults are the session variables' initial values; status the session status variables. Both are read-only.
	defaults map[string]sql.SystemVarValue
	status   map[string]sql.StatusVarValue

	statements statementCache
	databases  databases
	lastID     atomic.Uint32 // session ids
	shortIDs   atomic.Uint64 // of UUID_SHORT
}

// globals guards what go-mysql-server keeps per process. It is set up once and not changed by us afterwards.
var globals sync.Once

// New returns an engine without shards.
func New() *Engine {
	globals.Do(variables.InitStatusVariables)
	env, err := vtenv.New(vtenv.Options{MySQLServerVersion: serverVersion})
	if err != nil {
		// The version is a constant: this is a broken build.
		panic(err)
	}
	quiet := logrus.New()
	quiet.SetOutput(io.Discard)
	e := &Engine{env: env, logger: logrus.NewEntry(quiet), locks: newNamedLocks()}
	e.defaults = defaultVariables()
	e.status = sql.StatusVariables.NewSessionMap()
	builder := analyzer.NewBuilder(&provider{engine: e}).RemoveAfterAllRule(analyzer.TrackProcessId)
	for _, id := range unwantedRules() {
		builder.RemoveDefaultRule(id).RemoveOnceAfterRule(id)
	}
	e.analyzer = builder.Build()
	e.analyzer.ExecBuilder = rowexec.NewOverrideBuilder(execOverrides{engine: e})
	// Indexes are in memory: looking rows up beats reading a whole table, which the engine's own estimates prefer.
	e.analyzer.Coster = memo.NewLookupBiasedCoster()
	e.registerFunctions()
	e.statements.init()
	return e
}

// unwantedRules are the engine's rewritings of EXISTS and IN to joins: these take NULL in NOT EXISTS as in NOT IN, and lose
// it in NOT IN where an index is looked up. And its rewriting of MAX and MIN of a key to the first row of an index, which gives
// no row for an empty table.
func unwantedRules() []analyzer.RuleId {
	var ids []analyzer.RuleId
	for id := range analyzer.TrackProcessId {
		switch id.String() {
		case "unnestInSubqueries", "unnestExistsSubqueries", "replaceAgg":
			ids = append(ids, id)
		}
	}
	return ids
}

func (e *Engine) registerFunctions() {
	ctx := sql.NewContext(context.Background(), sql.WithSession(&sqlSession{engine: e, shard: &Shard{}}))
	e.analyzer.Catalog.RegisterFunction(ctx, sql.FunctionN{Name: "version", Fn: function.NewVersion("")})
	e.analyzer.Catalog.RegisterFunction(ctx, e.locks.functions()...)
}

// defaultVariables returns the system variables with MySQL 8.4's values where the engine's differ.
func defaultVariables() map[string]sql.SystemVarValue {
	vars := sql.SystemVariables.NewSessionMap()
	set := func(name string, value any) {
		if v, ok := vars[name]; ok {
			v.Val = value
			vars[name] = v
		}
	}
	set("collation_connection", defaultCollationName)
	set("collation_database", defaultCollationName)
	set("collation_server", defaultCollationName)
	set("default_collation_for_utf8mb4", defaultCollationName)
	// The engine's merge join forgets that a semi join's right side must be distinct, and gives rows twice.
	set("disable_merge_join", int8(1))
	set("sql_mode", defaultSQLMode)
	set("version", serverVersion+"-Vitess")
	return vars
}

// Close releases the engine.
func (e *Engine) Close() error { return nil }

// NewShard makes an empty shard whose database is named as the keyspace. It is in use until Shard.Forget.
func (e *Engine) NewShard(keyspace, shard string) *Shard {
	s := &Shard{engine: e, keyspace: keyspace, name: shard, db: store.New(store.Options{})}
	e.databases.add(s)
	return s
}

// quotedExpression prints an expression with all names quoted, as MySQL shows check constraints.
func (e *Engine) quotedExpression(text string) string {
	expr, err := e.env.Parser().ParseExpr(text)
	if err != nil {
		return text
	}
	buf := sqlparser.NewTrackedBuffer(nil)
	buf.SetEscapeAllIdentifiers()
	buf.Myprintf("%v", expr)
	return "(" + unwrapped(buf.String()) + ")"
}
