package combo_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/sqltypes"

	"github.com/vitrodb/vitro/combo"
	"github.com/vitrodb/vitro/vindexes/key"
)

var lookupOperations = flag.Int("lookup-operations", 2000, "operations of TestLookupsOfManyClients")

const (
	lookupClients = 16
	lookupRows    = 300
	lookupNames   = 150 // fewer than rows: many names are taken
)

// TestLookupsOfManyClients lets clients insert, update and delete rows of a table that owns a unique and a non-unique
// consistent lookup, alone and in transactions, some of which are rolled back. Each row must have its entries afterwards,
// and each entry its row.
func TestLookupsOfManyClients(t *testing.T) {
	_, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{{
		Name: "user", Shards: 4,
		Schema: []string{
			"create table u (id bigint primary key, name varchar(40), city bigint)",
			"create table by_name (name varchar(40) primary key, ksid varbinary(20))",
			"create table by_city (city bigint, ksid varbinary(20), primary key (city, ksid))",
		},
		VSchema: `{"sharded": true, "vindexes": {
				"hash": {"type": "hash"}, "text": {"type": "unicode_loose_xxhash"},
				"by_name": {"type": "consistent_lookup_unique", "owner": "u", "params": {"table": "user.by_name", "from": "name", "to": "ksid"}},
				"by_city": {"type": "consistent_lookup", "owner": "u", "params": {"table": "user.by_city", "from": "city", "to": "ksid"}}},
			"tables": {
				"u": {"column_vindexes": [{"column": "id", "name": "hash"}, {"column": "name", "name": "by_name"}, {"column": "city", "name": "by_city"}]},
				"by_name": {"column_vindexes": [{"column": "name", "name": "text"}]},
				"by_city": {"column_vindexes": [{"column": "city", "name": "hash"}]}}}`,
	}}}, "user")
	var clients sync.WaitGroup
	var done, refused, retried atomic.Int64
	failures := make(chan error, lookupClients)
	for number := range lookupClients {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(uint64(number), 4))
			for range *lookupOperations / lookupClients {
				switch err := changeRows(db, random); {
				case err == nil:
					done.Add(1)
				case isDuplicateEntry(err):
					refused.Add(1)
				case isRetriable(err):
					retried.Add(1)
				default:
					failures <- err
					return
				}
			}
		})
	}
	clients.Wait()
	close(failures)
	for err := range failures {
		t.Fatal(err)
	}
	t.Logf("%d operations done, %d found their name taken, %d were victims of deadlocks", done.Load(), refused.Load(), retried.Load())
	checkEntries(t, db)
}

// checkEntries holds the entries of both lookups against the rows.
func checkEntries(t *testing.T, db *sql.DB) {
	var names, cities []string
	for _, row := range rows(t, db, "select id, name, city from u") {
		var id, name, city string
		_, err := fmt.Sscan(row, &id, &name, &city)
		require.NoError(t, err)
		ksid := mapped(t, "hash", sqltypes.MakeTrusted(sqltypes.Int64, []byte(id)))[0].(key.DestinationKeyspaceID)
		names = append(names, fmt.Sprintf("%s %X", name, []byte(ksid)))
		cities = append(cities, fmt.Sprintf("%s %X", city, []byte(ksid)))
	}
	require.NotEmpty(t, names)
	require.ElementsMatch(t, names, rows(t, db, "select name, hex(ksid) from by_name"))
	require.ElementsMatch(t, cities, rows(t, db, "select city, hex(ksid) from by_city"))
}

// changeRows is one operation: a statement alone, or a few in a transaction.
func changeRows(db *sql.DB, random *rand.Rand) error {
	if random.IntN(3) > 0 {
		_, err := db.Exec(changeOf(random))
		return err
	}
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	for range 1 + random.IntN(3) {
		if _, err := tx.Exec(changeOf(random)); err != nil {
			_ = tx.Rollback() // the server may have done it
			return err
		}
	}
	if random.IntN(5) == 0 {
		return tx.Rollback()
	}
	return tx.Commit()
}

// changeOf makes a statement that writes some rows.
func changeOf(random *rand.Rand) string {
	id, name, city := random.IntN(lookupRows), fmt.Sprint("name", random.IntN(lookupNames)), random.IntN(10)
	switch random.IntN(8) {
	case 0, 1:
		return fmt.Sprintf("insert into u (id, name, city) values (%d, '%s', %d)", id, name, city)
	case 2:
		return fmt.Sprintf("insert into u (id, name, city) values (%d, '%s', %d), (%d, '%sb', %d)", id, name, city, id+lookupRows, name, city)
	case 3:
		return fmt.Sprintf("update u set name = '%s' where id = %d", name, id)
	case 4:
		return fmt.Sprintf("update u set city = %d where name = '%s'", city, name)
	case 5:
		return fmt.Sprintf("update u set city = %d, name = '%sc' where id in (%d)", city, name, id)
	case 6:
		return fmt.Sprintf("delete from u where id in (%d, %d)", id, id+lookupRows)
	default:
		return fmt.Sprintf("delete from u where name = '%s'", name)
	}
}

func isDuplicateEntry(err error) bool {
	var my *mysql.MySQLError
	return errors.As(err, &my) && my.Number == 1062
}
