package engine

import (
	"context"
	"sync"

	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"
)

// piecesAheadMax is how many pieces a shard may be ahead of its reader.
const piecesAheadMax = 4

// streams are executions that run at once, on several shards for example, each read by its number:
//
//	shard 0 ──▶ pieces[0] ─┐
//	shard 1 ──▶ pieces[1] ─┼─▶ one reader
//	shard 2 ──▶ pieces[2] ─┘
//
// The first error cancels them all.
type streams struct {
	pieces []chan *sqltypes.Result
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu  sync.Mutex
	err error // the first
}

// openStreams starts n executions, atOnce of them at a time and in their order. The caller must close the streams.
func openStreams(ctx context.Context, n, atOnce int, run func(ctx context.Context, i int, emit Emit) error) *streams {
	s := &streams{pieces: make([]chan *sqltypes.Result, n)}
	s.ctx, s.cancel = context.WithCancel(ctx)
	for i := range n {
		s.pieces[i] = make(chan *sqltypes.Result, piecesAheadMax)
	}
	slots := make(chan struct{}, atOnce)
	s.wait.Go(func() {
		for i := range n {
			// In order, so that the stream read first always runs.
			select {
			case slots <- struct{}{}:
			case <-s.ctx.Done():
				close(s.pieces[i])
				continue
			}
			s.wait.Go(func() {
				defer func() { <-slots }()
				defer close(s.pieces[i])
				s.fail(recovered(func() error {
					return run(s.ctx, i, func(piece *sqltypes.Result) error { return s.put(i, piece) })
				}))
			})
		}
	})
	return s
}

func (s *streams) put(i int, piece *sqltypes.Result) error {
	select {
	case s.pieces[i] <- piece:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// fail keeps the first error and stops the rest.
func (s *streams) fail(err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.cancel()
}

// next returns the next piece of a stream, nil at its end.
func (s *streams) next(i int) (*sqltypes.Result, error) {
	if piece, ok := <-s.pieces[i]; ok {
		return piece, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		// The caller's context may have ended before the stream began.
		return nil, s.ctx.Err()
	}
	return nil, s.err
}

// close stops what still runs and waits for it.
func (s *streams) close() {
	s.cancel()
	s.wait.Wait()
}

// openShards opens one stream per query.
func openShards(ctx context.Context, env *Env, queries []ShardQuery, opts ShardOptions, atOnce int) *streams {
	return openStreams(ctx, len(queries), atOnce, func(ctx context.Context, i int, emit Emit) error {
		return env.Shards.Stream(ctx, queries[i], opts, emit)
	})
}

// emitInShardOrder runs the queries in parallel and emits one shard's rows after the other's.
func emitInShardOrder(ctx context.Context, env *Env, queries []ShardQuery, opts ShardOptions, emit Emit) error {
	atOnce := env.FanOutMax
	if atOnce <= 0 {
		atOnce = DefaultFanOutMax
	}
	s := openShards(ctx, env, queries, opts, min(atOnce, len(queries)))
	defer s.close()
	for i := range queries {
		for first := true; ; first = false {
			piece, err := s.next(i)
			if err != nil {
				return err
			}
			if piece == nil {
				break
			}
			if i > 0 && first {
				piece = withoutFields(piece)
			}
			if err := emit(piece); err != nil {
				return err
			}
		}
	}
	return nil
}

// withoutFields returns the piece with rows only.
func withoutFields(piece *sqltypes.Result) *sqltypes.Result {
	out := *piece
	out.Fields = nil
	return &out
}

// emitMerged runs the queries in parallel and merges their rows, which arrive sorted; equal rows keep shard order.
func emitMerged(ctx context.Context, env *Env, queries []ShardQuery, opts ShardOptions, order evalengine.Comparison, emit Emit) error {
	// A merge needs a row of each shard before it can pick one, so all run at once.
	s := openShards(ctx, env, queries, opts, len(queries))
	defer s.close()
	return merge(len(queries), order, s.next, emit)
}

// emitWhole runs the queries to their end and lets through what healthy shards answered, merged where there is an order.
func emitWhole(ctx context.Context, env *Env, queries []ShardQuery, opts ShardOptions, order evalengine.Comparison, emit Emit) error {
	results, err := env.Shards.Execute(ctx, queries, opts)
	if err != nil {
		return err
	}
	var healthy []*sqltypes.Result
	for _, result := range results {
		if result != nil {
			healthy = append(healthy, result)
		}
	}
	taken := make([]bool, len(healthy))
	next := func(i int) (*sqltypes.Result, error) {
		if taken[i] {
			return nil, nil
		}
		taken[i] = true
		return healthy[i], nil
	}
	return merge(len(healthy), order, next, emit)
}
