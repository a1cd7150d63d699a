package faults

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRuleAppliesByCountShardAndText(t *testing.T) {
	r := New()
	ctx := context.Background()
	id := r.Add(Rule{Shard: "80-", SQL: "^update", After: 1, Times: 2, Err: Lost})
	var got []bool
	for range 5 {
		got = append(got, r.Before(ctx, "ks", "80-", "update t set a = 1") != nil)
	}
	require.Equal(t, []bool{false, true, true, false, false}, got)
	require.NoError(t, r.Before(ctx, "ks", "-80", "update t set a = 1"))
	require.NoError(t, r.Before(ctx, "ks", "80-", "select 1"))
	require.Equal(t, 5, r.Remove(id))
}

func TestFirstApplyingRuleDecides(t *testing.T) {
	r := New()
	r.Add(Rule{SQL: "^select", Times: 1, Err: Lost})
	r.Add(Rule{Err: interrupted()})
	require.Equal(t, Lost, r.Before(context.Background(), "ks", "0", "select 1"))
	require.EqualError(t, r.Before(context.Background(), "ks", "0", "select 1"), interrupted().Error())
}

func TestDelayAndGateEndWithTheContext(t *testing.T) {
	r := New()
	never := make(chan time.Time)
	r.after = func(time.Duration) <-chan time.Time { return never }
	r.Add(Rule{SQL: "^a", Delay: time.Hour})
	open := make(chan struct{})
	r.Add(Rule{SQL: "^b", Gate: open})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.Error(t, r.Before(ctx, "ks", "0", "a"))
	require.Error(t, r.Before(ctx, "ks", "0", "b"))
	close(open)
	require.NoError(t, r.Before(context.Background(), "ks", "0", "b"))
}
