// Package regex stands in for github.com/dolthub/go-icu-regex, which the
// shards' SQL engine uses for REGEXP_LIKE and its kin. That package runs ICU
// as WebAssembly and compiles it when the process starts, which takes longer
// than all the rest of a start. This one has the same API over Vitess's port
// of ICU's regular expressions to Go, which the gateway uses too: so nothing
// is compiled, and a pattern means the same on a shard and above it.
//
//	go-mysql-server ─▶ regex.Regex ─▶ vitess.io/vitess/go/mysql/icuregex
//
//	regex.go        compile, match, find
//	replacement.go  what $1 and backslashes mean in a replacement
//
// The root module's go.mod puts it in place with a replace directive; a
// program that imports Vitro as a library gets the original and works the
// same, but for the time at its start.
package regex
