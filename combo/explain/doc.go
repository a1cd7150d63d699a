// Package explain tells what each shard would be asked by statements, without data and without a server: what vtexplain is to
// Vitess, with its output.
//
//	SQL ──▶ gateway.Session ──▶ tablets that only take notes ──▶ Explanation ──▶ text, JSON
//	          the real one        │ query as the gateway sends it      (time, shard, query)
//	                              │ query as MySQL would get it
//	                              └ made-up rows, so that the rest of the plan runs
//
// Time is logical: queries that shards get at once share a number, and one that waits for another's rows has a later one. A
// Clock tells them apart by real time: what arrives within an interval came at once.
//
// The rows are made up by vtexplain's rules (rows.go), so that both tools show the same queries; they are no measure of what
// real data would do. Plans are made without the columns of the schema, and joins ask their right side row by row, as Vitess
// does. Its keys count in keyspaces whose foreign keys the gateway keeps; checks of them find nothing amiss. The term of a
// recursive common table expression that the gateway runs is asked once for each row of its seed.
//
// It never opens a port, reads a file or changes anything.
//
// Start reading at explain.go.
package explain
