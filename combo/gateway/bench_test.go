package gateway

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/sqltypes"
)

func discard(*sqltypes.Result) error { return nil }

// BenchmarkPlanCacheHit measures a text statement whose literals differ each time: parse, normalise, key, lookup.
func BenchmarkPlanCacheHit(b *testing.B) {
	s, _ := newFakeSession(b)
	texts := make([]string, 20_000)
	for i := range texts {
		texts[i] = fmt.Sprintf("select id, v from u where id = %d", i)
	}
	mustExec(b, s, texts[0])
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		stmt, known, err := s.gateway.env.Parser().Parse2(texts[i%len(texts)])
		require.NoError(b, err)
		n, err := s.normalise(stmt, known, nil)
		require.NoError(b, err)
		_, err = s.planOf(n)
		require.NoError(b, err)
	}
}

// BenchmarkTextCacheHit measures a whole statement whose text came before, on shards that answer at once.
func BenchmarkTextCacheHit(b *testing.B) {
	s, c := newFakeSession(b)
	mustExec(b, s, "select id, v from u where id = 1")
	b.ReportAllocs()
	for b.Loop() {
		c.log, c.vars = c.log[:0], c.vars[:0]
		require.NoError(b, s.Execute(context.Background(), "select id, v from u where id = 1", nil, discard))
	}
}

// BenchmarkPreparedPointSelect measures a prepared statement's execution, which is found by its text.
func BenchmarkPreparedPointSelect(b *testing.B) {
	s, c := newFakeSession(b)
	vars := BindVars{"v1": sqltypes.Int64BindVariable(4)}
	b.ReportAllocs()
	for b.Loop() {
		c.log, c.vars = c.log[:0], c.vars[:0]
		require.NoError(b, s.Execute(context.Background(), "select id, v from u where id = ?", vars, discard))
	}
}

// BenchmarkShapeHit measures a whole text statement whose literals differ each time but whose shape is known.
func BenchmarkShapeHit(b *testing.B) {
	s, c := newFakeSession(b)
	texts := make([]string, 20_000)
	for i := range texts {
		texts[i] = fmt.Sprintf("select id, v from u where id = %d", i)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.log, c.vars = c.log[:0], c.vars[:0]
		require.NoError(b, s.Execute(context.Background(), texts[i%len(texts)], nil, discard))
	}
}
