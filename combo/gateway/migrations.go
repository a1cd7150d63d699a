package gateway

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
)

// migrations are the schema changes that were asked for under an online @@ddl_strategy: what _vt.schema_migrations is to
// Vitess. They run at once, unless they are postponed.
//
//	queued ──run──▶ complete | failed        queued, running ──cancel──▶ cancelled ──retry──▶ queued
type migrations struct {
	mu   sync.Mutex
	last int
	rows []*migration // in the order they were asked for
}

// migrationsMax is how many are remembered.
const migrationsMax = 10_000

// migration is one change on one shard.
type migration struct {
	id                               int
	uuid, keyspace, shard            string
	table, sql, action               string
	strategy                         ddlStrategy
	context                          string
	status, message                  string
	added, started, completed        time.Time
	cancelled, cleaned               time.Time
	retries                          int
	postponeLaunch, postponeComplete bool
}

// The states of a migration (Vitess documentation, "Online DDL: auditing and control").
const (
	migrationQueued    = "queued"
	migrationRunning   = "running" // all but done, until completion is asked for
	migrationComplete  = "complete"
	migrationFailed    = "failed"
	migrationCancelled = "cancelled"
)

func (m *migration) pending() bool {
	return m.status == migrationQueued || m.status == migrationRunning
}

// mayRun reports whether nothing postpones the migration.
func (m *migration) mayRun() bool {
	return m.pending() && !m.postponeLaunch && !m.postponeComplete
}

// add notes a migration of shards and returns its rows, one a shard. mold is copied for each.
func (ms *migrations) add(mold migration, shards []string, now time.Time) []*migration {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	mold.uuid = fmt.Sprintf("%08x_%04x_11f0_8000_%012x", uint32(now.Unix()), uint16(ms.last>>16), ms.last+1)
	mold.added = now
	mold.status = migrationQueued
	if mold.postponeComplete && !mold.postponeLaunch && mold.action == "alter" {
		mold.status, mold.started = migrationRunning, now
	}
	var rows []*migration
	for _, shard := range shards {
		ms.last++
		m := mold
		m.id, m.shard = ms.last, shard
		rows = append(rows, &m)
	}
	ms.rows = append(ms.rows, rows...)
	if over := len(ms.rows) - migrationsMax; over > 0 {
		ms.rows = slices.Delete(ms.rows, 0, over)
	}
	return rows
}

// change calls f with the rows of a keyspace that are meant, all of them if uuid is empty, and returns those for which it
// answers true.
func (ms *migrations) change(keyspace, uuid string, f func(*migration) bool) (changed []*migration) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	for _, m := range ms.rows {
		if m.keyspace == keyspace && (uuid == "" || m.uuid == uuid) && f(m) {
			changed = append(changed, m)
		}
	}
	return changed
}

// migrationColumns are what SHOW VITESS_MIGRATIONS shows, under the names and in the order of Vitess's table, without those
// that tell how rows are copied.
var migrationColumns = []struct {
	name  string
	typ   querypb.Type
	value func(*migration) sqltypes.Value
}{
	{"id", sqltypes.Uint64, func(m *migration) sqltypes.Value { return sqltypes.NewUint64(uint64(m.id)) }},
	{"migration_uuid", sqltypes.VarChar, func(m *migration) sqltypes.Value { return sqltypes.NewVarChar(m.uuid) }},
	{"keyspace", sqltypes.VarChar, func(m *migration) sqltypes.Value { return sqltypes.NewVarChar(m.keyspace) }},
	{"shard", sqltypes.VarChar, func(m *migration) sqltypes.Value { return sqltypes.NewVarChar(m.shard) }},
	{"mysql_schema", sqltypes.VarChar, func(m *migration) sqltypes.Value { return sqltypes.NewVarChar(m.keyspace) }},
	{"mysql_table", sqltypes.VarChar, func(m *migration) sqltypes.Value { return sqltypes.NewVarChar(m.table) }},
	{"migration_statement", sqltypes.Text, func(m *migration) sqltypes.Value { return sqltypes.MakeTrusted(sqltypes.Text, []byte(m.sql)) }},
	{"strategy", sqltypes.VarChar, func(m *migration) sqltypes.Value { return sqltypes.NewVarChar(m.strategy.name) }},
	{"options", sqltypes.VarChar, func(m *migration) sqltypes.Value { return sqltypes.NewVarChar(strings.Join(m.strategy.options, " ")) }},
	{"added_timestamp", sqltypes.Timestamp, func(m *migration) sqltypes.Value { return timestamp(m.added) }},
	{"requested_timestamp", sqltypes.Timestamp, func(m *migration) sqltypes.Value { return timestamp(m.added) }},
	{"ready_timestamp", sqltypes.Timestamp, func(m *migration) sqltypes.Value { return timestamp(m.started) }},
	{"started_timestamp", sqltypes.Timestamp, func(m *migration) sqltypes.Value { return timestamp(m.started) }},
	{"completed_timestamp", sqltypes.Timestamp, func(m *migration) sqltypes.Value { return timestamp(m.completed) }},
	{"cleanup_timestamp", sqltypes.Timestamp, func(m *migration) sqltypes.Value { return timestamp(m.cleaned) }},
	{"migration_status", sqltypes.VarChar, func(m *migration) sqltypes.Value { return sqltypes.NewVarChar(m.status) }},
	{"retries", sqltypes.Uint32, func(m *migration) sqltypes.Value { return sqltypes.NewUint32(uint32(m.retries)) }},
	{"progress", sqltypes.Float32, func(m *migration) sqltypes.Value { return sqltypes.NewFloat32(m.progress()) }},
	{"migration_context", sqltypes.VarChar, func(m *migration) sqltypes.Value { return sqltypes.NewVarChar(m.context) }},
	{"ddl_action", sqltypes.VarChar, func(m *migration) sqltypes.Value { return sqltypes.NewVarChar(m.action) }},
	{"message", sqltypes.Text, func(m *migration) sqltypes.Value { return sqltypes.MakeTrusted(sqltypes.Text, []byte(m.message)) }},
	{"postpone_completion", sqltypes.Uint8, func(m *migration) sqltypes.Value { return flag(m.postponeComplete) }},
	{"ready_to_complete", sqltypes.Uint8, func(m *migration) sqltypes.Value {
		return flag(m.status == migrationRunning || m.status == migrationComplete)
	}},
	{"cancelled_timestamp", sqltypes.Timestamp, func(m *migration) sqltypes.Value { return timestamp(m.cancelled) }},
	{"postpone_launch", sqltypes.Uint8, func(m *migration) sqltypes.Value { return flag(m.postponeLaunch) }},
}

func (m *migration) progress() float32 {
	if m.status == migrationRunning || m.status == migrationComplete {
		return 100
	}
	return 0
}

func timestamp(t time.Time) sqltypes.Value {
	if t.IsZero() {
		return sqltypes.NULL
	}
	return sqltypes.NewTimestamp(t.UTC().Format(time.DateTime))
}

func flag(on bool) sqltypes.Value {
	if on {
		return sqltypes.NewUint8(1)
	}
	return sqltypes.NewUint8(0)
}

// showMigrations is SHOW VITESS_MIGRATIONS. LIKE looks at the uuid, the context and the status.
func (s *Session) showMigrations(keyspace string, filter *sqlparser.ShowFilter) (*sqltypes.Result, error) {
	result := &sqltypes.Result{Rows: []sqltypes.Row{}}
	for _, column := range migrationColumns {
		result.Fields = append(result.Fields, &querypb.Field{Name: column.name, Type: column.typ, Charset: utf8mb4, ColumnLength: 1024})
	}
	like := func(*migration) bool { return true }
	if filter != nil && filter.Like != "" {
		pattern := sqlparser.LikeToRegexp(filter.Like)
		like = func(m *migration) bool {
			return pattern.MatchString(m.uuid) || pattern.MatchString(m.context) || pattern.MatchString(m.status)
		}
	}
	s.gateway.migrations.change(keyspace, "", func(m *migration) bool {
		if like(m) {
			row := make(sqltypes.Row, len(migrationColumns))
			for i, column := range migrationColumns {
				row[i] = column.value(m)
			}
			result.Rows = append(result.Rows, row)
		}
		return false
	})
	if filter == nil || filter.Filter == nil {
		return result, nil
	}
	return s.filterWhere(result, filter.Filter)
}
