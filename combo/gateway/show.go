package gateway

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// gatewayShows are the SHOWs whose rows only the running gateway has. It is never changed.
var gatewayShows = map[sqlparser.ShowCommandType]func(*Session) (*sqltypes.Result, error){
	sqlparser.VariableSession:         (*Session).showVariables,
	sqlparser.VariableGlobal:          (*Session).showGlobalVariables,
	sqlparser.ProcessList:             (*Session).showProcessList,
	sqlparser.Errors:                  (*Session).showWarnings,
	sqlparser.VitessShards:            (*Session).showShards,
	sqlparser.VitessTablets:           (*Session).showTablets,
	sqlparser.VitessReplicationStatus: (*Session).showReplication,
	sqlparser.VitessVariables:         (*Session).showMetadata,
}

// show answers a SHOW that its plan would ask a shard, though the gateway knows better; nil for the others, which run by
// their plan.
func (s *Session) show(stmt *sqlparser.Show, sql string) (*sqltypes.Result, error) {
	switch show := stmt.Internal.(type) {
	case *sqlparser.ShowBasic:
		if show.Command == sqlparser.VitessMigrations {
			keyspace, err := s.migrationKeyspace(stmt, sql)
			if err != nil {
				return nil, err
			}
			return s.showMigrations(keyspace, show.Filter)
		}
		if _, ok := gatewayShows[show.Command]; ok {
			return s.showBasic(show)
		}
	case *sqlparser.ShowGrants:
		return textResult([]string{"Grants for " + s.info.User + "@%"},
			[]string{"GRANT ALL PRIVILEGES ON *.* TO `" + s.info.User + "`@`%` WITH GRANT OPTION"}), nil
	}
	return nil, nil
}

func (s *Session) showBasic(show *sqlparser.ShowBasic) (*sqltypes.Result, error) {
	answer, ok := gatewayShows[show.Command]
	if !ok {
		return nil, vterrors.VT12001("SHOW" + show.Command.ToString())
	}
	result, err := answer(s)
	if err != nil {
		return nil, err
	}
	return s.filter(result, show.Filter)
}

// textResult makes a result of texts.
func textResult(columns []string, rows ...[]string) *sqltypes.Result {
	out := &sqltypes.Result{Fields: make([]*querypb.Field, len(columns)), Rows: []sqltypes.Row{}}
	for i, name := range columns {
		out.Fields[i] = &querypb.Field{Name: name, Type: sqltypes.VarChar, Charset: utf8mb4, ColumnLength: 1024}
	}
	for _, texts := range rows {
		row := make(sqltypes.Row, len(texts))
		for i, value := range texts {
			row[i] = sqltypes.NewVarChar(value)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// utf8mb4 is the number of utf8mb4_0900_ai_ci.
const utf8mb4 = 255

func (s *Session) showVariables() (*sqltypes.Result, error) { return variablesResult(s.variable), nil }

func (s *Session) showGlobalVariables() (*sqltypes.Result, error) {
	return variablesResult(s.gateway.globalVariable), nil
}

func variablesResult(value func(string) (sysValue, bool)) *sqltypes.Result {
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(systemVariables)) {
		if v, ok := value(name); ok {
			rows = append(rows, []string{name, v.shown()})
		}
	}
	return textResult([]string{"Variable_name", "Value"}, rows...)
}

func (s *Session) showProcessList() (*sqltypes.Result, error) {
	g := s.gateway
	g.mu.Lock()
	sessions := slices.Collect(maps.Values(g.sessions))
	g.mu.Unlock()
	slices.SortFunc(sessions, func(a, b *Session) int { return int(a.info.ID) - int(b.info.ID) })
	now := g.cfg.Now()
	var rows [][]string
	for _, other := range sessions {
		rows = append(rows, other.process(now))
	}
	result := textResult([]string{"Id", "User", "Host", "db", "Command", "Time", "State", "Info"}, rows...)
	for _, i := range []int{0, 5} {
		result.Fields[i] = &querypb.Field{Name: result.Fields[i].Name, Type: sqltypes.Int64}
		for _, row := range result.Rows {
			row[i] = sqltypes.MakeTrusted(sqltypes.Int64, row[i].Raw())
		}
	}
	return result, nil
}

// process is the session's row of the process list.
func (s *Session) process(now time.Time) []string {
	row := []string{strconv.FormatUint(uint64(s.info.ID), 10), s.info.User, s.info.RemoteAddr, s.info.Database, "Sleep", "0", "", ""}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		row[4], row[5] = "Query", strconv.Itoa(int(now.Sub(s.running.since).Seconds()))
		row[6], row[7] = "executing", s.running.sql
	}
	return row
}

func (s *Session) showWarnings() (*sqltypes.Result, error) {
	out := textResult([]string{"Level", "Code", "Message"})
	out.Fields[1] = &querypb.Field{Name: "Code", Type: sqltypes.Uint16}
	for _, w := range s.warnings {
		out.Rows = append(out.Rows, sqltypes.Row{sqltypes.NewVarChar(w.Level), sqltypes.NewUint32(uint32(w.Code)), sqltypes.NewVarChar(w.Message)})
	}
	return out, nil
}

func (s *Session) showShards() (*sqltypes.Result, error) {
	var names [][]string
	for _, keyspace := range s.gateway.cfg.Topology.Keyspaces() {
		shards, err := s.gateway.cfg.Topology.Shards(keyspace)
		if err != nil {
			return nil, err
		}
		for _, shard := range shards {
			names = append(names, []string{keyspace + "/" + shard.Name})
		}
	}
	return textResult([]string{"Shards"}, names...), nil
}

func (s *Session) showTablets() (*sqltypes.Result, error) {
	var rows [][]string
	for _, t := range s.gateway.cfg.Topology.TabletInfos() {
		rows = append(rows, []string{t.Cell, t.Keyspace, t.Shard, t.Type.String(), t.State, t.Alias, t.Hostname, t.PrimaryTermStartTime})
	}
	return textResult([]string{"Cell", "Keyspace", "Shard", "TabletType", "State", "Alias", "Hostname", "PrimaryTermStartTime"}, rows...), nil
}

func (s *Session) showReplication() (*sqltypes.Result, error) {
	return textResult([]string{"Keyspace", "Shard", "TabletType", "Alias", "Hostname", "ReplicationSource",
		"ReplicationHealth", "ReplicationLag", "ThrottlerStatus"}), nil
}

func (s *Session) showMetadata() (*sqltypes.Result, error) {
	return textResult([]string{"Key", "Value"}), nil
}

// showTransactions has no rows: a distributed transaction does not outlive its commit.
func showTransactions() *sqltypes.Result {
	return textResult([]string{"id", "state", "record_time", "participants"})
}
