package combo_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// UPDATE and DELETE of several tables change each row once, however often it is found (MySQL manual, "UPDATE Statement" and
// "DELETE Statement": multiple-table syntax).
func TestChangesOfSeveralTables(t *testing.T) {
	for _, shards := range []int{1, 4, 16} {
		t.Run(fmt.Sprintf("%d shards", shards), func(t *testing.T) {
			db := open(t, shop(t, shards), "shop")
			exec := func(query string) int64 {
				t.Helper()
				result, err := db.Exec(query)
				require.NoError(t, err, query)
				count, err := result.RowsAffected()
				require.NoError(t, err)
				return count
			}
			exec("insert into customer (id, name, balance) values (1, 'a', 10), (2, 'b', 20), (3, 'c', 30)")
			exec("insert into corder (id, customer_id, sku, qty, price) values (11, 1, 'x', 1, 5), (12, 1, 'y', 2, 6), (21, 2, 'x', 3, 7)")
			exec("update customer c join corder o on o.customer_id = c.id set c.balance = c.balance + 1, o.qty = o.qty + 1")
			require.Equal(t, []string{"1 11.00", "2 21.00", "3 30.00"}, rows(t, db, "select id, balance from customer order by id"))
			require.Equal(t, []string{"11 2", "12 3", "21 4"}, rows(t, db, "select id, qty from corder order by id"))
			exec("update customer c join corder o on o.customer_id = c.id set c.note = o.sku where o.id in (12, 21)")
			require.Equal(t, []string{"1 y", "2 x", "3 NULL"}, rows(t, db, "select id, note from customer order by id"))
			require.EqualValues(t, 3, exec("delete c, o from customer c join corder o on o.customer_id = c.id where c.id = 1"))
			require.Equal(t, []string{"2", "3"}, rows(t, db, "select id from customer order by id"))
			require.Equal(t, []string{"21"}, rows(t, db, "select id from corder order by id"))
			_, err := db.Exec("update customer c join corder o on o.customer_id = c.id set c.note = o.sku, o.sku = 'z'")
			require.ErrorContains(t, err, "is itself updated")
		})
	}
}
