package combo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// TestManagedKeysOfATableToItselfCascade updates keys that MySQL restricts, and Vitess lets children follow.
func TestManagedKeysOfATableToItselfCascade(t *testing.T) {
	for action, want := range map[string]string{"cascade": "2 10", "set null": "2 NULL"} {
		_, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{{Name: "shop", VSchema: `{"foreign_key_mode": "managed", "tables": {"node": {}}}`,
			Schema: []string{"create table node (id int primary key, code int, up int, unique key (code), key (up), foreign key (up) references node (code) on update " + action + ")"},
		}}}, "shop")
		exec(t, db, "insert into node values (1, 1, null), (2, 2, 1)")
		exec(t, db, "update node set code = 10 where id = 1")
		require.Equal(t, []string{want}, rows(t, db, "select id, up from node where id = 2"), action)
	}
}
