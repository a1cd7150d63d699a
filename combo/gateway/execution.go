package gateway

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes/key"
)

var _ engine.ShardExecutor = (*execution)(nil)

// execution is one statement's way to the shards (engine.ShardExecutor):
//
//	in a transaction                    on its connections
//	the statement's only write          on a connection of its own, which commits by itself
//	one of several writes               in a transaction of the statement's own, committed at its end
//	reads                               on connections of their own, as many as run at once
type execution struct {
	session *Session
	// leaf: nothing else of the statement waits for a connection while rows are passed on.
	leaf bool
	// together: the statement reads and writes, and must do both in one transaction.
	together bool
	// isDML: the statement writes.
	isDML bool
	// apart: the session's transaction has no part in it.
	apart bool

	mu  sync.Mutex
	own *transaction // the statement's own; nil until needed
	// wrote: a part of the statement has written. split: the write that failed last did so on some of its shards only.
	wrote, split atomic.Bool
}

// Resolve implements engine.ShardExecutor.
func (x *execution) Resolve(_ context.Context, keyspace string, dests []key.Destination) ([]engine.Shard, [][]int, error) {
	shards, err := x.session.gateway.cfg.Topology.Shards(keyspace)
	if err != nil {
		return nil, nil, err
	}
	if len(dests) == 1 {
		names, err := key.Resolve(dests[0], shards)
		if err != nil {
			return nil, nil, err
		}
		owners := make([][]int, len(names))
		for i := range owners {
			owners[i] = firstOnly
		}
		return shardsOf(keyspace, names), owners, nil
	}
	names, owners, err := key.ResolveMany(dests, shards)
	return shardsOf(keyspace, names), owners, err
}

// firstOnly is read, never changed.
var firstOnly = []int{0}

func shardsOf(keyspace string, names []string) []engine.Shard {
	shards := make([]engine.Shard, len(names))
	for i, name := range names {
		shards[i] = engine.Shard{Keyspace: keyspace, Name: name}
	}
	return shards
}

// Execute implements engine.ShardExecutor.
func (x *execution) Execute(ctx context.Context, queries []engine.ShardQuery, opts engine.ShardOptions) ([]*sqltypes.Result, error) {
	if opts.Joins() && x.session.target.TabletType != primaryType {
		return nil, vterrors.Errorf(vtrpcpb.Code_FAILED_PRECONDITION, "supported only for primary tablet type, current type: %s",
			key.TabletTypeName(x.session.target.TabletType))
	}
	answers := make([]shardAnswer, len(queries))
	if len(queries) == 1 {
		answer, err := x.query(ctx, queries[0], opts)
		answers[0] = answer
		return x.results(answers, opts), err
	}
	if err := x.joinInOrder(ctx, queries, opts); err != nil {
		return nil, err
	}
	if opts.Partial || opts.Joins() {
		return x.executeAll(ctx, queries, opts)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(x.fanOutMax())
	for i, query := range queries {
		group.Go(func() (err error) {
			answers[i], err = x.query(ctx, query, opts)
			return err
		})
	}
	err := group.Wait()
	return x.results(answers, opts), err
}

// shardAnswer is what a shard has to say to a query.
type shardAnswer struct {
	result   *sqltypes.Result
	warnings []Warning
}

// results takes over the warnings of shards, in the order of the queries, and returns their results.
func (x *execution) results(answers []shardAnswer, opts engine.ShardOptions) []*sqltypes.Result {
	results := make([]*sqltypes.Result, len(answers))
	for i, answer := range answers {
		results[i] = answer.result
		if i > 0 && opts.Copies {
			continue
		}
		for _, warning := range answer.warnings {
			x.session.warn(warning)
		}
	}
	return results
}

func (x *execution) fanOutMax() int {
	if n := x.session.gateway.cfg.FanOutMax; n > 0 {
		return n
	}
	return engine.DefaultFanOutMax
}

// joinInOrder lets shards join the transaction in the order of the queries, in which they then commit.
func (x *execution) joinInOrder(ctx context.Context, queries []engine.ShardQuery, opts engine.ShardOptions) error {
	if opts.Standalone || opts.Reserved {
		return nil
	}
	tx := x.transactionFor(opts)
	if tx == nil {
		return nil
	}
	for _, q := range queries {
		if _, err := tx.join(ctx, q.Shard, opts.Joins() && opts.Entries == nil); err != nil {
			return err
		}
	}
	return nil
}

// executeAll runs all queries, also when some fail: of writes it must be known which were done. With opts.Partial
// failures become warnings unless all queries fail; otherwise the first, in the order of the queries, is the statement's.
func (x *execution) executeAll(ctx context.Context, queries []engine.ShardQuery, opts engine.ShardOptions) ([]*sqltypes.Result, error) {
	answers := make([]shardAnswer, len(queries))
	failures := make([]error, len(queries))
	var group errgroup.Group
	group.SetLimit(x.fanOutMax())
	for i, query := range queries {
		group.Go(func() error {
			answers[i], failures[i] = x.query(ctx, query, opts)
			return nil
		})
	}
	_ = group.Wait() // the functions return no errors
	results := x.results(answers, opts)
	failed := slices.DeleteFunc(failures, func(err error) bool { return err == nil })
	x.split.Store(len(failed) < len(queries))
	switch {
	case len(failed) == 0:
		return results, nil
	case !opts.Partial || len(failed) == len(queries):
		return nil, failed[0]
	}
	for _, err := range failed {
		mysqlErr := sqlerror.NewSQLErrorFromError(err).(*sqlerror.SQLError)
		x.session.warn(Warning{Level: "Warning", Code: uint16(mysqlErr.Num), Message: err.Error()})
	}
	return results, nil
}

// query runs one query to its end. It may have a goroutine of its own, where a panic would end the process.
func (x *execution) query(ctx context.Context, q engine.ShardQuery, opts engine.ShardOptions) (answer shardAnswer, err error) {
	defer x.session.recovered(q.SQL, &err)
	if opts.Standalone {
		return x.standalone(ctx, q)
	}
	if opts.Reserved {
		conn, err := x.session.heldConn(q.Shard)
		if err != nil {
			return shardAnswer{}, err
		}
		return x.queryOn(ctx, conn, q)
	}
	tx := x.transactionFor(opts)
	if tx == nil {
		conn, err := x.session.connect(q.Shard)
		if err != nil {
			return shardAnswer{}, err
		}
		defer conn.Close()
		return x.queryOn(ctx, conn, q)
	}
	st, err := tx.join(ctx, q.Shard, opts.Joins() && opts.Entries == nil)
	if err != nil {
		return shardAnswer{}, err
	}
	if opts.Joins() {
		st.holdsEntries(opts.Entries)
	}
	// A transaction of the statement's own is rolled back whole, and a single write is atomic on its shard.
	mark := opts.Write && tx == x.session.tx && !opts.Autocommit
	answer, err = tx.query(ctx, st, q, mark)
	if err == nil && opts.Write {
		x.wrote.Store(true)
	}
	return answer, err
}

func (x *execution) queryOn(ctx context.Context, conn Conn, q engine.ShardQuery) (shardAnswer, error) {
	open := conn.InTransaction()
	result, err := conn.Query(ctx, q.SQL, q.BindVars)
	err = x.session.called(conn, open, timedOut(ctx, err))
	return shardAnswer{result, conn.Warnings()}, x.session.shardError(q.Shard, err)
}

// standalone runs a query outside the transaction: sequences.
func (x *execution) standalone(ctx context.Context, q engine.ShardQuery) (shardAnswer, error) {
	if asksSequence.MatchString(q.SQL) {
		result, err := x.session.gateway.seqs.next(ctx, x.session, q)
		return shardAnswer{result: result}, err
	}
	conn, err := x.session.connect(q.Shard)
	if err != nil {
		return shardAnswer{}, err
	}
	defer conn.Close()
	return x.queryOn(ctx, conn, q)
}

// transactionFor returns the transaction a query runs in, nil for none.
func (x *execution) transactionFor(opts engine.ShardOptions) *transaction {
	if x.session.tx != nil && !x.apart {
		return x.session.tx
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	needed := x.together || opts.Joins() && !opts.Autocommit
	if x.own == nil && needed {
		x.own = newTransaction(x.session)
	}
	return x.own
}

// readWithWrites makes all that follows run in one transaction: what is read now must stay as it is until the writes.
func (x *execution) readWithWrites() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.together = true
}

// Stream implements engine.ShardExecutor. As with query, a panic would end the process.
func (x *execution) Stream(ctx context.Context, q engine.ShardQuery, opts engine.ShardOptions, emit engine.Emit) (err error) {
	defer x.session.recovered(q.SQL, &err)
	if opts.Standalone {
		answer, err := x.standalone(ctx, q)
		if err != nil {
			return err
		}
		return emit(x.results([]shardAnswer{answer}, opts)[0])
	}
	tx := x.transactionFor(opts)
	if tx == nil {
		conn, err := x.session.connect(q.Shard)
		if err != nil {
			return err
		}
		defer conn.Close()
		return x.session.stream(ctx, conn, q, emit)
	}
	st, err := tx.join(ctx, q.Shard, false)
	if err != nil {
		return err
	}
	if x.leaf {
		return tx.stream(ctx, st, q, emit)
	}
	// Another part of the statement may need the same connection before all rows are passed on.
	answer, err := tx.query(ctx, st, q, false)
	if err != nil {
		return err
	}
	return emit(x.results([]shardAnswer{answer}, opts)[0])
}

// finish commits what the statement did on its own, or undoes what it did, also in the session's transaction.
func (x *execution) finish(ctx context.Context, failure error) error {
	if x.own != nil {
		own := x.own
		x.own = nil
		if failure == nil {
			return own.commit(ctx)
		}
		// The statement's error says more than one of the rollback.
		_ = own.rollback(context.WithoutCancel(ctx))
		return x.partly(failure, vterrors.TxRollbackOnPartialExec)
	}
	tx := x.session.tx
	if tx == nil || x.apart {
		return failure
	}
	if failure == nil {
		return tx.endStatement(ctx, false)
	}
	if !tx.lost && tx.endStatement(context.WithoutCancel(ctx), true) == nil {
		return x.partly(failure, vterrors.RevertedPartialExec)
	}
	// A shard lost its part, or cannot undo the statement alone, so none may keep theirs.
	_ = x.session.rollback(ctx)
	if isLostConnection(failure) {
		x.session.blocked = true
		return vterrors.VT15001(vterrors.Code(failure), failure.Error())
	}
	if !tx.lost {
		return x.partly(failure, vterrors.TxRollbackOnPartialExec)
	}
	return failure
}

// isLostConnection reports whether an error says that the connection to a shard broke.
func isLostConnection(err error) bool {
	var mysqlErr *sqlerror.SQLError
	return errors.As(err, &mysqlErr) && (mysqlErr.Num == sqlerror.CRServerLost || mysqlErr.Num == sqlerror.CRServerGone)
}

// partly says of a failed statement, in Vitess's words, that what a part of it did was undone.
func (x *execution) partly(failure error, undone string) error {
	if !x.wrote.Load() {
		return failure
	}
	mysqlErr, ok := sqlerror.NewSQLErrorFromError(failure).(*sqlerror.SQLError)
	if !ok {
		return failure
	}
	named := *mysqlErr
	// A lookup's name stays in front of the words if its own write was done in part.
	if before, after, found := strings.Cut(mysqlErr.Message, "target: "); found && x.split.Load() {
		named.Message = before + undone + ": target: " + after
	} else {
		named.Message = undone + ": " + mysqlErr.Message
	}
	return &named
}
