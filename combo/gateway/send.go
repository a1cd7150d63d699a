package gateway

import (
	"context"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes/key"
)

// sendAny runs a statement that reads on one shard of a keyspace: the session's target if it is there.
func (s *Session) sendAny(ctx context.Context, keyspace, sql string) (*sqltypes.Result, error) {
	return s.sendTo(ctx, keyspace, s.anyShard(keyspace), sql)
}

func (s *Session) anyShard(keyspace string) key.Destination {
	if s.keyspace() == keyspace && isOneShard(s.target.Destination) {
		return s.target.Destination
	}
	return key.DestinationAnyShard{}
}

func (s *Session) sendTo(ctx context.Context, keyspace string, dest key.Destination, sql string) (*sqltypes.Result, error) {
	if keyspace == "" {
		return nil, vterrors.VT09005()
	}
	send := &engine.Send{Keyspace: s.keyspaceOf(keyspace), TargetDestination: dest, Query: sql, SingleShardOnly: true}
	return engine.Collect(ctx, s.newEnv(&execution{session: s}), send, nil)
}

// sendTable runs a statement about one table on one shard of its keyspace.
func (s *Session) sendTable(ctx context.Context, table sqlparser.TableName, sql string) (*sqltypes.Result, error) {
	keyspace, _, err := s.locate(table.Qualifier.String(), table.Name.String())
	if err != nil {
		return nil, err
	}
	return s.sendAny(ctx, keyspace, sql)
}

// anyKeyspace is the selected keyspace, or else some keyspace that can answer what all can.
func (s *Session) anyKeyspace() string {
	if s.keyspace() != "" && !sqlparser.SystemSchema(s.keyspace()) {
		return s.keyspace()
	}
	keyspaces := s.gateway.cfg.Topology.Keyspaces()
	if len(keyspaces) == 0 {
		return ""
	}
	return keyspaces[0]
}

// callProcedure is CALL: in unsharded keyspaces, or on the shard the session targets.
func (s *Session) callProcedure(ctx context.Context, stmt *sqlparser.CallProc, emit Emit) error {
	keyspace := stmt.Name.Qualifier.String()
	if keyspace == "" {
		keyspace = s.keyspace()
	}
	if keyspace == "" {
		return vterrors.VT09005()
	}
	if s.keyspaceOf(keyspace).Sharded && !isOneShard(s.target.Destination) {
		return vterrors.VT12001("CALL on a sharded keyspace")
	}
	own := *stmt
	own.Name.Qualifier = sqlparser.NewIdentifierCS("")
	result, err := s.sendTo(ctx, keyspace, s.anyShard(keyspace), sqlparser.String(&own))
	if err != nil {
		return err
	}
	return emit(result)
}

// otherAdmin is DO, which is a SELECT nobody looks at. OPTIMIZE and REPAIR TABLE are the storage's business and refused.
func (s *Session) otherAdmin(ctx context.Context, sql string) error {
	words := strings.Fields(sql)
	if len(words) < 2 || !strings.EqualFold(words[0], "do") {
		return vterrors.VT12001("OPTIMIZE and REPAIR TABLE")
	}
	_, rest, _ := strings.Cut(strings.TrimSpace(sql), words[0])
	return s.run(ctx, "select "+rest, nil, func(*sqltypes.Result) error { return nil })
}
