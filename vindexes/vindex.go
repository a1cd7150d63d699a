package vindexes

import (
	"context"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtgatepb "vitess.io/vitess/go/vt/proto/vtgate"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/vindexes/key"
)

// Vindex maps column values to keyspace ids. Every vindex is either a
// SingleColumn or a MultiColumn; what else it can do shows in the other
// interfaces of this file. Vindexes are immutable and safe for use by all
// sessions at once.
type Vindex interface {
	// String is the name the VSchema gives the vindex.
	String() string
	// Cost orders vindexes for the planner: 0 the value is its own keyspace
	// id, 1 it is hashed, 2 and more it is looked up.
	Cost() int
	// IsUnique says whether a value maps to at most one keyspace id.
	IsUnique() bool
	// NeedsVCursor says whether Map and Verify run queries.
	NeedsVCursor() bool
}

// SingleColumn is a vindex of one column.
type SingleColumn interface {
	Vindex
	// Map gives one destination per id, in order. An error on one id fails
	// the batch; an id that can belong to no shard maps to DestinationNone.
	Map(ctx context.Context, vc VCursor, ids []sqltypes.Value) ([]key.Destination, error)
	// Verify says for each id whether it maps to the keyspace id beside it.
	Verify(ctx context.Context, vc VCursor, ids []sqltypes.Value, ksids [][]byte) ([]bool, error)
}

// MultiColumn is a vindex of several columns; a row holds their values in the
// vindex's order.
type MultiColumn interface {
	Vindex
	// Map gives one destination per row, in order. A row may be short where
	// PartialVindex says so: the destination is then a key range.
	Map(ctx context.Context, vc VCursor, rows [][]sqltypes.Value) ([]key.Destination, error)
	// Verify says for each row whether it maps to the keyspace id beside it.
	Verify(ctx context.Context, vc VCursor, rows [][]sqltypes.Value, ksids [][]byte) ([]bool, error)
	// PartialVindex says whether a prefix of the columns is enough for Map.
	PartialVindex() bool
}

// Hashing is a vindex whose keyspace id is a function of the value alone; such
// vindexes can be a part of a multi-column one.
type Hashing interface {
	Hash(id sqltypes.Value) ([]byte, error)
}

// Reversible is a vindex that can tell the value from the keyspace id.
type Reversible interface {
	SingleColumn
	ReverseMap(vc VCursor, ksids [][]byte) ([]sqltypes.Value, error)
}

// Sequential is a vindex that keeps the order of its values, so that BETWEEN
// reaches a range of keyspace ids.
type Sequential interface {
	// RangeMap gives the destinations of the values from start to end.
	RangeMap(ctx context.Context, vc VCursor, start, end sqltypes.Value) ([]key.Destination, error)
}

// Prefixable is a vindex under which values with one prefix lie together, so
// that LIKE 'prefix%' reaches a range of keyspace ids.
type Prefixable interface {
	SingleColumn
	// PrefixVindex is the vindex that maps a prefix.
	PrefixVindex() SingleColumn
}

// Lookup is a vindex stored in a table: rows enter and leave it with the rows
// of the table that owns it. rows[i] goes with ksids[i].
type Lookup interface {
	// Create stores the keyspace ids of rows; with ignoreMode a row that is
	// already there is no error.
	Create(ctx context.Context, vc VCursor, rows [][]sqltypes.Value, ksids [][]byte, ignoreMode bool) error
	// Delete removes rows of one keyspace id.
	Delete(ctx context.Context, vc VCursor, rows [][]sqltypes.Value, ksid []byte) error
	// Update moves one keyspace id from oldValues to newValues.
	Update(ctx context.Context, vc VCursor, oldValues []sqltypes.Value, ksid []byte, newValues []sqltypes.Value) error
}

// LookupPlanable is a lookup whose query the planner can see and plan.
type LookupPlanable interface {
	Vindex
	// Query is the lookup's SELECT and the names of its arguments.
	Query() (query string, arguments []string)
	// MapResult makes Map's answer of the results, one per id.
	MapResult(ids []sqltypes.Value, results []*sqltypes.Result) ([]key.Destination, error)
	// AllowBatch says whether one query may carry many ids.
	AllowBatch() bool
	// GetCommitOrder says when, relative to the rows, the lookup commits.
	GetCommitOrder() vtgatepb.CommitOrder
	// AutoCommitEnabled says whether the lookup is read outside the transaction.
	AutoCommitEnabled() bool
}

// LookupBackfill is a lookup that may be write-only while it is being filled:
// it is then kept up to date but not used for routing.
type LookupBackfill interface {
	IsBackfilling() bool
}

// WantOwnerInfo is a vindex that must know the table that owns it. It is told
// once, while the VSchema is built.
type WantOwnerInfo interface {
	SetOwnerInfo(keyspace, table string, columns []sqlparser.IdentifierCI) error
}

// VCursor runs the queries of lookup vindexes inside the session that asked.
// Functional vindexes never touch it: nil will do for them.
type VCursor interface {
	// Execute plans and runs a query over the lookup's table. method names the
	// caller in traces; order is the commit order of the shards it touches.
	Execute(ctx context.Context, method, query string, bindVars map[string]*querypb.BindVariable,
		rollbackOnError bool, order vtgatepb.CommitOrder) (*sqltypes.Result, error)
	// ExecuteKeyspaceID runs a query as it is on the shard of a keyspace id.
	ExecuteKeyspaceID(ctx context.Context, keyspace string, ksid []byte, query string,
		bindVars map[string]*querypb.BindVariable, rollbackOnError, autocommit bool) (*sqltypes.Result, error)
	// InTransactionAndIsDML says whether a lookup read should lock its rows.
	InTransactionAndIsDML() bool
	// LookupRowLockShardSession is the commit order of such locking reads.
	LookupRowLockShardSession() vtgatepb.CommitOrder
	// ConnCollation is the collation of the client's connection.
	ConnCollation() collations.ID
}
