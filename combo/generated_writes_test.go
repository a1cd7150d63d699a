package combo_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// writer writes INSERTs, UPDATEs, DELETEs and transactions over the tables of the differential script. They do not change
// columns that choose the shard, which sharded keyspaces refuse.
type writer struct {
	generator
	open bool // a transaction is
}

// writable are columns that may be set, with the kind of value they take.
var writable = map[string][][2]string{
	"customer": {{"balance", "number"}, {"note", "text"}, {"country", "code"}, {"created", "time"}},
	"corder":   {{"qty", "number"}, {"price", "number"}, {"placed", "date"}, {"sku", "code"}},
	"product":  {{"price", "number"}, {"stock", "count"}, {"description", "text"}},
	"event":    {{"n", "number"}, {"weight", "number"}, {"kind", "code"}},
}

func (w *writer) value(kind, column string) string {
	switch kind {
	case "number":
		return w.pick([]string{w.number(), column + " + 1", "0", "7"})
	case "count":
		return w.pick([]string{"1", "12", column + " + 2"})
	case "code":
		return w.pick([]string{"'DE'", "'fr'", "'b'", "'A'", "''"})
	case "date":
		return w.pick([]string{"'2024-05-06'", "NULL", "'1999-12-31'"})
	case "time":
		return w.pick([]string{"'2024-05-06 07:08:09'", "NULL"})
	}
	return w.pick([]string{"'some text'", "'Ünïcode'", "'it''s'", "''", "'tab\\tbed'"})
}

// condition is a WHERE on one table, mostly narrow.
func (w *writer) condition(t genTable) string {
	s := genSource{}
	for _, c := range t.numbers {
		s.numbers = append(s.numbers, c)
	}
	s.texts = t.texts
	switch w.IntN(5) {
	case 0:
		return ""
	case 1, 2:
		if t.key == "sku" {
			return " WHERE sku " + w.pick([]string{"= 'A-1'", "= 'b-2'", "IN ('A-1', 'C-3', 'none')", "> 'C'"})
		}
		return fmt.Sprintf(" WHERE id %s", w.pick([]string{"= 1", "= 3", "= 101", "IN (1, 2, 103, 999)", "> 100", "BETWEEN 2 AND 5"}))
	}
	return " WHERE " + w.predicate(s)
}

func (w *writer) statement() string {
	t := genTables[w.IntN(len(genTables))]
	switch w.IntN(12) {
	case 0:
		if w.open = !w.open; w.open {
			return "BEGIN"
		}
		return w.pick([]string{"COMMIT", "ROLLBACK", "ROLLBACK"})
	case 1:
		return "DELETE FROM " + t.name + w.condition(t)
	case 2, 3, 4:
		return w.insert(w.pick([]string{"customer", "product", "event"}))
	}
	columns := writable[t.name]
	set := columns[w.IntN(len(columns))]
	return fmt.Sprintf("UPDATE %s SET %s = %s%s", t.name, set[0], w.value(set[1], set[0]), w.condition(t))
}

// insert writes some rows. The tables have the key that chooses the shard for a primary key: that of corder is unique on each
// shard only, as in Vitess.
func (w *writer) insert(table string) string {
	ignore := w.pick([]string{"", "", "IGNORE "})
	var rows []string
	for range 1 + w.IntN(4) {
		id := w.IntN(400)
		switch table {
		case "customer":
			rows = append(rows, fmt.Sprintf("(%d, %s, %s, %s)", id, w.pick([]string{"'New'", "'Émile'"}), w.value("code", ""), w.number()))
		case "product":
			rows = append(rows, fmt.Sprintf("('P-%d', 'made', %d)", w.IntN(30), w.IntN(50)))
		case "event":
			rows = append(rows, fmt.Sprintf("(%d, %s, %s)", id, w.value("code", ""), w.number()))
		}
	}
	columns := map[string]string{
		"customer": "id, name, country, balance", "product": "sku, description, price", "event": "id, kind, n",
	}[table]
	return fmt.Sprintf("INSERT %sINTO %s (%s) VALUES %s", ignore, table, columns, strings.Join(rows, ", "))
}

// TestGeneratedWritesLeaveTheSame runs generated writes on an unsharded keyspace and on shards: the same rows are affected, the
// same errors come, and the tables end up the same.
func TestGeneratedWritesLeaveTheSame(t *testing.T) {
	t.Logf("seed %d", *generateSeed)
	w := &writer{generator: generator{rand.New(rand.NewPCG(*generateSeed, 1))}}
	ctx := context.Background()
	counts := []int{0, 1, 2, 4, 16}
	conns := loadedShops(ctx, t, counts)
	for n := range *generateCount {
		line := scriptLine{sql: w.statement()}
		want := ask(ctx, conns[0], line, false)
		for i, shards := range counts[1:] {
			if got := ask(ctx, conns[i+1], line, shards == 2); !sameAnswer(want, got) {
				t.Errorf("statement %d: %s\nwant %+v\n got %+v on %d shards", n, line.sql, want, got, shards)
			}
		}
		if n%25 == 24 {
			compareTables(ctx, t, conns, counts)
		}
		if t.Failed() {
			return
		}
	}
}

func compareTables(ctx context.Context, t *testing.T, conns []*sql.Conn, counts []int) {
	t.Helper()
	for _, table := range genTables {
		line := scriptLine{sql: fmt.Sprintf("SELECT * FROM %s ORDER BY %s", table.name, table.key)}
		want := ask(ctx, conns[0], line, false)
		for i, shards := range counts[1:] {
			if got := ask(ctx, conns[i+1], line, false); !sameAnswer(want, got) {
				t.Errorf("%s\nwant %+v\n got %+v on %d shards", line.sql, want, got, shards)
			}
		}
	}
}
