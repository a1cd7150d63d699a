package engine

import (
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
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
