// Package sqlengine runs SQL for the simulated shards. It is the only wrapper of go-mysql-server.
//
//	Engine     one analyser and one cache of parsed statements for all shards of a cluster
//	  Shard    one shard's tables: schema objects (meta.go) over a store.DB
//	    Session  runs statements: its transaction, variables, warnings
//
//	Session.Execute(sql, binds)
//	   |  statement.go   parse the gateway's dialect once per text: lock mode, tables
//	   |-- point*.go     tier 1: straight on the store: tables by keys, ranges and filters, joined by keys, grouped, in order
//	   |                 tier 2: the same, with the engine's analysed expressions as columns (pointcompute.go)
//	   |-- show.go       what the engine would answer otherwise than MySQL
//	   |  dialect.go     tier 3: print it for the engine's parser
//	   |  run.go         bind, analyse, execute; settle.go, assign.go and overrides.go correct what the engine has wrong
//	   v
//	table.go index.go editor.go alter.go    how the engine reaches the store
//	result.go value.go                      engine rows -> sqltypes rows and fields
//	errors.go errortable.go                 engine errors -> MySQL number, SQLSTATE and wording
//	procedure*.go trigger*.go               stored procedures and triggers, statement by statement through Session.execute
//	tablelock.go                            LOCK TABLES, and what waits for it
//	multitable.go temporary.go recursive.go joined writes, temporary tables, recursive common table expressions
//	createselect.go selecttype*.go          CREATE TABLE ... SELECT, and the types of what is selected
//
// What it is not: storage and locks (package store), routing, or a server. Statement texts come in the gateway's dialect
// (vitess.io/vitess/go/vt/sqlparser) and never leave the process.
//
// Collations: the engine's are per character; keys, comparisons, ORDER BY, GROUP BY, DISTINCT, MIN, MAX and set operations use
// the weights of the gateway's library, so that what shards sort the gateway can merge. LIKE and REGEXP are the engine's.
//
// Start reading at session.go, then table.go.
package sqlengine
