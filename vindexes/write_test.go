package vindexes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
)

func TestWhatIsWrittenLoadsAgain(t *testing.T) {
	const text = `{"keyspaces": {
		"seqs": {"tables": {"ids": {"type": "sequence"}}, "require_explicit_routing": true},
		"user": {"sharded": true, "foreignKeyMode": "managed", "multi_tenant_spec": {"tenant_id_column_name": "t", "tenant_id_column_type": "INT64"},
			"vindexes": {"region": {"type": "multicol", "params": {"column_count": "2"}}, "a": {"type": "lookup", "owner": "u", "params": {"from": "x", "table": "l", "to": "y"}}},
			"tables": {"u": {"column_vindexes": [{"columns": ["r", "id"], "name": "region"}, {"column": "x", "name": "a"}],
				"auto_increment": {"column": "id", "sequence": "seqs.ids"}, "columns": [{"name": "x", "type": "VARCHAR", "collation_name": "utf8mb4_bin"}],
				"column_list_authoritative": true}, "p": {"pinned": "80"}, "r": {"type": "reference", "source": "seqs.r"}}}},
		"routing_rules": {"rules": [{"from_table": "a", "to_tables": ["user.u"]}]},
		"shard_routing_rules": {"rules": [{"from_keyspace": "a", "to_keyspace": "b", "shard": "0"}]},
		"keyspace_routing_rules": {"rules": [{"from_keyspace": "a", "to_keyspace": "b"}]},
		"mirror_rules": {"rules": [{"from_table": "user.u", "to_table": "seqs.u", "percent": 10}]}}`
	def, err := Load("", []byte(text), "vschema.json")
	require.NoError(t, err)
	written, err := Write(def, "")
	require.NoError(t, err)
	for range 20 {
		again, err := Write(proto.CloneOf(def), "")
		require.NoError(t, err)
		require.Equal(t, string(written), string(again), "one order, each time")
	}
	loaded, err := Load("", written, "vschema.json")
	require.NoError(t, err)
	require.True(t, proto.Equal(def, loaded), "%s", written)

	one, err := Write(def, "user")
	require.NoError(t, err)
	loaded, err = Load("user", one, "vschema.json")
	require.NoError(t, err)
	require.True(t, proto.Equal(def.Keyspaces["user"], loaded.Keyspaces["user"]), "%s", one)
	_, err = Write(def, "usre")
	require.EqualError(t, err, `there is no keyspace usre, did you mean "user"?`)
}
