package gateway

import (
	"context"
	"errors"

	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes/key"
)

// connect opens a connection to a shard with the session's settings, or gives the one that the session is to do all on.
func (s *Session) connect(shard engine.Shard) (Conn, error) {
	if kept := s.kept[shardText(shard)]; kept != nil && s.target.TabletType == primaryType {
		return kept, s.applySettings(kept)
	}
	tablet, err := s.gateway.cfg.Topology.Tablet(shard.Keyspace, shard.Name, s.target.TabletType)
	if err != nil {
		return nil, err
	}
	conn := tablet.Connect()
	if err := s.applySettings(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// applySettings tells a connection what the session set.
func (s *Session) applySettings(conn Conn) error {
	if s.info.FoundRows {
		conn.FoundRows(true)
	}
	settings := s.vars.forShards()
	if len(settings) == 0 {
		return nil
	}
	return conn.SetSystemVariables(settings)
}

// heldConn returns the connection to a shard that the session keeps, opened if there is none.
func (s *Session) heldConn(shard engine.Shard) (Conn, error) {
	if conn, ok := s.held[shardText(shard)]; ok {
		return conn, nil
	}
	conn, err := s.connect(shard)
	if err != nil {
		return nil, err
	}
	if s.held == nil {
		s.held = map[string]Conn{}
	}
	s.held[shardText(shard)] = conn
	return conn, nil
}

func (s *Session) closeHeld() {
	for _, conn := range s.held {
		conn.Close()
	}
	s.held, s.kept = nil, nil
}

// openConns calls f with every connection the session has open.
func (s *Session) openConns(f func(Conn) error) error {
	for _, conn := range s.held {
		if err := f(conn); err != nil {
			return err
		}
	}
	if s.tx == nil {
		return nil
	}
	for _, st := range s.tx.shards {
		if err := f(st.conn); err != nil {
			return err
		}
	}
	return nil
}

// stream runs a read on a connection. Errors of emit come back as they are, errors of the shard with its name.
func (s *Session) stream(ctx context.Context, conn Conn, q engine.ShardQuery, emit Emit) error {
	var emitErr error
	open := conn.InTransaction()
	err := conn.Execute(ctx, q.SQL, q.BindVars, func(piece *sqltypes.Result) error {
		emitErr = emit(piece)
		return emitErr
	})
	if emitErr != nil {
		return emitErr
	}
	s.noteWarnings(conn)
	return s.shardError(q.Shard, s.called(conn, open, timedOut(ctx, err)))
}

// timedOut returns Vitess's error for a statement that was stopped at the end of its time, whatever the shard made of it.
func timedOut(ctx context.Context, err error) error {
	if err == nil || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	return sqlerror.NewSQLError(sqlerror.ERQueryInterrupted, sqlerror.SSQueryInterrupted,
		"rpc error: code = DeadlineExceeded desc = context deadline exceeded")
}

// shardError names the shard in an error of it: "target: ks.-80.primary: vttablet: ...". Number and SQLSTATE stay.
func (s *Session) shardError(shard engine.Shard, err error) error {
	if err == nil {
		return nil
	}
	var mysqlErr *sqlerror.SQLError
	if !errors.As(err, &mysqlErr) {
		return err
	}
	named := *mysqlErr
	named.Message = "target: " + shard.Keyspace + "." + shard.Name + "." + key.TabletTypeName(s.target.TabletType) +
		": vttablet: " + mysqlErr.Message
	return &named
}
