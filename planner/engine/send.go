package engine

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"

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

// Execute implements Primitive.
func (s *Send) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	ctx, cancel := withTimeout(ctx, s.QueryTimeout)
	defer cancel()
	shards, _, err := env.Shards.Resolve(ctx, s.Keyspace.Name, []key.Destination{s.TargetDestination})
	if err != nil {
		return err
	}
	if len(shards) == 0 {
		return vterrors.Errorf(vtrpcpb.Code_FAILED_PRECONDITION, "Keyspace does not have exactly one shard: %v", shards)
	}
	if s.SingleShardOnly && len(shards) != 1 {
		return vterrors.Errorf(vtrpcpb.Code_FAILED_PRECONDITION, "Unexpected error, DestinationKeyspaceID mapping to multiple shards: %s, got: %v", s.Query, s.TargetDestination)
	}
	vars := sameVars(bindVars, len(shards))
	if s.ShardNameNeeded {
		for i, shard := range shards {
			vars[i] = withVar(bindVars, ShardName, sqltypes.StringBindVariable(shard.Name))
		}
	}
	return s.executeOn(ctx, env, shardQueries(shards, s.Query, vars), emit)
}

func (s *Send) executeOn(ctx context.Context, env *Env, queries []ShardQuery, emit Emit) error {
	opts := ShardOptions{Reserved: s.ReservedConnectionNeeded}
	switch {
	case s.IsDML:
		opts.Autocommit, opts.MultiShardAutocommit = true, s.MultishardAutocommit
		result, err := writeShards(ctx, env, queries, opts)
		if err != nil {
			return err
		}
		return emit(result)
	case s.IsDDL || s.ReservedConnectionNeeded:
		results, err := env.Shards.Execute(ctx, queries, opts)
		if err != nil {
			return err
		}
		whole := &sqltypes.Result{}
		for _, result := range results {
			appendPiece(whole, result)
		}
		return emit(whole)
	case len(queries) == 1:
		return env.Shards.Stream(ctx, queries[0], opts, emit)
	default:
		return emitInShardOrder(ctx, env, queries, opts, emit)
	}
}

// GetFields implements Primitive. Nothing is known of the statement, so one shard runs it, if it only reads.
func (s *Send) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	if s.IsDML || s.IsDDL || s.ReservedConnectionNeeded {
		return nil, nil
	}
	shards, _, err := env.Shards.Resolve(ctx, s.Keyspace.Name, []key.Destination{key.DestinationAnyShard{}})
	if err != nil {
		return nil, err
	}
	vars := withVar(bindVars, ShardName, sqltypes.StringBindVariable(shards[0].Name))
	results, err := env.Shards.Execute(ctx, []ShardQuery{{Shard: shards[0], SQL: s.Query, BindVars: vars}}, ShardOptions{})
	if err != nil {
		return nil, err
	}
	return results[0].Fields, nil
}

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
