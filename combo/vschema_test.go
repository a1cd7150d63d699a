package combo_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

func TestReadTables(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "shop"), 0o755))
	for name, text := range map[string]string{
		"1.sql": "create table t (id bigint primary key); -- one\ncreate trigger b before insert on t for each row set new.id = 1;",
		"2.sql": "alter vschema add table t;",
		"3.sql": "create procedure p() begin select 1; select 2; end;\ncreate table u like t;",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "shop", name), []byte(text), 0o600))
	}
	tables, err := combo.ReadTables(combo.Config{SchemaDir: dir})
	require.NoError(t, err)
	require.Equal(t, "use shop;\ncreate table t (id bigint primary key);\ncreate table u like t;\n", tables)
}
