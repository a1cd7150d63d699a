// Package vindexes holds the vindex types and the VSchema: how a keyspace's
// tables are sharded, and which table a name means. It plans nothing and runs
// nothing; a lookup vindex asks for its queries through VCursor.
//
//	vschema.json --Load--> Source --Build(registry)--> *VSchema --FindTable--> *Table
//	                                                      |                      |
//	                                   WithTables: columns and keys         ColumnVindexes
//	                                   the shards told us, merged in             |
//	                                                                          Vindex
//	                                       values --Map--> key.Destination (keyspace ids)
//
// A VSchema is immutable once built: a change makes a new one, so that plans
// and sessions can hold on to theirs without a lock.
//
// Start reading at vindex.go (what a vindex is), then vschema.go (the model),
// load.go and build.go (from JSON to the model). Each vindex type has its own
// file; registry.go is the one table that names them all.
//
// A new vindex type is one file and one line in registry.go:
//
//  1. a struct that embeds functional, if its keyspace id is a function of the
//     value alone: that gives the name, the cost and the rest of Vindex;
//  2. Map and Verify, mostly by mapHashed and verifyHashed over a method Hash;
//  3. the interfaces of vindex.go it can satisfy besides, asserted by
//     var _ Reversible = (*Mine)(nil);
//  4. its line in Types, and its vectors under testdata/vectors.
//
// A program that has types of its own adds them to the map that Types gives and
// hands that to Build; see the example of Registry.
package vindexes
