// Package semantics gives names their meaning: which table a column comes from, what type and collation an expression has,
// which tables an expression depends on, and what is wrong with a statement before anyone tries to route it.
//
//	        AST                                  Table (the analysis)
//	select u.id, e.x                   tables    0 user   1 user_extra
//	from user u join user_extra e      direct    u.id -> {0}   e.x -> {1}   u.id = e.uid -> {0,1}
//	on u.id = e.uid                    recursive the same, seen through derived tables
//	order by 1                         rewritten order by u.id
//
// The analysis works in two passes. The first collects the tables that a statement names and nothing else; when they all live
// in one unsharded keyspace the statement goes there as it is, and MySQL itself resolves the names. The second pass walks the
// statement scope by scope: it binds columns, expands stars, replaces positions and aliases in GROUP BY, HAVING and ORDER BY
// by what they stand for, and turns USING into ON.
//
// Some faults matter only for some plans. A column that cannot be resolved is MySQL's business while the statement goes to one
// unsharded keyspace; such errors are kept on the result (NotUnshardedErr, NotSingleRouteErr, NotSingleShardErr) and the planner
// raises them when the plan turns out to be of the other kind.
//
// The package knows nothing of operators, primitives or shards. Start reading at analyzer.go.
package semantics
