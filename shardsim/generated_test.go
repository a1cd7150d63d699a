package shardsim

import (
	"context"
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// generator makes statements about table g in the shapes tier 1 may take, and shapes beside them that it must not.
type generator struct{ *rand.Rand }

const generatedTable = `create table g (id int primary key, n smallint, u bigint unsigned, name varchar(8), c char(4) collate utf8mb4_general_ci,
	d decimal(6,2), e enum('x','y'), ts datetime, key (n), key (name, n), unique key (u), key (c))`

var generatedColumns = []string{"id", "n", "u", "name", "c", "d", "e", "ts"}

func (g generator) pick(all ...string) string { return all[g.Intn(len(all))] }

func (g generator) column() string { return g.pick(generatedColumns...) }

// value returns a literal that mostly suits the column.
func (g generator) value(column string) string {
	if g.Intn(25) == 0 {
		return g.pick("null", "'7'", "3", "2.5", "-1", "'x'")
	}
	switch column {
	case "name", "c":
		return g.pick("'a'", "'A'", "'b'", "'ab'", "'ß'", "'ss'", "''", "'b '")
	case "d":
		return g.pick("1", "2.50", "3.5", "-1")
	case "e":
		return g.pick("'x'", "'y'", "1")
	case "ts":
		return g.pick("'2024-01-01'", "'2024-02-29 12:00:00'")
	}
	return fmt.Sprint(g.Intn(14) - 1)
}

// expression returns one of several types.
func (g generator) expression() string {
	switch g.Intn(9) {
	case 0:
		return g.pick("n", "id", "d") + g.pick(" + ", " - ", " * ", " / ", " % ") + g.pick("n", "id", "2", "d")
	case 1:
		return g.pick("lower", "upper", "length", "reverse", "char_length") + "(" + g.pick("name", "c") + ")"
	case 2:
		return "concat(name, " + g.pick("'x'", "n", "c", "d") + ")"
	case 3:
		return "coalesce(" + g.column() + ", " + g.pick("n", "'a'", "1.5", "id") + ")"
	case 4:
		return "case when " + g.simpleCondition() + " then " + g.pick("n", "1", "'a'") + g.pick("", " else d", " else name") + " end"
	case 5:
		return g.pick("date(ts)", "year(ts)", "hour(ts)", "ts + interval 1 day", "date_format(ts, '%Y-%m')")
	case 6:
		return "if(" + g.simpleCondition() + ", " + g.column() + ", null)"
	case 7:
		return g.pick("cast(n as char)", "cast(name as signed)", "abs(n)", "round(d)", "-n", "n is null", "n > 3")
	}
	return g.column()
}

func (g generator) condition() string {
	switch g.Intn(12) {
	case 0:
		return "(" + g.simpleCondition() + " or " + g.simpleCondition() + ")"
	case 1:
		return g.column() + g.pick(" not", "") + " in (" + g.value(g.column()) + ", " + g.value("n") + ")"
	case 2:
		return g.pick("name", "c") + g.pick(" like ", " not like ") + g.pick("'a%'", "'%B%'", "'_'", "''")
	case 3:
		return g.expression() + g.pick(" = ", " < ", " <> ", " >= ") + g.pick(g.expression(), g.value("n"), "'a'")
	case 4:
		return g.column() + " is not null"
	case 5:
		return "not (" + g.simpleCondition() + ")"
	}
	return g.simpleCondition()
}

func (g generator) simpleCondition() string {
	col := g.column()
	switch g.Intn(8) {
	case 0:
		return fmt.Sprintf("%s between %s and %s", col, g.value(col), g.value(col))
	case 1:
		return fmt.Sprintf("%s in (%s, %s)", col, g.value(col), g.value(col))
	case 2:
		return col + " is null"
	case 3:
		return fmt.Sprintf("%s %s %s", g.value(col), g.pick("=", "<", ">=", "<>"), col)
	}
	return fmt.Sprintf("%s %s %s", col, g.pick("=", "=", "<", "<=", ">", ">=", "<>", "<=>"), g.value(col))
}

func (g generator) where() string {
	var all []string
	for range g.Intn(4) {
		all = append(all, g.condition())
	}
	if len(all) == 0 {
		return ""
	}
	return " where " + strings.Join(all, g.pick(" and ", " and ", " and ", " or "))
}

// query returns a SELECT, and whether it orders all rows.
func (g generator) query() (text string, ordered bool) {
	direction := func() string { return g.pick("", " desc") }
	switch g.Intn(6) {
	case 0:
		text = "select id, " + g.expression() + " as a, " + g.expression() + " as b from g" + g.where()
		return text + " order by " + g.pick("id", "a, id", g.expression()+", id desc") + g.pick("", " limit 3"), true
	case 1:
		by := g.expression()
		return "select " + by + " as k, count(*), " + g.pick("max(id)", "sum("+g.pick("n", "n + 1", "d * 2", "abs(n)")+")", "min("+g.expression()+")") + " from g" + g.where() +
			g.pick(" group by k", " group by "+by), false
	case 2:
		return "select distinct " + g.expression() + " as k from g" + g.where(), false
	}
	if g.Intn(2) == 0 {
		text = "select " + g.pick("*", "id, n, name", "c, id as x, d", "name, e, ts, u") + " from g" + g.where()
		switch g.Intn(3) {
		case 0:
			return text, false
		case 1:
			text += " order by id" + direction()
		case 2:
			text += " order by " + g.column() + direction() + ", g.id" + direction()
		}
		return text + g.pick("", " limit 3", " limit 2 offset 1"), true
	}
	aggregates := []string{"count(*)", "count(d)", "sum(n)", "sum(u)", "sum(d)", "min(id)", "max(u)", "max(d)", "min(ts)"}
	list := g.pick(aggregates...) + ", " + g.pick(aggregates...)
	if g.Intn(3) == 0 {
		return "select " + list + " from g" + g.where(), true
	}
	by := g.column()
	if g.Intn(4) == 0 {
		return "select distinct " + by + " from g" + g.where() + " order by " + by + direction(), by != "name" && by != "c"
	}
	return "select " + g.pick("", by+", ") + list + " from g" + g.where() + " group by " + by + " order by " + by + direction() + g.pick("", " limit 2"), by != "name" && by != "c"
}

// joinQuery returns a SELECT from g joined with itself, and whether it orders all rows.
func (g generator) joinQuery() (text string, ordered bool) {
	qualify := func(alias, condition string) string {
		for _, col := range generatedColumns {
			condition = regexp.MustCompile(`(^|[^'\w.])`+col+`($|[^'\w])`).ReplaceAllString(condition, "${1}"+alias+"."+col+"${2}")
		}
		return condition
	}
	aliases := []string{"x", "y", "z"}[:2+g.Intn(2)]
	from := "g x"
	var where []string
	for i, alias := range aliases[1:] {
		on := []string{fmt.Sprintf("%s.%s = %s.%s", aliases[g.Intn(i+1)], g.pick("id", "n", "id", g.column()), alias, g.pick("id", "n", "id", g.column()))}
		for g.Intn(3) == 0 {
			on = append(on, qualify(aliases[g.Intn(i+2)], g.condition()))
		}
		switch g.Intn(4) {
		case 0:
			from += ", g " + alias
			where = append(where, on...)
		case 1:
			from += " left join g " + alias + " on " + strings.Join(on, " and ")
		default:
			from += " join g " + alias + " on " + strings.Join(on, " and ")
		}
	}
	for g.Intn(3) > 0 {
		where = append(where, qualify(g.pick(aliases...), g.condition()))
	}
	condition := ""
	if len(where) > 0 {
		condition = " where " + strings.Join(where, " and ")
	}
	last := aliases[len(aliases)-1]
	switch g.Intn(4) {
	case 0:
		return "select count(*), sum(" + last + ".n), max(x.id) from " + from + condition, true
	case 1:
		return "select y.n, count(*), count(" + last + ".id) from " + from + condition + " group by y.n order by y.n", true
	case 2:
		order := ""
		for _, alias := range aliases {
			order += ", " + alias + ".id"
		}
		return "select x.id, y.name, " + last + ".id as last, y.u from " + from + condition + " order by " + order[2:] + g.pick("", " desc", " limit 4"), true
	}
	return "select " + g.pick("*", "x.*, y.id", last+".id, x.n") + " from " + from + condition, false
}

func (g generator) write() string {
	set := g.pick("n", "u", "name", "d", "c")
	switch g.Intn(4) {
	case 0:
		return fmt.Sprintf("insert into g(id, n, u, name, c, d, e, ts) values (%d, %s, %s, %s, %s, %s, %s, %s)", g.Intn(40), g.value("n"), g.value("u"),
			g.value("name"), g.value("c"), g.value("d"), g.value("e"), g.value("ts"))
	case 1:
		return fmt.Sprintf("update g set %s = %s%s", set, g.value(set), g.where())
	case 2:
		return fmt.Sprintf("update g set n = n + %s%s", g.value("n"), g.where())
	}
	return "delete from g where " + g.condition() + " and " + g.condition() + " and id > 5"
}

// TestGeneratedStatementsAgree runs generated statements on two shards, one of which never takes the short way.
func TestGeneratedStatementsAgree(t *testing.T) {
	g := generator{newRand(t)}
	conns := openPair(t, generatedTable)
	ran := 0
	for n := range 2000 {
		sql, ordered := g.write(), false
		switch {
		case n <= 40:
		case g.Intn(2) == 0:
			sql, ordered = g.query()
		case g.Intn(2) == 0:
			sql, ordered = g.joinQuery()
		}
		short, shortErr := conns[0].Query(context.Background(), sql, nil)
		long, longErr := conns[1].Query(context.Background(), sql, nil)
		require.Equal(t, errText(longErr), errText(shortErr), sql)
		if longErr != nil {
			continue
		}
		ran++
		require.Equal(t, long.RowsAffected, short.RowsAffected, sql)
		require.Equal(t, fmt.Sprint(long.Fields), fmt.Sprint(short.Fields), sql)
		if ordered {
			require.Equal(t, fmt.Sprint(long.Rows), fmt.Sprint(short.Rows), sql)
		} else {
			require.Len(t, short.Rows, len(long.Rows), sql)
			if !strings.Contains(sql, "limit") && !strings.Contains(sql, "group by") && !strings.Contains(sql, "distinct") {
				require.ElementsMatch(t, long.Rows, short.Rows, sql)
			}
		}
	}
	require.Greater(t, ran, 1000, "most statements are right")
	for _, conn := range conns {
		require.NoError(t, conn.Tablet().Check())
	}
	require.Equal(t, rows(t, conns[1], "select * from g order by id"), rows(t, conns[0], "select * from g order by id"))
}
