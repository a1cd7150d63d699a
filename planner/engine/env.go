package engine

import (
	"context"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// BindVars are a statement's bind variables by name.
type BindVars = map[string]*querypb.BindVariable

// Emit takes one piece of a result. The first piece of every execution carries Fields where the statement has a result
// set, also when there are no rows. It is never called by two goroutines at once. Rows passed on are not changed any more.
type Emit = func(*sqltypes.Result) error

// Env is what an execution may reach. It is made anew for each statement and is safe for concurrent use by the parts of
// one statement.
type Env struct {
	Shards   ShardExecutor
	Session  Session
	Commands Commands
	// Facts are what expressions ask for: database, time zone, sql_mode.
	Facts evalengine.VCursor
	// Lookups runs the queries of lookup vindexes; nil where there are none.
	Lookups vindexes.VCursor
	// Tables finds tables through routing rules, for queries of information_schema.
	Tables TableFinder
	// Collation is the connection's.
	Collation collations.ID
	// MemoryRowsMax bounds the rows a primitive may hold at once; 0 for no bound.
	MemoryRowsMax int
	// FanOutMax bounds the shards asked at once by one route that need not merge; 0 for DefaultFanOutMax.
	FanOutMax int
	// FoundRows: rows that a write finds as it leaves them count as affected (CLIENT_FOUND_ROWS).
	FoundRows bool
	// MoreWrites: other writes of the same statement follow, so none may commit by itself.
	MoreWrites bool
	// Trace counts what the nodes of the tree do; nil counts nothing.
	Trace *Trace
}

// DefaultFanOutMax is how many shards a scatter asks at once unless told.
const DefaultFanOutMax = 32

// Shard names one shard.
type Shard struct {
	Keyspace, Name string
}

// ShardQuery is one statement for one shard. Bind variables are shared with other queries and not changed.
type ShardQuery struct {
	Shard    Shard
	SQL      string
	BindVars BindVars
}

// ShardOptions say how shard queries run.
type ShardOptions struct {
	// Write: the statement changes rows. It then joins the session's transaction, or an implicit one where several shards
	// are written and the statement is not in one.
	Write bool
	// Locks: the statement reads for a write. It joins a transaction as one that writes does, and leaves nothing to undo.
	Locks bool
	// Autocommit: this is the statement's only write, so that a single shard may commit by itself.
	Autocommit bool
	// MultiShardAutocommit: each shard may commit by itself, also where there are several.
	MultiShardAutocommit bool
	// Standalone: run outside the session's transaction (sequences).
	Standalone bool
	// Partial: shards that fail become warnings, unless all fail.
	Partial bool
	// FetchLastInsertID: the statement's insert id becomes the session's even when it reads.
	FetchLastInsertID bool
	// Entries: the statement works for a consistent lookup, whose entries are in these tables of the shards. Those it
	// makes commit before the rows of the transaction, and those it removes after them.
	Entries []string
	// Copies: the queries change copies of the same rows, so that the warnings of the first are those of all.
	Copies bool
	// Reserved: the statement takes or frees locks of GET_LOCK, which are a connection's that the session keeps for them.
	Reserved bool
}

// Joins reports whether the statement belongs in a transaction with the writes.
func (opts ShardOptions) Joins() bool { return opts.Write || opts.Locks }

// ShardExecutor is the door to the shards.
type ShardExecutor interface {
	// Resolve returns the shards that destinations mean in a keyspace, each once and in shard order, and beside each
	// shard the indexes of the destinations that reach it, ascending.
	Resolve(ctx context.Context, keyspace string, dests []key.Destination) ([]Shard, [][]int, error)
	// Execute runs the queries in parallel and returns their results in the order of the queries. The first error
	// cancels the rest. With opts.Partial the results of shards that failed are nil.
	Execute(ctx context.Context, queries []ShardQuery, opts ShardOptions) ([]*sqltypes.Result, error)
	// Stream runs one query, which reads. The first piece carries Fields.
	Stream(ctx context.Context, query ShardQuery, opts ShardOptions, emit Emit) error
}

// Session is the part of the session that primitives change.
type Session interface {
	// SetUserVariable sets @name.
	SetUserVariable(name string, value sqltypes.Value)
	// SetFoundRows sets what FOUND_ROWS() answers next.
	SetFoundRows(n uint64)
	// Warn adds a warning of the statement.
	Warn(warning *querypb.QueryWarning)
	// WarningCount is how many warnings the statement has so far.
	WarningCount() int
	// Variable returns the session's value of a system variable as SHOW VARIABLES prints it, false if it has none.
	Variable(name string) (string, bool)
}

// Commands runs the primitives that are the gateway's own business: schema changes, session and cluster statements.
type Commands interface {
	Command(ctx context.Context, p Primitive, bindVars BindVars) (*sqltypes.Result, error)
}

// TableFinder finds a table by its name and, if given, its keyspace.
type TableFinder interface {
	FindTable(keyspace, name string) (*vindexes.Table, error)
}

// expressions returns an environment to evaluate expressions in. It is for one goroutine.
func (env *Env) expressions(ctx context.Context, bindVars BindVars) *evalengine.ExpressionEnv {
	return evalengine.NewExpressionEnv(ctx, bindVars, env.Facts)
}

// evaluate returns the value of one expression without a row.
func (env *Env) evaluate(ctx context.Context, bindVars BindVars, expr evalengine.Expr) (sqltypes.Value, error) {
	result, err := env.expressions(ctx, bindVars).Evaluate(expr)
	if err != nil {
		return sqltypes.NULL, err
	}
	return result.Value(env.Collation), nil
}

// evaluateTuple returns the values of one tuple expression.
func (env *Env) evaluateTuple(ctx context.Context, bindVars BindVars, expr evalengine.Expr) ([]sqltypes.Value, error) {
	result, err := env.expressions(ctx, bindVars).Evaluate(expr)
	if err != nil {
		return nil, err
	}
	return result.TupleValues(), nil
}

// sqlMode is the session's, parsed.
func (env *Env) sqlMode() evalengine.SQLMode { return evalengine.ParseSQLMode(env.Facts.SQLMode()) }

// collationEnv is the collations the process knows.
func (env *Env) collationEnv() *collations.Environment { return env.Facts.Environment().CollationEnv() }

// withMoreWrites returns an environment in which no write commits by itself.
func (env *Env) withMoreWrites() *Env {
	if env.MoreWrites {
		return env
	}
	more := *env
	more.MoreWrites = true
	return &more
}

// checkMemory fails when a primitive holds more rows than allowed.
func (env *Env) checkMemory(rows int) error {
	if env.MemoryRowsMax > 0 && rows > env.MemoryRowsMax {
		return vterrors.NewErrorf(vtrpcpb.Code_RESOURCE_EXHAUSTED, vterrors.NetPacketTooLarge,
			"in-memory row count exceeded allowed limit of %d", env.MemoryRowsMax)
	}
	return nil
}

// collect runs a primitive and returns its whole result, within the memory bound.
func (env *Env) collect(ctx context.Context, p Primitive, bindVars BindVars) (*sqltypes.Result, error) {
	whole := &sqltypes.Result{}
	err := env.run(ctx, p, bindVars, func(piece *sqltypes.Result) error {
		appendPiece(whole, piece)
		return env.checkMemory(len(whole.Rows))
	})
	if err != nil {
		return nil, err
	}
	return whole, nil
}

// run executes a node of the tree.
func (env *Env) run(ctx context.Context, p Primitive, bindVars BindVars, emit Emit) error {
	if env.Trace == nil {
		return p.Execute(ctx, env, bindVars, emit)
	}
	return env.Trace.run(ctx, env, p, bindVars, emit)
}

// Collect runs a primitive and returns its whole result.
func Collect(ctx context.Context, env *Env, p Primitive, bindVars BindVars) (*sqltypes.Result, error) {
	return env.collect(ctx, p, bindVars)
}

// appendPiece adds a piece to a result: fields once, rows, and the counts of writes.
func appendPiece(whole, piece *sqltypes.Result) {
	if whole.Fields == nil {
		whole.Fields = piece.Fields
	}
	whole.Rows = append(whole.Rows, piece.Rows...)
	whole.RowsAffected += piece.RowsAffected
	if piece.InsertIDUpdated() {
		whole.InsertID = piece.InsertID
		whole.InsertIDChanged = true
	}
	if piece.Info != "" {
		whole.Info = piece.Info
	}
}

// withVar returns a copy of bind variables with one more.
func withVar(bindVars BindVars, name string, value *querypb.BindVariable) BindVars {
	out := copyVars(bindVars, 1)
	out[name] = value
	return out
}

// copyVars returns a copy of bind variables with room for more.
func copyVars(bindVars BindVars, more int) BindVars {
	out := make(BindVars, len(bindVars)+more)
	for name, value := range bindVars {
		out[name] = value
	}
	return out
}

// truncate drops columns from a piece when columns > 0. The piece is not changed.
func truncate(piece *sqltypes.Result, columns int) *sqltypes.Result {
	if columns <= 0 {
		return piece
	}
	out := *piece
	if len(piece.Fields) > columns {
		out.Fields = piece.Fields[:columns:columns]
	}
	out.Rows = make([]sqltypes.Row, len(piece.Rows))
	for i, row := range piece.Rows {
		out.Rows[i] = row[:columns:columns]
	}
	return &out
}

// truncateFields drops fields when columns > 0.
func truncateFields(fields []*querypb.Field, columns int) []*querypb.Field {
	if columns > 0 && len(fields) > columns {
		return fields[:columns:columns]
	}
	return fields
}
