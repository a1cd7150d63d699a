package combo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// ENUMs and SETs sort by their members' places, over shards too.
func TestEnumsSortAsDeclaredOverShards(t *testing.T) {
	_, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{{
		Name: "shirts", Shards: 4,
		Schema: []string{"create table shirt (id bigint primary key, size enum('zeta','alpha','mid','it''s'), extras set('q','b','a'))"},
		VSchema: `{"sharded": true, "vindexes": {"xxhash": {"type": "xxhash"}},
			"tables": {"shirt": {"column_vindexes": [{"column": "id", "name": "xxhash"}]}}}`,
	}}}, "shirts")
	exec(t, db, `insert into shirt values (1,'zeta','q'),(2,'alpha','b'),(3,'mid','a'),(4,'zeta','q,a'),(5,'it''s',''),(6,'alpha','b,a'),(7,null,null)`)
	require.Equal(t, []string{"7 NULL", "1 zeta", "4 zeta", "2 alpha", "6 alpha", "3 mid", "5 it's"},
		rows(t, db, "select id, size from shirt order by size, id"))
	require.Equal(t, []string{"7 NULL", "5 ", "1 q", "2 b", "3 a", "4 q,a", "6 b,a"},
		rows(t, db, "select id, extras from shirt order by extras, id"))
	require.Equal(t, []string{"NULL 1", "zeta 2", "alpha 2", "mid 1", "it's 1"},
		rows(t, db, "select size, count(*) from shirt group by size order by size"))
	require.Equal(t, []string{"it's", "mid", "alpha", "zeta", "NULL"},
		rows(t, db, "select distinct size from shirt order by size desc"))
}
