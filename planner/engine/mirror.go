package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vterrors"
)

var _ Primitive = (*Mirror)(nil)

// Mirror answers with Input, and runs Target beside it in Percent (0 to 100) of its executions. What Target returns is
// dropped, its errors too: mirror rules try out another keyspace with real reads, and must not disturb them.
type Mirror struct {
	Percent       float32
	Input, Target Primitive
}

// mirrorLagMax is how long the target may run on when the answer is there. As in Vitess.
const mirrorLagMax = 100 * time.Millisecond

// Inputs implements Primitive.
func (m *Mirror) Inputs() []Input { return inputs(m.Input, m.Target) }

// NeedsTransaction implements Primitive.
func (m *Mirror) NeedsTransaction() bool { return m.Input.NeedsTransaction() }

// Execute implements Primitive. The target ends before Execute returns.
func (m *Mirror) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	if m.Percent < rand.Float32()*100 {
		return env.run(ctx, m.Input, bindVars, emit)
	}
	targetCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = recovered(func() error { return m.runTarget(targetCtx, env, bindVars) })
	}()
	err := env.run(ctx, m.Input, bindVars, emit)
	late := time.NewTimer(mirrorLagMax)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		cancel()
		<-done
	}
	return err
}

// runTarget runs the target outside the session's transaction.
func (m *Mirror) runTarget(ctx context.Context, env *Env, bindVars BindVars) error {
	apart := *env
	apart.Shards = standalone{env.Shards}
	return apart.run(ctx, m.Target, bindVars, func(*sqltypes.Result) error { return nil })
}

// standalone asks shards outside the session's transaction.
type standalone struct{ ShardExecutor }

// Execute implements ShardExecutor.
func (s standalone) Execute(ctx context.Context, queries []ShardQuery, opts ShardOptions) ([]*sqltypes.Result, error) {
	opts.Standalone = true
	return s.ShardExecutor.Execute(ctx, queries, opts)
}

// Stream implements ShardExecutor.
func (s standalone) Stream(ctx context.Context, query ShardQuery, opts ShardOptions, emit Emit) error {
	opts.Standalone = true
	return s.ShardExecutor.Stream(ctx, query, opts, emit)
}

// recovered turns a panic into an error: one in a goroutine of its own would end the process.
func recovered(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = vterrors.VT13001(fmt.Sprint(r))
		}
	}()
	return f()
}

// GetFields implements Primitive.
func (m *Mirror) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	return m.Input.GetFields(ctx, env, bindVars)
}

// Description implements Primitive.
func (m *Mirror) Description() Description {
	d := describe("Mirror", "PercentBased")
	d.set("Percent", m.Percent)
	return d
}
