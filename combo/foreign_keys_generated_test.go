package combo_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// keyTree is a schema of tables t0, t1, ... of which each but the first refers to one before it. A tree leaves no two ways from
// a row to another, on which it would depend what comes first.
type keyTree struct {
	tables []keyTable
}

// keyTable has the columns id (primary key), a (unique if children refer to it), p (refers to the parent unless id does) and
// s (refers to id of the table itself in some).
type keyTable struct {
	parent   int
	column   string // that refers: p, or id
	refers   string // to this column of the parent: id or a
	onDelete string
	onUpdate string
	unique   bool
	self     bool
}

func newKeyTree(g generator) *keyTree {
	tree := &keyTree{tables: []keyTable{{self: g.chance(50)}}}
	for i := 1; i < 3+g.IntN(4); i++ {
		t := keyTable{parent: g.IntN(i), column: "p", refers: g.pick([]string{"id", "a"}), self: g.chance(20)}
		t.onDelete = g.pick([]string{"", "restrict", "cascade", "cascade", "set null"})
		t.onUpdate = g.pick([]string{"", "no action", "cascade", "cascade", "set null"})
		if g.chance(30) && t.onDelete != "set null" && t.onUpdate != "set null" {
			t.column, t.self = "id", false // a self reference would make another way
		}
		if t.refers == "a" {
			tree.tables[t.parent].unique = true
		}
		tree.tables = append(tree.tables, t)
	}
	return tree
}

func (tree *keyTree) schema() string {
	var b strings.Builder
	for i, t := range tree.tables {
		fmt.Fprintf(&b, "create table t%d (id bigint not null primary key, a bigint, p bigint, s bigint, n int default 1, key (p), key (s)", i)
		if t.unique {
			b.WriteString(", unique key (a)")
		}
		if i > 0 {
			fmt.Fprintf(&b, ", foreign key (%s) references t%d (%s)", t.column, t.parent, t.refers)
			if t.onDelete != "" {
				b.WriteString(" on delete " + t.onDelete)
			}
			if t.onUpdate != "" {
				b.WriteString(" on update " + t.onUpdate)
			}
		}
		if t.self {
			fmt.Fprintf(&b, ", foreign key (s) references t%d (id) on delete set null", i)
		}
		b.WriteString(");\n")
	}
	return b.String()
}

func (tree *keyTree) statement(g generator) string {
	at := g.IntN(len(tree.tables))
	name := fmt.Sprintf("t%d", at)
	value := func() string { return fmt.Sprint(1 + g.IntN(8)) }
	orNull := func() string { return g.pick([]string{value(), value(), value(), "null"}) }
	self := "null"
	if tree.tables[at].self {
		self = orNull()
	}
	where := g.pick([]string{
		" where id = " + value(), " where id in (" + value() + ", " + value() + ")", " where p = " + value(), " where s = " + value(),
		" where a > " + value() + " order by id limit 2", " order by id desc limit 1", " where n > 1",
		// Of a table that a statement changes no subquery may ask.
		fmt.Sprintf(" where id in (select p from t%d where n > 0)", (at+1+g.IntN(len(tree.tables)-1))%len(tree.tables)),
	})
	row := fmt.Sprintf("(%s, %s, %s, %s, %d)", value(), orNull(), orNull(), self, g.IntN(4))
	switch g.IntN(16) {
	case 0, 1, 2, 3:
		return "insert into " + name + " (id, a, p, s, n) values " + row
	case 4:
		return "insert into " + name + " (id, a, p, s, n) values " + row + " on duplicate key update n = n + 1"
	case 5:
		return "insert into " + name + " (id, a, p, s, n) values " + row + " on duplicate key update " +
			g.pick([]string{"id = values(id) + 8", "a = values(a) + 1, n = 7", "p = values(p)", "id = " + value()})
	case 6, 7:
		return "replace into " + name + " (id, a, p, s, n) values " + row
	case 8, 9, 10:
		return "delete from " + name + where
	case 11:
		return fmt.Sprintf("delete x from %s x join t%d y on x.id = y.p where y.n < 3", name, g.IntN(len(tree.tables)))
	case 12:
		return fmt.Sprintf("update %s set %s = %s%s", name, g.pick([]string{"id", "a", "p", "s", "n"}), orNull(), where)
	case 13:
		column := g.pick([]string{"id", "a", "p"})
		return fmt.Sprintf("update %s set %s = %s where id = %s", name, column, column+g.pick([]string{" + 1", " - 1", " + 8"}), value())
	case 14:
		column := g.pick([]string{"id", "a", "p"})
		return fmt.Sprintf("update %s set %s = %s + 1 where n > 0 order by id desc", name, column, column)
	}
	return fmt.Sprintf("update %s set p = %s, n = n + 1%s", name, orNull(), where)
}

// TestManagedForeignKeysOfGeneratedTables runs generated writes over generated tables, in an unsharded keyspace whose shard's
// engine keeps the foreign keys, and in one where the gateway does. What the gateway refuses by name is run in neither.
func TestManagedForeignKeysOfGeneratedTables(t *testing.T) {
	t.Logf("seed %d", *generateSeed)
	ctx := context.Background()
	g := generator{rand.New(rand.NewPCG(*generateSeed, 6))}
	const statements, refusal = 60, 1235
	errors := map[uint16]int{}
	for range max(*generateCount/statements, 1) {
		tree := newKeyTree(g)
		conns := treeConns(ctx, t, tree)
		for n := range statements {
			line := scriptLine{sql: tree.statement(g)}
			got := ask(ctx, conns[1], line, false)
			errors[got.errno]++
			if got.errno == refusal {
				continue
			}
			// Of several rows that fail, each for its own reason, it is not told which error comes: checks come before changes.
			if want := ask(ctx, conns[0], line, false); !sameAnswer(want, got) && (want.errno == 0 || got.errno == 0) {
				t.Errorf("statement %d: %s\nwant %+v\n got %+v", n, line.sql, want, got)
			}
			for i := range tree.tables {
				read := scriptLine{sql: fmt.Sprintf("select * from t%d order by id", i)}
				if want, got := ask(ctx, conns[0], read, false), ask(ctx, conns[1], read, false); !sameAnswer(want, got) {
					t.Errorf("t%d\nwant %q\n got %q", i, want.rows, got.rows)
				}
			}
			if t.Failed() {
				t.Fatalf("after statement %d: %s\n%s", n, line.sql, tree.schema())
			}
		}
	}
	t.Logf("errors by number: %v", errors)
}

// treeConns connects to the two keyspaces, with some rows in all tables.
func treeConns(ctx context.Context, t *testing.T, tree *keyTree) [2]*sql.Conn {
	t.Helper()
	var conns [2]*sql.Conn
	for i, mode := range []string{"unmanaged", "managed"} {
		var tables []string
		for n := range tree.tables {
			tables = append(tables, fmt.Sprintf(`"t%d": {}`, n))
		}
		cluster, err := combo.Start(ctx, combo.Config{Keyspaces: []combo.Keyspace{{
			Name: "club", Shards: 1, Schema: []string{tree.schema()},
			VSchema: fmt.Sprintf(`{"foreignKeyMode": %q, "tables": {%s}}`, mode, strings.Join(tables, ", ")),
		}}})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, cluster.Close()) })
		conns[i] = clubConn(ctx, t, cluster)
		for n := range tree.tables {
			for id := 1; id <= 8; id++ {
				row := fmt.Sprintf("insert into t%d (id, a, p, n) values (%d, %d, %d, %d)", n, id, id, 9-id, id%3)
				got := ask(ctx, conns[i], scriptLine{sql: row}, false)
				require.Zero(t, got.errno, "%s: %s", row, got.message)
			}
		}
	}
	return conns
}
