package combo_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// The club's tables are tied by foreign keys: within a shard (player, score, badge, fine) and across shards (the team's boss,
// fan, letter).
//
//	team ◀─boss(set null)─ team
//	team ◀─(cascade)─ player ◀─(cascade)─ score
//	team ◀─(cascade, also of updates)─ badge
//	team ◀─(restrict)─ fine
//	team ◀─(set null, updates cascade)─ fan ◀─(cascade)─ letter
//
// A fan owns a lookup by the key itself, a letter one by its serial.
var clubTables = []string{"team", "player", "score", "badge", "fine", "fan", "letter"}

// club starts a cluster with the keyspace club on so many shards. With none it is unsharded, and managed says whether the
// gateway keeps its foreign keys or the shard's engine.
func club(t *testing.T, shards int, managed bool) *combo.Cluster {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(differentialDir, "schema", name))
		require.NoError(t, err)
		return string(text)
	}
	keyspace := combo.Keyspace{Name: "club", Shards: max(shards, 1), Schema: []string{read("club.sql")}, VSchema: read("club.sharded.json")}
	if shards == 0 {
		mode := "unmanaged"
		if managed {
			mode = "managed"
		}
		tables := make([]string, len(clubTables))
		for i, table := range clubTables {
			tables[i] = fmt.Sprintf("%q: {}", table)
		}
		keyspace.VSchema = fmt.Sprintf(`{"foreignKeyMode": %q, "tables": {%s}}`, mode, strings.Join(tables, ", "))
	}
	serials := combo.Keyspace{
		Name: "serials", Shards: 1, VSchema: `{"tables": {"letter_serial": {}, "fan_team": {}}}`,
		Schema: []string{
			"create table letter_serial (serial bigint not null primary key, keyspace_id varbinary(16));" +
				"create table fan_team (team_code varchar(40), id bigint, keyspace_id varbinary(16), primary key (team_code, id))",
		},
	}
	cluster, err := combo.Start(context.Background(), combo.Config{Keyspaces: []combo.Keyspace{keyspace, serials}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, cluster.Close()) })
	return cluster
}

func clubConn(ctx context.Context, t *testing.T, cluster *combo.Cluster) *sql.Conn {
	t.Helper()
	db, err := sql.Open("mysql", cluster.DSN("club")+"?interpolateParams=true")
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(ctx)
	require.NoError(t, err)
	return conn
}

// clubWriter writes statements over the club. Rows of tables whose parents are on other shards are inserted unchecked, as such
// an INSERT is refused; their parents are looked up first.
type clubWriter struct {
	generator
	open   bool // a transaction is
	codes  int
	column func(query string) []string
}

func (w *clubWriter) id() int { return 1 + w.IntN(12) }

func (w *clubWriter) code() string {
	w.codes++
	return fmt.Sprintf("c%d", w.codes)
}

// one is one value of a column that there is, or NULL.
func (w *clubWriter) one(column, table string) string {
	all := w.column("select " + column + " from " + table + " where " + column + " is not null order by 1")
	if len(all) == 0 || w.chance(10) {
		return "null"
	}
	return "'" + w.pick(all) + "'"
}

const unchecked = "/*+ SET_VAR(foreign_key_checks=0) */ "

func (w *clubWriter) insert() string {
	team, id := w.id(), w.id()
	switch w.IntN(9) {
	case 0, 1:
		return fmt.Sprintf("insert %sinto team (id, code, boss, size) values (%d, '%s', %s, %d)", unchecked, team, w.code(), w.one("id", "team"), w.IntN(9))
	case 2:
		// Of rows on several shards that fail, each for its own reason, it is not told which error comes.
		return fmt.Sprintf("insert into player (team_id, id, nick) values (%d, %d, 'n'), (%d, %d, 'm')", team, id, team, w.id())
	case 3:
		return fmt.Sprintf("insert into player (team_id, id, nick) values (%d, %d, 'n') on duplicate key update id = values(id) + 20, nick = 'dup'", team, id)
	case 4:
		return fmt.Sprintf("insert into score (team_id, id, player_id, points) values (%d, %d, %s, 5)", team, id, w.pick([]string{"null", fmt.Sprint(w.id()), fmt.Sprint(w.id())}))
	case 5:
		return fmt.Sprintf("insert into badge (team_id, id, team_code) values (%d, %d, %s)", team, id, w.one("code", fmt.Sprintf("(select code from team where id = %d) t", team)))
	case 6:
		return fmt.Sprintf("insert into fine (team_id, id, amount) values (%d, %d, 10)", team, id)
	case 7:
		return fmt.Sprintf("insert %sinto fan (id, team_code, name) values (%d, %s, 'f')", unchecked, id, w.one("code", "team"))
	}
	return fmt.Sprintf("insert %sinto letter (id, fan_id, serial) values (%d, %s, %d)", unchecked, w.id()+w.id(), w.one("id", "fan"), w.IntN(1000))
}

func (w *clubWriter) remove() string {
	switch w.IntN(12) {
	case 0, 1, 2:
		return fmt.Sprintf("delete from team where id = %d", w.id())
	case 3:
		return fmt.Sprintf("delete from team where boss = %d", w.id())
	case 4:
		return fmt.Sprintf("delete from team where id in (%d, %d) or code = %s", w.id(), w.id(), w.one("code", "team"))
	case 5:
		return "delete from team order by id desc limit 1"
	case 6:
		return fmt.Sprintf("delete from team where id in (select team_id from player where id > %d)", w.id())
	case 7:
		return fmt.Sprintf("delete t from team t join player p on t.id = p.team_id where p.id = %d", w.id())
	case 8:
		return fmt.Sprintf("delete from player where id > %d", w.id()+2)
	case 9:
		return fmt.Sprintf("delete from fan where team_code = %s", w.one("team_code", "fan"))
	case 10:
		return fmt.Sprintf("delete from fan where id = %d", w.id())
	}
	return fmt.Sprintf("delete from %s where id = %d", w.pick([]string{"fine", "score", "badge", "letter"}), w.id())
}

func (w *clubWriter) update() string {
	switch w.IntN(14) {
	case 0, 1:
		return fmt.Sprintf("update team set code = '%s' where id = %d", w.code(), w.id())
	case 2:
		return fmt.Sprintf("update team set code = concat('%s-', id) where id > %d", w.code(), w.id())
	case 3:
		return fmt.Sprintf("update team set code = concat(code, 'x'), size = size + 1 where boss = %d", w.id())
	case 4:
		return fmt.Sprintf("update team set code = '%s' order by id limit 1", w.code())
	case 5:
		return fmt.Sprintf("update team set code = case when size > 4 then code else concat(code, 'y') end where id in (%d, %d)", w.id(), w.id())
	case 6:
		return fmt.Sprintf("update team set code = null where id = %d", w.id())
	case 7:
		return fmt.Sprintf("update team set code = (select concat('%s', max(id)) from fan) where id = %d", w.code(), w.id())
	case 8:
		return fmt.Sprintf("update team t join fan f on t.code = f.team_code set t.code = '%s' where f.id = %d", w.code(), w.id())
	case 9:
		return fmt.Sprintf("update player set id = id + 20 where team_id = %d and id < %d order by id desc", w.id(), w.id())
	case 10:
		return fmt.Sprintf("update player set id = id - 1 where team_id = %d and id > 20 order by id", w.id())
	case 11:
		return fmt.Sprintf("update player set id = %d where team_id = %d and id = %d", 30+w.id(), w.id(), w.id())
	case 12:
		return fmt.Sprintf("update badge set team_code = (select code from team where id = %d) where team_id = %d", w.id(), w.id())
	}
	return fmt.Sprintf("update score set player_id = %s where team_id = %d", w.pick([]string{"null", "player_id + 1", fmt.Sprint(w.id())}), w.id())
}

func (w *clubWriter) statement() string {
	switch n := w.IntN(20); {
	case n == 0:
		if w.open = !w.open; w.open {
			return "begin"
		}
		return w.pick([]string{"commit", "rollback"})
	case n == 1 && w.open:
		return w.pick([]string{"savepoint s", "rollback to s", "rollback to s"})
	case n < 10:
		return w.insert()
	case n < 14:
		return w.remove()
	}
	return w.update()
}

// TestManagedForeignKeysLeaveTheSame runs generated writes where a shard's engine keeps the foreign keys, and where the gateway
// does: the same rows are affected, the same errors come, and the tables end up the same.
func TestManagedForeignKeysLeaveTheSame(t *testing.T) {
	t.Logf("seed %d", *generateSeed)
	ctx := context.Background()
	counts := []int{0, 0, 1, 2, 4, 16}
	conns := make([]*sql.Conn, len(counts))
	for i, shards := range counts {
		conns[i] = clubConn(ctx, t, club(t, shards, i > 0))
	}
	w := &clubWriter{generator: generator{rand.New(rand.NewPCG(*generateSeed, 5))}}
	w.column = func(query string) []string { return ask(ctx, conns[0], scriptLine{sql: query}, false).rows }
	errors := map[uint16]int{}
	for n := range *generateCount {
		line := scriptLine{sql: w.statement()}
		want := ask(ctx, conns[0], line, false)
		errors[want.errno]++
		for i, shards := range counts[1:] {
			if got := ask(ctx, conns[i+1], line, shards == 2); !sameAnswer(want, got) {
				t.Errorf("statement %d: %s\nwant %+v\n got %+v on %d shards", n, line.sql, want, got, shards)
			}
		}
		compareClubs(ctx, t, conns, counts)
		if t.Failed() {
			t.Fatalf("after statement %d: %s", n, line.sql)
		}
	}
	t.Logf("errors by number: %v", errors)
}

// compareClubs compares the tables, and the letters with the entries of their lookup.
func compareClubs(ctx context.Context, t *testing.T, conns []*sql.Conn, counts []int) {
	t.Helper()
	for _, table := range clubTables {
		line := scriptLine{sql: "select * from " + table + " order by 1, 2"}
		want := ask(ctx, conns[0], line, false)
		for i, shards := range counts[1:] {
			if got := ask(ctx, conns[i+1], line, false); !sameAnswer(want, got) {
				t.Errorf("%s\nwant %+v\n got %+v on %d shards", line.sql, want, got, shards)
			}
		}
	}
	for i, shards := range counts {
		if shards == 0 {
			continue
		}
		letters := ask(ctx, conns[i], scriptLine{sql: "select serial from letter order by 1"}, false)
		entries := ask(ctx, conns[i], scriptLine{sql: "select serial from serials.letter_serial order by 1"}, false)
		require.Equal(t, letters.rows, entries.rows, "entries of letters on %d shards", shards)
		fans := ask(ctx, conns[i], scriptLine{sql: "select team_code, id from fan where team_code is not null order by 1, 2"}, false)
		entries = ask(ctx, conns[i], scriptLine{sql: "select team_code, id from serials.fan_team order by 1, 2"}, false)
		require.Equal(t, fans.rows, entries.rows, "entries of fans on %d shards", shards)
	}
}

// step is a statement and what a client sees of it: how many rows it affected, its rows, or the number of its error.
type step struct {
	sql  string
	want string
}

func runSteps(ctx context.Context, t *testing.T, conn *sql.Conn, steps []step) {
	t.Helper()
	for _, step := range steps {
		got := ask(ctx, conn, scriptLine{sql: step.sql}, false)
		text := strings.Join(got.rows, ", ")
		if affected, _, ok := strings.Cut(got.write, " rows affected"); ok {
			text = affected
		}
		if got.errno != 0 || got.message != "" {
			text = fmt.Sprintf("error %d: %s", got.errno, got.message)
		}
		require.True(t, text == step.want || strings.HasPrefix(text, "error") && strings.HasPrefix(text, step.want),
			"%s\nwant %s\n got %s", step.sql, step.want, text)
	}
}

func TestForeignKeyChecksOfTheSessionAndTheStatement(t *testing.T) {
	ctx := context.Background()
	runSteps(ctx, t, clubConn(ctx, t, club(t, 4, true)), []step{
		{"insert " + unchecked + "into team (id, code) values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')", "4"},
		{"insert " + unchecked + "into fan (id, team_code) values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')", "4"},
		{"insert into player (team_id, id) values (1, 1), (2, 1), (3, 1), (4, 1)", "4"},
		{"insert into fan (id, team_code) values (9, 'a')", "error 1235: VT12002"},
		{"delete from team where id = 1", "1"},
		{"select id, team_code from fan order by id", "1 | NULL, 2 | b, 3 | c, 4 | d"},
		{"update /*+00(\"*/ team set size = 1", "3"},
		{"set foreign_key_checks = 0", "0"},
		{"delete from team where id = 2", "1"},
		{"insert into player (team_id, id) values (77, 1)", "1"},
		{"delete /*+ SET_VAR(foreign_key_checks=ON) */ from team where id = 3", "1"},
		{"select id, team_code from fan order by id", "1 | NULL, 2 | b, 3 | NULL, 4 | d"},
		{"select team_id from player order by team_id", "2, 4, 77"},
		{"set foreign_key_checks = 1", "0"},
		{"insert into player (team_id, id) values (78, 1)", "error 1452: target: club."},
		{"update fan set team_code = 'none' where id = 4", "error 1452: Cannot add or update a child row"},
		{"update fan set team_code = concat('d', '') where id = 1", "1"},
		{"prepare p from 'delete from team where id = ?'", "0"},
		{"set @id = 4", "0"},
		{"execute p using @id", "1"},
		{"select id, team_code from fan order by id", "1 | NULL, 2 | b, 3 | NULL, 4 | NULL"},
	})
}

func TestForeignKeysFollowTheTables(t *testing.T) {
	ctx := context.Background()
	runSteps(ctx, t, clubConn(ctx, t, club(t, 4, true)), []step{
		{"insert " + unchecked + "into team (id, code) values (1, 'a'), (2, 'b'), (3, 'c')", "3"},
		{"create table pet (id bigint not null primary key, team_id bigint, foreign key (team_id) references team (id) on delete cascade)", "0"},
		{"alter vschema on pet add vindex xxhash (id)", "0"},
		{"insert into pet (id, team_id) values (1, 1)", "error 1235: VT12002"},
		{"insert " + unchecked + "into pet (id, team_id) values (1, 1), (2, 1), (3, 2), (4, 3), (5, 1)", "5"},
		{"delete from team where id = 1", "1"},
		{"select id from pet order by id", "3, 4"},
		{"alter table pet drop foreign key pet_ibfk_1", "0"},
		{"delete from team where id = 2", "1"},
		{"insert into pet (id, team_id) values (6, 99)", "1"},
		{"select id from pet order by id", "3, 4, 6"},
	})
}

func TestForeignKeysMayBeDisallowed(t *testing.T) {
	ctx := context.Background()
	tables := "create table p (id bigint primary key); create table c (id bigint primary key, p bigint, foreign key (p) references p (id) on delete set null);"
	cluster, err := combo.Start(ctx, combo.Config{ForeignKeyMode: "disallow", Keyspaces: []combo.Keyspace{{
		Name: "club", Schema: []string{tables}, VSchema: `{"foreignKeyMode": "managed", "tables": {"p": {}, "c": {}}}`,
	}}})
	require.NoError(t, err)
	defer cluster.Close()
	runSteps(ctx, t, clubConn(ctx, t, cluster), []step{
		{"create table d (id bigint primary key, p bigint, foreign key (p) references p (id))", "error 1317: VT10001"},
		{"create table d (id bigint primary key, p bigint)", "0"},
		{"alter table d add foreign key (p) references p (id)", "error 1317: VT10001"},
		{"insert into p values (1)", "1"},
		{"insert into c values (1, 1)", "1"},
		{"delete from p", "1"}, // by the shard's own keys
		{"select * from c", "1 | NULL"},
	})
	_, err = combo.Start(ctx, combo.Config{ForeignKeyMode: "managed", Keyspaces: []combo.Keyspace{{Name: "club"}}})
	require.ErrorContains(t, err, "foreign key mode")
}

func TestFailedCascadeIsUndoneWhole(t *testing.T) {
	ctx := context.Background()
	const all = "select count(*), sum(boss is null) from team union all select count(*), 0 from player union all " +
		"select count(*), sum(team_code is null) from fan union all select count(*), 0 from badge"
	runSteps(ctx, t, clubConn(ctx, t, club(t, 4, true)), []step{
		{"insert " + unchecked + "into team (id, code, boss) values (1, 'a', 2), (2, 'b', 1), (3, 'c', 1), (4, 'd', 1)", "4"},
		{"insert " + unchecked + "into fan (id, team_code) values (1, 'a'), (2, 'a'), (3, 'a'), (4, 'b')", "4"},
		{"insert into player (team_id, id) values (1, 1), (1, 2)", "2"},
		{"insert into badge (team_id, id, team_code) values (1, 1, 'a')", "1"},
		{"insert into fine (team_id, id, amount) values (1, 1, 5)", "1"},
		// The fine forbids it, when the other tables on all shards are done.
		{"delete from team where id = 1", "error 1451"},
		{all, "1 | 0, 2 | 0, 4 | 0, 4 | 0"},
		{"begin", "0"},
		{"update team set code = 'z' where id = 2", "1"},
		{"delete from team where id in (1, 2)", "error 1451"},
		{"select code from team where id = 2", "z"},
		{"select team_code from fan where id = 4", "z"},
		{"commit", "0"},
		{all, "1 | 0, 2 | 0, 4 | 0, 4 | 0"},
		{"delete from fine", "1"},
		{"delete from team where id in (1, 2)", "2"},
		{all, "0 | 0, 0 | 0, 2 | 2, 4 | 4"},
	})
}

// TestForeignKeysOfManyClients lets clients write over the club at once, alone and in transactions. No row may be without its
// parent where both are on one shard, and each lookup entry has its row. (A row whose parent is on another shard is inserted
// unchecked, and the parent may go at the same time.)
func TestForeignKeysOfManyClients(t *testing.T) {
	t.Logf("seed %d", *generateSeed)
	ctx := context.Background()
	cluster := club(t, 4, true)
	const clientCount = 4
	perClient := *generateCount / clientCount
	var clients sync.WaitGroup
	var done, failed atomic.Int64
	for number := range clientCount {
		conn, asking := clubConn(ctx, t, cluster), clubConn(ctx, t, cluster)
		clients.Go(func() {
			w := &clubWriter{generator: generator{rand.New(rand.NewPCG(*generateSeed, 10+uint64(number)))}, codes: 100_000 * number}
			w.column = func(query string) []string { return ask(ctx, asking, scriptLine{sql: query}, false).rows }
			for range perClient {
				got := ask(ctx, conn, scriptLine{sql: w.statement()}, false)
				if got.errno == 0 && got.message != "" {
					t.Error(got.message) // a lost connection
					return
				}
				if got.errno == 0 {
					done.Add(1)
				} else {
					failed.Add(1)
				}
			}
			ask(ctx, conn, scriptLine{sql: "commit"}, false)
		})
	}
	clients.Wait()
	t.Logf("%d statements done, %d failed", done.Load(), failed.Load())
	conn := clubConn(ctx, t, cluster)
	for _, orphans := range []string{
		"select player.team_id, player.id from player left join team on player.team_id = team.id where team.id is null",
		"select score.team_id, score.id from score left join player on score.team_id = player.team_id and score.player_id = player.id where player.id is null and score.player_id is not null",
		"select badge.team_id, badge.id from badge left join team on badge.team_id = team.id and badge.team_code = team.code where team.id is null and badge.team_code is not null",
		"select fine.team_id, fine.id from fine left join team on fine.team_id = team.id where team.id is null",
	} {
		require.Empty(t, ask(ctx, conn, scriptLine{sql: orphans}, false).rows, orphans)
	}
	compareClubs(ctx, t, []*sql.Conn{conn}, []int{4})
}
