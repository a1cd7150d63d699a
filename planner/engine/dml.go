package engine

import (
	"context"
	"fmt"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// DML is what Update and Delete share.
type DML struct {
	writes

	*RoutingParameters
	// Query is the SQL shards get.
	Query string
	// KsidVindex is the primary vindex and KsidLength the number of its columns, which come first in OwnedVindexQuery.
	KsidVindex vindexes.Vindex
	KsidLength int
	// TableNames are the tables written.
	TableNames []string
	// Vindexes are the written table's vindexes; OwnedVindexQuery selects, for update, the values its owned ones hold.
	Vindexes         []*vindexes.ColumnVindex
	OwnedVindexQuery string
	// MultiShardAutocommit lets each shard commit its part by itself.
	MultiShardAutocommit bool
	// QueryTimeout is in milliseconds; 0 for none.
	QueryTimeout int
	// PreventAutoCommit: more follows in the same transaction.
	PreventAutoCommit bool
	// FetchLastInsertID: the statement sets LAST_INSERT_ID(expr) on the shard, and the session wants it.
	FetchLastInsertID bool
}

// NewDML returns an empty DML, its routing parameters made.
func NewDML() *DML { return &DML{RoutingParameters: &RoutingParameters{}} }

// describeDML describes an update or a delete.
func (dml *DML) describeDML(operator string) Description {
	d := describe(operator, dml.Opcode.String())
	d.Keyspace = dml.Keyspace
	d.set("Query", dml.Query)
	d.set("OwnedVindexQuery", dml.OwnedVindexQuery)
	d.set("MultiShardAutocommit", dml.MultiShardAutocommit)
	d.set("QueryTimeout", dml.QueryTimeout)
	d.set("NoAutoCommit", dml.PreventAutoCommit)
	d.set("FetchLastInsertID", dml.FetchLastInsertID)
	if dml.KsidVindex != nil {
		d.set("KsidVindex", dml.KsidVindex.String())
		d.set("KsidLength", dml.KsidLength)
	}
	dml.describeRouting(d)
	return d
}

// ownedFirst changes the owned vindexes of rows before the rows, and says how many there are.
type ownedFirst func(context.Context, []Shard, []BindVars) (rows int, err error)

// write runs the query where the routing leads. first, if not nil, runs before on the same shards; without rows the query is
// not run, as rows that came meanwhile would be changed without their entries.
func (dml *DML) write(ctx context.Context, env *Env, bindVars BindVars, first ownedFirst) (*sqltypes.Result, error) {
	ctx, cancel := withTimeout(ctx, dml.QueryTimeout)
	defer cancel()
	shards, vars, err := dml.findForWrite(ctx, env, bindVars)
	if err != nil || len(shards) == 0 {
		return &sqltypes.Result{}, err
	}
	rows := 0
	if first != nil {
		if rows, err = first(ctx, shards, vars); err != nil || rows == 0 {
			return &sqltypes.Result{}, err
		}
	}
	copies := dml.Opcode == opcode.Reference
	results, err := writeEach(ctx, env, shardQueries(shards, dml.Query, vars), ShardOptions{
		Autocommit:           first == nil && !dml.PreventAutoCommit,
		MultiShardAutocommit: dml.MultiShardAutocommit,
		FetchLastInsertID:    dml.FetchLastInsertID,
		Copies:               copies,
	})
	if err != nil {
		return nil, err
	}
	if copies {
		results = results[:1] // each shard changed its copy of the same rows
	}
	result := addUpWrites(results)
	if first != nil && rowsMatched(result) > rows {
		return nil, errRowsCame()
	}
	return result, nil
}

// rowsMatched is how many rows a write was about, also if it left some as they were.
func rowsMatched(result *sqltypes.Result) int {
	var matched, changed, warnings int
	if n, _ := fmt.Sscanf(result.Info, matchedInfo, &matched, &changed, &warnings); n == 3 {
		return matched
	}
	return int(result.RowsAffected)
}

// errRowsCame is the error of a statement that met rows which were not there when their entries were looked for. MySQL would
// have waited for them.
func errRowsCame() error {
	return sqlerror.NewSQLError(sqlerror.ERLockWaitTimeout, sqlerror.SSUnknownSQLState, "Lock wait timeout exceeded; try restarting transaction")
}

// findForWrite is find, but a reference table is written on all shards, as all hold it.
func (dml *DML) findForWrite(ctx context.Context, env *Env, bindVars BindVars) ([]Shard, []BindVars, error) {
	if dml.Opcode == opcode.Reference {
		return dml.findDestination(ctx, env, bindVars, key.DestinationAllShards{})
	}
	return dml.find(ctx, env, bindVars)
}

// ownedRows selects, for update, the rows whose owned vindexes are to change.
func (dml *DML) ownedRows(ctx context.Context, env *Env, shards []Shard, vars []BindVars) (*sqltypes.Result, error) {
	results, err := env.Shards.Execute(ctx, shardQueries(shards, dml.OwnedVindexQuery, vars), ShardOptions{Locks: true})
	if err != nil {
		return nil, err
	}
	whole := &sqltypes.Result{}
	for _, result := range results {
		appendPiece(whole, result)
	}
	return whole, env.checkMemory(len(whole.Rows))
}

// shardQueries pairs shards with one statement and their bind variables.
func shardQueries(shards []Shard, sql string, vars []BindVars) []ShardQuery {
	queries := make([]ShardQuery, len(shards))
	for i, shard := range shards {
		queries[i] = ShardQuery{Shard: shard, SQL: sql, BindVars: vars[i]}
	}
	return queries
}
