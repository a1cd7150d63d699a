package gateway

import (
	"context"
	"sync"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
)

// Temporary tables, and the locks of FLUSH TABLES, live on a connection to a shard. From the first one on, the session does all
// it does there on that connection, in a transaction or not, as Vitess does on a reserved connection.

// temporaryDDL makes or drops temporary tables on the shards, one each in the unsharded keyspaces that may have them. It leaves
// an open transaction open.
func (s *Session) temporaryDDL(ctx context.Context, keyspace string, names []string, sql string) error {
	for _, name := range names {
		shard := engine.Shard{Keyspace: keyspace, Name: name}
		conn, err := s.keptConn(shard)
		if err != nil {
			return err
		}
		_, err = conn.Query(ctx, sql, nil)
		s.noteWarnings(conn)
		if err != nil {
			return s.shardError(shard, err)
		}
	}
	return nil
}

// keptConn returns the session's own connection to a shard, which from now on serves all that it does there. The one of an
// open transaction becomes it.
func (s *Session) keptConn(shard engine.Shard) (*keptConn, error) {
	if kept := s.kept[shardText(shard)]; kept != nil {
		return kept, nil
	}
	conn, err := s.connForKeeping(shard)
	if err != nil {
		return nil, err
	}
	if s.kept == nil {
		s.kept = map[string]*keptConn{}
	}
	kept := &keptConn{Conn: conn}
	s.kept[shardText(shard)] = kept
	if s.tx != nil {
		for _, st := range s.tx.shards {
			if st.shard == shard {
				st.conn = kept
			}
		}
	}
	return kept, nil
}

func (s *Session) connForKeeping(shard engine.Shard) (Conn, error) {
	if s.tx != nil {
		for _, st := range s.tx.shards {
			if st.shard != shard {
				continue
			}
			if s.held[shardText(shard)] != nil {
				return nil, vterrors.VT12001("temporary tables in a transaction that began apart from a connection with GET_LOCK")
			}
			if s.held == nil {
				s.held = map[string]Conn{}
			}
			s.held[shardText(shard)] = st.conn
			return st.conn, nil
		}
	}
	return s.heldConn(shard)
}

// keptConn is a connection that outlives its users, who come one at a time: each statement runs to its end before its rows are
// handed on, as whoever takes them may ask the same shard.
type keptConn struct {
	Conn
	mu sync.Mutex
}

// Execute implements Conn.
func (c *keptConn) Execute(ctx context.Context, sql string, bindVars BindVars, emit Emit) error {
	result, err := c.Query(ctx, sql, bindVars)
	if err != nil {
		return err
	}
	return emit(result)
}

// Query implements Conn.
func (c *keptConn) Query(ctx context.Context, sql string, bindVars BindVars) (*sqltypes.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Conn.Query(ctx, sql, bindVars)
}

// SetOwner implements ownedConn.
func (c *keptConn) SetOwner(owner uint64) {
	if owned, ok := c.Conn.(ownedConn); ok {
		owned.SetOwner(owner)
	}
}

// ResultSets implements callingConn.
func (c *keptConn) ResultSets() int { return resultSets(c.Conn) }

// Close ends what its user left open, and keeps the connection.
func (c *keptConn) Close() {
	if c.InTransaction() {
		_ = c.Rollback(context.Background())
	}
}
