// Package opcode names the kinds of things a plan can do: how a route finds its shards, how a join pairs rows, what an
// aggregate adds up, how a subquery's value is handed over, and how an INSERT is split.
//
// It holds numbers and their names only. The logical tree (planner/operators) chooses opcodes and the primitives
// (planner/engine) act on them, so both import this package and neither needs the other.
//
//	operators ──▶ opcode ◀── engine
//
// Start at route.go for routing and aggregate.go for aggregation.
package opcode
