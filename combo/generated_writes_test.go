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
	open   bool // a transaction is
	copies int
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
	case 2, 3:
		return w.insert(w.pick([]string{"customer", "product", "event"}))
	case 4:
		return w.insertSelect()
	case 5, 6:
		return w.accounts()
	case 7:
		return w.currencies()
	case 8:
		return w.several()
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

// insertSelect copies rows, also from one table to another.
func (w *writer) insertSelect() string {
	ignore := w.pick([]string{"", "IGNORE "})
	from := 400 * (1 + w.IntN(40))
	where := w.condition(genTables[3])
	switch w.IntN(3) {
	case 0:
		return fmt.Sprintf("INSERT %sINTO event (id, kind, n, weight) SELECT id + %d, kind, n, weight FROM event%s", ignore, from, where)
	case 1:
		w.copies++ // makes the ids new: they are unique on each shard only
		return fmt.Sprintf("INSERT %sINTO corder (id, customer_id, sku, qty) SELECT id * 100000 + %d, %d, kind, 1 FROM event%s", ignore, w.copies, 1+w.IntN(5), where)
	}
	return fmt.Sprintf("INSERT INTO event (id, kind, n) SELECT id, kind, n FROM event%s ON DUPLICATE KEY UPDATE n = VALUES(n) + 1", where)
}

// accounts writes the table with lookups. The emails of one statement differ, and what meets a row is the same account's: what
// MySQL would do with another's is refused over shards.
func (w *writer) accounts() string {
	id, email := w.IntN(60), fmt.Sprintf("'e%d@x'", w.IntN(60))
	nick := w.pick([]string{"'al'", "'bo'", "'Al'", "NULL", "'cy'"})
	where := w.pick([]string{
		fmt.Sprintf("id = %d", id), fmt.Sprintf("email = 'e%d@x'", w.IntN(60)), "nick = 'al'", fmt.Sprintf("id BETWEEN %d AND %d", id, id+3),
		fmt.Sprintf("email IN ('e%d@x', 'e%d@x', 'none')", w.IntN(60), w.IntN(60)), fmt.Sprintf("nick IN ('bo', 'cy') AND id < %d", id),
	})
	switch w.IntN(10) {
	case 0, 1:
		return fmt.Sprintf("INSERT INTO account (id, email, nick) VALUES (%d, %s, %s)", id, email, nick)
	case 2:
		return fmt.Sprintf("INSERT IGNORE INTO account (id, email, nick) VALUES (%d, %s, %s), (%d, 'i%d@x', 'ig')", id, email, nick, w.IntN(60), w.IntN(30))
	case 3:
		return fmt.Sprintf("INSERT INTO account (id, email, nick) VALUES (%d, 'own%d@x', %s) ON DUPLICATE KEY UPDATE hits = hits + 1", id, id, nick)
	case 4:
		return fmt.Sprintf("INSERT IGNORE INTO account (id, email, nick) SELECT id + %d, CONCAT('s', id + %d), nick FROM account WHERE %s", 60+id, 60+id, where)
	case 5, 6:
		return fmt.Sprintf("UPDATE account SET nick = %s WHERE %s", nick, where)
	case 7:
		return fmt.Sprintf("UPDATE account SET email = %s, hits = hits + 1 WHERE id = %d", w.pick([]string{email, "NULL"}), id)
	case 8:
		return "DELETE FROM account WHERE " + where
	}
	return fmt.Sprintf("UPDATE account SET hits = hits + 1 WHERE %s ORDER BY id LIMIT 2", where)
}

// currencies writes the reference table.
func (w *writer) currencies() string {
	code := w.pick([]string{"'EUR'", "'USD'", "'GBP'", "'JPY'"})
	switch w.IntN(4) {
	case 0:
		return fmt.Sprintf("INSERT IGNORE INTO currency VALUES (%s, 'new', 1), ('CHF', 'Franc', %s)", code, w.number())
	case 1:
		return fmt.Sprintf("INSERT INTO currency VALUES (%s, 'new', 1) ON DUPLICATE KEY UPDATE rate = rate + 1", code)
	case 2:
		return fmt.Sprintf("UPDATE currency SET rate = %s WHERE code = %s", w.value("number", "rate"), code)
	}
	return "DELETE FROM currency WHERE code = " + code
}

// several changes several tables, or one by others.
func (w *writer) several() string {
	where := fmt.Sprintf("c.id %s", w.pick([]string{"= 1", "IN (2, 100, 101)", "> 100", "< 3"}))
	switch w.IntN(5) {
	case 0:
		return "UPDATE customer c JOIN corder o ON o.customer_id = c.id SET c.note = 'joined', o.qty = o.qty + 1 WHERE " + where
	case 1:
		return "UPDATE customer c LEFT JOIN corder o ON o.customer_id = c.id SET c.balance = 5 WHERE " + where
	case 2:
		return "DELETE c, o FROM customer c JOIN corder o ON o.customer_id = c.id WHERE " + where
	case 3:
		return "UPDATE event SET n = (SELECT COUNT(*) FROM corder) WHERE id IN (SELECT customer_id FROM corder)"
	}
	return "DELETE FROM event WHERE id IN (SELECT qty FROM corder WHERE price > 50)"
}

// writtenTables are the tables that writers write, with a key to sort them by.
var writtenTables = [][2]string{{"customer", "id"}, {"corder", "id"}, {"product", "sku"}, {"event", "id"}, {"account", "id"}, {"currency", "code"}}

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
	for i := range counts[1:] {
		checkAccountEntries(t, conns[i+1], false)
	}
	for _, table := range writtenTables {
		line := scriptLine{sql: fmt.Sprintf("SELECT * FROM %s ORDER BY %s", table[0], table[1])}
		want := ask(ctx, conns[0], line, false)
		for i, shards := range counts[1:] {
			if got := ask(ctx, conns[i+1], line, false); !sameAnswer(want, got) {
				t.Errorf("%s\nwant %+v\n got %+v on %d shards", line.sql, want, got, shards)
			}
		}
	}
}
