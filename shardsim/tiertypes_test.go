package shardsim

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

var tierSteps = flag.Int("tier-steps", 1500, "how many statements TestTiersAgreeOnTypes runs")

// typedColumn is a column type and the texts of values for it, most of which fit.
type typedColumn struct {
	typ    string
	values []string
	text   bool // its values are taken for equal in several spellings
}

var (
	wordValues  = []string{"a", "A", "b", "bb", "é", "e", "", "x ", "x", "12", "1e1", "toolong or not", "ß", "ss", "Z", "_", "%"}
	dateValues  = []string{"2024-02-29", "2024-02-30", "2024-01-01 10:11:12.987654", "1999-12-31 23:59:59.999999", "20240607", "0000-00-00", "x", "2024-06-07 00:00:00"}
	timeValues  = []string{"12:30:00", "12:30:00.1235", "-838:59:59", "839:00:00", "1 1:1:1", "x", "123", "00:00:00"}
	intValues   = []string{"0", "1", "2", "3", "4", "5", "-1", "127", "128", "300", "-40000", "9223372036854775807", "18446744073709551615", "1.5", "2x"}
	realValues  = []string{"0", "0.5", "1.25", "-2.5", "1e10", "123456789.123456789", "3", "0.1", "x", "1e300", "12345678901234567890.1234567891"}
	byteValues  = []string{"a", "A", "\x00", "ab\x00", "\xff", "abc", "", "a ", "toolong for it", "é"}
	wholeValues = []string{"0", "1", "2", "3", "4", "5", "-1", "300", "2x"} // of AUTO_INCREMENT
	jsonValues  = []string{`{"a":1}`, `{"a": 1}`, `[1,2,"x"]`, `"s"`, `1`, `1.0`, `null`, `{bad`, `{"a":{"b":null},"c":1.5}`}

	tierColumns = []typedColumn{
		{"json", jsonValues, false}, {"bit(1)", intValues, false}, {"bit(13)", intValues, false}, {"bit(64)", intValues, false},
		{"set('a','b','c')", []string{"a", "b", "a,b", "c,a", "", "d", "3", "A"}, false}, {"enum('x','y','Z')", []string{"x", "y", "z", "X", "1", "0", ""}, false},
		{"decimal(30,10)", realValues, false}, {"decimal(5,0) unsigned", realValues, false}, {"decimal(8,2)", realValues, false}, {"float", realValues, false}, {"double", realValues, false},
		{"double unsigned", realValues, false}, {"binary(3)", byteValues, false}, {"varbinary(6)", byteValues, false}, {"blob", byteValues, false}, {"tinyblob", byteValues, false},
		{"text", wordValues, true}, {"tinytext", wordValues, true}, {"longtext collate utf8mb4_bin", wordValues, false}, {"year", []string{"2024", "24", "1901", "1900", "0", "x"}, false},
		{"time", timeValues, false}, {"time(3)", timeValues, false}, {"timestamp null", dateValues, false}, {"timestamp(6) null", dateValues, false}, {"datetime", dateValues, false}, {"datetime(2)", dateValues, false},
		{"date", dateValues, false}, {"tinyint", intValues, false}, {"tinyint(1)", intValues, false}, {"smallint unsigned", intValues, false}, {"mediumint", intValues, false}, {"int", intValues, false},
		{"int unsigned", intValues, false}, {"bigint", intValues, false}, {"bigint unsigned", intValues, false}, {"varchar(6)", wordValues, true}, {"char(5)", wordValues, true},
		{"varchar(8) collate utf8mb4_bin", wordValues, false}, {"varchar(8) collate utf8mb4_general_ci", wordValues, true}, {"varchar(8) character set latin1", wordValues, true},
		{"char(4) collate utf8mb4_0900_as_cs", wordValues, false}, {"char(4) collate utf8mb4_bin", wordValues, false}, {"point", nil, false}, {"int zerofill", intValues, false},
	}
)

// tierSchema is what the generator knows about the tables: it follows the statements that changed them.
type tierSchema struct {
	*rand.Rand
	tables []*tierTable
	pool   []string // statements that came before
}

type tierTable struct {
	name    string
	columns []tierColumn
	key     []string // primary
}

type tierColumn struct {
	typedColumn
	name      string
	generated bool
}

func (g *tierSchema) pick(all ...string) string { return all[g.Intn(len(all))] }

func (g *tierSchema) table() *tierTable { return g.tables[g.Intn(len(g.tables))] }

func (g *tierSchema) newColumn(name string) (c tierColumn, definition string) {
	c = tierColumn{typedColumn: tierColumns[g.Intn(len(tierColumns))], name: name}
	definition = name + " " + c.typ
	if c.values == nil || strings.HasPrefix(c.typ, "timestamp") || strings.Contains(c.typ, "text") || strings.Contains(c.typ, "blob") || c.typ == "json" {
		return c, definition
	}
	switch g.Intn(8) {
	case 0:
		definition += " not null"
	case 1:
		definition += " default " + g.pick("null", sqltypes.EncodeStringSQL(c.values[g.Intn(len(c.values))]))
	}
	return c, definition
}

// computed returns a generated column.
func (g *tierSchema) computed(t *tierTable, name string) (tierColumn, string) {
	of := t.columns[g.Intn(len(t.columns))].name
	how := [][2]string{
		{"varchar(40)", "left(hex(%s), 30)"}, {"int", "length(%s)"}, {"varchar(60)", "concat('g', left(%s, 9))"}, {"tinyint", "%s is null"},
		{"varchar(40) collate utf8mb4_bin", "left(upper(%s), 30)"}, {"bigint", "crc32(%s)"},
	}[g.Intn(6)]
	return tierColumn{typedColumn{how[0], wordValues, true}, name, true},
		fmt.Sprintf("%s %s as (%s) %s", name, how[0], fmt.Sprintf(how[1], of), g.pick("stored", "virtual"))
}

// create makes a new table, and the text that does it.
func (g *tierSchema) create(name string) (*tierTable, string) {
	t := &tierTable{name: name}
	var parts []string
	switch g.Intn(4) {
	case 0:
	case 1:
		t.columns = append(t.columns, tierColumn{typedColumn{"int", wholeValues, false}, "id", false})
		t.key, parts = []string{"id"}, []string{"id int primary key auto_increment"}
	default:
		for i := range 1 + g.Intn(2) {
			var c tierColumn
			for c.values == nil || c.typ == "json" || strings.Contains(c.typ, "blob") || strings.Contains(c.typ, "text") {
				c, _ = g.newColumn(fmt.Sprint("k", i))
			}
			c.typ = strings.TrimSuffix(c.typ, " null")
			def := c.name + " " + c.typ + " not null"
			if strings.HasPrefix(c.typ, "timestamp") {
				def += " default '2020-01-01'"
			}
			t.columns, t.key, parts = append(t.columns, c), append(t.key, c.name), append(parts, def)
		}
		parts = append(parts, "primary key ("+strings.Join(t.key, ", ")+")")
	}
	for i := range 3 + g.Intn(4) {
		c, def := g.newColumn(fmt.Sprint("c", i))
		t.columns, parts = append(t.columns, c), append(parts, def)
	}
	if g.Intn(2) == 0 {
		c, def := g.computed(t, "g0")
		t.columns, parts = append(t.columns, c), append(parts, def)
	}
	for i := range g.Intn(3) {
		parts = append(parts, g.index(t, fmt.Sprint("i", i)))
	}
	return t, "create table " + name + " (" + strings.Join(parts, ", ") + ")"
}

// index returns the definition of a key.
func (g *tierSchema) index(t *tierTable, name string) string {
	var parts []string
	for range 1 + g.Intn(2) {
		c := t.columns[g.Intn(len(t.columns))]
		part := c.name
		switch {
		case strings.Contains(c.typ, "text") || strings.Contains(c.typ, "blob"):
			part += "(3)"
		case c.typ == "json" || c.typ == "point":
			continue
		case g.Intn(5) == 0 && (strings.HasPrefix(c.typ, "varchar") || strings.HasPrefix(c.typ, "char")):
			part += "(2)"
		}
		if g.Intn(6) == 0 {
			part += " desc"
		}
		if !slices.ContainsFunc(parts, func(p string) bool { return p[:2] == part[:2] }) {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		parts = []string{t.columns[0].name}
	}
	return g.pick("key ", "key ", "unique ") + name + " (" + strings.Join(parts, ", ") + ")"
}

// value returns a value for a column as it stands in a statement: a bind variable or a literal.
func (g *tierSchema) value(c tierColumn) string {
	if c.values == nil {
		return g.pick("point(1, 2)", "point(3, 4)", "null")
	}
	switch g.Intn(12) {
	case 0:
		return "null"
	case 1:
		return ":other"
	case 2, 3:
		v := c.values[g.Intn(len(c.values))]
		if _, err := fmt.Sscanf(v, "%f", new(float64)); err == nil && g.Intn(2) == 0 && !strings.ContainsAny(v, "xe:- ") {
			return v
		}
		return sqltypes.EncodeStringSQL(v)
	}
	return ":" + g.pick("p", "q") + "_" + c.class()
}

// class names the values of the column's kind.
func (c tierColumn) class() string {
	switch {
	case len(c.values) == 0:
		return "word"
	case &c.values[0] == &wordValues[0]:
		return "word"
	case &c.values[0] == &dateValues[0]:
		return "date"
	case &c.values[0] == &timeValues[0]:
		return "time"
	case &c.values[0] == &intValues[0]:
		return "int"
	case &c.values[0] == &wholeValues[0]:
		return "whole"
	case &c.values[0] == &realValues[0]:
		return "real"
	case &c.values[0] == &byteValues[0]:
		return "byte"
	case &c.values[0] == &jsonValues[0]:
		return "json"
	}
	return c.typ[:3]
}

// binds returns values for all names that value gives out.
func (g *tierSchema) binds() binds {
	b := binds{"lim": sqltypes.Int64BindVariable(int64(g.Intn(4)))}
	for _, typed := range tierColumns {
		class := tierColumn{typedColumn: typed}.class()
		for _, name := range [...]string{"p_" + class, "q_" + class} {
			if b[name] == nil && typed.values != nil {
				b[name] = g.bind(typed.values)
			}
		}
		list := &querypb.BindVariable{Type: querypb.Type_TUPLE}
		for range 1 + g.Intn(3) {
			if typed.values != nil {
				v := g.bind(typed.values)
				list.Values = append(list.Values, &querypb.Value{Type: v.Type, Value: v.Value})
			}
		}
		if b["l_"+class] == nil {
			b["l_"+class] = list
		}
	}
	b["other"] = g.bind(tierColumns[g.Intn(len(tierColumns)-2)].values)
	return b
}

func (g *tierSchema) bind(values []string) *querypb.BindVariable {
	v := values[g.Intn(len(values))]
	switch g.Intn(16) {
	case 0:
		return sqltypes.NullBindVariable
	case 1:
		return sqltypes.BytesBindVariable([]byte(v))
	case 2:
		return sqltypes.Uint64BindVariable(uint64(g.Intn(5)))
	case 3:
		if &values[0] == &wholeValues[0] {
			break
		}
		return sqltypes.Float64BindVariable(float64(g.Intn(8)) / 4)
	case 4:
		return sqltypes.BoolBindVariable(g.Intn(2) == 0)
	}
	if g.Intn(3) > 0 {
		if i, err := strconv.ParseInt(v, 10, 64); err == nil {
			return sqltypes.Int64BindVariable(i)
		}
		if strings.Count(v, ".") == 1 && strings.Trim(v, "0123456789.") == "" {
			return &querypb.BindVariable{Type: querypb.Type_DECIMAL, Value: []byte(v)}
		}
	}
	return sqltypes.StringBindVariable(v)
}

// condition is one of WHERE.
func (g *tierSchema) condition(t *tierTable) string {
	c := t.columns[g.Intn(len(t.columns))]
	if len(t.key) > 0 && g.Intn(3) == 0 {
		parts := make([]string, len(t.key))
		for i := range parts {
			parts[i] = t.columns[i].name + " = " + g.value(t.columns[i])
		}
		return strings.Join(parts, " and ")
	}
	switch g.Intn(9) {
	case 0:
		if c.values != nil {
			return c.name + " in ::l_" + c.class()
		}
	case 1:
		return c.name + " between " + g.value(c) + " and " + g.value(c)
	case 2:
		return c.name + g.pick(" is null", " is not null")
	case 3:
		return c.name + " like :p_word"
	case 4:
		return c.name + g.pick(" > ", " < ", " >= ", " <> ", " <=> ") + g.value(c)
	case 5:
		other := t.columns[g.Intn(len(t.columns))]
		return c.name + g.pick(" = ", " < ") + other.name
	}
	return c.name + " = " + g.value(c)
}

func (g *tierSchema) where(t *tierTable) string {
	switch g.Intn(8) {
	case 0:
		return ""
	case 1:
		return " where " + g.condition(t) + " and " + g.condition(t)
	case 2:
		return " where " + g.condition(t) + " or " + g.condition(t)
	}
	return " where " + g.condition(t)
}

// expression is an item of a select list.
func (g *tierSchema) expression(t *tierTable) string {
	c := t.columns[g.Intn(len(t.columns))]
	switch g.Intn(10) {
	case 0:
		return c.name + g.pick(" + ", " - ", " * ") + g.pick("1", "1.5", ":p_int") + " as e"
	case 1:
		return g.pick("concat", "coalesce", "ifnull", "greatest", "nullif") + "(" + c.name + ", " + g.pick("'x'", ":p_word", "1", t.columns[0].name) + ") as e"
	case 2:
		return g.pick("hex", "length", "lower", "upper", "char_length", "abs", "round", "date", "year", "isnull", "md5", "reverse", "second", "floor") + "(" + c.name + ") as e"
	case 3:
		return "cast(" + c.name + " as " + g.pick("char", "signed", "unsigned", "decimal(10,2)", "date", "datetime(3)", "binary", "char(2)", "double") + ") as e"
	case 4:
		return "case when " + g.condition(t) + " then " + c.name + " else " + g.value(c) + " end as e"
	case 5:
		return "-" + c.name + " as e"
	}
	return c.name
}

func (g *tierSchema) query(t *tierTable) string {
	switch g.Intn(6) {
	case 0:
		aggregate := g.pick("count(*)", "count(%s)", "sum(%s)", "min(%s)", "max(%s)", "avg(%s)", "count(distinct %s)")
		if strings.Contains(aggregate, "%") {
			aggregate = fmt.Sprintf(aggregate, t.columns[g.Intn(len(t.columns))].name)
		}
		if g.Intn(2) == 0 {
			return "select " + aggregate + " from " + t.name + g.where(t)
		}
		by := t.columns[g.Intn(len(t.columns))].name
		return "select " + by + ", " + aggregate + " from " + t.name + g.where(t) + " group by " + by
	case 1:
		return "select distinct " + t.columns[g.Intn(len(t.columns))].name + " from " + t.name + g.where(t)
	case 2:
		other := g.table()
		left, right := t.columns[g.Intn(len(t.columns))].name, other.columns[g.Intn(len(other.columns))].name
		if len(other.key) > 0 && g.Intn(2) == 0 {
			right = other.key[0]
		}
		return fmt.Sprintf("select %s from %s x %sjoin %s y on x.%s = y.%s", g.pick("*", "x.*", "y.*", "x."+left+", y."+right, "count(*)"), t.name, g.pick("", "left "), other.name, left, right)
	}
	list := g.pick("*", t.name+".*", "")
	if list == "" {
		items := []string{g.expression(t)}
		if g.Intn(2) == 0 {
			items = append(items, t.columns[g.Intn(len(t.columns))].name)
		}
		list = strings.Join(items, ", ")
	}
	text := "select " + list + " from " + t.name + g.where(t)
	if len(t.key) > 0 && g.Intn(2) == 0 {
		order := append([]string{t.columns[g.Intn(len(t.columns))].name}, t.key...)
		text += " order by " + strings.Join(order, g.pick(" desc, ", ", "))
		if g.Intn(2) == 0 {
			text += " limit :lim" + g.pick("", " offset 1")
		}
	}
	return text + g.pick("", "", "", "", " for update", " for share")
}

func (g *tierSchema) write(t *tierTable) string {
	var names []string
	var sets []tierColumn
	for _, c := range t.columns {
		if (!c.generated && g.Intn(5) > 0) || g.Intn(30) == 0 {
			names, sets = append(names, c.name), append(sets, c)
		}
	}
	c := t.columns[g.Intn(len(t.columns))]
	switch g.Intn(7) {
	case 0:
		return "delete from " + t.name + g.where(t)
	case 1, 2:
		set := c.name + " = " + g.pick(g.value(c), g.value(c), c.name+" + 1", "default", t.columns[0].name)
		if g.Intn(3) == 0 {
			d := t.columns[g.Intn(len(t.columns))]
			set += ", " + d.name + " = " + g.value(d)
		}
		return "update " + t.name + " set " + set + g.where(t)
	}
	if len(names) == 0 {
		return "insert into " + t.name + "() values ()"
	}
	rows := make([]string, 1+g.Intn(2))
	for i := range rows {
		values := make([]string, len(sets))
		for i, c := range sets {
			values[i] = g.value(c)
			if g.Intn(20) == 0 {
				values[i] = "default"
			}
		}
		rows[i] = "(" + strings.Join(values, ", ") + ")"
	}
	end := ""
	verb := g.pick("insert", "insert", "insert", "insert", "insert ignore", "replace")
	if verb == "insert" && g.Intn(5) == 0 {
		end = " on duplicate key update " + c.name + " = " + g.pick("values("+c.name+")", g.value(c))
	}
	return verb + " into " + t.name + "(" + strings.Join(names, ", ") + ") values " + strings.Join(rows, ", ") + end
}

// change returns a statement that changes tables, and what is known of them if it works.
func (g *tierSchema) change() (text string, done func()) {
	t := g.table()
	at := g.Intn(len(t.columns))
	c := t.columns[at]
	name := fmt.Sprint("c", g.Intn(12))
	switch g.Intn(11) {
	case 0:
		c, def := g.newColumn(name)
		where, to := g.pick("", " first", " after "+t.columns[0].name), len(t.columns)
		switch where {
		case " first":
			to = 0
		case "":
		default:
			to = 1
		}
		return "alter table " + t.name + " add column " + def + where, func() { t.columns = slices.Insert(t.columns, to, c) }
	case 1:
		return "alter table " + t.name + " drop column " + c.name, func() {
			t.columns = slices.Delete(t.columns, at, at+1)
			t.key = slices.DeleteFunc(t.key, func(k string) bool { return k == c.name })
		}
	case 2:
		n, def := g.newColumn(c.name)
		return "alter table " + t.name + " modify column " + def, func() { t.columns[at] = n }
	case 3:
		return "alter table " + t.name + " rename column " + c.name + " to " + name, func() {
			t.columns[at].name = name
			if k := slices.Index(t.key, c.name); k >= 0 {
				t.key[k] = name
			}
		}
	case 4, 5:
		return "alter table " + t.name + " add " + g.index(t, fmt.Sprint("i", g.Intn(4))), func() {}
	case 6:
		return fmt.Sprintf("alter table %s drop index i%d", t.name, g.Intn(4)), func() {}
	case 7:
		fresh, text := g.create(t.name)
		return "drop table " + t.name + ";" + text, func() { *t = *fresh }
	case 8:
		return "truncate " + t.name, func() {}
	case 9:
		return "alter table " + t.name + " convert to character set utf8mb4 collate " + g.pick("utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_0900_ai_ci"), func() {}
	}
	to := g.pick("t9", "t8", "t0", "t1")
	return "rename table " + t.name + " to " + to, func() { t.name = to }
}

// variable returns session variables to set.
func (g *tierSchema) variable() map[string]string {
	switch g.Intn(5) {
	case 0:
		return map[string]string{"time_zone": g.pick("'+00:00'", "'SYSTEM'", "'+05:30'", "'-08:00'")}
	case 1, 2:
		return map[string]string{"sql_mode": g.pick("default", "default", "''", "'STRICT_ALL_TABLES'", "'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE'", "'ANSI,STRICT_TRANS_TABLES'",
			"'STRICT_TRANS_TABLES,NO_AUTO_VALUE_ON_ZERO'", "'STRICT_TRANS_TABLES,PAD_CHAR_TO_FULL_LENGTH'", "'STRICT_TRANS_TABLES,NO_UNSIGNED_SUBTRACTION'", "'STRICT_TRANS_TABLES,ALLOW_INVALID_DATES'")}
	case 3:
		return map[string]string{"collation_connection": g.pick("utf8mb4_0900_ai_ci", "utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_0900_ai_ci")}
	}
	return map[string]string{g.pick("auto_increment_increment", "div_precision_increment"): g.pick("1", "4", "7")}
}

// next returns a statement: a new one, or one that came before.
func (g *tierSchema) next() string {
	if len(g.pool) > 0 && g.Intn(5) > 1 {
		return g.pool[g.Intn(len(g.pool))]
	}
	t := g.table()
	text := g.query(t)
	if g.Intn(2) == 0 {
		text = g.write(t)
	}
	if len(g.pool) < 150 {
		g.pool = append(g.pool, text)
	} else {
		g.pool[g.Intn(len(g.pool))] = text
	}
	return text
}

// TestTiersAgreeOnTypes is TestTiersAgree for tables of all column types, whose definitions change while statements on them are
// known.
func TestTiersAgreeOnTypes(t *testing.T) {
	g := &tierSchema{Rand: newRand(t)}
	conns := openPair(t)
	ctx := context.Background()
	both := func(text string, b binds) (failed error) {
		var results [2]*sqltypes.Result
		var errs [2]error
		for i, conn := range conns {
			results[i], errs[i] = conn.Query(ctx, text, b)
		}
		require.Equal(t, errText(errs[1]), errText(errs[0]), "%s %v", text, b)
		if strings.Contains(errText(errs[1]), "nternal") || strings.Contains(errText(errs[1]), "panic") {
			t.Errorf("%s %v: %v", text, b, errs[1])
		}
		require.Equal(t, warnings(text, conns[1]), warnings(text, conns[0]), "%s %v", text, b)
		if errs[1] != nil {
			return errs[1]
		}
		short, long := results[0], results[1]
		if strings.Contains(text, "order by") {
			require.Equal(t, fmt.Sprint(long.Rows), fmt.Sprint(short.Rows), "%s %v", text, b)
		} else {
			require.Equal(t, sortedRows(text, long), sortedRows(text, short), "%s %v", text, b)
		}
		require.Equal(t, fmt.Sprint(long.Fields), fmt.Sprint(short.Fields), "%s %v", text, b)
		require.Equal(t, long.RowsAffected, short.RowsAffected, "%s %v", text, b)
		require.Equal(t, long.InsertID, short.InsertID, "%s %v", text, b)
		require.Equal(t, long.Info, short.Info, "%s %v", text, b)
		return nil
	}
	set := func(vars map[string]string) {
		for _, conn := range conns {
			require.NoError(t, conn.SetSystemVariables(vars))
		}
	}
	set(map[string]string{"timestamp": "1700000000.5"})
	for i := range 3 {
		for {
			table, text := g.create(fmt.Sprint("t", i))
			if both(text, nil) == nil {
				g.tables = append(g.tables, table)
				break
			}
		}
	}
	worked := 0
	for n := range *tierSteps {
		switch {
		case n%40 == 0:
			set(g.variable())
		case n%30 == 0:
			text, done := g.change()
			failed := false
			for _, part := range strings.SplitAfter(text, ";") {
				failed = both(strings.TrimSuffix(part, ";"), nil) != nil || failed
			}
			if !failed {
				done()
			}
		case n%100 == 50:
			for _, conn := range conns {
				require.NoError(t, conn.Begin(ctx, TxOptions{}))
			}
		case n%100 == 75:
			for _, conn := range conns {
				require.NoError(t, conn.Commit(ctx))
			}
		}
		if both(g.next(), g.binds()) == nil {
			worked++
		}
	}
	t.Logf("%d of %d statements worked", worked, *tierSteps)
	for _, conn := range conns {
		require.NoError(t, conn.Commit(ctx))
		require.NoError(t, conn.Tablet().Check())
	}
	for _, table := range g.tables {
		both("select * from "+table.name, nil)
	}
}

// warnings shows those of the last statement: of a query each once, as how often a condition is computed is open, and none if one
// condition may keep the next from it.
func warnings(text string, conn *Conn) []string {
	var all []string
	for _, w := range conn.Warnings() {
		all = append(all, fmt.Sprint(w))
	}
	if !strings.HasPrefix(text, "select") {
		return all
	}
	if strings.Contains(text, " and ") || strings.Contains(text, " join ") || strings.Contains(text, "limit") {
		return nil
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sortedRows shows a result whose order is open. Which of several spellings stands for a group is open as well.
func sortedRows(text string, res *sqltypes.Result) []string {
	fold := strings.Contains(text, "group by") || strings.Contains(text, "distinct") || strings.Contains(text, "min(") || strings.Contains(text, "max(")
	rows := make([]string, len(res.Rows))
	for i, row := range res.Rows {
		rows[i] = fmt.Sprint(row)
		if fold {
			rows[i] = strings.NewReplacer("é", "e", "ß", "ss").Replace(strings.ToLower(rows[i]))
		}
	}
	slices.Sort(rows)
	return rows
}
