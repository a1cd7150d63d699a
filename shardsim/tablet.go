package shardsim

import (
	"context"

	"github.com/vitrodb/vitro/shardsim/sqlengine"
)

// Faults decides whether a statement fails or waits before it runs. Package faults implements it.
type Faults interface {
	// Before is called with each statement. An error is returned to the caller in place of the statement's result.
	Before(ctx context.Context, keyspace, shard, sql string) error
}

// Tablet is one shard's server. It is safe for concurrent use.
type Tablet struct {
	keyspace, shard string
	faults          Faults // may be nil
	db              *sqlengine.Shard
}

// Keyspace returns the name of the tablet's keyspace, which is its database's name too.
func (t *Tablet) Keyspace() string { return t.keyspace }

// Shard returns the name of the tablet's shard, "-80" for example.
func (t *Tablet) Shard() string { return t.shard }

// Connect returns a session on the shard. It is cheap: sessions are pooled.
func (t *Tablet) Connect() *Conn {
	return &Conn{tablet: t, session: t.db.Session()}
}

// Schema returns the shard's tables in the order of their names, and a version that changes with each DDL.
// The tables are shared: they must not be changed.
func (t *Tablet) Schema() (tables []TableSchema, version uint64) {
	return t.db.Schema()
}

// SchemaVersion returns the version Schema would return.
func (t *Tablet) SchemaVersion() uint64 { return t.db.SchemaVersion() }

// LockWaits returns the owners of transactions that wait for locks, each with an owner it waits for. See Conn.SetOwner.
func (t *Tablet) LockWaits() [][2]uint64 { return t.db.LockWaits() }

// Check verifies every index of the shard against its table. It is meant for tests.
func (t *Tablet) Check() error { return t.db.Check() }
