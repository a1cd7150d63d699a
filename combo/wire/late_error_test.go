package wire_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo/wire"
)

// An error after the first rows reaches the client, whose connection lives on.
func TestErrorAfterRows(t *testing.T) {
	gateway, db, _ := start(t, wire.Config{}, "root@ADDR/?multiStatements=true")
	db.SetMaxOpenConns(1)
	for _, tc := range []struct {
		name, query string
		args        []any
		errno       uint16
		state       string
		message     string
	}{
		{name: "text", query: "late", errno: 1317, state: "70100", message: "too late"},
		{name: "prepared", query: "late ?", args: []any{1}, errno: 1317, state: "70100", message: "too late"},
		{name: "panic, text", query: "late panic", errno: 1815, state: "HY000", message: "oh no"},
		{name: "panic, prepared", query: "late panic ?", args: []any{1}, errno: 1815, state: "HY000", message: "oh no"},
		{name: "the statements after it do not run", query: "late; update x", errno: 1317, state: "70100", message: "too late"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rows, err := db.Query(tc.query, tc.args...)
			require.NoError(t, err)
			defer rows.Close()
			count := 0
			for rows.Next() {
				count++
			}
			require.Positive(t, count)
			requireErrno(t, rows.Err(), tc.errno, tc.state, tc.message)
			require.NoError(t, rows.Close())
			_, err = db.Exec("update x")
			require.NoError(t, err)
			require.Len(t, gateway.sessions, 1, "the connection lives on")
		})
	}
}

// A client that leaves interrupts its statement; one that speaks early does not.
func TestClientLeavesDuringAStatement(t *testing.T) {
	gateway, _, server := start(t, wire.Config{}, "root@ADDR/")
	c := dial(t, server)
	c.write(0, []byte("\x03wait"))
	gateway.awaitRun(t, looked)
	c.write(0, []byte("\x03update x"))
	require.Never(t, func() bool { return gateway.closedCount() > 0 }, 50*time.Millisecond, 5*time.Millisecond)
	require.NoError(t, c.conn.Close())
	require.Eventually(t, func() bool { return gateway.closedCount() == 1 }, 10*time.Second, time.Millisecond)
}

func TestEarlyCommandIsAnsweredInTurn(t *testing.T) {
	gateway, _, server := start(t, wire.Config{}, "root@ADDR/")
	c := dial(t, server)
	c.write(0, []byte("\x03slow"))
	gateway.awaitRun(t, looked)
	c.write(0, []byte("\x03update x"))
	for range 2 {
		require.EqualValues(t, 0, c.packet()[0], "an OK packet")
	}
}

// A killed session's connection ends, whether it waits or runs a statement.
func TestHangup(t *testing.T) {
	for _, running := range []bool{false, true} {
		gateway, db, server := start(t, wire.Config{}, "root@ADDR/")
		require.NoError(t, db.Close())
		c := dial(t, server)
		c.command(3, "update x")
		if running {
			c.write(0, []byte("\x03slow"))
			gateway.awaitRun(t, 0)
		}
		gateway.infos[len(gateway.infos)-1].Hangup()
		if running {
			require.EqualValues(t, 0, c.packet()[0], "the answer still comes")
		}
		require.Eventually(t, func() bool { return gateway.closedCount() >= 1 }, 10*time.Second, time.Millisecond)
	}
}

// looked is how long a statement runs until the server looks after its client: a little more than it waits.
const looked = 150 * time.Millisecond

// begin notes that a statement runs which takes a while.
func (g *fakeGateway) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.began = time.Now()
}

// awaitRun waits until such a statement has run for a time.
func (g *fakeGateway) awaitRun(t *testing.T, d time.Duration) {
	t.Helper()
	require.Eventually(t, func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return !g.began.IsZero() && time.Since(g.began) >= d
	}, 10*time.Second, time.Millisecond)
}

func (g *fakeGateway) closedCount() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// slow is a statement that takes a while, but ends.
func (s *fakeSession) slow(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(300 * time.Millisecond):
		return nil
	}
}
