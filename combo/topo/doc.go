// Package topo is the topology of a cluster, kept in the process: keyspaces,
// their shards, the tablets of each shard and which of them serve. It moves no
// data and opens no tablet; who answers behind an alias is for combo to know.
//
//	keyspace "customer"
//	  shard "-80"   tablets  zone1-0000000100 PRIMARY serving
//	  shard "80-"            zone1-0000000200 PRIMARY serving
//	       |
//	  serving graph: (keyspace, shard, tablet type) -> tablet, version n
//
// Every change makes a new version of the whole; readers hold one version and
// take no lock. Start reading at topo.go.
package topo
