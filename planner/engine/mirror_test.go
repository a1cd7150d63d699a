package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

func TestMirrorAnswersWithItsInput(t *testing.T) {
	route := func(keyspace string) *Route {
		rp := &RoutingParameters{Opcode: opcode.Unsharded, Keyspace: mainKeyspace}
		return &Route{RoutingParameters: rp, Query: "select v from " + keyspace, FieldQuery: "select v from " + keyspace + " where 1 != 1"}
	}
	answers := map[string]*sqltypes.Result{
		"select v from own":    sqltypes.MakeTestResult(sqltypes.MakeTestFields("v", "varchar"), "here"),
		"select v from mirror": sqltypes.MakeTestResult(sqltypes.MakeTestFields("v", "varchar"), "there"),
	}
	for _, tc := range []struct {
		name    string
		percent float32
		failing error
		asked   []string
	}{
		{"always", 100, nil, []string{"main/0 select v from mirror", "main/0 select v from own"}},
		{"never", -1, nil, []string{"main/0 select v from own"}},
		{"errors of the target are dropped", 100, errors.New("no such table"), []string{"main/0 select v from mirror", "main/0 select v from own"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env, shards := newFakeEnv()
			shards.answers = answers
			if tc.failing != nil {
				shards.errs = map[string]error{"select v from mirror": tc.failing}
			}
			got := mustRun(t, env, &Mirror{Percent: tc.percent, Input: route("own"), Target: route("mirror")}, nil)
			assert.Equal(t, []string{"here"}, rowTexts(got))
			assert.ElementsMatch(t, tc.asked, shards.log)
		})
	}
}

func TestMirrorRunsOutsideTheTransaction(t *testing.T) {
	env, shards := newFakeEnv()
	rp := &RoutingParameters{Opcode: opcode.Scatter, Keyspace: userKeyspace}
	route := &Route{RoutingParameters: rp, Query: "select 1 from t", FieldQuery: "select 1 from t where 1 != 1"}
	mustRun(t, env, &Mirror{Percent: 100, Input: &SingleRow{}, Target: route}, nil)
	require.Len(t, shards.opts, 2)
	for _, opts := range shards.opts {
		assert.True(t, opts.Standalone)
	}
}

// late is a primitive that waits until it is stopped.
type late struct{ SingleRow }

func (late) Execute(ctx context.Context, _ *Env, _ BindVars, _ Emit) error {
	<-ctx.Done()
	return ctx.Err()
}

// broken is a primitive with a mistake.
type broken struct{ SingleRow }

func (broken) Execute(context.Context, *Env, BindVars, Emit) error { panic("no such thing") }

func TestMirrorIsNotHeldUpByItsTarget(t *testing.T) {
	env, _ := newFakeEnv()
	for _, target := range []Primitive{&late{}, &broken{}} {
		got := mustRun(t, env, &Mirror{Percent: 100, Input: rows("v", "varchar", "here"), Target: target}, nil)
		assert.Equal(t, []string{"here"}, rowTexts(got))
	}
}

func TestAPanicInAStreamIsAnError(t *testing.T) {
	env, _ := newFakeEnv()
	_, err := Collect(context.Background(), env, &Concatenate{Sources: []Primitive{rows("v", "varchar", "a"), &broken{}}}, nil)
	assert.ErrorContains(t, err, "VT13001: [BUG] no such thing")
}
