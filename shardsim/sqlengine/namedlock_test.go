package sqlengine

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
)

// TestNamedLocksFindDeadlocks has session 3 wait for 2 and 2 for 1, so that 1 may not wait for 3.
func TestNamedLocksFindDeadlocks(t *testing.T) {
	l := newNamedLocks()
	ctx := context.Background()
	for session := uint32(1); session <= 3; session++ {
		got, err := l.get(ctx, session, fmt.Sprint("lock ", session), 0)
		require.NoError(t, err)
		require.True(t, got)
	}
	done := make(chan error, 2)
	for session := uint32(2); session <= 3; session++ {
		go func() {
			_, err := l.get(ctx, session, fmt.Sprint("lock ", session-1), -1)
			done <- err
		}()
	}
	require.Eventually(t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.waiting) == 2
	}, 5*time.Second, time.Millisecond)
	_, err := l.get(ctx, 1, "lock 3", -1)
	var e *sqlerror.SQLError
	require.True(t, errors.As(err, &e))
	require.EqualValues(t, 3058, e.Num)

	require.Equal(t, 1, l.releaseAll(1))
	require.NoError(t, <-done, "2 has what it waited for")
	require.Equal(t, 2, l.releaseAll(2))
	require.NoError(t, <-done)
	require.Equal(t, 2, l.releaseAll(3))
	require.Empty(t, l.held)
	require.Empty(t, l.waiting)
}
