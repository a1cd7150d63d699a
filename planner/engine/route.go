package engine

import (
	"context"
	"time"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

var _ Primitive = (*Route)(nil)

// Route sends one query to the shards its routing parameters give and passes on their rows, merged by OrderBy where
// there is one, in shard order otherwise.
type Route struct {
	leaf
	reads

	*RoutingParameters
	// Query is the SQL shards get; QueryStatement is its syntax tree, for planning only.
	Query          string
	QueryStatement sqlparser.Statement
	// FieldQuery returns no rows and tells the fields, for when no shard is asked.
	FieldQuery string
	// OrderBy is the order each shard's rows arrive in, and leave in.
	OrderBy evalengine.Comparison
	// TruncateColumnCount > 0 drops the columns from there on: they served OrderBy alone.
	TruncateColumnCount int
	// QueryTimeout is in milliseconds; 0 for none.
	QueryTimeout int
	// ScatterErrorsAsWarnings lets the rows of healthy shards through when others fail.
	ScatterErrorsAsWarnings bool
	// NoRoutesSpecialHandling: the query has a row also over no rows, so one shard is asked when none matches.
	NoRoutesSpecialHandling bool
	// FetchLastInsertID: the query sets LAST_INSERT_ID(expr) on the shard, and the session wants it.
	FetchLastInsertID bool
}

// NewRoute returns a route with nothing but these.
func NewRoute(code opcode.Opcode, keyspace *vindexes.Keyspace, query, fieldQuery string) *Route {
	return &Route{
		RoutingParameters: &RoutingParameters{Opcode: code, Keyspace: keyspace},
		Query:             query,
		FieldQuery:        fieldQuery,
	}
}

// Execute implements Primitive.
func (r *Route) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	if r.QueryTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(r.QueryTimeout)*time.Millisecond)
		defer cancel()
	}
	shards, vars, err := r.find(ctx, env, bindVars)
	if err != nil {
		return err
	}
	return r.executeOn(ctx, env, bindVars, shards, vars, emit)
}

// executeOn runs the query on shards that were found; vars are the bind variables of each.
func (r *Route) executeOn(ctx context.Context, env *Env, bindVars BindVars, shards []Shard, vars []BindVars, emit Emit) error {
	if len(shards) == 0 {
		if !r.NoRoutesSpecialHandling {
			return r.emitFields(ctx, env, bindVars, emit)
		}
		// No shard has matching rows, so any one gives the row that stands for none.
		var err error
		if shards, vars, err = r.findDestination(ctx, env, bindVars, key.DestinationAnyShard{}); err != nil {
			return err
		}
	}
	env.Trace.noteShards(r, len(shards))
	queries := shardQueries(shards, r.Query, vars)
	opts := ShardOptions{
		FetchLastInsertID: r.FetchLastInsertID,
		Standalone:        r.Opcode == opcode.Next,
		Partial:           r.ScatterErrorsAsWarnings,
	}
	out := emit
	if r.TruncateColumnCount > 0 {
		out = func(piece *sqltypes.Result) error { return emit(truncate(piece, r.TruncateColumnCount)) }
	}
	switch {
	case len(queries) == 1:
		return env.Shards.Stream(ctx, queries[0], opts, out)
	case opts.Partial, env.MoreWrites:
		// Where writes follow, shards join their transaction in order.
		return emitWhole(ctx, env, queries, opts, r.OrderBy, out)
	case len(r.OrderBy) > 0:
		return emitMerged(ctx, env, queries, opts, r.OrderBy, out)
	default:
		return emitInShardOrder(ctx, env, queries, opts, out)
	}
}

// emitFields emits the fields and no rows.
func (r *Route) emitFields(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	fields, err := r.GetFields(ctx, env, bindVars)
	if err != nil {
		return err
	}
	return emit(&sqltypes.Result{Fields: fields})
}

// GetFields implements Primitive: any one shard answers FieldQuery.
func (r *Route) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	shards, _, err := env.Shards.Resolve(ctx, r.Keyspace.Name, []key.Destination{key.DestinationAnyShard{}})
	if err != nil {
		return nil, err
	}
	query := ShardQuery{Shard: shards[0], SQL: r.FieldQuery, BindVars: fieldVars(bindVars)}
	results, err := env.Shards.Execute(ctx, []ShardQuery{query}, ShardOptions{})
	if err != nil {
		return nil, err
	}
	return truncateFields(results[0].Fields, r.TruncateColumnCount), nil
}

// fieldVars adds the bind variables that routes and limits fill while they run: field queries name them too.
func fieldVars(bindVars BindVars) BindVars {
	out := copyVars(bindVars, 2)
	if _, ok := out[opcode.ListVar]; !ok {
		out[opcode.ListVar] = listVariable([]sqltypes.Value{sqltypes.NULL})
	}
	if _, ok := out[opcode.UpperLimit]; !ok {
		out[opcode.UpperLimit] = sqltypes.Int64BindVariable(0)
	}
	return out
}

// Description implements Primitive.
func (r *Route) Description() Description {
	d := describe("Route", r.Opcode.String())
	d.Keyspace = r.Keyspace
	d.TargetDestination = r.TargetDestination
	d.set("Query", r.Query)
	d.set("FieldQuery", r.FieldQuery)
	r.describeRouting(d)
	if len(r.SysTableTableSchema) > 0 {
		d.set("SysTableTableSchema", "["+joined(r.SysTableTableSchema, printExpr)+"]")
	}
	if len(r.SysTableTableName) > 0 {
		d.set("SysTableTableName", "["+joined(sortedNames(r.SysTableTableName), func(name string) string {
			return name + ":" + printExpr(r.SysTableTableName[name])
		})+"]")
	}
	d.set("OrderBy", printOrder(r.OrderBy))
	d.set("ResultColumns", max(r.TruncateColumnCount, 0))
	d.set("ScatterErrorsAsWarnings", r.ScatterErrorsAsWarnings)
	d.set("QueryTimeout", r.QueryTimeout)
	d.set("FetchLastInsertID", r.FetchLastInsertID)
	return d
}

func printExpr(expr evalengine.Expr) string { return sqlparser.String(expr) }

// printOrder prints sort keys: "(1|2) ASC, 0 DESC COLLATE utf8mb4_0900_ai_ci".
func printOrder(order evalengine.Comparison) string {
	return joined(order, func(o evalengine.OrderByParams) string { return o.String() })
}
