package gateway

import (
	"context"
	"io"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtenv"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// BindVars are a statement's bind variables by name.
type BindVars = map[string]*querypb.BindVariable

// Emit takes one piece of a result; the first carries the fields.
type Emit = func(*sqltypes.Result) error

// Topology tells which shards there are and who serves them.
type Topology interface {
	// Keyspaces returns the names of all keyspaces, sorted.
	Keyspaces() []string
	// Shards returns a keyspace's shards in shard order; VT05003 for an unknown keyspace.
	Shards(keyspace string) ([]key.Shard, error)
	// Tablet returns the server of a shard for a tablet type.
	Tablet(keyspace, shard string, tabletType topodatapb.TabletType) (Tablet, error)
	// TabletInfos lists all tablets, for SHOW VITESS_TABLETS.
	TabletInfos() []TabletInfo
}

// TabletInfo describes one tablet as SHOW VITESS_TABLETS shows it.
type TabletInfo struct {
	Cell, Keyspace, Shard string
	Type                  topodatapb.TabletType
	State                 string // SERVING or NOT_SERVING
	Alias, Hostname       string
	PrimaryTermStartTime  string // RFC 3339, empty where it has none
}

// Tablet serves one shard.
type Tablet interface {
	// Connect returns a session on the shard. It is cheap.
	Connect() Conn
	// Schema returns the shard's tables and a version that changes with each DDL.
	Schema() ([]vindexes.TableSchema, uint64)
}

// Conn is one session on a shard, used by one goroutine at a time. Errors are *sqlerror.SQLError.
type Conn interface {
	Statements
	Transactor
	// SetSystemVariables sets session variables; values are SQL texts: 'a string', 1, on.
	SetSystemVariables(vars map[string]string) error
	// FoundRows makes updates count the rows they matched.
	FoundRows(on bool)
	// Warnings returns the warnings of the last statement.
	Warnings() []Warning
	// Close rolls an open transaction back and gives the session back.
	Close()
}

// Statements run SQL on a shard.
type Statements interface {
	// Execute streams the result; the first piece carries the fields.
	Execute(ctx context.Context, sql string, bindVars BindVars, emit Emit) error
	// Query returns the whole result.
	Query(ctx context.Context, sql string, bindVars BindVars) (*sqltypes.Result, error)
}

// Transactor controls a shard's transaction.
type Transactor interface {
	Begin(ctx context.Context, opts TxOptions) error
	// CommitPart commits a part, after which only further parts, Commit and Rollback follow. An error ends the transaction.
	CommitPart(ctx context.Context, part Part, entryTables []string) error
	// Commit commits all that is left.
	Commit(ctx context.Context) error
	Rollback(ctx context.Context) error
	// InTransaction reports whether a transaction is open; a deadlock ends it.
	InTransaction() bool
}

// Part is a share of a shard's transaction that commits before the rest, so that each entry of a consistent lookup is there
// as long as its row is, whichever shards hold the two.
type Part int

// The parts, in their order. What is left for Commit are the entries that were removed.
const (
	EntriesMade Part = iota // rows of the entry tables
	RowsChanged             // all changes of other tables
)

// TxOptions are the characteristics of a transaction.
type TxOptions struct {
	// Isolation is REPEATABLE-READ, READ-COMMITTED, READ-UNCOMMITTED or SERIALIZABLE; empty for the default.
	Isolation          string
	ReadOnly           bool
	ConsistentSnapshot bool
}

// Warning is one row of SHOW WARNINGS.
type Warning struct {
	Level   string // Note, Warning or Error
	Code    uint16
	Message string
}

// PlanRequest is what a plan depends on besides the statement.
type PlanRequest struct {
	VSchema *vindexes.VSchema
	// Keyspaces are those of the topology, sorted.
	Keyspaces []string
	// Keyspace is the session's, empty for none. Destination is set when the session targets shards. TargetString is the
	// target as the client wrote it.
	Keyspace     string
	Destination  key.Destination
	TabletType   topodatapb.TabletType
	TargetString string
	// Collation is the connection's.
	Collation collations.ID
	Env       *vtenv.Environment
	// ForeignKeyChecks is nil unless the session set the variable.
	ForeignKeyChecks *bool
	// ForeignKeysDisallowed: no keyspace may have any.
	ForeignKeysDisallowed bool
	// WarnShardedOnly: a plan warns of what works in unsharded keyspaces alone.
	WarnShardedOnly bool
	// NormalizedLiterals: literals were replaced by bind variables.
	NormalizedLiterals bool
	// BindVarNeeds and Reserved come from normalisation: the needs belong in the plan, and bind variables the planner
	// makes up must not collide with reserved ones.
	BindVarNeeds *sqlparser.BindVarNeeds
	Reserved     *sqlparser.ReservedVars
}

// PlanFunc makes the plan of a statement. The syntax tree is normalised and the planner's to change.
type PlanFunc func(sql string, stmt sqlparser.Statement, req PlanRequest) (*engine.Plan, error)

// ConnInfo is what a new connection tells of itself.
type ConnInfo struct {
	ID             uint32
	User, Database string
	// FoundRows is CLIENT_FOUND_ROWS.
	FoundRows  bool
	RemoteAddr string
	// OpenLocal, if not nil, asks the client for one of its files. Nothing is emitted before it is closed.
	OpenLocal func(name string) (io.ReadCloser, error)
	// Hangup, if not nil, ends the client's connection once the session is killed. It must not wait.
	Hangup func()
}

// Status is what the protocol tells the client after each statement.
type Status struct {
	Autocommit    bool
	InTransaction bool
	Warnings      uint16
}
