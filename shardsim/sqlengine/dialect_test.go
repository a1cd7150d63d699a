package sqlengine

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtenv"

	"github.com/vitrodb/vitro/shardsim/store"
)

func TestEngineText(t *testing.T) {
	lists := map[string]listShape{"l": {length: 2}, "pairs": {length: 2, arity: 2}}
	for _, tc := range []struct{ name, query, want string }{
		{"bind variables stay", "select a from t where b = :v1", "select a from t where b = :v1"},
		{"a list becomes its values", "select a from t where b in ::l", "select a from t where b in (:l_0, :l_1)"},
		{"a list of tuples too", "select a from t where (a, b) in ::pairs", "select a from t where (a, b) in ((:pairs_0_0, :pairs_0_1), (:pairs_1_0, :pairs_1_1))"},
		{"locks go beside the text", "select a from t for share nowait", "select a from t"},
		{"in unions too", "select a from t union select b from u for update", "select a from t union select b from u"},
		{"directives go", "select /*vt+ X=1 */ a from t", "select a from t"},
		{"index hints go", "select a from t use index (primary)", "select a from t"},
		{"DELETE goes by the table's name, not an alias", "delete from t as x where x.a = 1", "delete from t where t.a = 1"},
		{"DELETE without alias stays", "delete from t where a = 1 limit 1", "delete from t where a = 1 limit 1"},
		{"a sorted union has names", "select 1, 'z' union select 2, 'q' order by 2", "select 1 as `1`, 'z' as z from dual union select 2, 'q' from dual order by 2 asc"},
		{"intervals are added by DATE_ADD", "select a + interval 1 day from t", "select date_add(a, interval 1 day) from t"},
		{"bit literals", "select b'101'", "select x'05' from dual"},
		{"GROUP BY a constant is no position", "select 1 from t group by .0", "select 1 from t group by ifnull(.0, .0)"},
		{"nor is a bind variable", "select :v from t group by :v", "select :v from t group by ifnull(:v, :v)"},
		{"GROUP BY a position stays", "select a from t group by 1", "select a from t group by 1"},
		{"indexes without name get MySQL's", "create table t (a int, key (a), key (a))", "create table t (\n\ta int,\n\tkey a (a),\n\tkey a_2 (a)\n)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			stmt, err := vtenv.NewTestEnv().Parser().Parse(tc.query)
			require.NoError(t, err)
			got := engineText(stmt, lists)
			require.Equal(t, tc.want, got)
			_, err = sql.GlobalParser.ParseSimple(got)
			require.NoError(t, err, "the engine takes it")
		})
	}
}

func TestUnsupportedSyntaxIsNamed(t *testing.T) {
	for query, want := range map[string]string{
		"select 1 from (select a, count(*) from t group by a with rollup) d": "GROUP BY ... WITH ROLLUP in a subquery",
		"select a from t": "",
	} {
		stmt, err := vtenv.NewTestEnv().Parser().Parse(query)
		require.NoError(t, err)
		require.Equal(t, want, unsupportedSyntax(stmt), query)
	}
}

func TestLockModes(t *testing.T) {
	e := New()
	for query, want := range map[string]scanMode{
		"select a from t":                                                              {},
		"select a from t for update":                                                   {lock: store.Exclusive},
		"select a from t for update nowait":                                            {lock: store.Exclusive, policy: store.NoWait},
		"select a from t for share skip locked":                                        {lock: store.Shared, policy: store.SkipLocked},
		"select a from t lock in share mode":                                           {lock: store.Shared},
		"update t as x set a = 1":                                                      {lock: store.Exclusive, shares: true, targets: map[string]bool{"t": true}},
		"update t join u on t.a = u.a set u.b = t.b":                                   {lock: store.Exclusive, shares: true, targets: map[string]bool{"u": true}},
		"delete x from T as x join u on x.a = u.a":                                     {lock: store.Exclusive, shares: true, targets: map[string]bool{"t": true}},
		"insert into t select a from u":                                                {shares: true},
		"select a from t where b in (select a from u) for update":                      {lock: store.Exclusive, spared: map[string]bool{"u": true}},
		"select a from t where b in (select a from u for share)":                       {lock: store.Shared, spared: map[string]bool{"t": true}},
		"select a from t where b in (select a from T) for share":                       {lock: store.Shared},
		"select d.a from (select a from u) d, t for update":                            {lock: store.Exclusive, spared: map[string]bool{"u": true}},
		"with c as (select a from u) select c.a from c join t on c.a = t.a for update": {lock: store.Exclusive, spared: map[string]bool{"u": true}},
		"select a from t union select a from u for update":                             {lock: store.Exclusive},
		"delete from t where a in (select a from u)":                                   {lock: store.Exclusive, shares: true, targets: map[string]bool{"t": true}},
		"update t set a = (select max(a) from u) + :v":                                 {lock: store.Exclusive, shares: true, targets: map[string]bool{"t": true}},
	} {
		require.Equal(t, want, e.statement(query).scan, query)
	}
}

func TestPlaceOfUnknownColumn(t *testing.T) {
	for query, want := range map[string]string{
		"select x from t":                              "field list",
		"select a from t where x = 1":                  "where clause",
		"select a from t join u on t.x = u.a":          "field list",
		"select a from t join u on x = u.a":            "on clause",
		"select a from t group by x":                   "group statement",
		"select a from t having x > 1":                 "having clause",
		"select a from t order by x":                   "order clause",
		"update t set a = 1 where x = 1":               "where clause",
		"delete from t where a = 1 order by x limit 1": "order clause",
	} {
		stmt, err := vtenv.NewTestEnv().Parser().Parse(query)
		require.NoError(t, err)
		require.Equal(t, want, placeOf(stmt, "x"), query)
	}
}

func TestMatchText(t *testing.T) {
	args, ok := matchText("table %q does not have column %q", `table "t" does not have column "c"`)
	require.True(t, ok)
	require.Equal(t, []string{"t", "c"}, args)
	_, ok = matchText("column %s", "table t")
	require.False(t, ok)
}

func TestFormatFloat(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.5: "0.5", 100: "100", 1e14: "100000000000000", 1e15: "1e15", -1.5e300: "-1.5e300", 1e-7: "0.0000001", 1e-20: "1e-20",
	} {
		require.Equal(t, want, string(FormatFloat(v, 64)))
	}
	require.Equal(t, "0.1", string(FormatFloat(float64(float32(0.1)), 32)))
	require.Equal(t, "16777200", string(FormatFloat(16777216, 32)))
}

// Text of the gateway's parser must stay what it is for statements nothing is changed of.
func TestEngineTextLeavesTheStatementAlone(t *testing.T) {
	stmt, err := vtenv.NewTestEnv().Parser().Parse("select a from t use index (i) where b in ::l for update")
	require.NoError(t, err)
	before := sqlparser.String(stmt)
	engineText(stmt, map[string]listShape{"l": {length: 1}})
	require.Equal(t, before, sqlparser.String(stmt))
}
