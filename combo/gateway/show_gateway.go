package gateway

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
)

// gatewayShows are the SHOWs the gateway answers by itself. It is never changed.
var gatewayShows = map[sqlparser.ShowCommandType]func(*Session, *sqlparser.ShowBasic) (*sqltypes.Result, error){
	sqlparser.Database:                (*Session).showDatabases,
	sqlparser.Keyspace:                (*Session).showKeyspaces,
	sqlparser.VariableSession:         (*Session).showVariables,
	sqlparser.VariableGlobal:          (*Session).showGlobalVariables,
	sqlparser.ProcessList:             (*Session).showProcessList,
	sqlparser.Engines:                 (*Session).showEngines,
	sqlparser.Plugins:                 (*Session).showPlugins,
	sqlparser.VitessShards:            (*Session).showShards,
	sqlparser.VitessTablets:           (*Session).showTablets,
	sqlparser.VitessTarget:            (*Session).showTarget,
	sqlparser.VitessReplicationStatus: (*Session).showReplication,
	sqlparser.VitessVariables:         (*Session).showMetadata,
	sqlparser.VschemaTables:           (*Session).showVSchemaTables,
	sqlparser.VschemaKeyspaces:        (*Session).showVSchemaKeyspaces,
	sqlparser.VschemaVindexes:         (*Session).showVSchemaVindexes,
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

// column makes rows of one column.
func column(values []string) [][]string {
	rows := make([][]string, len(values))
	for i, value := range values {
		rows[i] = []string{value}
	}
	return rows
}

func (s *Session) showDatabases(*sqlparser.ShowBasic) (*sqltypes.Result, error) {
	names := append(s.gateway.cfg.Topology.Keyspaces(), "information_schema", "mysql", "sys", "performance_schema")
	return textResult([]string{"Database"}, column(names)...), nil
}

func (s *Session) showKeyspaces(*sqlparser.ShowBasic) (*sqltypes.Result, error) {
	return textResult([]string{"Database"}, column(s.gateway.cfg.Topology.Keyspaces())...), nil
}

func (s *Session) showVariables(*sqlparser.ShowBasic) (*sqltypes.Result, error) {
	return variablesResult(s.variable), nil
}

func (s *Session) showGlobalVariables(*sqlparser.ShowBasic) (*sqltypes.Result, error) {
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

func (s *Session) showProcessList(*sqlparser.ShowBasic) (*sqltypes.Result, error) {
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

func (s *Session) showEngines(*sqlparser.ShowBasic) (*sqltypes.Result, error) {
	return textResult([]string{"Engine", "Support", "Comment", "Transactions", "XA", "Savepoints"},
		[]string{"InnoDB", "DEFAULT", "Supports transactions, row-level locking, and foreign keys", "YES", "YES", "YES"}), nil
}

func (s *Session) showPlugins(*sqlparser.ShowBasic) (*sqltypes.Result, error) {
	return textResult([]string{"Name", "Status", "Type", "Library", "License"},
		[]string{"InnoDB", "ACTIVE", "STORAGE ENGINE", "NULL", "GPL"}), nil
}

func (s *Session) showShards(*sqlparser.ShowBasic) (*sqltypes.Result, error) {
	var names []string
	for _, keyspace := range s.gateway.cfg.Topology.Keyspaces() {
		shards, err := s.gateway.cfg.Topology.Shards(keyspace)
		if err != nil {
			return nil, err
		}
		for _, shard := range shards {
			names = append(names, keyspace+"/"+shard.Name)
		}
	}
	return textResult([]string{"Shards"}, column(names)...), nil
}

func (s *Session) showTablets(*sqlparser.ShowBasic) (*sqltypes.Result, error) {
	var rows [][]string
	for _, t := range s.gateway.cfg.Topology.TabletInfos() {
		rows = append(rows, []string{t.Cell, t.Keyspace, t.Shard, t.Type.String(), t.State, t.Alias, t.Hostname, t.PrimaryTermStartTime})
	}
	return textResult([]string{"Cell", "Keyspace", "Shard", "TabletType", "State", "Alias", "Hostname", "PrimaryTermStartTime"}, rows...), nil
}

func (s *Session) showTarget(*sqlparser.ShowBasic) (*sqltypes.Result, error) {
	return textResult([]string{"Target"}, []string{s.targetText}), nil
}

func (s *Session) showReplication(*sqlparser.ShowBasic) (*sqltypes.Result, error) {
	return textResult([]string{"Keyspace", "Shard", "TabletType", "Alias", "Hostname", "ReplicationSource",
		"ReplicationHealth", "ReplicationLag", "ThrottlerStatus"}), nil
}

func (s *Session) showMetadata(*sqlparser.ShowBasic) (*sqltypes.Result, error) {
	return textResult([]string{"Key", "Value"}), nil
}

func (s *Session) showVSchemaTables(*sqlparser.ShowBasic) (*sqltypes.Result, error) {
	if s.keyspace() == "" {
		return nil, vterrors.VT09005()
	}
	ks, ok := s.gateway.VSchema().Keyspaces[s.keyspace()]
	if !ok {
		return nil, vterrors.VT05003(s.keyspace())
	}
	return textResult([]string{"Tables"}, column(slices.Sorted(maps.Keys(ks.Tables)))...), nil
}

func (s *Session) showVSchemaKeyspaces(*sqlparser.ShowBasic) (*sqltypes.Result, error) {
	vs := s.gateway.VSchema()
	var rows [][]string
	for _, name := range vs.KeyspaceNames() {
		ks := vs.Keyspaces[name]
		comment := ""
		if ks.Error != nil {
			comment = ks.Error.Error()
		}
		rows = append(rows, []string{name, strconv.FormatBool(ks.Keyspace.Sharded), ks.ForeignKeyMode.String(), comment})
	}
	return textResult([]string{"Keyspace", "Sharded", "Foreign Key", "Comment"}, rows...), nil
}

func (s *Session) showVSchemaVindexes(show *sqlparser.ShowBasic) (*sqltypes.Result, error) {
	def := s.gateway.VSchema().Definition()
	if !show.Tbl.IsEmpty() {
		return s.showTableVindexes(show, def)
	}
	var rows [][]string
	for _, keyspace := range slices.Sorted(maps.Keys(def.Keyspaces)) {
		ks := def.Keyspaces[keyspace]
		for _, name := range slices.Sorted(maps.Keys(ks.Vindexes)) {
			v := ks.Vindexes[name]
			rows = append(rows, []string{keyspace, name, v.Type, paramsText(v.Params), v.Owner})
		}
	}
	return textResult([]string{"Keyspace", "Name", "Type", "Params", "Owner"}, rows...), nil
}

func (s *Session) showTableVindexes(show *sqlparser.ShowBasic, def *vschemapb.SrvVSchema) (*sqltypes.Result, error) {
	keyspace := show.Tbl.Qualifier.String()
	if keyspace == "" {
		keyspace = s.keyspace()
	}
	if keyspace == "" {
		return nil, vterrors.VT09005()
	}
	ks, ok := def.Keyspaces[keyspace]
	if !ok {
		return nil, vterrors.VT05003(keyspace)
	}
	table, ok := ks.Tables[show.Tbl.Name.String()]
	if !ok && ks.Sharded {
		return nil, vterrors.VT05005(show.Tbl.Name.String(), keyspace)
	}
	var rows [][]string
	for _, cv := range table.GetColumnVindexes() {
		columns := cv.Columns
		if len(columns) == 0 {
			columns = []string{cv.Column}
		}
		v := ks.Vindexes[cv.Name]
		rows = append(rows, []string{strings.Join(columns, ", "), cv.Name, v.GetType(), paramsText(v.GetParams()), v.GetOwner()})
	}
	return textResult([]string{"Columns", "Name", "Type", "Params", "Owner"}, rows...), nil
}

// paramsText prints a vindex's parameters by name: "a=1; b=2".
func paramsText(params map[string]string) string {
	parts := make([]string, 0, len(params))
	for _, name := range slices.Sorted(maps.Keys(params)) {
		parts = append(parts, fmt.Sprintf("%s=%s", name, params[name]))
	}
	return strings.Join(parts, "; ")
}
