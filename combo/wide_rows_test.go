package combo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// TestPreparedRowsOfSeveralShardsMayBeWide reads rows whose NULL bitmap has one, two and three bytes, in several pieces.
func TestPreparedRowsOfSeveralShardsMayBeWide(t *testing.T) {
	for _, width := range []int{1, 6, 7, 14, 15, 20} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			columns := make([]string, width)
			for i := range columns {
				columns[i] = fmt.Sprintf("c%d INT", i)
			}
			_, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{{
				Name: "ks", Shards: 4, Schema: []string{"CREATE TABLE u (id BIGINT PRIMARY KEY, " + strings.Join(columns, ", ") + ")"},
				VSchema: `{"sharded": true, "vindexes": {"xxhash": {"type": "xxhash"}},
					"tables": {"u": {"column_vindexes": [{"column": "id", "name": "xxhash"}]}}}`,
			}}}, "ks")
			for id := range 20 {
				_, err := db.Exec("INSERT INTO u (id, c0) VALUES (?, ?)", id, 7)
				require.NoError(t, err)
			}
			require.Len(t, rows(t, db, "SELECT * FROM u WHERE c0 = ?", 7), 20)
			require.Len(t, rows(t, db, "SELECT * FROM u WHERE c0 = ? ORDER BY id", 7), 20)
		})
	}
}
