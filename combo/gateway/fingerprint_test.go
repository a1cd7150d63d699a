package gateway

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestShapeOf(t *testing.T) {
	for _, tc := range []struct {
		sql, shape string
		literals   []textLiteral
	}{
		{"select v from u1 where id = 17", "select v from u1 where id = #", []textLiteral{{text: "17"}}},
		{"UPDATE `a'1` set v='x y' where id=-3", "UPDATE `a'1` set v=$ where id=-#", []textLiteral{{text: "x y", quoted: true}, {text: "3"}}},
		{"insert into t values (1,'')", "insert into t values (#,$)", []textLiteral{{text: "1"}, {quoted: true}}},
		{sql: "select 1.5 from t"}, {sql: "select v from t where a = .5"}, {sql: "select x'00' from t where a = 1"},
		{sql: "select 'it''s' from t"}, {sql: `select 'a\'b' from t`}, {sql: `select "a" from t where a = 1`},
		{sql: "select v from t -- 1"}, {sql: "select /* 1 */ v from t where a = 1"}, {sql: "select v from t where a = ? and b = 1"},
		{sql: "select v from t where a = 1234567890123456789"}, {sql: "select v from t where a = 1e3"},
		{sql: "select v from t"}, {sql: "show tables like 'a'"}, {sql: "select @a where b = 1"}, {sql: "select v from t where a = 'x"},
	} {
		shape, literals, ok := shapeOf(tc.sql)
		assert.Equal(t, tc.shape != "", ok, tc.sql)
		assert.Equal(t, tc.shape, shape, tc.sql)
		if ok {
			assert.Equal(t, tc.literals, literals, tc.sql)
		}
	}
}

// TestShapesMeanWhatParsingMeans runs statements of one shape with shapes known and compares with what a session that
// knows none sends to the shards.
func TestShapesMeanWhatParsingMeans(t *testing.T) {
	groups := [][]string{
		{"select v from u where id = 1", "select v from u where id = 4", "select v from u where id = 1"},
		{"select v from u where id = 1 and v = 'a'", "select v from u where id = 4 and v = 'b'"},
		{"select v from u where id = 1 or v = 2", "select v from u where id = 4 or v = 4", "select v from u where id = 1 or v = 1"},
		{"select v from u where id = 1 limit 2", "select v from u where id = 4 limit 4", "select v from u where id = 4 limit 5"},
		{"select id, 1 from u where id = 4", "select id, 2 from u where id = 4"},
		{"select id + 1 from u where id = 4 order by 1", "select id + 4 from u where id = 4 order by 1"},
		{"select v from u where id in (1, 2)", "select v from u where id in (4, 2)", "select v from u where id in (4, 4)"},
		{"select v from u where id between 1 and 2", "select v from u where id between 4 and 4"},
		{"insert into u(id, v) values (1, 'a'), (2, 'b')", "insert into u(id, v) values (4, 'a'), (4, 'a')", "insert into u(id, v) values (2, '2'), (1, '1')"},
		{"insert into u(id, v) values (1, 'a'), (1, 'a')", "insert into u(id, v) values (4, 'b'), (2, 'c')"},
		{"insert into u(id, v) values (1, null), (1, default)", "insert into u(id, v) values (4, null), (2, default)"},
		{"insert into u(id, v) values (1 + 1, 'a')", "insert into u(id, v) values (2 + 4, 'b')"},
		{"insert into u(id, v) values (-1, 'a')", "insert into u(id, v) values (-4, 'b')"},
		{"insert into u(id, v) values (1, concat('a', 'b'))", "insert into u(id, v) values (4, concat('a', 'a'))"},
		{"insert into u(id, v) values (1, 'a') on duplicate key update v = 'b'", "insert into u(id, v) values (1, 'a') on duplicate key update v = 'a'"},
		{"update u set v = 'x' where id = 1", "update u set v = 'y' where id = 4", "update u set v = '4' where id = 4"},
		{"update u set v = -1 where id = 1", "update u set v = -2 where id = 4"},
		{"delete from u where id = 1 and v like 'a%'", "delete from u where id = 4 and v like 'b%'"},
		{"select v from u where id = 1 and date(v) = date '2020-01-01'", "select v from u where id = 4 and date(v) = date '2020-01-02'"},
		{"select v from u where id = 1 and v > interval 3 day + v", "select v from u where id = 4 and v > interval 5 day + v"},
	}
	for _, group := range groups {
		known, knownCluster := newFakeSession(t)
		for _, sql := range group {
			fresh, freshCluster := newFakeSession(t)
			_, wantErr := exec(fresh, sql)
			_, gotErr := exec(known, sql)
			require.Equal(t, wantErr == nil, gotErr == nil, sql)
			assert.Equal(t, freshCluster.sortedWithVars(), knownCluster.sortedWithVars(), sql)
		}
	}
}

// INSERTs of many rows are not parsed again, however often a value repeats.
func TestShapesOfManyRows(t *testing.T) {
	s, _ := newFakeSession(t)
	insert := func(from int) string {
		rows := make([]string, 500)
		for i := range rows {
			rows[i] = fmt.Sprintf("(%d, 'v%d')", from+i, i%7)
		}
		return "insert into u(id, v) values " + strings.Join(rows, ", ")
	}
	mustExec(t, s, insert(0))
	assert.Equal(t, 1, s.gateway.shapes.len())
	seen := seenText{text: planKey{vschema: s.gateway.VSchema(), session: s.planKey(), query: insert(7000)}}
	plan, vars := seen.find(s.gateway, nil)
	require.NotNil(t, plan)
	assert.Len(t, vars, 1000)
	mustExec(t, s, insert(7000))
	assert.Equal(t, 1, s.gateway.shapes.len())
}

func TestShapesAreUsed(t *testing.T) {
	s, _ := newFakeSession(t)
	mustExec(t, s, "select v from u where id = 1", "select v from u where id = 4", "select v from u where id = 5")
	assert.Equal(t, 0, s.gateway.texts.len(), "no text of its own is kept")
	assert.Equal(t, 1, s.gateway.shapes.len())
}
