package combo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// TestInformationSchemaDescribesAllKeyspaces asks from sessions that have either keyspace selected, a shard or nothing.
func TestInformationSchemaDescribesAllKeyspaces(t *testing.T) {
	cluster, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{
		{Name: "plain", Schema: []string{
			"create table parent (id bigint primary key)",
			"create table child (id bigint primary key, pid bigint, d decimal(7,2) default '1.5', constraint fk foreign key (pid) references parent (id))",
			"create view seen as select id from child",
			"create trigger before_child before insert on child for each row set @a = 1",
			"create procedure pr(in a int) select a",
			"insert into parent values (1), (2), (3)",
		}},
		{Name: "split", Shards: 2, Schema: []string{"create table gadget (id bigint primary key, code bit(4) default b'101')"}, VSchema: `{"sharded": true,
			"vindexes": {"xxhash": {"type": "xxhash"}}, "tables": {"gadget": {"column_vindexes": [{"column": "id", "name": "xxhash"}]}}}`},
	}}, "plain")
	exec(t, db, "create database later")
	exec(t, db, "create table later.fresh (id int primary key)")
	for query, want := range map[string][]string{
		"select schema_name from information_schema.schemata where default_character_set_name = 'utf8mb4' and schema_name not in ('mysql', 'sys', 'performance_schema') order by schema_name": {
			"later", "plain", "split"},
		"select count(*) from information_schema.schemata where schema_name = 'plain'":       {"1"},
		"select count(*) from information_schema.schemata where schema_name like 'split%-%'": {"0"},
		"select table_schema, table_name, table_type from information_schema.tables where table_schema in ('later', 'plain', 'split') order by table_schema, table_name": {
			"later fresh BASE TABLE", "plain child BASE TABLE", "plain parent BASE TABLE", "plain seen VIEW", "split gadget BASE TABLE"},
		"select table_rows from information_schema.tables where table_name like 'parent'":                                                {"3"},
		"select table_schema, column_type, column_default from information_schema.columns where column_name in ('code', 'd') order by 1": {"plain decimal(7,2) 1.50", "split bit(4) b'101'"},
		"select table_schema, index_name from information_schema.statistics where table_name like '%a%' and column_name = 'id' order by 1": {
			"plain PRIMARY", "split PRIMARY"},
		"select constraint_schema, table_name, referenced_table_name from information_schema.referential_constraints": {"plain child parent"},
		"select table_schema, table_name, constraint_name from information_schema.key_column_usage where column_name in ('pid') or table_name like 'gad%' order by 1": {
			"plain child fk", "split gadget PRIMARY"},
		"select table_schema, table_name from information_schema.views":                                           {"plain seen"},
		"select trigger_schema, trigger_name from information_schema.triggers":                                    {"plain before_child"},
		"select routine_schema, routine_name from information_schema.routines":                                    {"plain pr"},
		"select specific_schema, parameter_name from information_schema.parameters":                               {"plain a"},
		"select distinct table_schema from information_schema.partitions where table_name like '%ad%' order by 1": {"split"},
		"select table_name from information_schema.tables where table_schema = 'split'":                           {"gadget"},
		"select count(*) from information_schema.tables where table_schema = 'nowhere'":                           {"0"},
	} {
		for _, selected := range []string{"plain", "split", "split:80-", ""} {
			require.Equal(t, want, rows(t, open(t, cluster, selected), query), "%s from %q", query, selected)
		}
	}
	require.Equal(t, []string{"gadget"}, rows(t, open(t, cluster, "split"), "select table_name from information_schema.tables where table_schema = database()"))
	_, err := db.Exec("select * from later.nothing")
	require.ErrorContains(t, err, "1146")
	exec(t, db, "drop database later")
	require.Equal(t, []string{"plain"}, rows(t, db, "select schema_name from information_schema.schemata where schema_name in ('later', 'plain')"))
}
