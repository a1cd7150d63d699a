package shardsim

import (
	"fmt"
	"sync"
	"testing"
)

// TestShardsCreateEnumsAtOnce makes the tables of many shards at once, each with collations of its own.
func TestShardsCreateEnumsAtOnce(t *testing.T) {
	c := New(Config{})
	var wg sync.WaitGroup
	for i := range 8 {
		tablet, err := c.AddShard("ks", fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			conn := tablet.Connect()
			defer conn.Close()
			for n, collation := range []string{"utf8mb4_0900_ai_ci", "utf8mb4_general_ci", "latin1_swedish_ci", "utf8mb4_0900_as_cs", "utf8mb3_unicode_ci", "utf8mb4_ja_0900_as_cs", "latin1_german2_ci"} {
				mustExec(t, conn, fmt.Sprintf("create table e%d (id int primary key, e enum('x','y'), s set('a','b')) collate %s", n, collation))
				mustExec(t, conn, fmt.Sprintf("insert into e%d values (1, 'x', 'a,b'), (2, 'y', 'b')", n))
				mustExec(t, conn, fmt.Sprintf("select * from e%d where e = 'x' and s like '%%a%%' order by e, s, id", n))
				mustExec(t, conn, fmt.Sprintf("select convert(e using utf8mb4) from e%d", n))
				mustExec(t, conn, fmt.Sprintf("alter table e%d convert to character set utf8mb4 collate utf8mb4_bin", n))
				mustExec(t, conn, fmt.Sprintf("select e, count(*) from e%d where upper(e) = 'Y' group by e", n))
			}
		}()
	}
	wg.Wait()
}
