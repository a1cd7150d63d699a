package gateway

import (
	"context"
	"errors"

	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes/key"
)

// flush is FLUSH, which commits. What the shards keep is in memory, so only the locks of WITH READ LOCK are left to do: the
// session's connections to the shards hold them until UNLOCK TABLES or its end, and until it begins a transaction there.
func (s *Session) flush(ctx context.Context, stmt *sqlparser.Flush, sql string) error {
	plan, err := s.plainPlan(stmt, sql, nil)
	switch {
	case err != nil:
		return err
	case stmt.ForExport:
		return vterrors.VT12001("FLUSH TABLES with a lock for export")
	case stmt.WithLock && s.target.TabletType != primaryType:
		return vterrors.VT12001("FLUSH TABLES with a lock on tablets of type " + key.TabletTypeName(s.target.TabletType))
	}
	if err := s.commit(ctx); err != nil || !stmt.WithLock {
		return err
	}
	sends := []engine.Primitive{plan.plan.Instructions} // one for each keyspace
	if inputs := plan.plan.Instructions.Inputs(); len(inputs) > 0 {
		sends = nil
		for _, input := range inputs {
			sends = append(sends, input.Primitive)
		}
	}
	// Locks that are waited for while others are held make circles of waits, as those of transactions do.
	owner := s.gateway.txIDs.Add(1)
	watched, stop := s.gateway.watch(ctx, owner)
	defer stop()
	var locked []Conn
	for _, send := range sends {
		conns, err := s.lockBy(watched, owner, send)
		locked = append(locked, conns...)
		if err == nil {
			continue
		}
		if deadlock := deadlockOf(watched); deadlock != nil {
			err = deadlock
		}
		return errors.Join(err, unlock(context.WithoutCancel(ctx), locked))
	}
	return nil
}

// lockBy runs a planned FLUSH shard by shard, for all clients in one order, and returns the connections that have locks now.
func (s *Session) lockBy(ctx context.Context, owner uint64, p engine.Primitive) (locked []Conn, err error) {
	send, ok := p.(*engine.Send)
	if !ok {
		return nil, vterrors.VT13001("FLUSH is planned as " + engine.Describe(p).OperatorType)
	}
	names, err := s.shardsOf(send.Keyspace.Name, send.TargetDestination)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		shard := engine.Shard{Keyspace: send.Keyspace.Name, Name: name}
		conn, err := s.keptConn(shard)
		if err != nil {
			return locked, err
		}
		conn.SetOwner(owner)
		_, err = conn.Query(ctx, send.Query, nil)
		if err != nil {
			return locked, s.shardError(shard, err)
		}
		locked = append(locked, conn)
	}
	return locked, nil
}

// unlockTables is UNLOCK TABLES. Locks are on kept connections alone.
func (s *Session) unlockTables(ctx context.Context) error {
	conns := make([]Conn, 0, len(s.kept))
	for _, conn := range s.kept {
		conns = append(conns, conn)
	}
	return unlock(ctx, conns)
}

func unlock(ctx context.Context, conns []Conn) (failure error) {
	for _, conn := range conns {
		_, err := conn.Query(ctx, "unlock tables", nil)
		failure = errors.Join(failure, err)
	}
	return failure
}
