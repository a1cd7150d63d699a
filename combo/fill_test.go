package combo_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withoutLookup makes a cluster of a kind's whose lookup is gone, and 3000 rows.
func withoutLookup(t *testing.T, kind lookupKind) *life {
	l := newLife(t, kind, 4)
	require.NoError(t, l.try("alter vschema on u drop vindex by_a", "alter vschema drop vindex by_a"))
	for id := 0; id < 3000; id += 500 {
		var values []string
		for i := id; i < id+500; i++ {
			values = append(values, fmt.Sprintf("(%d, 'a%d', %d)", i, i, i))
		}
		require.NoError(t, l.try("insert into u (id, a, b) values "+strings.Join(values, ", ")))
	}
	return l
}

// addLookup adds the lookup, to be written only.
func (l *life) addLookup() {
	l.Helper()
	from := "a"
	if l.kind.wide {
		from = "a,b"
	}
	require.NoError(l, l.try(fmt.Sprintf("alter vschema on u add vindex by_a (%s) using %s with owner=u, table=`%s.entry`, from=`%s`, to=ksid, write_only=true",
		from, l.kind.typ, l.kind.keyspace(), from)))
}

func TestLookupIsFilledWhileClientsWrite(t *testing.T) {
	for _, kind := range []lookupKind{
		{typ: "lookup"}, {typ: "lookup_unique", sharded: true}, {typ: "lookup_hash", sharded: true}, {typ: "lookup_unicodeloosemd5_hash_unique"},
		{typ: "consistent_lookup", sharded: true}, {typ: "consistent_lookup_unique"}, {typ: "consistent_lookup_unique", sharded: true, wide: true},
	} {
		t.Run(kind.name(), func(t *testing.T) {
			l := withoutLookup(t, kind)
			db := open(t, l.cluster, "user")
			early, err := db.Begin() // planned before there is a lookup
			require.NoError(t, err)
			_, err = early.Exec("insert into u (id, a, b) values (5000, 'early', 1)")
			require.NoError(t, err)
			l.addLookup()

			var stop atomic.Bool
			var written atomic.Int64 // statements of clients
			var clients sync.WaitGroup
			failures := make(chan error, 5)
			for client := range 4 {
				clients.Go(func() {
					for n := client; !stop.Load(); n += 4 {
						for _, statement := range []string{
							fmt.Sprintf("insert into u (id, a, b) values (%d, 'new%d', 1)", 10000+n, n),
							fmt.Sprintf("update u set a = 'changed%d' where id = %d", n, n*7%3000),
							fmt.Sprintf("delete from u where id = %d", n*11%3000),
						} {
							if _, err := db.Exec(statement); err != nil && !isRetriable(err) {
								failures <- fmt.Errorf("%s: %w", statement, err)
								return
							}
							written.Add(1)
						}
					}
				})
			}
			clients.Go(func() {
				// The fill waits for the early transaction meanwhile.
				assert.Eventually(t, func() bool { return written.Load() >= 100 }, time.Minute, time.Millisecond)
				failures <- early.Commit()
			})
			_, err = l.cluster.FillLookup(context.Background(), "user.by_a")
			stop.Store(true)
			clients.Wait()
			close(failures)
			require.NoError(t, err)
			for err := range failures {
				require.NoError(t, err)
			}
			l.check("the fill")
			require.NotContains(t, strings.Join(rows(t, db, "show vschema vindexes on u"), "; "), "write_only")
			l.found("select id from u where a = 'early'", 5000)
			plan := strings.Join(rows(t, db, "vexplain plan select id from u where a = 'early'"), "")
			require.NotContains(t, plan, "Scatter")
		})
	}
}

func TestFillLookupFindsRowsThatShareAValue(t *testing.T) {
	l := withoutLookup(t, lookupKind{typ: "consistent_lookup_unique"})
	require.NoError(t, l.try("insert into u (id, a, b) values (4000, 'a7', 1)"))
	require.ErrorContains(t, l.try("call vitro.fill_lookup('user.by_a')"), "vindex by_a does not exist in keyspace user")
	l.addLookup()
	l.orphans = true
	l.found("select id from u where a = 'a7'", 7, 4000) // all shards are asked
	err := l.try("call vitro.fill_lookup('user.by_a')")
	require.ErrorContains(t, err, "Error 1062")
	require.ErrorContains(t, err, "Duplicate entry 'a7' for key 'u.by_a'")
	l.found("select id from u where a = 'a7'", 7, 4000)
	require.NoError(t, l.try("delete from u where id = 4000", "call vitro.fill_lookup('by_a')"))
	l.orphans = false
	l.check("the second fill")
	l.found("select id from u where a = 'a7'", 7)
	require.ErrorContains(t, l.try("call vitro.fill_lookup('user.by_a')"), "lookup by_a is in use")
	require.ErrorContains(t, l.try("call vitro.fill_lookup(1)"), "takes one text")
}
