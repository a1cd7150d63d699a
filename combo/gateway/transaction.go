package gateway

import (
	"context"
	"errors"
	"sync"

	"vitess.io/vitess/go/sqltypes"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes"
)

// statementSavepoint marks where a statement began on a shard, so that it can be undone alone.
const statementSavepoint = "`__vitro_statement`"

// transaction spans the shards that statements touched since it began. Shards join when they are first needed.
//
//	begin ── savepoint a ── shard -80 joins ── shard 80- joins ── commit
//	                         begin, savepoint a   begin, savepoint a   commit -80, commit 80-
type transaction struct {
	// id grows with each transaction of the gateway.
	id      uint64
	session *Session
	opts    TxOptions
	// savepoints are the client's that are still there, oldest first.
	savepoints []string

	mu     sync.Mutex
	shards []*shardTx // in the order they joined
	// lost is set when a shard ended its part by itself (deadlock, broken connection) or may have none (mode SINGLE): the whole
	// is then rolled back.
	lost bool
	// sources are tables with copies that were perhaps written.
	sources []*vindexes.Table
	// written is the shard that was written first, in mode SINGLE.
	written *engine.Shard
}

// shardTx is one shard's part.
type shardTx struct {
	shard engine.Shard
	// mu is held while a statement runs on conn.
	mu     sync.Mutex
	conn   Conn
	marked bool // statementSavepoint is set for the running statement
	// entryTables are the tables in which consistent lookups wrote entries.
	entryTables []string
}

func newTransaction(s *Session) *transaction {
	opts := s.nextTx
	s.nextTx = TxOptions{}
	if opts.Isolation == "" {
		if value, ok := s.vars.own("transaction_isolation"); ok {
			opts.Isolation = value
		}
	}
	if value, ok := s.vars.own("transaction_read_only"); ok && !opts.ReadOnly {
		opts.ReadOnly = isOn(value)
	}
	return &transaction{id: s.gateway.txIDs.Add(1), session: s, opts: opts}
}

// join returns a shard's part, begun if it is new. In mode SINGLE one shard alone may write; reads and the entries of
// consistent lookups, which Vitess keeps in transactions of their own, do not count.
func (tx *transaction) join(ctx context.Context, shard engine.Shard, counts bool) (*shardTx, error) {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if counts && tx.session.transactionMode() == "SINGLE" {
		if tx.written != nil && *tx.written != shard {
			tx.lost = true
			return nil, vterrors.Errorf(vtrpcpb.Code_ABORTED, "multi-db transaction attempted: [%s %s]", shardText(*tx.written), shardText(shard))
		}
		tx.written = &shard
	}
	for _, st := range tx.shards {
		if st.shard == shard {
			return st, nil
		}
	}
	conn, err := tx.session.connect(shard)
	if err != nil {
		return nil, err
	}
	if owned, ok := conn.(ownedConn); ok {
		owned.SetOwner(tx.id)
	}
	if err := conn.Begin(ctx, tx.opts); err != nil {
		conn.Close()
		return nil, tx.session.shardError(shard, err)
	}
	for _, name := range tx.savepoints {
		if _, err := conn.Query(ctx, "savepoint "+quoteName(name), nil); err != nil {
			conn.Close()
			return nil, tx.session.shardError(shard, err)
		}
	}
	st := &shardTx{shard: shard, conn: conn}
	if len(tx.shards) == 0 {
		tx.session.gateway.opened(tx.id)
	}
	tx.shards = append(tx.shards, st)
	return st, nil
}

func shardText(shard engine.Shard) string { return shard.Keyspace + "/" + shard.Name }

// query runs a statement on the shard. With mark, it can be undone alone later.
func (tx *transaction) query(ctx context.Context, st *shardTx, q engine.ShardQuery, mark bool) (shardAnswer, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if mark && !st.marked {
		if _, err := st.conn.Query(ctx, "savepoint "+statementSavepoint, nil); err != nil {
			return shardAnswer{}, tx.failed(st, err)
		}
		st.marked = true
	}
	watched, stop := tx.session.gateway.watch(ctx, tx.id)
	defer stop()
	result, err := st.conn.Query(watched, q.SQL, q.BindVars)
	err = tx.session.called(st.conn, true, timedOut(ctx, err))
	return shardAnswer{result, st.conn.Warnings()}, tx.failed(st, tx.deadlockOr(watched, err))
}

// deadlockOr returns the deadlock that ended a statement, or else its error. A deadlock takes the whole transaction.
func (tx *transaction) deadlockOr(watched context.Context, err error) error {
	deadlock := deadlockOf(watched)
	if err == nil || deadlock == nil {
		return err
	}
	tx.mu.Lock()
	tx.lost = true
	tx.mu.Unlock()
	return deadlock
}

// stream runs one query on a shard. The pieces are handed on only when the shard is free again: whoever takes them may ask the
// same shard, as the other side of a join does.
func (tx *transaction) stream(ctx context.Context, st *shardTx, q engine.ShardQuery, emit Emit) error {
	pieces, err := tx.pieces(ctx, st, q)
	if err != nil {
		return err
	}
	for _, piece := range pieces {
		if err := emit(piece); err != nil {
			return err
		}
	}
	return nil
}

func (tx *transaction) pieces(ctx context.Context, st *shardTx, q engine.ShardQuery) ([]*sqltypes.Result, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	watched, stop := tx.session.gateway.watch(ctx, tx.id)
	defer stop()
	var pieces []*sqltypes.Result
	err := tx.deadlockOr(watched, tx.session.stream(watched, st.conn, q, func(piece *sqltypes.Result) error {
		pieces = append(pieces, piece)
		return nil
	}))
	tx.note(st, err)
	return pieces, err
}

// failed names the shard in an error, and notices a transaction that the shard ended.
func (tx *transaction) failed(st *shardTx, err error) error {
	tx.note(st, err)
	return tx.session.shardError(st.shard, err)
}

func (tx *transaction) note(st *shardTx, err error) {
	if err != nil && (!st.conn.InTransaction() || isLostConnection(err)) {
		tx.mu.Lock()
		tx.lost = true
		tx.mu.Unlock()
	}
}

// endStatement forgets the marks of a statement that succeeded and undoes one that failed.
func (tx *transaction) endStatement(ctx context.Context, undo bool) error {
	var failure error
	for _, st := range tx.shards {
		if !st.marked {
			continue
		}
		st.marked = false
		if !undo {
			continue
		}
		if _, err := st.conn.Query(ctx, "rollback to "+statementSavepoint, nil); err != nil {
			failure = errors.Join(failure, tx.session.shardError(st.shard, err))
		}
	}
	return failure
}

// all runs a statement on all shards that joined.
func (tx *transaction) all(ctx context.Context, sql string) error {
	for _, st := range tx.shards {
		if _, err := st.conn.Query(ctx, sql, nil); err != nil {
			return tx.session.shardError(st.shard, err)
		}
	}
	return nil
}
