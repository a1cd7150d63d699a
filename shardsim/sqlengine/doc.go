// Package sqlengine runs SQL for the simulated shards. It is the only wrapper of go-mysql-server.
//
//	Engine     one analyser and one plan cache for all shards of a cluster
//	  Shard    one shard's tables: schema objects + a store.DB
//	    Session  runs statements: its transaction, variables, warnings
//
//	Session.Execute(sql, binds)
//	   |  statement.go   parse the gateway's dialect once per text: kind, lock mode, tables
//	   |  dialect.go     print it for the engine's parser
//	   v
//	tier 1  point.go     straight to the index by primary key
//	tier 3  analyse.go   cached AST -> bind -> analyse -> iterate
//	   v
//	result.go            engine rows -> sqltypes rows and fields
//	errors.go            engine errors -> MySQL number, SQLSTATE and wording
//
// What it is not: storage and locks (package store), routing, or a server. Statement texts come in the gateway's dialect
// (vitess.io/vitess/go/vt/sqlparser) and never leave the process.
//
// Start reading at session.go, then table.go for how the engine reaches the store.
package sqlengine
