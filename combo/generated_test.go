package combo_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	generateSeed  = flag.Uint64("generate.seed", 1, "seed of the generated queries")
	generateCount = flag.Int("generate.count", 300, "how many queries to generate")
)

// generator writes SELECTs over the tables of the differential script. Every query has one right answer: LIMIT comes with an
// ORDER BY that leaves no ties, and what is selected is grouped or aggregated.
type generator struct{ *rand.Rand }

type genTable struct {
	name, key string
	numbers   []string
	texts     []string
	dates     []string
	ints      []string // the numbers that are integers
}

var genTables = []genTable{
	{"customer", "id", []string{"id", "balance"}, []string{"name", "country", "note"}, []string{"created"}, []string{"id"}},
	{"corder", "id", []string{"id", "customer_id", "qty", "price"}, []string{"sku"}, []string{"placed"}, []string{"id", "customer_id", "qty"}},
	{"product", "sku", []string{"price", "stock"}, []string{"sku", "description"}, nil, []string{"stock"}},
	{"event", "id", []string{"id", "n", "weight"}, []string{"kind"}, nil, []string{"id", "n"}},
}

// genJoins are pairs of columns worth joining by.
var genJoins = [][2]string{
	{"customer.id", "corder.customer_id"}, {"corder.sku", "product.sku"}, {"customer.id", "event.id"}, {"event.n", "corder.qty"},
	{"customer.balance", "product.price"}, {"customer.name", "product.description"}, {"corder.id", "event.id"},
}

func (g generator) pick(from []string) string { return from[g.IntN(len(from))] }

func (g generator) chance(percent int) bool { return g.IntN(100) < percent }

// source is what a query reads: tables under aliases.
type genSource struct {
	from    string
	numbers []string
	texts   []string
	dates   []string
	ints    []string
	keys    []string
}

func (s *genSource) add(alias string, t genTable) {
	for _, c := range t.numbers {
		s.numbers = append(s.numbers, alias+"."+c)
	}
	for _, c := range t.texts {
		s.texts = append(s.texts, alias+"."+c)
	}
	for _, c := range t.dates {
		s.dates = append(s.dates, alias+"."+c)
	}
	for _, c := range t.ints {
		s.ints = append(s.ints, alias+"."+c)
	}
	s.keys = append(s.keys, alias+"."+t.key)
}

func (s *genSource) columns() []string { return slices.Concat(s.numbers, s.texts, s.dates) }

func (g generator) source() genSource {
	var s genSource
	if g.chance(55) {
		t := genTables[g.IntN(len(genTables))]
		s.from = t.name + " a"
		s.add("a", t)
		return s
	}
	join := genJoins[g.IntN(len(genJoins))]
	left, right, _ := strings.Cut(join[0], ".")
	other, column, _ := strings.Cut(join[1], ".")
	how := g.pick([]string{"JOIN", "JOIN", "LEFT JOIN"})
	s.from = fmt.Sprintf("%s a %s %s b ON a.%s = b.%s", left, how, other, right, column)
	for _, t := range genTables {
		if t.name == left {
			s.add("a", t)
		}
	}
	for _, t := range genTables {
		if t.name == other {
			if g.chance(30) {
				s.from += " AND " + g.predicate(genSource{numbers: []string{"b." + t.numbers[0]}, texts: []string{"b." + t.texts[0]}})
			}
			s.add("b", t)
		}
	}
	return s
}

func (g generator) number() string {
	return g.pick([]string{"0", "1", "2", "3", "5", "10", "20", "100", "101", "-8", "2.5", "99.99", "33.33"})
}

func (g generator) text() string {
	return g.pick([]string{"'a'", "'A-1'", "'emile'", "'zoe'", "'DE'", "'fr'", "'b'", "''", "'Bolt'", "'2024-03-01'"})
}

func (g generator) predicate(s genSource) string {
	op := g.pick([]string{"=", "=", "<", ">", "<=", ">=", "<>"})
	switch g.IntN(9) {
	case 0:
		return fmt.Sprintf("%s IS NULL", g.pick(s.columns()))
	case 1:
		return fmt.Sprintf("%s IN (%s, %s, %s)", g.pick(s.numbers), g.number(), g.number(), g.number())
	case 2:
		return fmt.Sprintf("%s BETWEEN %s AND %s", g.pick(s.numbers), g.number(), g.number())
	case 3:
		return fmt.Sprintf("%s %s %s", g.pick(s.texts), op, g.text())
	case 4:
		return fmt.Sprintf("%s NOT IN (%s, %s)", g.pick(s.numbers), g.number(), g.number())
	case 5:
		return fmt.Sprintf("(%s %s %s OR %s = %s)", g.pick(s.numbers), op, g.number(), g.pick(s.texts), g.text())
	case 6:
		return fmt.Sprintf("NOT (%s %s %s)", g.pick(s.numbers), op, g.number())
	}
	return fmt.Sprintf("%s %s %s", g.pick(s.numbers), op, g.number())
}

func (g generator) where(s genSource) string {
	var preds []string
	for g.chance(45) {
		preds = append(preds, g.predicate(s))
	}
	if g.chance(12) {
		t := genTables[g.IntN(len(genTables))]
		column := g.pick(t.numbers)
		not := g.pick([]string{"", "NOT "})
		preds = append(preds, fmt.Sprintf("%s %sIN (SELECT q.%s FROM %s q WHERE q.%s IS NOT NULL AND q.%s > %s)",
			g.pick(s.numbers), not, column, t.name, column, g.pick(t.numbers), g.number()))
	}
	if g.chance(8) {
		t := genTables[g.IntN(len(genTables))]
		preds = append(preds, fmt.Sprintf("%s > (SELECT %s(q.%s) FROM %s q)", g.pick(s.numbers), g.pick([]string{"MIN", "MAX", "COUNT"}), g.pick(t.numbers), t.name))
	}
	if preds == nil {
		return ""
	}
	return " WHERE " + strings.Join(preds, " AND ")
}

func (g generator) aggregate(s genSource) string {
	switch g.IntN(8) {
	case 0, 1:
		return "COUNT(*)"
	case 2:
		return "COUNT(" + g.pick(s.columns()) + ")"
	case 3:
		return "COUNT(DISTINCT " + g.pick(s.numbers) + ")"
	case 4:
		return "AVG(" + g.pick(s.numbers) + ")"
	case 5:
		return g.pick([]string{"MIN", "MAX"}) + "(" + g.pick(s.numbers) + ")"
	}
	return "SUM(" + g.pick(s.numbers) + ")"
}

// expression computes something of one row.
func (g generator) expression(s genSource) string {
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("%s + %s", g.pick(s.numbers), g.number())
	case 1:
		return fmt.Sprintf("UPPER(%s)", g.pick(s.texts))
	case 2:
		return fmt.Sprintf("COALESCE(%s, %s)", g.pick(s.texts), g.text())
	case 3:
		return fmt.Sprintf("CASE WHEN %s THEN 1 ELSE 0 END", g.predicate(s))
	}
	return g.pick(s.columns())
}

func (g generator) limit() string {
	if g.chance(40) {
		return fmt.Sprintf(" LIMIT %d", g.IntN(8))
	}
	if g.chance(20) {
		return fmt.Sprintf(" LIMIT %d OFFSET %d", 1+g.IntN(5), g.IntN(6))
	}
	return ""
}

func (g generator) query() string {
	switch g.IntN(10) {
	case 0, 1, 2:
		return g.grouped()
	case 3:
		return g.scalar()
	case 4:
		return g.distinct()
	case 5:
		return g.derived()
	case 6:
		return g.union()
	}
	return g.rows()
}

func (g generator) rows() string {
	s := g.source()
	cols := slices.Clone(s.keys)
	for i := range 1 + g.IntN(3) {
		cols = append(cols, fmt.Sprintf("%s AS x%d", g.expression(s), i))
	}
	order := slices.Clone(s.keys)
	if g.chance(60) {
		order = append([]string{g.pick(s.columns()) + g.pick([]string{"", " DESC"})}, order...)
	}
	return fmt.Sprintf("SELECT %s FROM %s%s ORDER BY %s%s", strings.Join(cols, ", "), s.from, g.where(s), strings.Join(order, ", "), g.limit())
}

// groupable columns hold no texts that are equal but look different: which of them a group shows is anybody's choice.
func (s *genSource) groupable() []string {
	return slices.DeleteFunc(s.columns(), func(c string) bool { return strings.HasSuffix(c, ".name") })
}

func (g generator) grouped() string {
	s := g.source()
	var by, order []string
	for range 1 + g.IntN(2) {
		if c := g.pick(s.groupable()); !slices.Contains(by, c) {
			by = append(by, c)
			order = append(order, c+g.pick([]string{"", " DESC"}))
		}
	}
	cols := append(slices.Clone(by), fmt.Sprintf("%s AS agg", g.aggregate(s)))
	if g.chance(40) {
		cols = append(cols, g.aggregate(s)+" AS more")
	}
	having := ""
	if g.chance(25) {
		having = fmt.Sprintf(" HAVING %s %s %s", g.aggregate(s), g.pick([]string{">", "<", "="}), g.number())
	}
	if g.chance(25) {
		order = append([]string{"agg" + g.pick([]string{"", " DESC"})}, order...)
	}
	return fmt.Sprintf("SELECT %s FROM %s%s GROUP BY %s%s ORDER BY %s%s",
		strings.Join(cols, ", "), s.from, g.where(s), strings.Join(by, ", "), having, strings.Join(order, ", "), g.limit())
}

func (g generator) scalar() string {
	s := g.source()
	var cols []string
	for range 1 + g.IntN(3) {
		cols = append(cols, g.aggregate(s))
	}
	if g.chance(20) {
		cols = append(cols, g.aggregate(s)+" + "+g.number())
	}
	return fmt.Sprintf("SELECT %s FROM %s%s", strings.Join(cols, ", "), s.from, g.where(s))
}

func (g generator) distinct() string {
	s := g.source()
	var cols []string
	for range 1 + g.IntN(2) {
		if c := g.pick(s.groupable()); !slices.Contains(cols, c) {
			cols = append(cols, c)
		}
	}
	text := strings.Join(cols, ", ")
	return fmt.Sprintf("SELECT DISTINCT %s FROM %s%s ORDER BY %s%s", text, s.from, g.where(s), text, g.limit())
}

func (g generator) derived() string {
	t := genTables[g.IntN(len(genTables))]
	s := genSource{from: t.name + " a"}
	s.add("a", t)
	number, text := g.pick(t.numbers), g.pick(t.texts)
	for text == "name" {
		text = g.pick(t.texts)
	}
	outer := genSource{numbers: []string{"d.v"}, texts: []string{"d.w"}}
	inner := fmt.Sprintf("SELECT a.%s AS v, a.%s AS w FROM %s%s", number, text, s.from, g.where(s))
	switch g.IntN(4) {
	case 0:
		inner = fmt.Sprintf("SELECT DISTINCT a.%s AS v, a.%s AS w FROM %s%s", number, text, s.from, g.where(s))
	case 1:
		inner = fmt.Sprintf("SELECT SUM(a.%s) AS v, a.%s AS w FROM %s%s GROUP BY a.%s", number, text, s.from, g.where(s), text)
	case 2:
		inner += fmt.Sprintf(" ORDER BY a.%s LIMIT %d", t.key, 1+g.IntN(6))
	}
	if g.chance(50) {
		return fmt.Sprintf("SELECT %s, COUNT(*) FROM (%s) d%s", g.aggregate(outer), inner, g.where(outer))
	}
	return fmt.Sprintf("SELECT d.v, d.w FROM (%s) d%s ORDER BY d.v, d.w", inner, g.where(outer))
}

func (g generator) union() string {
	var blocks []string
	for range 2 + g.IntN(2) {
		s := g.source()
		blocks = append(blocks, fmt.Sprintf("SELECT %s AS u FROM %s%s", g.pick(s.ints), s.from, g.where(s)))
	}
	return strings.Join(blocks, g.pick([]string{" UNION ALL ", " UNION "})) + " ORDER BY u" + g.limit()
}

// loadedShops opens a connection to a shop on each number of shards, with the rows that the differential script begins with.
func loadedShops(ctx context.Context, t *testing.T, counts []int) []*sql.Conn {
	t.Helper()
	load := readDifferential(t, "shop.sql")
	load = load[:slices.IndexFunc(load, func(l scriptLine) bool { return strings.HasPrefix(l.sql, "SELECT") })]
	conns := make([]*sql.Conn, len(counts))
	for i, shards := range counts {
		db, err := sql.Open("mysql", shop(t, shards).DSN("shop")+"?interpolateParams=true")
		require.NoError(t, err)
		t.Cleanup(func() { db.Close() })
		conns[i], err = db.Conn(ctx)
		require.NoError(t, err)
		for _, line := range load {
			ask(ctx, conns[i], line, false)
		}
	}
	return conns
}

// TestGeneratedQueriesAnswerAlike runs generated queries on an unsharded keyspace and on shards.
func TestGeneratedQueriesAnswerAlike(t *testing.T) {
	t.Logf("seed %d", *generateSeed)
	g := generator{rand.New(rand.NewPCG(*generateSeed, 0))}
	ctx := context.Background()
	counts := []int{0, 1, 2, 4, 16}
	conns := loadedShops(ctx, t, counts)
	const outOfRange = 1690 // an unsigned column and a negative number may well be
	refused := 0
	for range *generateCount {
		line := scriptLine{sql: g.query()}
		want := ask(ctx, conns[0], line, false)
		if want.errno != 0 && want.errno != outOfRange {
			t.Errorf("%s\nfails without shards: %d %s", line.sql, want.errno, want.message)
			continue
		}
		for i, shards := range counts[1:] {
			got := ask(ctx, conns[i+1], line, shards == 4)
			if got.errno == 1235 {
				refused++
				continue
			}
			if !sameAnswer(want, got) {
				t.Errorf("%s\nwant %+v\n got %+v on %d shards", line.sql, want, got, shards)
				break
			}
		}
	}
	t.Logf("%d of %d refused by name", refused, *generateCount*(len(counts)-1))
}
