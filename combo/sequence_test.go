package combo_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// numbered is a sharded table whose ids come of a sequence with a small cache.
func numbered() combo.Config {
	return combo.Config{Keyspaces: []combo.Keyspace{
		{Name: "seqs", Shards: 1, Schema: []string{
			"create table ids (id bigint primary key, next_id bigint, cache bigint) comment 'vitess_sequence'",
			"insert into ids values (0, 10, 5)",
			"create table bare (id bigint primary key, next_id bigint, cache bigint) comment 'vitess_sequence'",
		}, VSchema: `{"tables": {"ids": {"type": "sequence"}, "bare": {"type": "sequence"}}}`},
		{Name: "shop", Shards: 4, Schema: []string{
			"create table item (id bigint primary key, name varchar(20))",
			"create table draft (id bigint primary key, name varchar(20))",
		}, VSchema: `{"sharded": true, "vindexes": {"hash": {"type": "hash"}}, "tables": {
			"item": {"column_vindexes": [{"column": "id", "name": "hash"}], "auto_increment": {"column": "id", "sequence": "seqs.ids"}},
			"draft": {"column_vindexes": [{"column": "id", "name": "hash"}], "auto_increment": {"column": "id", "sequence": "seqs.bare"}}}}`},
	}}
}

func TestSequences(t *testing.T) {
	_, db := start(t, numbered(), "shop")
	db.SetMaxOpenConns(1)
	insert := func(statement string, wantID int64, wantRows ...string) {
		t.Helper()
		result := exec(t, db, statement)
		id, err := result.LastInsertId()
		require.NoError(t, err)
		require.Equal(t, wantID, id, "insert id of %s", statement)
		require.Equal(t, wantRows, rows(t, db, "select id from item order by id"), statement)
		exec(t, db, "delete from item")
	}
	shown := func(query string, want ...string) {
		t.Helper()
		require.Equal(t, want, rows(t, db, query), query)
	}
	insert("insert into item (name) values ('a')", 10, "10")
	shown("select last_insert_id()", "10")
	shown("select next_id, cache from seqs.ids", "15 5")
	insert("insert into item (name) values ('a'), ('b'), ('c')", 11, "11", "12", "13")
	insert("insert into item (id, name) values (null, 'a'), (0, 'b')", 15, "15", "16") // 14 is left of a block that is too small
	insert("insert into item (id, name) values (1000, 'a')", 0, "1000")
	shown("select last_insert_id()", "15")
	insert("insert into item (id, name) values (1000, 'a'), (null, 'b'), (1001, 'c')", 17, "17", "1000", "1001")
	insert("insert into item (id, name) values (-1, 'a')", 0, "-1")
	insert("insert into item (id, name) values ('0', 'a')", 18, "18")
	exec(t, db, "set sql_mode = concat(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')")
	insert("insert into item (id, name) values (0, 'a'), (null, 'b')", 19, "0", "19")
	exec(t, db, "set sql_mode = default")
	exec(t, db, "insert into draft (name) values ('x'), ('y')") // the row is made at the start
	shown("select id from draft order by id", "1", "2")
	shown("select id, next_id, cache from seqs.bare", "0 1001 1000")
	insert("insert into item (name) select name from draft", 20, "20", "21")

	shown("select next value from seqs.ids", "22")
	shown("select next 3 values from seqs.ids", "25") // 23 and 24 are left of a block
	shown("select next 20 values from seqs.ids", "30")
	shown("select next_id from seqs.ids", "50")
	shown("select /* a page */ /* of ids */ next 20 values from seqs.ids", "50")
	exec(t, db, "set foreign_key_checks = 0") // goes to shards as a hint
	shown("select next 5 values from seqs.ids", "70")
	exec(t, db, "set foreign_key_checks = default")
	exec(t, db, "update seqs.ids set next_id = 50")
	_, err := db.Query("select next 0 values from seqs.ids")
	require.Error(t, err)

	// Values that were handed out are gone, whatever becomes of the transaction.
	exec(t, db, "begin")
	exec(t, db, "insert into item (name) values ('gone')")
	exec(t, db, "rollback")
	insert("insert into item (name) values ('a')", 51, "51")

	// What an UPDATE sets counts at once; one that is rolled back does not.
	exec(t, db, "update seqs.ids set next_id = 500")
	insert("insert into item (name) values ('a')", 500, "500")
	exec(t, db, "begin")
	exec(t, db, "update seqs.ids set next_id = 900, cache = 1")
	exec(t, db, "rollback")
	insert("insert into item (name) values ('a')", 501, "501")
	exec(t, db, "update seqs.ids set next_id = 600, cache = 1")
	insert("insert into item (name) values ('a'), ('b')", 600, "600", "601")
	shown("select next_id from seqs.ids", "602")
	exec(t, db, "delete from seqs.ids")
	insert("insert into item (name) values ('a')", 1, "1")
	exec(t, db, "insert into seqs.ids (id, next_id, cache) values (0, 70, 3) on duplicate key update next_id = 70, cache = 3")
	insert("insert into item (name) values ('a')", 70, "70")
}

// TestSequencesOfManyClients lets clients insert at once, of which some roll back: no value comes twice.
func TestSequencesOfManyClients(t *testing.T) {
	const clients, inserts = 16, 40
	_, db := start(t, numbered(), "shop")
	var all sync.WaitGroup
	failures := make(chan error, clients)
	for client := range clients {
		all.Go(func() {
			for n := range inserts {
				tx, err := db.BeginTx(context.Background(), nil)
				if err == nil {
					_, err = tx.Exec(fmt.Sprintf("insert into item (name) values ('a%d'), ('b%d')", client, n))
				}
				switch {
				case err != nil:
				case n%8 == 0:
					err = tx.Rollback()
				default:
					err = tx.Commit()
				}
				if err != nil {
					failures <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failures)
	for err := range failures {
		t.Fatal(err)
	}
	require.Equal(t, []string{fmt.Sprint(2 * clients * (inserts - inserts/8))}, rows(t, db, "select count(*) from item"))
}
