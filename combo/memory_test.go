package combo_test

import (
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// TestRowsInMemoryAreBounded sorts at the gateway more rows than it may hold.
func TestRowsInMemoryAreBounded(t *testing.T) {
	_, db := start(t, combo.Config{MaxMemoryRows: 10, Keyspaces: []combo.Keyspace{{
		Name: "shop", Shards: 2, Schema: []string{"create table t (id bigint primary key, v int)"},
		VSchema: `{"sharded": true, "vindexes": {"hash": {"type": "hash"}}, "tables": {"t": {"column_vindexes": [{"column": "id", "name": "hash"}]}}}`,
	}}}, "shop")
	exec(t, db, "insert into t values (1,1),(2,2),(3,3),(4,4),(5,5),(6,6),(7,7),(8,8),(9,9),(10,10),(11,11),(12,12)")
	const sorted = " a.v from t a join t b on a.v = b.v order by a.v + b.v desc"
	_, err := db.Query("select" + sorted)
	var mysqlErr *mysql.MySQLError
	require.ErrorAs(t, err, &mysqlErr)
	require.EqualValues(t, 1153, mysqlErr.Number)
	require.Equal(t, "in-memory row count exceeded allowed limit of 10", mysqlErr.Message)
	require.Len(t, rows(t, db, "select /*vt+ IGNORE_MAX_MEMORY_ROWS=1 */"+sorted), 12)
	require.Len(t, rows(t, db, "select id from t"), 12, "rows that pass by are not held")
}
