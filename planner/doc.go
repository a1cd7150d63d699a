// Package planner turns a statement into a plan: a tree of primitives that says what runs on which shards and what the gateway
// does with the rows. It plans like Vitess v24's Gen4.
//
//	        AST ─▶ semantics ─▶ operators ─▶ primitives
//	select ...     SemTable      Route,       engine.Route,
//	               names bound   Join, ...    engine.Join, ...
//	                             rewritten    immutable, shared by all sessions
//
//	build.go       which statement is planned how
//	context.go     what a statement is planned against: the VSchema and the session
//	select.go      reads: the shortcuts before the operator tree
//	write.go       INSERT, UPDATE, DELETE: the same
//	ddl.go         schema changes, views, databases; where a statement goes as a whole is in resolve.go
//	show.go set.go explain.go admin.go prepared.go migration.go
//	               what needs no operator tree
//	transform.go   operators to primitives; the only file that knows both, with its parts in transform_*.go
//
// Planning runs nothing and keeps nothing: the same statement and context give the same plan. What cannot be planned so that
// rows are right is refused with VT12001.
package planner
