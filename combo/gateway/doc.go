// Package gateway executes statements over shards: what vtgate is to Vitess.
//
//	client ─ wire ─▶ Session.Execute
//	                   │ parse
//	                   ├─ BEGIN, SAVEPOINT, SET, SHOW, USE, DDL, ...   answered here
//	                   │ normalise: literals become bind variables
//	                   ▼
//	                 plan cache ──miss──▶ planner
//	                   │
//	                   ▼
//	                 engine primitives ─▶ execution (one statement) ─▶ transaction ─▶ shard connections
//
// A Gateway is shared by all clients; a Session belongs to one client and runs one statement at a time. Sessions hold
// what a MySQL session holds: database, variables, transaction, last insert id, warnings.
//
// A lookup vindex is added to a table that holds rows in three steps, while clients go on (fill.go): it is defined with
// write_only=true, so that writes keep its entries; CALL vitro.fill_lookup makes those of the rows that were there before;
// and then write_only is taken off and the lookup routes.
//
// It is not the planner and holds no data: shards, topology and planner are given to New. Packages combo/wire and
// shardsim are not imported: package combo plugs them in.
//
// Start reading at gateway.go, session.go and statement.go; execution.go and transaction.go reach the shards.
package gateway
