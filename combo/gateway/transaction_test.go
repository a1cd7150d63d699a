package gateway

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
)

// Under vindex hash, id 1 lives on -80 and id 4 on 80-.

func TestShardsJoinATransactionWhenNeeded(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "begin")
	assert.Empty(t, c.taken(), "BEGIN alone reaches no shard")
	mustExec(t, s, "update u set v = 'a' where id = 1", "savepoint one", "update u set v = 'b' where id = 4", "commit")
	assert.Equal(t, []string{
		"user/-80: begin",
		"user/-80: update u set v = :v /* VARCHAR */ where id = :id /* INT64 */",
		"user/-80: savepoint `one`",
		"user/80-: begin",
		"user/80-: savepoint `one`",
		"user/80-: update u set v = :v /* VARCHAR */ where id = :id /* INT64 */",
		"user/-80: commit",
		"user/80-: commit",
	}, c.taken())
	assert.Equal(t, 0, c.conns, "no connection is left open")
}

func TestAutocommitWrites(t *testing.T) {
	update := "update u set v = :v /* VARCHAR */"
	for _, tc := range []struct {
		name, sql string
		fail      string
		want      []string
	}{
		{name: "one shard commits by itself", sql: "update u set v = 'a' where id = 1", want: []string{
			"user/-80: update u set v = :v /* VARCHAR */ where id = :id /* INT64 */",
		}},
		{name: "two shards commit together", sql: "update u set v = 'a'", want: []string{
			"user/-80: begin", "user/-80: commit", "user/-80: " + update,
			"user/80-: begin", "user/80-: commit", "user/80-: " + update,
		}},
		{name: "a failure on one rolls both back", sql: "update u set v = 'a'", fail: "user/80-", want: []string{
			"user/-80: begin", "user/-80: rollback", "user/-80: " + update,
			"user/80-: begin", "user/80-: rollback", "user/80-: " + update,
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, c := newFakeSession(t, func(cfg *Config) { cfg.FanOutMax = 1 })
			if tc.fail != "" {
				c.rules = []fakeRule{{shard: tc.fail, sql: "update", err: duplicate()}}
			}
			_, err := exec(s, tc.sql)
			if tc.fail != "" {
				require.Error(t, err)
				assert.Equal(t, 1062, errnoOf(err))
				assert.ErrorContains(t, err, "target: user.80-.primary: vttablet: Duplicate entry")
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, tc.want, c.sorted())
			assert.Equal(t, 0, c.conns)
		})
	}
}

func TestAFailedStatementIsUndoneAlone(t *testing.T) {
	s, c := newFakeSession(t, func(cfg *Config) { cfg.FanOutMax = 1 })
	mustExec(t, s, "begin", "update u set v = 'a' where id = 1")
	c.taken()
	c.rules = []fakeRule{{shard: "user/80-", sql: "delete", err: duplicate()}}
	_, err := exec(s, "delete from u")
	require.Error(t, err)
	assert.Equal(t, []string{
		"user/80-: begin",
		"user/-80: savepoint `__vitro_statement`",
		"user/-80: delete from u",
		"user/80-: savepoint `__vitro_statement`",
		"user/80-: delete from u",
		"user/-80: rollback to `__vitro_statement`",
		"user/80-: rollback to `__vitro_statement`",
	}, c.taken())
	assert.True(t, s.Status().InTransaction, "the transaction goes on")
	mustExec(t, s, "commit")
	assert.Equal(t, []string{"user/-80: commit", "user/80-: commit"}, c.taken())
}

func TestADeadlockOnOneShardRollsAllBack(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "begin", "update u set v = 'a' where id = 1")
	c.taken()
	c.rules = []fakeRule{{shard: "user/80-", sql: "update", ends: true,
		err: sqlerror.NewSQLError(sqlerror.ERLockDeadlock, sqlerror.SSLockDeadlock, "Deadlock found")}}
	_, err := exec(s, "update u set v = 'b' where id = 4")
	assert.Equal(t, 1213, errnoOf(err))
	assert.False(t, s.Status().InTransaction)
	assert.Contains(t, c.taken(), "user/-80: rollback")
	assert.Equal(t, 0, c.conns)
}

func TestACircleOfWaitsOverShardsEndsInADeadlock(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "begin", "update u set v = 'a' where id = 1")
	c.rules = []fakeRule{{shard: "user/80-", sql: "update", block: func(ctx context.Context) {
		c.mu.Lock()
		// An older transaction, 0, waits for this one and the other way round.
		c.waits = [][2]uint64{{s.tx.id, 0}, {0, s.tx.id}}
		c.mu.Unlock()
		<-ctx.Done()
	}}}
	_, err := exec(s, "update u set v = 'b' where id = 4")
	assert.Equal(t, 1213, errnoOf(err))
	assert.False(t, s.Status().InTransaction)
	assert.Equal(t, 0, c.conns)
}

func TestOnlyTheYoungestOfACircleGivesUp(t *testing.T) {
	g, c := newFakeGateway(t)
	c.waits = [][2]uint64{{1, 2}, {2, 3}, {3, 1}, {4, 1}}
	for id, want := range map[uint64]bool{1: false, 2: false, 3: true, 4: false, 5: false} {
		assert.Equal(t, want, g.givesUp(id), "transaction %d", id)
	}
}

func TestSavepoints(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "savepoint nothing", "begin", "update u set v = 'a' where id = 1", "savepoint a", "savepoint b", "rollback to A")
	_, err := exec(s, "rollback to b")
	assert.Equal(t, 1305, errnoOf(err), "b is gone with what came after a")
	mustExec(t, s, "release savepoint a")
	_, err = exec(s, "release savepoint a")
	assert.Equal(t, 1305, errnoOf(err))
	c.taken()
	mustExec(t, s, "update u set v = 'a' where id = 4")
	assert.NotContains(t, c.taken(), "user/80-: savepoint `a`", "a released savepoint is not set on later shards")
}

func TestSingleModeRefusesASecondShard(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "set transaction_mode = single", "begin", "update u set v = 'a' where id = 1", "select v from u where id = 4")
	_, err := exec(s, "update u set v = 'a' where id = 4")
	require.ErrorContains(t, err, "multi-db transaction attempted: [user/-80 user/80-]")
	assert.False(t, s.Status().InTransaction, "the whole transaction is rolled back")
	assert.Contains(t, c.taken(), "user/-80: rollback")
}

// A broken connection takes the whole transaction, and the session does nothing more before the client has noticed.
func TestALostShardBlocksTheSessionUntilRollback(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "begin", "update u set v = 'a' where id = 1")
	c.rules = []fakeRule{{shard: "user/80-", sql: "update", err: sqlerror.NewSQLError(sqlerror.CRServerLost, "HY000", "gone")}}
	_, err := exec(s, "update u set v = 'a' where id = 4")
	require.ErrorContains(t, err, "VT15001: transaction error, issue ROLLBACK and retry the transaction: target: user.80-.primary")
	assert.Contains(t, c.taken(), "user/-80: rollback")
	assert.False(t, s.Status().InTransaction)
	for _, blocked := range []string{"update u set v = 'a' where id = 1", "select v from u where id = 1", "begin", "commit", "set @a = 1"} {
		_, err := exec(s, blocked)
		require.ErrorContains(t, err, "VT09032", blocked)
	}
	assert.Empty(t, c.taken())
	mustExec(t, s, "rollback", "update u set v = 'a' where id = 1")
}

// Where a statement can not be undone alone nothing of its transaction stays.
func TestAStatementThatCannotBeUndoneEndsTheTransaction(t *testing.T) {
	s, c := newFakeSession(t, func(cfg *Config) { cfg.FanOutMax = 1 })
	mustExec(t, s, "begin", "update u set v = 'a' where id = 1")
	c.rules = []fakeRule{
		{shard: "user/80-", sql: "delete", err: duplicate()},
		{shard: "user/-80", sql: "rollback to", err: sqlerror.NewSQLError(sqlerror.ERUnknownError, "HY000", "no")},
	}
	_, err := exec(s, "delete from u")
	require.ErrorContains(t, err, "transaction rolled back to reverse changes of partial DML execution")
	assert.Contains(t, c.taken(), "user/-80: rollback")
	assert.False(t, s.Status().InTransaction)
}

func TestCommitFailingHalfWaySaysWhatCommitted(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "begin", "update u set v = 'a' where id = 1", "update u set v = 'a' where id = 4")
	c.rules = []fakeRule{{shard: "user/80-", sql: "commit", err: sqlerror.NewSQLError(sqlerror.ERUnknownError, "HY000", "no")}}
	_, err := exec(s, "commit")
	require.ErrorContains(t, err, "target: user.80-.primary")
	warning := mustExec(t, s, "show warnings").Rows[0]
	assert.Equal(t, "301", warning[1].ToString())
	assert.Equal(t, "multi-db commit failed after committing to 1 shards: -80", warning[2].ToString())
	assert.False(t, s.Status().InTransaction)
}

func TestAutocommitOff(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "set autocommit = 0", "update u set v = 'a' where id = 1")
	assert.True(t, s.Status().InTransaction)
	assert.False(t, s.Status().Autocommit)
	mustExec(t, s, "set autocommit = 1")
	assert.Equal(t, "user/-80: commit", c.taken()[2], "autocommit coming on commits")
	assert.False(t, s.Status().InTransaction)
}

func TestIsolationTravelsWithBegin(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "set transaction isolation level read committed", "begin", "update u set v = 'a' where id = 1", "commit",
		"begin", "update u set v = 'a' where id = 1", "commit")
	log := c.taken()
	assert.Equal(t, "user/-80: begin READ-COMMITTED", log[0], "for the next transaction")
	assert.Equal(t, "user/-80: begin", log[3], "and no other")
	mustExec(t, s, "set session transaction isolation level serializable", "begin", "update u set v = 'a' where id = 1")
	assert.Equal(t, "user/-80: begin SERIALIZABLE", c.taken()[0])
}

func TestResetAndCloseRollBack(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "set @a = 1", "begin", "update u set v = 'a' where id = 1")
	c.taken()
	require.NoError(t, s.Reset(context.Background()))
	assert.Equal(t, []string{"user/-80: rollback"}, c.taken())
	assert.Empty(t, s.userVariables, "user variables are gone")
	mustExec(t, s, "begin", "update u set v = 'a' where id = 1")
	c.taken()
	s.Close()
	assert.Equal(t, []string{"user/-80: rollback"}, c.taken())
	_, err := exec(s, "select 1")
	assert.Equal(t, 1317, errnoOf(err))
}

// A killed session holds no locks, though its client says nothing more.
func TestKillRollsBack(t *testing.T) {
	for _, tc := range []struct {
		name    string
		running bool
	}{{"idle", false}, {"in a statement", true}} {
		t.Run(tc.name, func(t *testing.T) {
			g, c := newFakeGateway(t)
			victim, err := g.Connect(context.Background(), ConnInfo{Database: "user"})
			require.NoError(t, err)
			killer, err := g.Connect(context.Background(), ConnInfo{Database: "user"})
			require.NoError(t, err)
			mustExec(t, victim, "begin", "update u set v = 'a' where id = 1")
			started, done := make(chan struct{}), make(chan error, 1)
			if tc.running {
				c.rules = []fakeRule{{sql: "select v", block: func(ctx context.Context) {
					close(started)
					<-ctx.Done()
				}}}
				go func() {
					_, err := exec(victim, "select v from u where id = 1")
					done <- err
				}()
				<-started
			}
			mustExec(t, killer, "kill 1")
			if tc.running {
				assert.Equal(t, 1317, errnoOf(<-done))
			}
			assert.Contains(t, c.taken(), "user/-80: rollback")
			assert.Equal(t, 0, c.conns)
			assert.False(t, victim.Status().InTransaction)
			_, _, err = victim.Prepare(context.Background(), "select 1")
			assert.Equal(t, 1317, errnoOf(err))
			assert.Equal(t, 1317, errnoOf(victim.Reset(context.Background())))
			victim.Close()
		})
	}
}

// SET TRANSACTION is about the next transaction, which may be a single statement.
func TestSetTransactionIsUsedUp(t *testing.T) {
	s, c := newFakeSession(t)
	set := "set transaction isolation level read committed"
	mustExec(t, s, set, "select v from u where id = 1")
	assert.Equal(t, []string{
		"user/-80: begin READ-COMMITTED", "user/-80: select v from u where id = :id /* INT64 */", "user/-80: commit",
	}, c.taken())
	mustExec(t, s, "update u set v = 'a'")
	assert.Contains(t, c.taken(), "user/-80: begin")
	mustExec(t, s, set, "select 1")
	c.taken()
	mustExec(t, s, "begin", "select v from u where id = 1", "commit")
	assert.Equal(t, "user/-80: begin", c.taken()[0])
}

// A commit that has begun is not interrupted between shards.
func TestCommitIsNotInterruptedHalfway(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "begin", "update u set v = 'a' where id = 1", "update u set v = 'b' where id = 4")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.rules = []fakeRule{{shard: "user/80-", sql: "commit", block: func(context.Context) { cancel() }}}
	require.NoError(t, s.commit(ctx))
	require.ErrorIs(t, ctx.Err(), context.Canceled)
}
