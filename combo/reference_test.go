package combo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// TestReferenceTables joins reference tables with and without a source, and writes them.
func TestReferenceTables(t *testing.T) {
	country := "create table country (code char(2) primary key, name varchar(20))"
	cluster, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{
		{Name: "main", Shards: 1, Schema: []string{country}, VSchema: `{"tables": {"country": {}}}`},
		{Name: "shop", Shards: 4, Schema: []string{
			country, "create table color (id bigint primary key, name varchar(20))", "create table item (id bigint primary key, country char(2), color bigint)",
		}, VSchema: `{"sharded": true, "vindexes": {"hash": {"type": "hash"}}, "tables": {
			"item": {"column_vindexes": [{"column": "id", "name": "hash"}]},
			"color": {"type": "reference"}, "country": {"type": "reference", "source": "main.country"}}}`},
	}}, "shop")
	exec(t, db, "insert into color values (1, 'red'), (2, 'blue')")
	exec(t, db, "insert into item values (1, 'de', 1), (2, 'fr', 2), (3, 'de', 2), (4, 'fr', 1), (5, 'de', 1)")
	require.Equal(t, []string{"2"}, rows(t, db, "select count(*) from color"), "the rows are there once, though on each shard")
	require.Equal(t, []string{"blue 2", "red 3"}, rows(t, db, "select c.name, count(*) from item i join color c on c.id = i.color group by c.name order by c.name"))
	result := exec(t, db, "update color set name = 'green' where id = 2")
	changed, err := result.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 1, changed)
	for _, shard := range []string{"-40", "40-80", "80-c0", "c0-"} {
		require.Equal(t, []string{"green"}, rows(t, open(t, cluster, "shop:"+shard), "select name from color where id = 2"), shard)
	}
	exec(t, db, "delete from color where id = 1")
	require.Equal(t, []string{"green"}, rows(t, db, "select name from color"))

	exec(t, db, "insert into color select id + 10, 'more' from color")
	require.Equal(t, []string{"green", "more"}, rows(t, db, "select name from color order by name"))

	exec(t, db, "insert into country values ('de', 'Germany'), ('fr', 'France')")
	require.Equal(t, []string{"France", "Germany"}, rows(t, db, "select name from main.country order by name"), "the source is written")
}

// TestCopiesFollowTheirSource writes the source of reference tables in every way, and looks at the copies on each shard.
func TestCopiesFollowTheirSource(t *testing.T) {
	for _, tc := range []struct{ name, table string }{
		{"primary key", "create table country (code char(2) primary key, name varchar(20), shout varchar(20) as (upper(name)))"},
		{"no key", "create table country (code char(2), name varchar(20))"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cluster, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{
				{Name: "main", Shards: 1, Schema: []string{tc.table, "insert into country(code, name) values ('at', 'Austria')"},
					VSchema: `{"tables": {"country": {}}}`},
				{Name: "shop", Shards: 4, Schema: []string{tc.table, "create table item (id bigint primary key, country char(2))"},
					VSchema: `{"sharded": true, "vindexes": {"hash": {"type": "hash"}}, "tables": {
						"item": {"column_vindexes": [{"column": "id", "name": "hash"}]}, "country": {"type": "reference", "source": "main.country"}}}`},
			}}, "shop")
			copies := func(want ...string) {
				t.Helper()
				for _, shard := range []string{"-40", "40-80", "80-c0", "c0-"} {
					require.Equal(t, want, rows(t, open(t, cluster, "shop:"+shard), "select code, name from country order by code, name"), shard)
				}
			}
			copies("at Austria") // rows of the schema's files
			exec(t, db, "insert into item values (1, 'de'), (2, 'fr'), (3, 'de')")
			exec(t, db, "insert into country(code, name) values ('de', 'Germany'), ('fr', NULL)")
			copies("at Austria", "de Germany", "fr NULL")
			require.Equal(t, []string{"1 Germany", "2 NULL", "3 Germany"},
				rows(t, db, "select i.id, c.name from item i join country c on c.code = i.country order by i.id"))
			exec(t, db, "update main.country set name = 'France' where code = 'fr'")
			copies("at Austria", "de Germany", "fr France")

			tx, err := db.Begin()
			require.NoError(t, err)
			_, err = tx.Exec("delete from country where code = 'at'")
			require.NoError(t, err)
			copies("at Austria", "de Germany", "fr France") // until the commit
			require.NoError(t, tx.Rollback())
			copies("at Austria", "de Germany", "fr France")
			tx, err = db.Begin()
			require.NoError(t, err)
			_, err = tx.Exec("delete from country where code = 'at'")
			require.NoError(t, err)
			_, err = tx.Exec("insert into country(code, name) values ('ch', 'Switzerland')")
			require.NoError(t, err)
			require.NoError(t, tx.Commit())
			copies("ch Switzerland", "de Germany", "fr France")
			exec(t, db, "delete from main.country")
			copies([]string{}...)
		})
	}
}
