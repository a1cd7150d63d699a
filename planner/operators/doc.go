// Package operators is the logical plan: a tree that starts out in the shape of the statement and is rewritten, one small
// named step at a time, until every query block is either inside a Route, where a shard's MySQL does the work, or above one,
// where the gateway must do it.
//
//	select u.name, count(*) from user u join user_extra e on u.id = e.user_id group by u.name
//
//	Horizon            what SELECT, GROUP BY, HAVING, ORDER BY and LIMIT ask for, not yet taken apart
//	  QueryGraph       the tables, and the predicates between them
//
//	solved             Horizon ─ Route(Scatter) ─ ApplyJoin ─ Table u, Table e      one route: both tables share a vindex
//	expanded           Aggregator ─ Route ─ ...
//	split              Aggregator(sum) ─ Route ─ Aggregator(count) ─ ...            shards count, the gateway adds up
//	ordered            Aggregator ─ Route ─ Ordering ─ Aggregator ─ ...             groups arrive together
//
// How it goes, in the order of the files to read:
//
//	operator.go        what every operator can do; the embedded parts that give most of it for free
//	walk.go            visiting, cloning, and rewriting until nothing changes
//	from_ast.go        statement to tree
//	phases.go          the ordered list of phases, and the one table of rewrites they all share
//	route*.go          routes, their routing (which shards) and how two routes become one
//	to_sql.go          what is below a route back to SQL
//	foreign_keys.go    the keys that the gateway keeps; fk_delete.go, fk_update.go, upsert.go, replace.go keep them
//
// A statement that changes a table whose foreign keys the gateway keeps (foreign_keys.go says which those are) brings others
// with it. Each is analysed and planned by itself (planned.go), as its tables and columns are its own; the tree holds them
// whole, beside its inputs:
//
//	delete from parent where ...           FkCascade ── Selection   select the parents' keys, for update
//	                                          │     ├── Children    delete or update child rows by those keys: each perhaps
//	                                          │     │               again an FkCascade or FkVerify, over the child's children
//	                                       Delete
//
//	update child set parent_id = ...       FkVerify ── Checks       select a row without a parent, or a parent that has children
//	                                          │
//	                                       Update
//
//	insert ... on duplicate key update     Upsert ── Rows           per row: the INSERT, and the UPDATE with its cascades
//	replace                                Sequential ── Steps      the DELETE with its cascades, then the INSERT
//
// Children come before parents, and checks before all. If a cascade would change what the statement finds its rows by, or
// there is a LIMIT or another table, the rows are found first (DMLWithInput, see fk_reach.go).
//
// Every rewrite returns what it did as a line of text; Context.Trace collects them for `vitro explain --trace`.
//
// What the tree must never do: ask a shard for rows that a predicate of the gateway depends on without carrying the columns;
// push a LIMIT below something that still drops or multiplies rows; change a plan that was handed out. A shape that cannot
// be planned right is refused by name (VT12001): deep inside a rewrite with refuse, which ends the planning of the statement
// and comes out of Plan as an ordinary error.
package operators
