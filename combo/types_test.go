package combo_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// Every type comes back as it was stored, over the text and the binary
// protocol, from a shard and through the gateway's own hands (a union sorts
// and deduplicates there).
func TestTypesRoundTrip(t *testing.T) {
	_, db := start(t, combo.Config{}, "commerce")
	exec(t, db, `create table types (id int primary key, ti tinyint, su smallint unsigned, m mediumint, i int, u bigint unsigned,
		f float, d double, de decimal(20,3), da date, dt datetime(6), ts timestamp(3) null, tm time, y year,
		c char(5), v varchar(20), b varbinary(10), bl blob, tx text, e enum('a','b'), s set('x','y','z'), bi bit(5), j json)`)
	exec(t, db, `insert into types values (1, -8, 60000, -70000, -2000000000, 18446744073709551615,
		0.5, -1234.56, 12345678901234567.125, '2024-02-29', '2024-02-29 01:02:03.000045', '2024-02-29 01:02:03.5', '-12:30:45', 2024,
		'abc', 'äöü', x'00ff', x'01', 'text', 'b', 'z,x', b'101', '{"a": [1, 2]}')`)
	exec(t, db, "insert into types (id) values (2)")
	want := "1 -8 60000 -70000 -2000000000 18446744073709551615 0.5 -1234.56 12345678901234567.125 2024-02-29 " +
		"2024-02-29 01:02:03.000045 2024-02-29 01:02:03.500 -12:30:45 2024 abc äöü \x00\xff \x01 text b x,z \x05 {\"a\": [1, 2]}"
	nulls := "2" + strings.Repeat(" NULL", 22)
	for name, query := range map[string]string{
		"table": "select * from types order by id", "union": "select * from types where id = 1 union all select * from types where id = 2",
	} {
		require.Equal(t, []string{want, nulls}, rows(t, db, query), "%s, text", name)
	}
	require.Equal(t, []string{want, nulls}, rows(t, db, "select * from types where id > ? order by id", 0), "binary")
}

// Parameters reach the shards as the values they are.
func TestParametersRoundTrip(t *testing.T) {
	_, db := start(t, combo.Config{}, "commerce")
	exec(t, db, "create table p (id int primary key, n bigint, d double, v varchar(30), b varbinary(10), t datetime(6))")
	moment := time.Date(2024, 2, 29, 1, 2, 3, 45000, time.UTC)
	exec(t, db, "insert into p values (?, ?, ?, ?, ?, ?)", 1, int64(-1)<<62, 1e-300, "it's 5 o'clock \\ \x00", []byte{0, 0xff}, moment)
	exec(t, db, "insert into p values (?, ?, ?, ?, ?, ?)", 2, nil, nil, nil, nil, nil)
	require.Equal(t, []string{"1 -4611686018427387904 1e-300 it's 5 o'clock \\ \x00 \x00\xff 2024-02-29 01:02:03.000045", "2 NULL NULL NULL NULL NULL"},
		rows(t, db, "select * from p where id in (?, ?) order by id", 1, 2))
	require.Equal(t, []string{"1"}, rows(t, db, "select id from p where v = ? and b = ? and t = ? and n < ?", "IT'S 5 o'clock \\ \x00", []byte{0, 0xff}, moment, 0),
		"a text parameter compares under the column's collation")
	require.Empty(t, rows(t, db, "select id from p where n = ?", nil))
}
