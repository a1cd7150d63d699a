// Package shardsim simulates shards: what vttablet and mysqld are to Vitess.
//
//	Cluster            all shards of one process-local cluster, one SQL engine
//	  Tablet           one shard: a database named as its keyspace
//	    Conn           one client's session on the shard: statements, one transaction
//	      sqlengine    parses, analyses and executes MySQL
//	        store      transactional in-memory tables, row locks
//	faults             rules that make statements fail or stall
//
// It knows nothing of routing: the gateway decides which shard gets which statement. Errors are *sqlerror.SQLError with
// MySQL's number, SQLSTATE and wording.
//
// Start reading at tablet.go and conn.go.
package shardsim
