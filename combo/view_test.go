package combo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// views are two keyspaces with tables and views of the same names, and rows that tell them apart.
func views(number, first string) combo.Keyspace {
	return combo.Keyspace{Name: "k" + number, Schema: []string{
		"create table t (id bigint primary key, name varchar(10))",
		"create table one (id bigint primary key)",
		"insert into t values (1, '" + first + "')",
		"insert into one values (1)",
		"create view plain as select id, name from t",
		"create view aliased as select o.*, t.name from one as o join t on t.id = o.id",
		"create view below as select name from (select t.* from t) d where exists (select 1 from one where one.id = d.id)",
		"create view united as select name from t union select t.name from t, (select 1 from dual) d",
		"create view named as with t as (select id, name from t), u as (select * from t) select u.name from u join t on u.id = t.id",
	}}
}

// TestViewsReadTheirOwnKeyspace reads views from sessions that have any keyspace selected, or none.
func TestViewsReadTheirOwnKeyspace(t *testing.T) {
	sharded := views("2", "second")
	sharded.Shards = 2
	sharded.Schema = append(sharded.Schema[:2:2], sharded.Schema[4:]...) // a script's rows would be on each shard
	sharded.VSchema = `{"sharded": true, "vindexes": {"xxhash": {"type": "xxhash"}}, "tables": {
		"t": {"column_vindexes": [{"column": "id", "name": "xxhash"}]},
		"one": {"column_vindexes": [{"column": "id", "name": "xxhash"}]}}}`
	cluster, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{views("1", "first"), sharded}}, "k2")
	exec(t, db, "insert into t values (1, 'second')")
	exec(t, db, "insert into one values (1)")
	exec(t, db, "create view nested as select p.name from plain p join t on t.id = p.id")
	for _, selected := range []string{"k1", "k2", "k2@replica", ""} {
		db := open(t, cluster, selected)
		for _, view := range []string{"plain", "aliased", "below", "united", "named"} {
			require.Equal(t, []string{"first"}, rows(t, db, "select name from k1."+view), "%s from %q", view, selected)
			require.Equal(t, []string{"second"}, rows(t, db, "select name from k2."+view), "%s from %q", view, selected)
		}
		require.Equal(t, []string{"second"}, rows(t, db, "select name from k2.nested"), "from %q", selected)
	}
	require.Equal(t, []string{"first second"}, rows(t, db, "select a.name, b.name from k1.plain a join k2.plain b on a.id = b.id"))
}

// TestViewsOfCommonTableExpressions makes views that read nothing but what they make themselves, and others.
func TestViewsOfCommonTableExpressions(t *testing.T) {
	sharded := views("2", "second")
	sharded.Schema, sharded.Shards = sharded.Schema[:2], 2
	sharded.VSchema = `{"sharded": true, "vindexes": {"xxhash": {"type": "xxhash"}}, "tables": {
		"t": {"column_vindexes": [{"column": "id", "name": "xxhash"}]}}}`
	cluster, _ := start(t, combo.Config{Keyspaces: []combo.Keyspace{views("1", "first"), sharded}}, "k1")
	db := open(t, cluster, "k1")
	exec(t, db, "create view counted as with recursive c as (select 1 as n union all select n + 1 from c where n < 3) select n from c")
	exec(t, db, "create view listed as with recursive c(n, s) as (select 1, 'a' union all select n + 1, s from c where n < 2) select * from c as x")
	exec(t, db, "create view reached as with recursive c as (select id as n from t union all select n + 1 from c where n < 3), d as (select n from c) select n from d")
	require.Equal(t, []string{"1", "2", "3"}, rows(t, db, "select n from counted order by n"))
	require.Equal(t, []string{"1 a", "2 a"}, rows(t, db, "select n, s from listed order by n"))
	require.Equal(t, []string{"1", "2", "3"}, rows(t, db, "select n from reached order by n"))
	exec(t, db, "alter view counted as with recursive c as (select 5 as n union all select n + 1 from c where n < 6) select n from c")
	require.Equal(t, []string{"5", "6"}, rows(t, db, "select n from counted order by n"))
	db = open(t, cluster, "k2")
	exec(t, db, "insert into t values (1, 'second'), (2, 'third')")
	exec(t, db, "create view named as with c as (select id, name from t) select name from c")
	require.Equal(t, []string{"second", "third"}, rows(t, db, "select name from named order by name"))
}

func TestWhatCannotBeWrittenIsRefused(t *testing.T) {
	_, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{views("1", "first")}}, "k1")
	for _, tc := range []struct{ sql, refused string }{
		{"insert into plain values (2, 'x')", "writing to view plain"},
		{"replace into k1.plain values (2, 'x')", "writing to view plain"},
		{"update plain set name = 'x'", "writing to view plain"},
		{"delete from plain", "writing to view plain"},
		{"select name from t into @a", "SELECT ... INTO"},
		{"select 1 union select 2 into @a", "SELECT ... INTO"},
		{"select name from t into outfile 'f'", "SELECT ... INTO"},
		{"select 1 into outfile 'f'", "SELECT ... INTO"},
	} {
		_, err := db.Exec(tc.sql)
		require.ErrorContains(t, err, "VT12001: unsupported: "+tc.refused, tc.sql)
	}
	exec(t, db, "update t join plain p on p.id = t.id set t.name = concat(p.name, '!')")
	require.Equal(t, []string{"first!"}, rows(t, db, "select name from plain"))
}
