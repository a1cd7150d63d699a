package engine

import (
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

var _ Primitive = (*Send)(nil)

// ShardName is the bind variable a Send fills with the shard's name where ShardNameNeeded.
const ShardName = "__vt_shard"

// Send passes a statement on, unplanned, to the shards of a destination.
type Send struct {
	leaf

	Keyspace          *vindexes.Keyspace
	TargetDestination key.Destination
	Query             string
	IsDML             bool
	IsDDL             bool
	// SingleShardOnly refuses a destination of several shards.
	SingleShardOnly bool
	// ShardNameNeeded fills ShardName for each shard.
	ShardNameNeeded bool
	// MultishardAutocommit lets each shard commit its part by itself.
	MultishardAutocommit bool
	// ReservedConnectionNeeded: the statement leaves something behind on the connection.
	ReservedConnectionNeeded bool
	// QueryTimeout is in milliseconds; 0 for none.
	QueryTimeout int
}

// NeedsTransaction implements Primitive.
func (s *Send) NeedsTransaction() bool { return s.IsDML }

// Description implements Primitive.
func (s *Send) Description() Description {
	d := describe("Send", "")
	d.Keyspace = s.Keyspace
	d.TargetDestination = s.TargetDestination
	d.set("Query", s.Query)
	d.set("IsDML", s.IsDML)
	d.set("SingleShardOnly", s.SingleShardOnly)
	d.set("ShardNameNeeded", s.ShardNameNeeded)
	d.set("MultishardAutocommit", s.MultishardAutocommit)
	d.set("ReservedConnectionNeeded", s.ReservedConnectionNeeded)
	d.set("QueryTimeout", s.QueryTimeout)
	return d
}
