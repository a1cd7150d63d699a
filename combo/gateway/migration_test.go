package gateway

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
)

// statusOf returns shard and status of each row that SHOW VITESS_MIGRATIONS has for a filter.
func statusOf(t *testing.T, s *Session, filter string) (statuses []string) {
	t.Helper()
	result := mustExec(t, s, "show vitess_migrations "+filter)
	column := map[string]int{}
	for i, field := range result.Fields {
		column[field.Name] = i
	}
	for _, row := range result.Rows {
		statuses = append(statuses, row[column["shard"]].ToString()+" "+row[column["migration_status"]].ToString())
	}
	return statuses
}

func TestOnlineStrategiesRunAtOnceAndAreListed(t *testing.T) {
	for _, strategy := range []string{"vitess", "online", "mysql", "vitess --allow-concurrent --cut-over-threshold=5s"} {
		t.Run(strategy, func(t *testing.T) {
			s, c := newFakeSession(t)
			mustExec(t, s, "set ddl_strategy = '"+strategy+"'")
			result := mustExec(t, s, "alter table u add column w int")
			require.Equal(t, "uuid", result.Fields[0].Name)
			uuid := result.Rows[0][0].ToString()
			require.Regexp(t, "^[0-9a-f]{8}(_[0-9a-f]{4}){3}_[0-9a-f]{12}$", uuid)
			assert.ElementsMatch(t, []string{"user/-80: alter table u add column w int", "user/80-: alter table u add column w int"}, c.taken())
			want := []string{"-80 complete", "80- complete"}
			assert.Equal(t, want, statusOf(t, s, ""))
			assert.Equal(t, want, statusOf(t, s, "like '"+uuid+"'"))
			assert.Equal(t, want, statusOf(t, s, "like 'comp%'"))
			assert.Equal(t, want, statusOf(t, s, "where mysql_table = 'u' and ddl_action = 'alter'"))
			assert.Empty(t, statusOf(t, s, "like 'failed'"))
			assert.EqualValues(t, 2, mustExec(t, s, "alter vitess_migration '"+uuid+"' cleanup").RowsAffected)
			assert.EqualValues(t, 0, mustExec(t, s, "alter vitess_migration '"+uuid+"' cancel").RowsAffected)
		})
	}
}

func TestEachTableOfADropIsAMigration(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "set ddl_strategy = 'vitess'")
	require.Len(t, mustExec(t, s, "drop table if exists u, u2").Rows, 2)
	assert.Contains(t, c.taken(), "user/80-: drop table if exists u2")
	c.taken()
	mustExec(t, s, "truncate table u")
	assert.Len(t, c.taken(), 2, "what is no migration runs directly")
	assert.Len(t, statusOf(t, s, ""), 4)
}

func TestPostponedMigrationsWait(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "set ddl_strategy = 'vitess --postpone-completion'", "alter table u add column a int", "create table `user`.fresh (id bigint)")
	assert.Empty(t, c.taken())
	assert.Equal(t, []string{"-80 running", "80- running", "-80 queued", "80- queued"}, statusOf(t, s, ""))
	assert.EqualValues(t, 4, mustExec(t, s, "alter vitess_migration complete all").RowsAffected)
	assert.Len(t, c.taken(), 4)
	assert.Len(t, statusOf(t, s, "like 'complete'"), 4)

	mustExec(t, s, "set ddl_strategy = 'vitess --postpone-launch'", "alter table u add column b int", "alter vitess_migration cancel all")
	assert.Len(t, statusOf(t, s, "like 'cancelled'"), 2)
	uuid := mustExec(t, s, "alter table u add column c int").Rows[0][0].ToString()
	assert.EqualValues(t, 0, mustExec(t, s, "alter vitess_migration complete all").RowsAffected)
	assert.Empty(t, c.taken())
	assert.EqualValues(t, 1, mustExec(t, s, "alter vitess_migration '"+uuid+"' launch vitess_shards '80-'").RowsAffected)
	assert.Equal(t, []string{"user/80-: alter table u add column c int"}, c.taken())
	assert.Equal(t, []string{"-80 queued", "80- complete"}, statusOf(t, s, "like '"+uuid+"'"))
}

func TestAFailedMigrationIsListedAndRetried(t *testing.T) {
	s, c := newFakeSession(t)
	c.rules = []fakeRule{{shard: "user/80-", sql: "alter", err: sqlerror.NewSQLError(sqlerror.ERDupFieldName, "42S21", "Duplicate column name 'a'")}}
	mustExec(t, s, "set ddl_strategy = 'online'")
	uuid := mustExec(t, s, "alter table u add column a int").Rows[0][0].ToString()
	assert.Equal(t, []string{"-80 complete", "80- failed"}, statusOf(t, s, ""))
	assert.Contains(t, mustExec(t, s, "show vitess_migrations where message like '%Duplicate column%'").Rows[0][3].ToString(), "80-")
	c.rules = nil
	assert.EqualValues(t, 1, mustExec(t, s, "alter vitess_migration '"+uuid+"' retry").RowsAffected)
	assert.Equal(t, []string{"-80 complete", "80- complete"}, statusOf(t, s, ""))
}

func TestWhatMigrationsDoNot(t *testing.T) {
	s, _ := newFakeSession(t)
	for _, strategy := range []string{"gh-ost", "vitess --nosuch", "vitess --cut-over-threshold", "nope"} {
		_, err := exec(s, "set ddl_strategy = '"+strategy+"'")
		require.Equal(t, 1231, errnoOf(err), strategy)
	}
	const uuid = "a0638f6b_ec7b_11ea_9bf8_000d3a9b8a9a"
	for _, refused := range []string{
		"revert vitess_migration '" + uuid + "'", "show vitess_migration '" + uuid + "' logs", "alter vitess_migration throttle all",
	} {
		_, err := exec(s, refused)
		require.ErrorContains(t, err, "VT12001", refused)
	}
	mustExec(t, s, "set ddl_strategy = 'vitess --declarative'")
	_, err := exec(s, "create table `user`.fresh (id bigint)")
	require.ErrorContains(t, err, "VT12001")
	assert.Empty(t, mustExec(t, s, "show vitess_throttled_apps").Rows)
	assert.Len(t, mustExec(t, s, "show vitess_throttler status").Rows, 2)
	assert.EqualValues(t, 0, mustExec(t, s, "alter vitess_migration '"+uuid+"' retry").RowsAffected)
}

// A schema change that fails on some shards says which have it.
func TestASchemaChangeThatFailsHalfWay(t *testing.T) {
	s, c := newFakeSession(t)
	c.rules = []fakeRule{{shard: "user/80-", sql: "alter", err: sqlerror.NewSQLError(sqlerror.ERDupFieldName, "42S21", "Duplicate column name 'a'")}}
	_, err := exec(s, "alter table u add column a int")
	require.ErrorContains(t, err, "target: user.80-.primary")
	assert.Equal(t, "schema change failed after changing 1 shards: -80", mustExec(t, s, "show warnings").Rows[0][2].ToString())
}
