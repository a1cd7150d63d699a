package sqlengine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
)

var answerTables = []string{
	"create table customer (id bigint primary key, name varchar(64) not null, country varchar(2), balance decimal(10,2) not null, created datetime)",
	"create table product (sku varchar(32) primary key, price decimal(8,2) not null, stock int unsigned not null)",
	"create table event (id bigint primary key, kind varchar(16) collate utf8mb4_bin not null, n int, weight double, placed date)",
	"insert into customer values (1, 'Alice', 'DE', 100.50, '2024-01-02 03:04:05'), (2, 'Bob', 'FR', 20, null), (3, 'Carol', 'DE', 0, null), (4, 'dave', null, 20, null), (5, 'Zoe', 'NL', 1000, null)",
	"insert into product values ('A-1', 100, 5), ('B-2', 0.10, 1000), ('C-3', 12.75, 0)",
	"insert into event values (1, 'a', 10, 1.5, '2024-03-01'), (2, 'A', 20, 2, null), (3, 'b', null, null, '2024-03-02')",
}

func newAnswerSession(t *testing.T) *Session {
	s := New().NewShard("ks", "0").Session()
	t.Cleanup(s.Close)
	for _, q := range answerTables {
		_, err := s.Query(context.Background(), q, nil)
		require.NoError(t, err, q)
	}
	return s
}

// shown is a result as one line: the types, then the rows.
func shown(res *sqltypes.Result) string {
	var types []string
	for _, f := range res.Fields {
		types = append(types, f.Type.String())
	}
	lines := []string{strings.Join(types, ",")}
	for _, row := range res.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = v.ToString()
			if v.IsNull() {
				cells[i] = "NULL"
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return strings.Join(lines, " ")
}

// TestAnswers holds what MySQL 8.4 answers where the engine by itself answers something else.
func TestAnswers(t *testing.T) {
	s := newAnswerSession(t)
	for _, c := range []struct{ name, query, want string }{
		{"decimals join by value", "select a.id, b.id from customer a join customer b on a.balance = b.balance where a.id < b.id", "INT64,INT64 2|4"},
		{"decimal in integers", "select id from customer where balance in (select stock from product)", "INT64 3 5"},
		{"double in integers", "select id from event where weight in (select id from customer)", "INT64 2"},
		{"NULL is not outside of a set", "select id from event where weight not in (select id from customer)", "INT64 1"},
		{"NULL in the set hides all", "select id from event where id not in (select weight from event)", "INT64"},
		{"everything is outside of nothing", "select id from event where weight not in (select id from customer where id > 100)", "INT64 1 2 3"},
		{"tuples in a subquery", "select id from customer where (id, balance) in (select 2, 20 union all select 3, 1)", "INT64 2"},
		{"correlated set", "select id from customer a where balance in (select b.n from event b where b.id = a.id)", "INT64 2"},
		{"texts are numbers to numbers", "select id from event where kind in (0) and id < 3", "INT64 1 2"},
		{"numbers meet texts", "select id from customer where balance in ('20.0', 1000)", "INT64 2 4 5"},
		{"union of integer and decimal", "select id as u from customer where id < 3 union all select price from product order by u", "DECIMAL 0.10 1.00 2.00 12.75 100.00"},
		{"union of integer and double", "select id as u from event union all select weight from event where id = 1 order by u", "FLOAT64 1 1.5 2 3"},
		{"union below", "select c0 from (select id from customer where id = 1 union all select price from product where stock = 0) as dt(c0)", "DECIMAL 1.00 12.75"},
		{"union of three", "select 1 union select 1.5 union select 2.25e0", "FLOAT64 1 1.5 2.25"},
		{"union with NULL", "select null as a union all select 1.5 union all select 2", "DECIMAL NULL 1.5 2.0"},
		{"union of numbers and texts", "select id from event where id = 1 union all select placed from event where id = 1", "VARCHAR 1 2024-03-01"},
		{"union keeps a cast", "select cast(id as char) as id from event where id = 1 union all select kind from event where id = 1", "VARCHAR 1 a"},
		{"coalesce of integer and decimal", "select coalesce(n, 33.33) from event", "DECIMAL 10.00 20.00 33.33"},
		{"coalesce of unsigned and decimal", "select coalesce(stock, 33.33) from product where stock = 5", "DECIMAL 5.00"},
		{"coalesce of decimals", "select coalesce(balance, 2.125) from customer where id = 1", "DECIMAL 100.500"},
		{"if", "select if(n > 10, n, 2.5), if(n > 10, n, 'x') from event", "DECIMAL,VARCHAR 2.5|x 20.0|20 2.5|x"},
		{"case", "select case when n > 10 then n when n > 0 then 2.5 end from event", "DECIMAL 2.5 20.0 NULL"},
		{"sum of sums", "select sum(s) from (select sum(balance) as s from customer group by country) d", "DECIMAL 1140.50"},
		{"greatest sum", "select max(v), min(v) + 1 from (select sum(id) as v from customer) d", "DECIMAL,DECIMAL 15|16"},
		{"text of dates", "select upper(placed), concat(placed, '!'), left(placed, 4) from event where id = 1", "VARCHAR,VARCHAR,VARCHAR 2024-03-01|2024-03-01!|2024"},
		{"text of date and time", "select lower(created) from customer where id = 1", "VARCHAR 2024-01-02 03:04:05"},
		{"unsigned arithmetic", "select stock + 5 from product where stock = 5", "UINT64 10"},
		{"number that is a date", "select id from customer where created < 20240103", "INT64 1"},
		{"date and number that is no date", "select id from event where placed > 5", "INT64 1 3"},
		{"numbers are dates of a list", "select id from event where placed in (20240301, 20240302)", "INT64 1 3"},
		{"aggregates of a join's HAVING", "select a.id, sum(b.id) as s from customer a join event b on a.id = b.id group by a.id having sum(b.id) > 1 and count(b.kind) < 5 order by a.id desc", "INT64,DECIMAL 3|3 2|2"},
		{"alias of a text", "select cast(name as char(10)) as c, country as k from customer where id = 1", "VARCHAR,VARCHAR Alice|DE"},
		{"limit of a union in a union", "(select id from customer union select 9 order by 1 desc limit 2) union all select 77", "INT64 9 5 77"},
		{"two limits", "(select id as i from customer union select 9 order by i desc limit 3) union all select 7 order by i limit 2", "INT64 4 5"},
		{"right side's limit", "select 77 union all (select id from customer union all select 9 order by 1 limit 2)", "INT64 77 1 2"},
		{"week", "select week('2024-01-03'), week('2024-01-03', 3), week(null), week(null, 1)", "INT32,INT32,INT32,INT32 0|1|NULL|NULL"},
		{"week of no date", "select sum(balance), week(created) from customer group by week(created)", "DECIMAL,INT32 100.50|0 1040.00|NULL"},
		{"round a decimal", "select round(balance), round(balance, 1), round(balance, -2), round(2.5), round(-2.5), round(25e-1), round(id, 1) from customer where id = 1", "DECIMAL,DECIMAL,DECIMAL,DECIMAL,DECIMAL,FLOAT64,INT64 101|100.5|100|3|-3|2|1"},
		{"floor and ceiling", "select floor(balance), ceil(balance), floor(-1.5e0), ceiling(n), floor(1e10) from customer join event using (id) where id = 1", "INT64,INT64,FLOAT64,INT64,FLOAT64 100|101|-2|10|10000000000"},
		{"greatest and least", "select greatest(n, 15.5), least(n, 15.5), greatest('a', 'b'), least(placed, '2020-01-01') from event where id = 1", "DECIMAL,DECIMAL,VARCHAR,VARCHAR 15.5|10.0|b|2020-01-01"},
		{"spread of integers", "select std(n), variance(n), stddev_samp(n), var_samp(n) from event", "FLOAT64,FLOAT64,FLOAT64,FLOAT64 5|25|7.0710678118654755|50"},
		{"text that starts with a number", "select id from event where id = '1abc' or n = '20.0x'", "INT64 1 2"},
		{"number and text", "select '1a' = 1, 'a' = 0, '1.5e1x' > 14, 2 <=> ' 2 '", "INT64,INT64,INT64,INT64 1|1|1|1"},
		{"text as integer", "select cast('3.7' as signed), cast('-1e3' as signed), cast('x' as unsigned), cast(100.5 as signed)", "INT64,INT64,UINT64,INT64 3|-1|0|101"},
		{"= any, <> all", "select id from customer where id = any (select n / 10 from event) or id <> all (select n / 10 from event where id < 3) and id > 4", "INT64 1 2 5"},
		{"sets of transactions", "select gtid_subset('3E11FA47-71CA-11E1-9E33-C80AA9429562:23', '3E11FA47-71CA-11E1-9E33-C80AA9429562:21-57'), gtid_subtract('3E11FA47-71CA-11E1-9E33-C80AA9429562:21-57', '3E11FA47-71CA-11E1-9E33-C80AA9429562:22-57')", "INT64,VARCHAR 1|3e11fa47-71ca-11e1-9e33-c80aa9429562:21"},
		{"derived table, order and limit", "select d.v from (select a.price as v from product a where a.stock not in (1.5, 2.5) order by a.sku limit 6) d where d.v in (1, 100)", "DECIMAL 100.00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := s.Query(context.Background(), c.query, nil)
			require.NoError(t, err)
			require.Equal(t, c.want, shown(res))
		})
	}
}

// TestRefusals holds MySQL's errors where the engine has others.
func TestRefusals(t *testing.T) {
	s := newAnswerSession(t)
	for _, c := range []struct {
		name, query string
		errno       int
		message     string
	}{
		{"text that is no date", "select id from event where placed = 'fr'", 1525, "Incorrect DATE value: 'fr'"},
		{"text between dates", "select id from event where placed between '2024-01-01' and 'fr'", 1525, "Incorrect DATE value: 'fr'"},
		{"text in a list of dates", "select id from event where placed in ('2024-01-01', 'fr') and id < 0", 1525, "Incorrect DATE value: 'fr'"},
		{"text that is no date and time", "select id from customer where created < 'fr'", 1525, "Incorrect DATETIME value: 'fr'"},
		{"column of another table", "select customer.name from event", 1054, "Unknown column 'customer.name' in 'field list'"},
		{"column of a hidden name", "select e.id from event e where event.id = 1", 1054, "Unknown column 'event.id' in 'where clause'"},
		{"missing table", "select id from nope", 1146, "Table 'ks.nope' doesn't exist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.Query(context.Background(), c.query, nil)
			var e *sqlerror.SQLError
			require.True(t, errors.As(err, &e), "%v", err)
			require.Equal(t, c.errno, int(e.Num))
			require.Equal(t, c.message, e.Message)
		})
	}
}

// TestWeekFormat has WEEK with one argument follow the session.
func TestWeekFormat(t *testing.T) {
	s := newAnswerSession(t)
	require.NoError(t, s.SetSystemVariables(map[string]string{"default_week_format": "3"}))
	res, err := s.Query(context.Background(), "select week('2024-01-03'), week('2024-01-03', 0)", nil)
	require.NoError(t, err)
	require.Equal(t, "INT32,INT32 1|0", shown(res))
}

// TestDateFromNumber sets a date column to a number.
func TestDateFromNumber(t *testing.T) {
	s := newAnswerSession(t)
	_, err := s.Query(context.Background(), "update event set placed = 20240505 where id = 1", nil)
	require.NoError(t, err)
	res, err := s.Query(context.Background(), "select placed from event where id = 1", nil)
	require.NoError(t, err)
	require.Equal(t, "DATE 2024-05-05", shown(res))
}
