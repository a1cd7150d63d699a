// Package engine holds the primitives a plan is made of, and the one way each of them runs.
//
// A plan is a tree. Leaves reach shards (Route, Send, Insert, Update, Delete) or answer by themselves (Rows, SingleRow);
// inner nodes put together what comes from below:
//
//	       Limit                   rows flow up, in pieces, through emit
//	         │
//	      MemorySort               every primitive runs by Execute alone:
//	         │                     the first piece carries Fields, also when there are no rows
//	       Join ── JoinVars ──┐
//	      ╱                   ▼
//	Route (Scatter)     Route (EqualUnique)
//	   │    │                 │
//	 -80   80-               -80       ShardExecutor: the only door to shards
//
// Writes are made of others where a shard cannot do the whole: DMLWithInput finds rows and changes them by key; FkCascade
// selects parents' keys, changes child rows by them (one statement for all, or one per parent where the new values differ)
// and then runs the parents' change, whose count alone is the statement's; FkVerify asks first whether a row would break a
// foreign key (errors 1451, 1452); Upsert inserts row by row and updates duplicates; Sequential runs one after the other. All
// parts run in one transaction, and an error undoes them all: the gateway sees to it, see withMoreWrites.
//
// A plan is shared by all sessions and holds no state of an execution; bind variables belong to the caller and are copied
// before they are added to. What an execution may reach comes with Env, as small interfaces declared here and
// implemented by combo/gateway.
//
// It is not the planner: nothing here chooses a plan. It is not the gateway: sessions, transactions and caches are there.
//
// Start reading at primitive.go (the contract), env.go (what a running primitive may reach), route.go and routing.go
// (how shards are found), plan.go and description.go (what VEXPLAIN and golden plans print).
package engine
