package gateway

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// fakeCluster has an unsharded keyspace "main" and a sharded one "user" of two shards. Its shards hold no data: they note
// what they are asked and answer by rules.
type fakeCluster struct {
	mu    sync.Mutex
	log   []string // "user/-80: begin"
	vars  []string // "user/-80: begin {id=4}": the same with bind variables
	rules []fakeRule
	waits [][2]uint64 // lock waits that tablets report
	conns int         // open connections
	// schema is what every shard says it has.
	schema []vindexes.TableSchema
}

// fakeRule answers statements that contain sql, on one shard or on all (shard "").
type fakeRule struct {
	shard, sql string
	rows       []sqltypes.Row
	fields     []*querypb.Field
	affected   uint64
	insertID   uint64
	err        error
	ends       bool                      // the error ends the transaction
	block      func(ctx context.Context) // runs before the answer
}

const fakeVSchema = `{"keyspaces": {
	"main": {"tables": {"t": {}, "seq": {"type": "sequence"}}},
	"user": {"sharded": true, "vindexes": {"hash": {"type": "hash"}}, "tables": {
		"u": {"column_vindexes": [{"column": "id", "name": "hash"}], "auto_increment": {"column": "id", "sequence": "main.seq"},
			"columns": [{"name": "id", "type": "INT64"}, {"name": "v", "type": "VARCHAR"}], "column_list_authoritative": true}}}}}`

func newFakeGateway(t testing.TB, change ...func(*Config)) (*Gateway, *fakeCluster) {
	t.Helper()
	def, err := vindexes.Load("", []byte(fakeVSchema), "vschema.json")
	require.NoError(t, err)
	vs, err := vindexes.Build(def, vindexes.Types())
	require.NoError(t, err)
	cluster := &fakeCluster{}
	cfg := Config{Topology: cluster, VSchema: vs}
	for _, f := range change {
		f(&cfg)
	}
	g, err := New(cfg)
	require.NoError(t, err)
	return g, cluster
}

func newFakeSession(t testing.TB, change ...func(*Config)) (*Session, *fakeCluster) {
	t.Helper()
	g, cluster := newFakeGateway(t, change...)
	s, err := g.Connect(context.Background(), ConnInfo{User: "tester", Database: "user"})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s, cluster
}

// exec runs a statement and returns its whole result.
func exec(s *Session, sql string) (*sqltypes.Result, error) {
	return execVars(s, sql, nil)
}

func execVars(s *Session, sql string, bindVars BindVars) (*sqltypes.Result, error) {
	whole := &sqltypes.Result{}
	err := s.Execute(context.Background(), sql, bindVars, func(piece *sqltypes.Result) error {
		if whole.Fields == nil {
			whole.Fields = piece.Fields
		}
		whole.Rows = append(whole.Rows, piece.Rows...)
		whole.RowsAffected += piece.RowsAffected
		whole.InsertID = max(whole.InsertID, piece.InsertID)
		return nil
	})
	return whole, err
}

func mustExec(t testing.TB, s *Session, sqls ...string) *sqltypes.Result {
	t.Helper()
	var result *sqltypes.Result
	for _, sql := range sqls {
		var err error
		result, err = exec(s, sql)
		require.NoError(t, err, sql)
	}
	return result
}

// errnoOf returns the MySQL error number a client would see.
func errnoOf(err error) int {
	return int(sqlerror.NewSQLErrorFromError(err).(*sqlerror.SQLError).Num)
}

// taken returns the log and empties it.
func (c *fakeCluster) taken() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	log := c.log
	c.log = nil
	return log
}

// sorted is taken, for statements that run on several shards at once.
func (c *fakeCluster) sorted() []string {
	log := c.taken()
	slices.Sort(log)
	return log
}

func (c *fakeCluster) note(shard, sql string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = append(c.log, shard+": "+sql)
}

// noteVars notes a query with the bind variables it names.
func (c *fakeCluster) noteVars(shard, sql string, bindVars BindVars) {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(bindVars)) {
		if bv := bindVars[name]; strings.Contains(sql, ":"+name) {
			parts = append(parts, fmt.Sprintf("%s=%s %s %v", name, bv.Type, bv.Value, bv.Values))
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.vars = append(c.vars, shard+": "+sql+" {"+strings.Join(parts, " ")+"}")
}

// sortedWithVars returns the queries with their bind variables, and empties both logs.
func (c *fakeCluster) sortedWithVars() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	vars := c.vars
	c.log, c.vars = nil, nil
	slices.Sort(vars)
	return vars
}

func (c *fakeCluster) rule(shard, sql string) fakeRule {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rule := range c.rules {
		if (rule.shard == "" || rule.shard == shard) && strings.Contains(sql, rule.sql) {
			return rule
		}
	}
	return fakeRule{fields: []*querypb.Field{{Name: "id", Type: sqltypes.Int64}}}
}

func (c *fakeCluster) Keyspaces() []string { return []string{"main", "user"} }

func (c *fakeCluster) Shards(keyspace string) ([]key.Shard, error) {
	switch keyspace {
	case "main":
		return []key.Shard{{Name: "0"}}, nil
	case "user":
		return []key.Shard{
			{Name: "-80", Range: key.KeyRange{End: []byte{0x80}}}, {Name: "80-", Range: key.KeyRange{Start: []byte{0x80}}},
		}, nil
	default:
		return nil, vterrors.VT05003(keyspace)
	}
}

func (c *fakeCluster) Tablet(keyspace, shard string, _ topodatapb.TabletType) (Tablet, error) {
	shards, err := c.Shards(keyspace)
	if err != nil {
		return nil, err
	}
	for _, known := range shards {
		if known.Name == shard {
			return &fakeTablet{cluster: c, name: keyspace + "/" + shard}, nil
		}
	}
	return nil, fmt.Errorf("no shard %s/%s", keyspace, shard)
}

func (c *fakeCluster) TabletInfos() []TabletInfo {
	return []TabletInfo{{Cell: "zone1", Keyspace: "main", Shard: "0", Type: primaryType, State: "SERVING", Alias: "zone1-100", Hostname: "h"}}
}

type fakeTablet struct {
	cluster *fakeCluster
	name    string
}

func (t *fakeTablet) Connect() Conn {
	t.cluster.mu.Lock()
	defer t.cluster.mu.Unlock()
	t.cluster.conns++
	return &fakeConn{cluster: t.cluster, name: t.name}
}

func (t *fakeTablet) Schema() ([]vindexes.TableSchema, uint64) { return t.cluster.schema, 1 }

func (t *fakeTablet) LockWaits() [][2]uint64 {
	t.cluster.mu.Lock()
	defer t.cluster.mu.Unlock()
	return t.cluster.waits
}

type fakeConn struct {
	cluster *fakeCluster
	name    string
	done    bool // all rows are committed
	inTx    bool
	owner   uint64
}

func (c *fakeConn) SetOwner(owner uint64) { c.owner = owner }

func (c *fakeConn) Query(ctx context.Context, sql string, bindVars BindVars) (*sqltypes.Result, error) {
	c.cluster.note(c.name, sql)
	c.cluster.noteVars(c.name, sql, bindVars)
	rule := c.cluster.rule(c.name, sql)
	if rule.block != nil {
		rule.block(ctx)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if rule.err != nil {
		c.inTx = c.inTx && !rule.ends
		return nil, rule.err
	}
	result := &sqltypes.Result{RowsAffected: rule.affected, InsertID: rule.insertID, InsertIDChanged: rule.insertID != 0}
	if rule.fields != nil {
		result.Fields, result.Rows = rule.fields, rule.rows
	}
	return result, nil
}

func (c *fakeConn) Execute(ctx context.Context, sql string, bindVars BindVars, emit Emit) error {
	result, err := c.Query(ctx, sql, bindVars)
	if err != nil {
		return err
	}
	return emit(result)
}

func (c *fakeConn) Begin(_ context.Context, opts TxOptions) error {
	c.cluster.note(c.name, strings.TrimSpace("begin "+opts.Isolation))
	c.inTx = true
	return nil
}

func (c *fakeConn) CommitPart(ctx context.Context, part Part, entryTables []string) error {
	text := [...]string{"commit entries of ", "commit all but "}[part] + strings.Join(entryTables, ", ")
	if len(entryTables) == 0 {
		text = "commit"
	}
	_, err := c.Query(ctx, text, nil)
	c.done = len(entryTables) == 0
	return err
}

func (c *fakeConn) Commit(ctx context.Context) error {
	c.inTx = false
	if c.done { // nothing is left
		return nil
	}
	_, err := c.Query(ctx, "commit", nil)
	return err
}

func (c *fakeConn) Rollback(ctx context.Context) error {
	c.cluster.note(c.name, "rollback")
	c.inTx = false
	return nil
}

func (c *fakeConn) InTransaction() bool { return c.inTx }

func (c *fakeConn) SetSystemVariables(vars map[string]string) error {
	for name, text := range vars {
		c.cluster.note(c.name, "set "+name+" = "+text)
		if rule := c.cluster.rule(c.name, "set "+name); rule.err != nil {
			return rule.err
		}
	}
	return nil
}

func (c *fakeConn) FoundRows(bool) {}

func (c *fakeConn) Warnings() []Warning { return nil }

func (c *fakeConn) Close() {
	c.cluster.mu.Lock()
	defer c.cluster.mu.Unlock()
	c.cluster.conns--
}

func duplicate() error {
	return sqlerror.NewSQLError(sqlerror.ERDupEntry, sqlerror.SSConstraintViolation, "Duplicate entry '1' for key 'u.PRIMARY'")
}
