// Package key holds the arithmetic of sharding: keyspace ids, key ranges, shard
// names, destinations and target strings. Its functions are pure; it knows
// nothing of tables, vindexes or tablets.
//
//	keyspace id    bytes, compared as if padded with zeros    166b40b44aba4bd6
//	key range      [start, end), empty = open                 "40-80", "-80", "-"
//	shard          a name with its key range                  "-80", "0"
//	destination    where a query should go                    KeyspaceID, AllShards, ...
//	target         what USE names                             "ks:-80@replica"
//
//	Destination --Resolve(shards)--> shard names, in shard order
//
// Start reading at destination.go; range.go and shard.go are what it stands on.
package key
