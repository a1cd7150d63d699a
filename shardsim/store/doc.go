// Package store keeps the tables of one shard in memory, with transactions as InnoDB has them.
//
//	DB ── atomic root ──> Root ──> Table ──> rows      primary key -> Record
//	 │                                └─────> indexes   index key   -> primary key
//	 ├── locks: row, unique-key and table locks; wait, timeout, deadlock search
//	 ├── gaps: ranges that locking reads have been to, where nobody else may put a row
//	 ├── writers: transactions with overlays; scans that lock come to their rows too, and wait
//	 └── Tx
//	      ├── snapshot   the Root consistent reads see, pinned
//	      ├── overlay    own uncommitted rows per table, laid over whatever root is read
//	      └── undo log   old overlay states, for savepoints and statement rollback
//
// All maps are B+-trees (tree.go) with memcomparable keys (key.go), whose forks share nodes. Commit (commit.go) applies the
// overlays to the newest root: in place, or to a fork where a snapshot or a scan has pinned it. Row locks make sure that
// nobody else changed those rows, so there is nothing to validate. A row is one piece of memory (record.go); what its columns
// mean only the Keyers of a TableDef know.
//
// Not simulated: undo of DDL.
//
// Start reading at db.go, then tx.go, commit.go, write.go, iter.go and gaps.go.
package store
