package combo_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/combo"
	"github.com/vitrodb/vitro/shardsim/faults"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// lookupKind is a type of lookup vindex in the life test, and where its entries are.
type lookupKind struct {
	typ     string
	sharded bool // the entries are in a sharded table
	wide    bool // of two columns
	params  string
}

func (k lookupKind) name() string {
	name := k.typ
	if k.sharded {
		name += ",sharded"
	}
	if k.wide {
		name += ",wide"
	}
	return name + strings.NewReplacer(`"`, "", ": true", "").Replace(k.params)
}

func (k lookupKind) unique() bool {
	return strings.HasSuffix(k.typ, "unique") || strings.Contains(k.typ, "unique_hash")
}
func (k lookupKind) consistent() bool { return strings.HasPrefix(k.typ, "consistent") }

// hashesKsids: keyspace ids are stored as the number they are the hash of.
func (k lookupKind) hashesKsids() bool { return strings.Contains(k.typ, "hash") }

// hashesIDs: ids are stored as numbers too.
func (k lookupKind) hashesIDs() bool { return strings.Contains(k.typ, "unicodeloosemd5") }

// outside: entries are written outside the transaction, and never removed.
func (k lookupKind) outside() bool { return strings.Contains(k.params, "autocommit") }

// lookupKinds are all types of lookups, with their parameters.
func lookupKinds() []lookupKind {
	var kinds []lookupKind
	for _, typ := range []string{
		"lookup", "lookup_unique", "lookup_hash", "lookup_hash_unique", "lookup_unicodeloosemd5_hash", "lookup_unicodeloosemd5_hash_unique",
		"consistent_lookup", "consistent_lookup_unique",
	} {
		kinds = append(kinds, lookupKind{typ: typ}, lookupKind{typ: typ, sharded: true})
	}
	for _, typ := range []string{"lookup", "lookup_unique", "consistent_lookup", "consistent_lookup_unique"} {
		kinds = append(kinds, lookupKind{typ: typ, wide: true},
			lookupKind{typ: typ, sharded: true, params: `, "ignore_nulls": "true"`},
			lookupKind{typ: typ, sharded: true, params: `, "batch_lookup": "true"`},
			lookupKind{typ: typ, params: `, "read_lock": "shared"`},
			lookupKind{typ: typ, params: `, "read_lock": "none"`})
	}
	for _, typ := range []string{"lookup", "lookup_unique", "lookup_hash"} {
		kinds = append(kinds, lookupKind{typ: typ, params: `, "autocommit": "true"`},
			lookupKind{typ: typ, sharded: true, params: `, "multi_shard_autocommit": "true"`})
	}
	return kinds
}

// keyspace is where the entries are.
func (k lookupKind) keyspace() string {
	if k.sharded {
		return "user"
	}
	return "main"
}

// config is a cluster whose table u owns a lookup of the kind.
func (k lookupKind) config(shards int, rules *faults.Rules) combo.Config {
	idType, ksidType, from := "varchar(40)", "varbinary(20)", "a"
	if k.hashesIDs() {
		idType = "bigint unsigned"
	}
	if k.hashesKsids() {
		ksidType = "bigint unsigned"
	}
	table := fmt.Sprintf("create table entry (a %s, b bigint not null default 0, ksid %s, primary key (a", idType, ksidType)
	if k.wide {
		from, table = "a,b", table+", b"
	}
	if !k.unique() {
		table += ", ksid"
	}
	table += "))"
	mainSchema, userSchema, entryVSchema := []string{table}, []string(nil), ""
	if k.sharded {
		mainSchema, userSchema = nil, []string{table}
		by := "unicode_loose_xxhash"
		if k.hashesIDs() {
			by = "hash"
		}
		entryVSchema = fmt.Sprintf(`, "entry": {"column_vindexes": [{"column": "a", "name": "%s"}]}`, by)
	}
	columns := `["` + strings.ReplaceAll(from, ",", `","`) + `"]`
	return combo.Config{Faults: rules, Keyspaces: []combo.Keyspace{
		{Name: "main", Shards: 1, Schema: mainSchema},
		{Name: "user", Shards: shards,
			Schema: append(userSchema,
				"create table u (id bigint primary key, a varchar(40), b bigint not null default 0, note varchar(40))",
				"create table more (id bigint primary key, a varchar(40), b bigint not null default 0, note varchar(40))"),
			VSchema: fmt.Sprintf(`{"sharded": true,
				"vindexes": {"hash": {"type": "hash"}, "unicode_loose_xxhash": {"type": "unicode_loose_xxhash"},
					"by_a": {"type": "%s", "owner": "u", "params": {"table": "%s.entry", "from": "%s", "to": "ksid"%s}}},
				"tables": {
					"u": {"column_vindexes": [{"column": "id", "name": "hash"}, {"columns": %s, "name": "by_a"}]},
					"more": {"column_vindexes": [{"column": "id", "name": "hash"}]}%s}}`,
				k.typ, k.keyspace(), from, k.params, columns, entryVSchema)},
	}}
}

// life is a running cluster with a lookup of one kind.
type life struct {
	*testing.T
	kind    lookupKind
	cluster *combo.Cluster
	conn    *sql.Conn
	rules   *faults.Rules
	// orphans: entries without a row are no mistake now.
	orphans bool
}

func newLife(t *testing.T, kind lookupKind, shards int) *life {
	rules := faults.New()
	cluster, db := start(t, kind.config(shards, rules), "user")
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return &life{T: t, kind: kind, cluster: cluster, conn: conn, rules: rules, orphans: kind.outside()}
}

// try runs statements up to the first that fails, and rolls back if one did.
func (l *life) try(statements ...string) error {
	l.Helper()
	for _, statement := range statements {
		if _, err := l.conn.ExecContext(context.Background(), statement); err != nil {
			_, _ = l.conn.ExecContext(context.Background(), "rollback")
			return err
		}
	}
	return nil
}

// do runs statements and then holds entries against rows.
func (l *life) do(statements ...string) {
	l.Helper()
	require.NoError(l, l.try(statements...), "%v", statements)
	l.check(strings.Join(statements, "; "))
}

// refused runs statements of which the last must fail with MySQL's 1062.
func (l *life) refused(statements ...string) {
	l.Helper()
	err := l.try(statements...)
	var my *mysql.MySQLError
	require.ErrorAs(l, err, &my, "%v", statements)
	require.EqualValues(l, 1062, my.Number, "%v: %v", statements, err)
	require.Contains(l, my.Message, "Duplicate entry")
	l.check("refused: " + strings.Join(statements, "; "))
}

// found wants the ids that a query finds.
func (l *life) found(query string, want ...int64) {
	l.Helper()
	require.ElementsMatch(l, want, l.ids(query), query)
}

func (l *life) ids(query string) []int64 {
	l.Helper()
	rows, err := l.conn.QueryContext(context.Background(), query)
	require.NoError(l, err, query)
	defer rows.Close()
	ids := []int64{}
	for rows.Next() {
		var id int64
		require.NoError(l, rows.Scan(&id))
		ids = append(ids, id)
	}
	require.NoError(l, rows.Err())
	return ids
}

// check holds entries against rows: each row has its entry, each entry its row.
func (l *life) check(after string) {
	l.Helper()
	var want, got []string
	l.each("select id, a, b from u", func(columns []sql.NullString) {
		if columns[1].Valid {
			want = append(want, l.entry(columns[0].String, columns[1].String, columns[2].String))
		}
	})
	l.each("select ksid, a, b from "+l.kind.keyspace()+".entry", func(columns []sql.NullString) {
		ksid := columns[0].String
		if !l.kind.hashesKsids() {
			ksid = hex.EncodeToString([]byte(ksid))
		}
		got = append(got, ksid+" "+columns[1].String+l.wide(columns[2].String))
	})
	if l.orphans {
		got = slices.DeleteFunc(got, func(entry string) bool { return !slices.Contains(want, entry) })
	}
	require.ElementsMatch(l, want, got, "rows and entries after: %s", after)
}

func (l *life) wide(b string) string {
	if l.kind.wide {
		return " " + b
	}
	return ""
}

// entry is the entry that a row must have.
func (l *life) entry(id, a, b string) string {
	l.Helper()
	ksid := id
	if !l.kind.hashesKsids() {
		dests := mapped(l.T, "hash", sqltypes.MakeTrusted(sqltypes.Int64, []byte(id)))
		ksid = hex.EncodeToString(dests[0].(key.DestinationKeyspaceID))
	}
	if l.kind.hashesIDs() {
		hashed := mapped(l.T, "unicode_loose_md5", sqltypes.NewVarChar(a))
		a = strconv.FormatUint(binary.BigEndian.Uint64(hashed[0].(key.DestinationKeyspaceID)), 10)
	}
	return ksid + " " + a + l.wide(b)
}

// each gives the rows of a query, as texts, to a function.
func (l *life) each(query string, f func([]sql.NullString)) {
	l.Helper()
	rows, err := l.conn.QueryContext(context.Background(), query)
	require.NoError(l, err)
	defer rows.Close()
	for rows.Next() {
		columns := make([]sql.NullString, 3)
		require.NoError(l, rows.Scan(&columns[0], &columns[1], &columns[2]))
		f(columns)
	}
	require.NoError(l, rows.Err())
}

// mapped maps one value by a functional vindex.
func mapped(t testing.TB, typ string, value sqltypes.Value) []key.Destination {
	t.Helper()
	vindex, err := vindexes.Types().New(typ, typ, nil)
	require.NoError(t, err)
	dests, err := vindex.(vindexes.SingleColumn).Map(context.Background(), nil, []sqltypes.Value{value})
	require.NoError(t, err)
	return dests
}

// TestLookupLife takes each lookup type through its life: rows are made, changed and removed in all ways there are, and
// each time every row has its entry and every entry its row.
func TestLookupLife(t *testing.T) {
	for _, shards := range []int{1, 2, 4, 16} {
		for _, kind := range lookupKinds() {
			if shards > 2 && kind.params != "" {
				continue // what a parameter changes does not depend on so many shards
			}
			t.Run(fmt.Sprintf("%d/%s", shards, kind.name()), func(t *testing.T) {
				l := newLife(t, kind, shards)
				l.insert()
				l.update()
				l.transactions()
				l.delete()
				l.nulls()
				l.failures()
			})
		}
	}
}

func (l *life) insert() {
	l.do("insert into u (id, a, b, note) values (1, 'one', 1, 'x')")
	l.do("insert into u (id, a, b, note) values (2, 'two', 2, 'x'), (3, 'three', 3, 'x'), (4, 'four', 4, 'y'), (5, 'five', 5, 'y')")
	l.do("insert into more (id, a, b, note) values (6, 'six', 6, 'z'), (7, 'seven', 7, 'z'), (8, 'eight', 8, 'z')",
		"insert into u (id, a, b, note) select id, a, b, note from more")
	l.do("insert ignore into u (id, a, b, note) values (9, 'nine', 9, 'x'), (1, 'one', 1, 'again')")
	l.found("select id from u where a = 'one'", 1)
	l.found("select id from u where a in ('two', 'three', 'no')", 2, 3)
	l.found("select id from u where a = 'no'")
	l.found("select id from u where a = 'six' and b = 6", 6)
	l.found("select x.id from u x join u y on x.a = y.a where y.id = 7", 7)
	l.refused("insert into u (id, a, b) values (1, 'again', 10)") // the row is there
	// Rows that are there keep their values, and get no entry for others.
	l.do("insert ignore into u (id, a, b) values (1, 'other', 10), (22, 'further', 22)")
	l.do("insert into u (id, a, b) values (1, 'other', 10), (23, 'more', 23), (22, 'further', 22) on duplicate key update note = 'met'")
	l.do("insert ignore into u (id, a, b) select id, concat(a, '!'), b from more where id < 8")
	l.do("insert into u (id, a, b) select id, concat(a, '!'), b from more where id < 8 on duplicate key update note = 'met'")
	l.found("select id from u where a in ('other', 'six', 'further', 'more')", 6, 22, 23)
	l.do("delete from u where id in (22, 23)")
	if !l.kind.unique() {
		l.do("insert into u (id, a, b) values (20, 'one', 20)")
		l.found("select id from u where a = 'one'", 1, 20)
		l.do("delete from u where id = 20")
		return
	}
	if l.kind.outside() || l.kind.wide {
		return // an entry outside the transaction stays
	}
	l.refused("insert into u (id, a, b) values (20, 'one', 20)")
	l.refused("insert into u (id, a, b) values (20, 'twenty', 20), (21, 'twenty', 21)")
	l.refused("begin", "insert into u (id, a, b) values (20, 'twenty', 20)", "insert into u (id, a, b) values (21, 'two', 21)")
	l.do("insert ignore into u (id, a, b) values (20, 'one', 20), (21, 'new', 21)")
	require.ErrorContains(l, l.try("insert into u (id, a, b) values (20, 'one', 20) on duplicate key update note = 'met'"), "VT12001")
	l.check("an update of a row elsewhere")
	l.found("select id from u where a in ('one', 'new')", 1, 21)
	l.do("delete from u where id = 21")
}

func (l *life) update() {
	if l.kind.outside() {
		l.do("update u set note = 'w' where a = 'one'")
		return // the old entry stays, so the new one may be refused
	}
	l.do("update u set a = 'uno' where id = 1")
	l.found("select id from u where a = 'uno'", 1)
	l.found("select id from u where a = 'one'")
	l.do("update u set a = 'uno' where id = 1")
	l.do("update u set a = 'one' where a = 'uno'")
	l.do("update u set note = 'w' where id in (1, 2, 3)")
	l.do("update u set a = 'UNO' where id = 1")
	l.do("update u set a = 'Uno' where id = 1", "update u set a = 'one' where id = 1")
	if !l.kind.unique() {
		l.do("update u set a = 'same' where id in (2, 3)", "update u set a = 'two' where id = 2", "update u set a = 'three' where id = 3")
		l.do("update u set a = 'all'")
		l.do("update u set a = 'two' where id = 2", "update u set a = 'three' where id = 3")
		return
	}
	if !l.kind.wide {
		l.refused("update u set a = 'two' where id = 1")
		l.refused("update u set a = 'many' where id in (2, 3)")
	}
}

func (l *life) transactions() {
	if l.kind.outside() {
		return
	}
	l.do("begin", "insert into u (id, a, b) values (30, 'thirty', 30)")
	l.found("select id from u where a = 'thirty'", 30)
	l.do("update u set note = 'seen' where a = 'thirty'")
	l.do("update u set a = 'thirtyone' where a = 'thirty'")
	l.found("select id from u where a in ('thirty', 'thirtyone')", 30)
	l.do("delete from u where a = 'thirtyone'")
	l.do("insert into u (id, a, b) values (31, 'thirtyone', 31)", "commit")
	l.found("select id from u where a = 'thirtyone'", 31)
	l.do("begin", "delete from u where id = 31", "insert into u (id, a, b) values (32, 'thirtyone', 32)", "commit")
	l.found("select id from u where a = 'thirtyone'", 32)
	l.do("begin", "update u set a = 'other' where id = 32", "update u set a = 'thirtyone' where id = 32", "commit")
	l.do("begin", "insert into u (id, a, b) values (33, 'gone', 33)", "delete from u where id = 32", "rollback")
	l.do("begin", "insert into u (id, a, b) values (33, 'kept', 33)", "savepoint s", "insert into u (id, a, b) values (34, 'gone', 34)",
		"delete from u where id = 33", "rollback to s", "commit")
	l.found("select id from u where a in ('kept', 'gone', 'thirtyone')", 33, 32)
}

func (l *life) delete() {
	l.do("delete from u where id = 1")
	l.do("delete from u where id in (2, 3, 4)")
	l.do("delete from u where a = 'six'")
	l.do("delete from u where note = 'z'")
	l.do("delete from u")
	l.found("select id from u")
}

func (l *life) nulls() {
	l.found("select id from u where a = null")
	if l.kind.hashesIDs() {
		return // a NULL is stored as the empty text, as in Vitess
	}
	if !strings.Contains(l.kind.params, "ignore_nulls") {
		require.ErrorContains(l, l.try("insert into u (id, a) values (40, null)"), "VT03028")
		return
	}
	l.do("insert into u (id, a) values (40, null), (41, 'there'), (42, null)")
	l.found("select id from u where a = null")
	l.found("select id from u where a is null", 40, 42)
	l.found("select id from u where a in (null, 'there')", 41)
	l.do("update u set a = 'now' where id = 40")
	l.do("update u set a = null where id = 41")
	l.found("select id from u where a in ('now', 'there')", 40)
	l.do("delete from u where a is null")
	l.do("delete from u")
}

// failures lets commits fail between the parts of a consistent lookup: entries may be left without a row, and are taken
// over. No row is ever without its entry.
func (l *life) failures() {
	if !l.kind.consistent() {
		return
	}
	l.orphans = true
	l.do("insert into u (id, a, b) values (50, 'fifty', 50), (51, 'fiftyone', 51), (52, 'fiftytwo', 52), (53, 'fiftythree', 53)")
	for _, at := range []string{"^commit /. pre ./", "^commit$"} {
		rule := l.rules.Add(faults.Rule{SQL: at, Times: 1, Err: faults.Lost})
		require.Error(l, l.try("insert into u (id, a, b) values (60, 'sixty', 60), (61, 'sixtyone', 61)"), at)
		l.rules.Remove(rule)
		l.check("a failure at " + at)
		l.do("delete from u where id in (60, 61)") // rows of a shard that had committed
		l.do("insert into u (id, a, b) values (70, 'sixty', 60), (71, 'sixtyone', 61)")
		l.found("select id from u where a in ('sixty', 'sixtyone')", 70, 71)
		l.do("delete from u where id in (70, 71)")
	}
	warned := false
	rule := l.rules.Add(faults.Rule{SQL: "^commit /. post ./", Err: faults.Lost})
	require.NoError(l, l.try("delete from u where id = 50"))
	l.each("show warnings", func(columns []sql.NullString) {
		require.Contains(l, columns[2].String, "post-operation transaction had an error")
		warned = true
	})
	require.True(l, warned)
	l.rules.Remove(rule)
	l.found("select 1 from "+l.kind.keyspace()+".entry where a = 'fifty'", 1) // an orphan
	l.do("insert into u (id, a, b) values (80, 'fifty', 50)")
	l.found("select id from u where a = 'fifty'", 80)
	l.do("delete from u")
}
