package gateway

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"github.com/vitrodb/vitro/vindexes"
)

func TestPlansAreSharedByStatementsThatDifferInLiterals(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "select v from u where id = 1", "select v from u where id = 4", "select v from u where id = 4")
	assert.Equal(t, 1, s.gateway.plans.len())
	sql := "select v from u where id = :id /* INT64 */"
	assert.Equal(t, []string{"user/-80: " + sql, "user/80-: " + sql, "user/80-: " + sql}, c.taken())
}

func TestWhatIsOfOneSessionIsNotCachedForAnother(t *testing.T) {
	g, _ := newFakeGateway(t)
	for i, want := range []string{"1", "2"} {
		s, err := g.Connect(context.Background(), ConnInfo{User: "tester"})
		require.NoError(t, err)
		defer s.Close()
		n, err := s.normalise(parse(t, g, "select connection_id(), user()"), nil, nil)
		require.NoError(t, err)
		assert.Equal(t, want, string(n.bindVars["vtg1"].Value), "session %d", i)
		assert.Equal(t, "tester@localhost", string(n.bindVars["vtg2"].Value))
		assert.True(t, n.personal)
	}
}

func TestColumnsKeepTheirTextAsName(t *testing.T) {
	g, _ := newFakeGateway(t)
	for sql, want := range map[string]string{
		"select 1":                 "1",
		"select 'it''s'":           "it's",
		"select id + 1 from u":     "id + 1",
		"select id from u":         "",
		"select 1 as one":          "one",
		"select @@global.port":     "@@global.port",
		"select 1 union select 22": "1",
	} {
		stmt := parse(t, g, sql)
		nameColumns(stmt)
		out := strings.SplitN(strings.ToLower(text1(stmt)), " as ", 2)
		if want == "" {
			assert.Len(t, out, 1, sql)
			continue
		}
		require.Len(t, out, 2, sql)
		got := strings.Trim(strings.SplitN(out[1], " from", 2)[0], "`")
		assert.Equal(t, want, got, sql)
	}
}

func TestColumnsOfDerivedTablesKeepTheirTextAsName(t *testing.T) {
	g, _ := newFakeGateway(t)
	for sql, want := range map[string]string{
		"select * from (select 201, 'a' union select 202, 'b') d":  "select * from (select 201 as `201`, 'a' as a from dual union select 202, 'b' from dual) as d",
		"with d as (select 1) select * from d":                     "with d as (select 1 as `1` from dual) select * from d",
		"select x from (select 1) as d(x)":                         "select x from (select 1 from dual) as d(x)",
		"select id from u where id in (select 5)":                  "select id from u where id in (select 5 from dual)",
		"select * from (select v, id + 1 from u) d join u":         "select * from (select v, id + 1 as `id + 1` from u) as d join u",
		"insert into u(id, v) select * from (select 7, 'it''s') d": "insert into u(id, v) select * from (select 7 as `7`, 'it\\'s' as `it's` from dual) as d",
		"select * from (select * from (select 'x') inside) d":      "select * from (select * from (select 'x' as x from dual) as inside) as d",
	} {
		stmt := parse(t, g, sql)
		nameColumns(stmt)
		assert.Equal(t, want, text1(stmt))
	}
}

func TestFunctionsOfTheSession(t *testing.T) {
	s, c := newFakeSession(t)
	c.rules = []fakeRule{
		{sql: "insert", affected: 2, insertID: 7},
		{sql: "select v", fields: []*querypb.Field{{Name: "v", Type: sqltypes.VarChar}},
			rows: []sqltypes.Row{{sqltypes.NewVarChar("a")}, {sqltypes.NewVarChar("b")}}},
	}
	mustExec(t, s, "insert into main.t(a) values (1), (2)")
	assert.Equal(t, uint64(7), s.lastInsertID)
	assert.Equal(t, int64(2), s.rowCount)
	mustExec(t, s, "select v from u where id = 1")
	assert.Equal(t, uint64(2), s.foundRows)
	assert.Equal(t, int64(-1), s.rowCount)
	mustExec(t, s, "set @x = 4 + 1, @y = @x")
	assert.Equal(t, "5", string(s.userVariables["x"].Value))
}

func TestPreparedParameters(t *testing.T) {
	s, c := newFakeSession(t)
	fields, params, err := s.Prepare(context.Background(), "select v from u where id = ? limit ?")
	require.NoError(t, err)
	assert.Equal(t, 2, params)
	assert.NotNil(t, fields)
	c.taken()
	_, err = execVars(s, "select v from u where id = ?", BindVars{"v1": sqltypes.Int64BindVariable(4)})
	require.NoError(t, err)
	assert.Equal(t, []string{"user/80-: select v from u where id = :v1"}, c.taken())
	_, _, err = s.Prepare(context.Background(), "select v from nosuch")
	require.Error(t, err)
}

func TestNamedStatements(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "prepare p from 'select v from u where id = ?'", "set @id = 1")
	c.taken()
	mustExec(t, s, "execute p using @id")
	assert.Equal(t, []string{"user/-80: select v from u where id = :v1"}, c.taken())
	_, err := exec(s, "execute p")
	assert.Equal(t, 1210, errnoOf(err))
	mustExec(t, s, "deallocate prepare p")
	_, err = exec(s, "execute p using @id")
	assert.Equal(t, 1243, errnoOf(err))
}

func TestKillInterruptsAStatement(t *testing.T) {
	g, c := newFakeGateway(t)
	victim, err := g.Connect(context.Background(), ConnInfo{Database: "user"})
	require.NoError(t, err)
	killer, err := g.Connect(context.Background(), ConnInfo{})
	require.NoError(t, err)
	started := make(chan struct{})
	c.rules = []fakeRule{{sql: "select v", block: func(ctx context.Context) {
		close(started)
		<-ctx.Done()
	}}}
	done := make(chan error)
	go func() {
		_, err := exec(victim, "select v from u where id = 1")
		done <- err
	}()
	<-started
	mustExec(t, killer, "kill query 1")
	assert.Equal(t, 1317, errnoOf(<-done))
	c.rules = nil
	mustExec(t, victim, "select v from u where id = 1")
	mustExec(t, killer, "kill 1")
	_, err = exec(victim, "select 1")
	assert.Equal(t, 1317, errnoOf(err))
	_, err = exec(killer, "kill 77")
	assert.Equal(t, 1094, errnoOf(err))
}

func TestSequencesHandOutBlocks(t *testing.T) {
	s, c := newFakeSession(t)
	c.rules = []fakeRule{
		{sql: "select next_id, cache", fields: []*querypb.Field{{}, {}}, rows: []sqltypes.Row{{sqltypes.NewInt64(100), sqltypes.NewInt64(3)}}},
		{sql: "select next_id from", fields: []*querypb.Field{{}}, rows: []sqltypes.Row{{sqltypes.NewInt64(103)}}},
	}
	for i, want := range []uint64{100, 101} {
		result := mustExec(t, s, "insert into u(v) values ('a')")
		assert.Equal(t, want, result.InsertID, "insert %d", i)
	}
	var asked int
	for _, line := range c.taken() {
		if strings.HasPrefix(line, "main/0: select next_id, cache") {
			asked++
		}
	}
	assert.Equal(t, 1, asked, "two values of one block")
	// Three more do not fit what is left of the block.
	result := mustExec(t, s, "insert into u(v) values ('a'), ('b'), ('c')")
	assert.Equal(t, uint64(100), result.InsertID, "a new block, the fake's row being as it was")
}

func TestASequenceWithoutARowBeginsWithOne(t *testing.T) {
	s, c := newFakeSession(t)
	assert.Equal(t, uint64(1), mustExec(t, s, "insert into u(v) values ('a')").InsertID)
	assert.Contains(t, c.taken(), "main/0: insert into seq(id, next_id, cache) values (0, 1, :cache)")
}

func TestTargets(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "use `user:80-`", "select v from u")
	assert.Equal(t, []string{"user/80-: select v from u"}, c.taken())
	mustExec(t, s, "use `user@replica`")
	_, err := exec(s, "update u set v = 'a' where id = 1")
	require.Error(t, err)
	for _, bad := range []string{"nosuch", "user:40-60"} {
		_, err := exec(s, "use `"+bad+"`")
		require.Error(t, err, bad)
	}
	assert.Equal(t, "user@replica", mustExec(t, s, "show vitess_target").Rows[0][0].ToString())
	mustExec(t, s, "use `user:-80`")
	assert.Equal(t, "user:-80", mustExec(t, s, "show vitess_target").Rows[0][0].ToString())
}

func TestNoScatter(t *testing.T) {
	s, _ := newFakeSession(t, func(cfg *Config) { cfg.NoScatter = true })
	_, err := exec(s, "select v from u")
	require.ErrorContains(t, err, "plan includes scatter, which is disallowed")
	mustExec(t, s, "select v from u where id = 1", "select /*vt+ ALLOW_SCATTER */ v from u", "delete from u", "update u set v = 'a'")
}

func TestDDLRunsOnAllShardsAndTeachesTheVSchema(t *testing.T) {
	s, c := newFakeSession(t)
	mustExec(t, s, "begin", "update u set v = 'a' where id = 1")
	c.taken()
	c.schema = []vindexes.TableSchema{{Name: "fresh"}}
	mustExec(t, s, "create table `user`.fresh(id bigint)")
	log := c.taken()
	assert.Equal(t, "user/-80: commit", log[0], "DDL commits first")
	assert.ElementsMatch(t, []string{
		"user/-80: create table fresh (\n\tid bigint\n)", "user/80-: create table fresh (\n\tid bigint\n)",
	}, log[1:])
	_, err := s.gateway.VSchema().FindTable("user", "fresh")
	require.NoError(t, err)
	_, err = exec(s, "create table information_schema.x(id int)")
	assert.Equal(t, 1049, errnoOf(err), "VT05003: no keyspace of that name")
	_, err = exec(s, "create table nosuch.x(id int)")
	assert.Equal(t, 1049, errnoOf(err))
}

func TestAlterVSchema(t *testing.T) {
	s, _ := newFakeSession(t)
	_, err := exec(s, "alter vschema on x add vindex hash(id)")
	assert.Equal(t, 1045, errnoOf(err), "nobody may unless configured")
	s, _ = newFakeSession(t, func(cfg *Config) { cfg.VSchemaDDLUsers = "other, tester" })
	mustExec(t, s, "alter vschema on x add vindex hash(id)", "alter vschema create vindex more using xxhash",
		"alter vschema add sequence main.s2", "alter vschema on x add auto_increment id using main.s2")
	tables := mustExec(t, s, "show vschema tables").Rows
	assert.Equal(t, "x", tables[len(tables)-1][0].ToString())
	vindexRows := mustExec(t, s, "show vschema vindexes on x").Rows
	assert.Equal(t, "hash", vindexRows[0][1].ToString())
	for _, bad := range []string{
		"alter vschema on x add vindex hash(id)", "alter vschema on x add vindex nosuch(id)", "alter vschema drop vindex hash",
		"alter vschema create vindex bad using nosuchtype", "alter vschema on x add auto_increment id using main.s2",
	} {
		_, err := exec(s, bad)
		require.Error(t, err, bad)
	}
	mustExec(t, s, "alter vschema on x drop auto_increment", "alter vschema on x drop vindex hash", "alter vschema drop vindex more")
}

func TestVExplain(t *testing.T) {
	s, c := newFakeSession(t)
	plan := mustExec(t, s, "vexplain plan select v from u where id = 1").Rows[0][0].ToString()
	assert.Contains(t, plan, "\t\"Variant\": \"EqualUnique\"")
	assert.Contains(t, plan, "where id = 1", "literals stay")
	assert.Empty(t, c.taken(), "nothing runs")
	rows := mustExec(t, s, "vexplain queries select v from u where id in (1, 4)").Rows
	assert.Len(t, rows, 2)
	assert.Equal(t, "select v from u where id in (1)", rows[0][3].ToString())
	_, err := exec(s, "vexplain queries delete from u")
	require.ErrorContains(t, err, "VT09008")
	trace := mustExec(t, s, "vexplain trace select v from u where id in (1, 4)").Rows[0][0].ToString()
	assert.Contains(t, trace, "\t\"ShardsQueried\": 2")
	keys := mustExec(t, s, "vexplain keys select max(v) from u join main.t on u.id = t.id where v > 'a' group by v").Rows[0][0].ToString()
	assert.JSONEq(t, `{"statementType": "SELECT", "groupingColumns": ["u.v"], "filterColumns": ["u.v gt"], "selectColumns": ["u.v"],
		"joinPredicates": ["t.id = u.id"]}`, keys)
	c.rules = []fakeRule{{sql: "explain format", fields: []*querypb.Field{{}}, rows: []sqltypes.Row{{sqltypes.NewVarChar(`{"query_block": 1}`)}}}}
	all := mustExec(t, s, "vexplain all select v from u where id in (1, 4)").Rows[0][0].ToString()
	assert.Contains(t, all, "\"query_block\": 1")
}

func TestSyntaxErrorsAreVitesss(t *testing.T) {
	s, _ := newFakeSession(t)
	_, err := exec(s, "selec 1")
	assert.Equal(t, int(sqlerror.ERUnknownError), errnoOf(err))
	assert.ErrorContains(t, err, "syntax error at position 6 near 'selec'")
	mustExec(t, s, "/* nothing */")
}

func TestWarningsStayForShowWarnings(t *testing.T) {
	s, _ := newFakeSession(t)
	mustExec(t, s, "lock tables u read")
	assert.Equal(t, uint16(1), s.Status().Warnings)
	assert.Len(t, mustExec(t, s, "show warnings").Rows, 1)
	assert.Len(t, mustExec(t, s, "show warnings").Rows, 1, "SHOW WARNINGS leaves them")
	mustExec(t, s, "select v from u where id = 1")
	assert.Equal(t, uint16(0), s.Status().Warnings)
}

func TestTheProcessList(t *testing.T) {
	s, _ := newFakeSession(t, func(cfg *Config) { cfg.Now = func() time.Time { return time.Unix(0, 0) } })
	rows := mustExec(t, s, "show processlist").Rows
	require.Len(t, rows, 1)
	assert.Equal(t, "1", rows[0][0].ToString())
	assert.Equal(t, "show processlist", rows[0][7].ToString())
}

func TestTheOnlyKeyspaceNeedsNoUse(t *testing.T) {
	def, err := vindexes.Load("", []byte(`{"keyspaces": {"main": {"tables": {"t": {}}}}}`), "vschema.json")
	require.NoError(t, err)
	vs, err := vindexes.Build(def, vindexes.Types())
	require.NoError(t, err)
	g, c := newFakeGateway(t, func(cfg *Config) { cfg.VSchema = vs })
	s, err := g.Connect(context.Background(), ConnInfo{})
	require.NoError(t, err)
	defer s.Close()
	mustExec(t, s, "create table fresh(id bigint)", "show vschema tables")
	assert.Contains(t, c.taken()[0], "main/0: create table fresh")
	assert.Equal(t, sqltypes.NullBindVariable, s.functionResult("__vtdbname"), "DATABASE() is still none")
}

func TestQueryTimeouts(t *testing.T) {
	s, c := newFakeSession(t)
	c.rules = []fakeRule{{sql: "select v", block: func(ctx context.Context) { <-ctx.Done() }}}
	mustExec(t, s, "set query_timeout = 1")
	_, err := exec(s, "select v from u where id = 1")
	assert.Equal(t, 1317, errnoOf(err))
	assert.ErrorContains(t, err, "target: user.-80.primary: vttablet: rpc error: code = DeadlineExceeded desc = context deadline exceeded")
}

func TestDescribingAVindex(t *testing.T) {
	s, _ := newFakeSession(t)
	_, err := exec(s, "describe hash")
	require.ErrorContains(t, err, "VT05004: table 'hash' does not exist")
}

func TestExplainOfAShardHasNulls(t *testing.T) {
	s, c := newFakeSession(t)
	c.rules = []fakeRule{{sql: "explain", fields: []*querypb.Field{{Name: "id", Type: sqltypes.Uint64}, {Name: "rows", Type: sqltypes.Uint64}},
		rows: []sqltypes.Row{{sqltypes.NewUint64(1), sqltypes.MakeTrusted(sqltypes.Uint64, []byte("NULL"))}}}}
	row := mustExec(t, s, "explain select v from u where id = 1").Rows[0]
	assert.Equal(t, "1", row[0].ToString())
	assert.True(t, row[1].IsNull())
}

// TestPanicOfAStatementIsItsError has shards panic below one and several goroutines, and then asks the same session again.
func TestPanicOfAStatementIsItsError(t *testing.T) {
	for _, query := range []string{
		"select v from u where id = 1", "select v from u", "select v from u order by v", "select sum(id) from u", "insert into u (id) values (1), (4)",
		"update u set v = 'a'", "vexplain trace select v from u", "select a.v from u as a join u as b on a.v = b.v",
	} {
		t.Run(query, func(t *testing.T) {
			var mu sync.Mutex
			var told []string
			s, c := newFakeSession(t, func(cfg *Config) {
				cfg.Log = func(message string) {
					mu.Lock()
					defer mu.Unlock()
					told = append(told, message)
				}
			})
			c.rules = []fakeRule{{block: func(context.Context) { panic("broken cog") }}}
			_, err := exec(s, query)
			require.ErrorContains(t, err, "VT13001")
			require.ErrorContains(t, err, "broken cog")
			mu.Lock()
			defer mu.Unlock()
			require.NotEmpty(t, told)
			assert.Contains(t, told[0], "panic: broken cog, at: "+strings.Fields(strings.TrimPrefix(query, "vexplain trace "))[0])
			assert.Contains(t, told[0], "statement_test.go", "the stack")
			c.rules = nil
			mustExec(t, s, "select v from u where id = 1", "begin", "update u set v = 'b'", "commit")
		})
	}
}
