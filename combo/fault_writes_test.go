package combo_test

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/combo"
	"github.com/vitrodb/vitro/shardsim/faults"
	"github.com/vitrodb/vitro/vindexes/key"
)

// faultScript is a script of writes of every kind. No statement depends on the ids that a sequence gives.
var faultScript = []string{
	"insert into event (id, kind, n) values (1, 'a', 1)",
	"insert into event (id, kind, n) values (2, 'b', 2), (3, 'c', 3), (4, 'd', 4), (5, 'e', 5), (6, 'f', 6)",
	"insert into event (id, kind, n) select id + 10, kind, n from event where id < 4",
	"insert ignore into event (id, kind, n) values (1, 'x', 9), (7, 'g', 7), (2, 'y', 9), (8, 'h', 8)",
	"insert into event (id, kind, n) values (1, 'a', 1), (9, 'i', 9), (2, 'b', 1) on duplicate key update n = event.n + 10",
	"insert into customer (name, country, balance) values ('Ann', 'DE', 1), ('Bob', 'FR', 2), ('Cid', 'FR', 3), ('Dan', 'IT', 4)",
	"insert into customer (name, balance) values ('Eve', 5)",
	"insert into customer (name, country, balance) select concat(name, '2'), country, balance + 1 from customer where country = 'FR'",
	"insert into corder (id, customer_id, sku, qty) values (1, 1, 'p', 1), (2, 2, 'q', 2), (3, 3, 'p', 3), (4, 4, 'q', 4)",
	"insert into product values ('p', 'Pen', 1.5, 10), ('q', 'Quill', 2.5, 20), ('r', 'Ruler', 3.5, 30)",
	"insert into currency values ('EUR', 'Euro', 1), ('USD', 'Dollar', 1.1)",
	"insert into currency values ('USD', 'x', 1.2), ('GBP', 'Pound', 0.9) on duplicate key update rate = values(rate)",
	"insert into account (id, email, nick) values (1, 'a@x', 'al'), (2, 'b@x', 'bo'), (3, 'c@x', 'al'), (4, 'd@x', null)",
	"insert into account (id, email, nick) values (5, 'e@x', 'ed')",
	"insert into account (email, nick) values ('s1@x', 'seq'), ('s2@x', 'seq'), ('s3@x', 'seq')",
	"insert ignore into account (id, email, nick) values (1, 'z@x', 'no'), (6, 'f@x', 'fe'), (7, 'a@x', 'no')",
	"insert into account (id, email, nick) values (1, 'a@x', 'al'), (8, 'h@x', 'ha') on duplicate key update hits = hits + 1",
	"insert into account (id, email, nick) select id + 100, concat(email, '!'), nick from account where id < 4",
	"update event set n = n + 1",
	"update event set n = n * 2 where id = 3",
	"update event set n = 0 where id in (1, 2, 11, 12)",
	"update event set kind = 'lim' order by id desc limit 3",
	"update event set n = (select count(*) from corder) where id > 5",
	"update event set weight = 1.5 where id in (select id from corder)",
	"update customer c join corder o on o.customer_id = c.id set c.note = o.sku, o.qty = o.qty + 1",
	"update product set stock = stock - 1",
	"update currency set rate = rate * 2",
	"update currency set name = 'Yen' where code = 'GBP'",
	"update account set email = 'a2@x' where id = 1",
	"update account set nick = 'new' where nick = 'al'",
	"update account set email = null, nick = null where email = 'b@x'",
	"update account set hits = hits + 1 where email in ('c@x', 'd@x', 'none')",
	"update account set nick = 'last' order by id limit 2",
	"delete from event where id = 6",
	"delete from event where n > 5",
	"delete from event order by id limit 2",
	"delete c, o from customer c join corder o on o.customer_id = c.id where o.qty > 3",
	"delete from account where email = 'c@x'",
	"delete from account where nick = 'seq' or id in (4, 5)",
	"delete from currency where code = 'USD'",
	"delete from product",
}

// faultShop is a shop on four shards which fail by rule.
type faultShop struct {
	*testing.T
	rules *faults.Rules
	conn  *sql.Conn
}

func newFaultShop(t *testing.T) *faultShop {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(differentialDir, "schema", name))
		require.NoError(t, err)
		return string(text)
	}
	rules := faults.New()
	_, db := start(t, combo.Config{Faults: rules, Keyspaces: []combo.Keyspace{
		{Name: "shop", Shards: 4, Schema: []string{read("shop.sql")}, VSchema: read("shop.sharded.json")},
		{Name: "counters", Shards: 1, Schema: []string{read("counters.sql")}, VSchema: read("counters.json")},
	}}, "shop")
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	f := &faultShop{t, rules, conn}
	require.NoError(t, f.run("replace into counters.account_seq values (0, 1000, 10)"))
	return f
}

func (f *faultShop) run(statement string) error {
	_, err := f.conn.ExecContext(context.Background(), statement)
	return err
}

// state is all that the tables hold, but for ids of sequences.
func (f *faultShop) state() string {
	f.Helper()
	var state strings.Builder
	for _, query := range []string{
		"select id, kind, n, weight from event order by id", "select name, country, balance, note from customer order by name",
		"select id, sku, qty from corder order by id", "select sku, stock from product order by sku",
		"select email, nick, hits, if(id < 1000, id, 0) from account order by email, nick, id", "select * from currency order by code",
	} {
		fmt.Fprintln(&state, connRows(f, f.conn, query))
	}
	return state.String()
}

// checkCopies wants the rows of the reference table on each shard.
func (f *faultShop) checkCopies() {
	f.Helper()
	want := connRows(f, f.conn, "select * from currency order by code")
	for _, shard := range []string{"-40", "40-80", "80-c0", "c0-"} {
		require.NoError(f, f.run("use `shop:"+shard+"`"))
		require.Equal(f, want, connRows(f, f.conn, "select * from currency order by code"), shard)
	}
	require.NoError(f, f.run("use shop"))
}

// checkAccountEntries holds the entries of the lookups against their owners. Entries without a row do no harm in consistent lookups,
// and may be left when a shard fails.
func checkAccountEntries(t testing.TB, conn *sql.Conn, orphans bool) {
	t.Helper()
	var emails, nicks []string
	for _, row := range connRows(t, conn, "select id, email, nick from account order by id") {
		columns := strings.Fields(row)
		ksid := xxhashOf(t, columns[0])
		if columns[1] != "NULL" {
			emails = append(emails, strings.ToLower(columns[1])+" "+ksid)
		}
		if columns[2] != "NULL" {
			nicks = append(nicks, strings.ToLower(columns[2])+" "+columns[0]+" "+ksid)
		}
	}
	check := require.ElementsMatch
	if orphans {
		check = func(t require.TestingT, rows, entries any, _ ...any) { require.Subset(t, entries, rows) }
	}
	check(t, emails, connRows(t, conn, "select lower(email), hex(ksid) from account_email"))
	check(t, nicks, connRows(t, conn, "select lower(nick), id, hex(ksid) from account_nick"))
}

func xxhashOf(t testing.TB, id string) string {
	n, err := strconv.ParseInt(id, 10, 64)
	require.NoError(t, err)
	dests := mapped(t, "xxhash", sqltypes.NewInt64(n))
	return strings.ToUpper(hex.EncodeToString(dests[0].(key.DestinationKeyspaceID)))
}

// TestNoWriteIsHalfDone lets each call of a shard fail in turn, in a script of writes. The statement whose call it is fails
// and leaves everything as it was, alone or in a transaction, and succeeds when it is tried again. Where the commit of a shard
// fails, those before it have committed, which a warning says.
func TestNoWriteIsHalfDone(t *testing.T) {
	plain := newFaultShop(t)
	states := []string{plain.state()}
	for _, statement := range faultScript {
		require.NoError(t, plain.run(statement), statement)
		states = append(states, plain.state())
		checkAccountEntries(t, plain.conn, false)
	}
	plain.checkCopies()
	failed := sqlerror.NewSQLError(sqlerror.ERDiskFull, sqlerror.SSUnknownSQLState, "disk full")
	const calls = "(?i)^(begin|savepoint|select|insert|update|delete)"
	for _, tc := range []struct {
		name          string
		rule          faults.Rule
		inTransaction bool
		afterwards    func(f *faultShop, before, after string)
	}{
		{name: "a call fails", rule: faults.Rule{SQL: calls, Err: failed}, afterwards: unchanged},
		{name: "a connection is lost", rule: faults.Rule{SQL: calls, Err: faults.Lost}, afterwards: unchanged},
		{name: "a call fails in a transaction", rule: faults.Rule{SQL: calls, Err: failed}, inTransaction: true, afterwards: unchanged},
		{name: "a commit fails", rule: faults.Rule{SQL: "^commit", Err: failed}, afterwards: committedInPart},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFaultShop(t)
			hits := 0
			for k, statement := range faultScript {
				if tc.name == "a commit fails" && states[k] == states[k+1] {
					continue
				}
				for n := 0; ; n++ {
					rule := tc.rule
					rule.After, rule.Times = n, 1
					if tc.inTransaction {
						require.NoError(t, f.run("begin"))
					}
					id := f.rules.Add(rule)
					err := f.run(statement)
					reached := f.rules.Remove(id) > n
					if tc.inTransaction {
						require.NoError(t, f.run("commit"))
					}
					if err == nil {
						if !reached || tc.rule.SQL == "^commit" {
							break // the last call was before this one, or only let go of entries
						}
						t.Fatalf("%s\ncall %d failed and nobody noticed", statement, n)
					}
					hits++
					require.True(t, reached, "%s: %v", statement, err)
					tc.afterwards(f, states[k], states[k+1])
					if f.state() != states[k] {
						break // some shards have committed: the script goes on from there no more
					}
				}
				if f.state() != states[k+1] {
					f = newFaultShop(t)
					for _, done := range faultScript[:k+1] {
						require.NoError(t, f.run(done), done)
					}
				}
				require.Equal(t, states[k+1], f.state(), statement)
			}
			t.Logf("%d calls failed", hits)
		})
	}
}

// unchanged wants nothing of a failed statement.
func unchanged(f *faultShop, before, _ string) {
	f.Helper()
	require.Equal(f, before, f.state())
	checkAccountEntries(f, f.conn, false)
	f.checkCopies()
}

// committedInPart wants all of a statement whose commit failed, or nothing, or a warning that names what is committed. Every
// row has its entries.
func committedInPart(f *faultShop, before, after string) {
	f.Helper()
	warnings := connRows(f, f.conn, "show warnings")
	state := f.state()
	if state != before && state != after {
		require.Contains(f, strings.Join(warnings, "; "), "Warning 301 multi-db commit failed after committing to")
	}
	checkAccountEntries(f, f.conn, true)
}
