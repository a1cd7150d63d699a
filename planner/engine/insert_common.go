package engine

import (
	"context"
	"fmt"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// InsertCommon is what Insert and InsertSelect share.
type InsertCommon struct {
	writes

	Opcode   opcode.InsertOpcode
	Keyspace *vindexes.Keyspace
	// Reference: each shard of the sharded keyspace holds the whole table, and gets all rows.
	Reference bool
	// Ignore: rows that can not be placed or are there already are left out (INSERT IGNORE, ON DUPLICATE KEY UPDATE).
	Ignore    bool
	TableName string
	// MultiShardAutocommit lets each shard commit its part by itself.
	MultiShardAutocommit bool
	// QueryTimeout is in milliseconds; 0 for none.
	QueryTimeout int
	// ForceNonStreaming: the SELECT reads the table that is written, so it is read to its end first.
	ForceNonStreaming bool
	// PreventAutoCommit: more follows in the same transaction.
	PreventAutoCommit bool
	// Generate is set where a sequence fills a column.
	Generate *Generate
	// ColVindexes are the table's vindexes, the primary one first.
	ColVindexes []*vindexes.ColumnVindex
	// ColumnTypes are the types of their columns: by vindex as in ColVindexes, by column; NULL_TYPE where not known.
	ColumnTypes [][]querypb.Type
	// FetchLastInsertID: the statement sets LAST_INSERT_ID(expr) on the shard, and the session wants it.
	FetchLastInsertID bool
	// Prefix and Suffix stand before and after the rows in each shard's statement.
	Prefix string
	Suffix sqlparser.OnDup
}

// Generate fills a column from a sequence.
type Generate struct {
	// Keyspace is the sequence's; Query fetches :n values of it.
	Keyspace *vindexes.Keyspace
	Query    string
	// Values are the values given, a tuple; NULL and 0 are replaced. Nil when rows come from a SELECT.
	Values evalengine.Expr
	// Offset is the column of a SELECT's row, from 0; past the row's end where the column is to be added.
	Offset int
}

// describeInsert adds what both inserts print.
func (ic *InsertCommon) describeInsert(variant string) Description {
	d := describe("Insert", variant)
	d.Keyspace = ic.Keyspace
	d.set("MultiShardAutocommit", ic.MultiShardAutocommit)
	d.set("QueryTimeout", ic.QueryTimeout)
	d.set("InsertIgnore", ic.Ignore)
	d.set("InputAsNonStreaming", ic.ForceNonStreaming)
	d.set("NoAutoCommit", ic.PreventAutoCommit)
	if g := ic.Generate; g != nil && g.Values == nil {
		d.set("AutoIncrement", fmt.Sprintf("%s:Offset(%d)", g.Query, g.Offset))
	} else if g != nil {
		d.set("AutoIncrement", g.Query+":Values::"+printExpr(g.Values))
	}
	return d
}

// isWhole reports whether shards get the whole statement, not rows of it.
func (ic *InsertCommon) isWhole() bool { return ic.Opcode == opcode.InsertUnsharded || ic.Reference }

// wholeQueries pairs a statement with the one shard of an unsharded keyspace, or with all that hold a reference table.
func (ic *InsertCommon) wholeQueries(ctx context.Context, env *Env, sql string, bindVars BindVars) ([]ShardQuery, error) {
	shards, _, err := env.Shards.Resolve(ctx, ic.Keyspace.Name, []key.Destination{key.DestinationAllShards{}})
	if err != nil {
		return nil, err
	}
	if len(shards) != 1 && !ic.Reference {
		return nil, vterrors.VT09022(shards)
	}
	queries := make([]ShardQuery, len(shards))
	for i, shard := range shards {
		queries[i] = ShardQuery{Shard: shard, SQL: sql, BindVars: bindVars}
	}
	return queries, nil
}

// shardInserts are the statements that bring an INSERT's rows to the shards.
type shardInserts struct {
	queries []ShardQuery
	// rows are the numbers of the rows that each of queries writes; nil where shards get the whole statement.
	rows [][]int
	// entries are the vindexes' values, as place takes them, and ksids what it gave.
	entries [][][]sqltypes.Value
	ksids   [][]byte
	// given is how many rows the statement has, those that are left out among them.
	given int
	// generated is the first id from a sequence, 0 for none. It goes before any id that a shard made.
	generated uint64
	// warned is how many warnings there were before the statement.
	warned int
}

// insert runs the shards' statements. told: the result says how many records there were also where it was one.
func (ic *InsertCommon) insert(ctx context.Context, env *Env, w shardInserts, autocommit, told bool) (*sqltypes.Result, error) {
	results, err := writeEach(ctx, env, w.queries, ShardOptions{
		Autocommit:           autocommit,
		MultiShardAutocommit: ic.MultiShardAutocommit,
		FetchLastInsertID:    ic.FetchLastInsertID,
		Copies:               ic.Reference,
	})
	if err != nil {
		return nil, err
	}
	if ic.Reference && len(results) > 0 {
		results = results[:1] // each shard wrote its copy of the same rows
	}
	if err := ic.removeOrphans(ctx, env, results, w); err != nil {
		return nil, err
	}
	total := *addUpWrites(results)
	if w.generated != 0 {
		total.InsertID, total.InsertIDChanged = w.generated, true
	}
	if told || w.given > 1 {
		total.Info = fmt.Sprintf(recordsInfo, w.given, ic.duplicates(results, w), env.Session.WarningCount()-w.warned)
	}
	return &total, nil
}

// duplicates is how many of an INSERT's rows were there before: left out (IGNORE), replaced or updated.
func (ic *InsertCommon) duplicates(results []*sqltypes.Result, w shardInserts) int {
	duplicates, written := 0, 0
	for i, result := range results {
		rows := w.given
		if w.rows != nil {
			rows = len(w.rows[i])
		}
		written += rows
		duplicates += ic.duplicatesOf(result, rows)
	}
	return duplicates + w.given - written
}

// duplicatesOf is duplicates for the rows of one shard.
func (ic *InsertCommon) duplicatesOf(result *sqltypes.Result, rows int) int {
	var records, duplicates, warnings int
	n, _ := fmt.Sscanf(result.Info, recordsInfo, &records, &duplicates, &warnings)
	switch affected := int(result.RowsAffected); {
	case n == 3:
		return duplicates
	case rows == 1 && affected > 1:
		return 1 // an updated or replaced row counts twice
	case ic.Ignore && ic.Suffix == nil:
		return rows - affected
	}
	return 0
}
