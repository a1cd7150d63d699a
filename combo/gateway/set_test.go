package gateway

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/vt/sqlparser"
)

func parse(t testing.TB, g *Gateway, sql string) sqlparser.Statement {
	t.Helper()
	stmt, err := g.env.Parser().Parse(sql)
	require.NoError(t, err)
	return stmt
}

func text1(stmt sqlparser.Statement) string { return sqlparser.String(stmt) }

// variableOf reads a variable as SHOW VARIABLES shows it.
func variableOf(t *testing.T, s *Session, name string) string {
	t.Helper()
	rows := mustExec(t, s, "show variables like '"+name+"'").Rows
	require.Len(t, rows, 1, name)
	return rows[0][1].ToString()
}

func TestSettingsDriversSend(t *testing.T) {
	for _, tc := range []struct{ sql, variable, want string }{
		{"set names utf8mb4", "character_set_client", "utf8mb4"},
		{"set names utf8", "character_set_results", "utf8"},
		{"set names 'latin1' collate 'latin1_swedish_ci'", "character_set_connection", "latin1"},
		{"set character set utf8", "character_set_client", "utf8"},
		{"set autocommit=0", "autocommit", "OFF"},
		{"set session autocommit = on", "autocommit", "ON"},
		{"set sql_mode = 'STRICT_TRANS_TABLES'", "sql_mode", "STRICT_TRANS_TABLES"},
		{"set sql_mode = ' '", "sql_mode", ""},
		{"set sql_mode = traditional", "sql_mode", "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,TRADITIONAL,NO_ENGINE_SUBSTITUTION"},
		{"set sql_mode = concat('no_zero_date', ',NO_ZERO_DATE,')", "sql_mode", "NO_ZERO_DATE"},
		{"set @@session.time_zone = '+02:00'", "time_zone", "+02:00"},
		{"set time_zone = 'UTC'", "time_zone", "UTC"},
		{"set wait_timeout = 100", "wait_timeout", "100"},
		{"set net_write_timeout = 600, net_read_timeout = 600", "net_read_timeout", "600"},
		{"set sql_safe_updates = 1", "sql_safe_updates", "ON"},
		{"set foreign_key_checks = 0", "foreign_key_checks", "OFF"},
		{"set unique_checks = off", "unique_checks", "OFF"},
		{"set sql_select_limit = default", "sql_select_limit", "18446744073709551615"},
		{"set sql_auto_is_null = 0", "sql_auto_is_null", "OFF"},
		{"set tx_isolation = 'READ-COMMITTED'", "transaction_isolation", "READ-COMMITTED"},
		{"set session transaction isolation level serializable", "transaction_isolation", "SERIALIZABLE"},
		{"set session transaction read only", "transaction_read_only", "ON"},
		{"set transaction_mode = twopc", "transaction_mode", "TWOPC"},
		{"set workload = olap", "workload", "OLAP"},
		{"set ddl_strategy = 'vitess'", "ddl_strategy", "vitess"},
		{"set group_concat_max_len = 1024 * 2", "group_concat_max_len", "2048"},
		{"set max_execution_time = 0", "max_execution_time", "0"},
		{"set innodb_lock_wait_timeout = 5", "innodb_lock_wait_timeout", "5"},
	} {
		t.Run(tc.sql, func(t *testing.T) {
			s, _ := newFakeSession(t)
			mustExec(t, s, tc.sql)
			assert.Equal(t, tc.want, variableOf(t, s, tc.variable))
		})
	}
}

func TestSettingsThatAreRefused(t *testing.T) {
	for _, tc := range []struct {
		sql  string
		want sqlerror.ErrorCode
	}{
		{"set nosuch = 1", sqlerror.ERUnknownSystemVariable},
		{"set version = '5'", sqlerror.ERIncorrectGlobalLocalVar},
		{"set global read_only = 1", sqlerror.ERIncorrectGlobalLocalVar},
		{"set transaction_isolation = 'SNAPSHOT'", sqlerror.ERWrongValueForVar},
		{"set sql_mode = ansi", sqlerror.ERNotSupportedYet},
		{"set sql_mode = 'BOGUS'", sqlerror.ERWrongValueForVar},
		{"set autocommit = 2", sqlerror.ERWrongValueForVar},
		{"set wait_timeout = 'soon'", sqlerror.ERWrongTypeForVar},
		{"set time_zone = 'Mars/Olympus'", sqlerror.ERUnknownTimeZone},
		{"set names koi8r", sqlerror.ERNotSupportedYet},
		{"set audit_log_read_buffer_size = 1", sqlerror.ERNotSupportedYet},
	} {
		t.Run(tc.sql, func(t *testing.T) {
			s, _ := newFakeSession(t)
			_, err := exec(s, tc.sql)
			require.Error(t, err)
			assert.Equal(t, int(tc.want), errnoOf(err), err)
		})
	}
}

func TestShardsAreToldWhatTheirAnswersDependOn(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "set sql_mode = ''")
	assert.Equal(t, []string{"main/0: set sql_mode = ''"}, c.taken(), "tried at once, to refuse what shards do not take")
	mustExec(t, s, "select v from u where id = 1", "set wait_timeout = 1", "select v from u where id = 1")
	log := c.taken()
	assert.Equal(t, "user/-80: set sql_mode = ''", log[0])
	assert.Len(t, log, 4, "other variables are not told")
	c.rules = []fakeRule{{sql: "set time_zone", err: sqlerror.NewSQLError(sqlerror.ERWrongValueForVar, "42000", "no")}}
	_, err := exec(s, "set time_zone = '+01:00'")
	require.Error(t, err)
	assert.Equal(t, "SYSTEM", variableOf(t, s, "time_zone"), "what shards refuse is not kept")
}

func TestShardsOfAnOpenTransactionAreToldToo(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "begin", "update u set v = 'a' where id = 1")
	c.taken()
	mustExec(t, s, "set foreign_key_checks = 0")
	assert.Equal(t, []string{"user/-80: set foreign_key_checks = 0"}, c.taken())
}

func TestGlobalSettingsAreForOtherSessions(t *testing.T) {
	s, _ := newFakeSession(t)
	mustExec(t, s, "set global max_connections = 7")
	assert.Equal(t, "7", mustExec(t, s, "show global variables where variable_name = 'max_connections'").Rows[0][1].ToString())
}

// TestGlobalSettingsAreOfSessionsThatBeginLater sets values with SET GLOBAL and reads them where they must and must not be.
func TestGlobalSettingsAreOfSessionsThatBeginLater(t *testing.T) {
	g, c := newFakeGateway(t)
	connect := func() *Session {
		s, err := g.Connect(context.Background(), ConnInfo{User: "tester", Database: "user"})
		require.NoError(t, err)
		t.Cleanup(s.Close)
		return s
	}
	value := func(s *Session, name string) string {
		t.Helper()
		v, ok := s.variable(name)
		require.True(t, ok, name)
		return v.text
	}
	for _, tc := range []struct{ name, before, set, after string }{
		{"sort_buffer_size", "262144", "300000", "300000"},
		{"sql_select_limit", "18446744073709551615", "2", "2"},
		{"div_precision_increment", "4", "7", "7"},
		{"transaction_isolation", "REPEATABLE-READ", "'READ-COMMITTED'", "READ-COMMITTED"},
		{"autocommit", "ON", "0", "OFF"},
	} {
		s := connect()
		mustExec(t, s, "set @@global."+tc.name+" = "+tc.set)
		assert.Equal(t, tc.before, value(s, tc.name), tc.name)
		global, _ := g.globalVariable(tc.name)
		later := connect()
		assert.Equal(t, global.text, value(later, tc.name), tc.name)
		assert.Equal(t, tc.after, value(later, tc.name), tc.name)
	}
	s := connect()
	mustExec(t, s, "set global max_connections = 7", "set autocommit = 1")
	assert.Equal(t, "7", value(s, "max_connections"), "there is one value alone")
	c.taken()
	mustExec(t, s, "select v from u where id = 1")
	assert.Equal(t, []string{"user/-80: set div_precision_increment = 7", "user/-80: select v from u where id = :id /* INT64 */ limit :vtg1 /* INT64 */"},
		c.taken(), "shards and plans go by what the session began with")
	mustExec(t, s, "set sort_buffer_size = 400000, div_precision_increment = 9", "set sort_buffer_size = default, div_precision_increment = default")
	assert.Equal(t, "300000", value(s, "sort_buffer_size"))
	assert.Equal(t, "7", value(s, "div_precision_increment"))
}

func TestSelectLimitAppliesToSelects(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "set sql_select_limit = 2", "select v from u where id = 1")
	assert.Equal(t, []string{"user/-80: select v from u where id = :id /* INT64 */ limit :vtg1 /* INT64 */"}, c.taken())
}

func TestParseTimeZone(t *testing.T) {
	for text, offset := range map[string]int{"+02:30": 9000, "-08:00": -28800, "+00:00": 0} {
		zone, err := parseTimeZone(text)
		require.NoError(t, err)
		_, got := time.Unix(0, 0).In(zone).Zone()
		assert.Equal(t, offset, got, text)
	}
	_, err := parseTimeZone("+25:00")
	require.Error(t, err)
}
