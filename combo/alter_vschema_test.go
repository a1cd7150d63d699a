package combo_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// TestAlterVSchema walks through all forms of ALTER VSCHEMA. Another session, which has plans and prepared statements from
// before, must heed each at once.
func TestAlterVSchema(t *testing.T) {
	cluster, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{
		{Name: "main", Shards: 1, Schema: []string{
			"create table ids (id bigint primary key, next_id bigint, cache bigint)",
			"create table by_name (name varchar(20) primary key, ksid varbinary(20))",
		}},
		{Name: "shop", Shards: 2, VSchema: `{"sharded": true}`, Schema: []string{
			"create table item (id bigint primary key, name varchar(20) not null)",
		}},
	}}, "shop")
	other, err := open(t, cluster, "shop").Conn(context.Background())
	require.NoError(t, err)
	defer other.Close()
	refused := func(statement, want string) {
		t.Helper()
		_, err := db.Exec(statement)
		require.ErrorContains(t, err, want, statement)
	}
	shown := func(query string, want ...string) {
		t.Helper()
		require.Equal(t, want, rows(t, db, query), query)
	}

	refused("insert into item values (1, 'a')", "VT09001") // not in the VSchema
	exec(t, db, "alter vschema create vindex shop.hash using hash")
	refused("alter vschema create vindex hash using hash", "vindex hash already exists in keyspace shop")
	refused("alter vschema create vindex bad using hsah", `did you mean "hash"`)
	exec(t, db, "alter vschema on item add vindex hash (id)")
	refused("alter vschema on item add vindex hash (id)", "vindex hash already defined on table item in keyspace shop")
	refused("alter vschema on item add vindex nothing (id)", "vindex nothing does not exist in keyspace shop")
	refused("alter vschema on item add vindex hash (id) using xxhash", "vindex hash defined with type hash not xxhash")
	refused("alter vschema drop vindex hash", "can not drop vindex cause hash still defined on table item in keyspace shop")

	prepared, err := other.PrepareContext(context.Background(), "select id from item where name = ?")
	require.NoError(t, err)
	count := func(name string) (n int) {
		t.Helper()
		found, err := prepared.Query(name)
		require.NoError(t, err)
		defer found.Close()
		for found.Next() {
			n++
		}
		return n
	}
	exec(t, db, "insert into item values (11, 'a'), (12, 'b')")
	require.Equal(t, 1, count("a"))
	exec(t, db, "alter vschema on item add vindex by_name (name) using consistent_lookup_unique with owner=item, table=`main.by_name`, from=name, to=ksid")
	require.Equal(t, 0, count("a"), "the lookup has no entries yet, and the other session uses it at once")
	require.NoError(t, insertBy(other, "insert into item values (13, 'c')"))
	require.Equal(t, 1, count("c"))
	shown("select name from main.by_name", "c")
	shown("show vschema vindexes",
		"shop by_name consistent_lookup_unique from=name; table=main.by_name; to=ksid item", "shop hash hash  ")
	shown("show vschema vindexes on item", "id hash hash  ", "name by_name consistent_lookup_unique from=name; table=main.by_name; to=ksid item")
	refused("alter vschema on item add vindex by_name (name) using lookup with owner=item, table=`main.by_name`, from=name, to=ksid", "vindex by_name defined with type consistent_lookup_unique not lookup")
	refused("alter vschema on item add vindex by_name (name) using consistent_lookup_unique with owner=other, table=`main.by_name`, from=name, to=ksid", "vindex by_name defined with owner item not other")
	refused("alter vschema on item add vindex by_name (name) using consistent_lookup_unique with owner=item, table=`main.x`, from=name, to=ksid", "vindex by_name defined with different parameters")
	exec(t, db, "alter vschema on item drop vindex by_name")
	require.Equal(t, 1, count("a"))
	refused("alter vschema on item drop vindex by_name", "vindex by_name not defined in table shop.item")
	refused("alter vschema on nothing drop vindex by_name", "table shop.nothing not defined in vschema")
	exec(t, db, "alter vschema drop vindex by_name")
	refused("alter vschema drop vindex by_name", "vindex by_name does not exists in keyspace shop")

	refused("alter vschema add sequence ids", "add sequence table: unsupported on sharded keyspace shop")
	refused("alter vschema add table item", "add vschema table: unsupported on sharded keyspace shop")
	exec(t, db, "alter vschema add sequence main.ids")
	refused("alter vschema add sequence main.ids", "vschema already contains sequence ids in keyspace main")
	exec(t, db, "alter vschema on item add auto_increment id using main.ids")
	refused("alter vschema on item add auto_increment id using main.ids", "vschema already contains auto inc")
	require.NoError(t, insertBy(other, "insert into item (name) values ('d')"))
	shown("select id from item where name = 'd'", "1")
	exec(t, db, "alter vschema on item drop auto_increment")
	refused("alter vschema on item drop auto_increment", "vschema does not contain auto increment")
	refused("alter vschema on nothing drop auto_increment", "vschema does not contain table nothing in keyspace shop")
	refused("insert into item (name) values ('e')", "") // no id
	exec(t, db, "alter vschema drop sequence main.ids")
	refused("alter vschema drop sequence main.ids", "vschema does not contain sequence ids in keyspace main")
	exec(t, db, "alter vschema add table main.by_name")
	shown("show vschema keyspaces", "main false unmanaged ", "shop true unmanaged ")
	exec(t, db, "alter vschema drop table main.by_name")
	exec(t, db, "alter vschema drop table item")
	refused("insert into item values (1, 'a')", "VT09001")
	refused("alter vschema drop table item", "vschema does not contain table item in keyspace shop")
}

func insertBy(conn *sql.Conn, statement string) error {
	_, err := conn.ExecContext(context.Background(), statement)
	return err
}

func TestAlterVSchemaIsForAuthorizedUsers(t *testing.T) {
	for users, allowed := range map[string]bool{"": true, "%": true, "-": false, "someone": false, "someone, root": true} {
		_, db := start(t, combo.Config{VSchemaDDLUsers: users, Keyspaces: []combo.Keyspace{{Name: "shop", Shards: 1}}}, "shop")
		_, err := db.Exec("alter vschema create vindex hash using hash")
		if allowed {
			require.NoError(t, err, users)
			continue
		}
		require.ErrorContains(t, err, "Error 1045", users)
		require.ErrorContains(t, err, "User 'root' is not authorized to perform vschema operations", users)
	}
}

func TestVSchemaIsWrittenAsItIsNow(t *testing.T) {
	dir := writeFiles(t, map[string]string{"shop/vschema.json": hashedT, "shop/a.sql": "create table t (id bigint primary key)", "shop/b.sql": "alter vschema create vindex x using xxhash"})
	read, err := combo.ReadVSchema(combo.Config{SchemaDir: dir}, "")
	require.NoError(t, err)
	cluster, db := start(t, combo.Config{SchemaDir: dir}, "shop")
	now, err := cluster.VSchema("")
	require.NoError(t, err)
	require.Equal(t, string(read), string(now))
	require.Contains(t, string(read), `"type": "xxhash"`)

	exec(t, db, "alter vschema drop vindex x")
	now, err = cluster.VSchema("")
	require.NoError(t, err)
	require.NotContains(t, string(now), "xxhash")
	require.Equal(t, []string{string(now)}, rows(t, db, "select @@global.vitro_vschema"))
	require.Empty(t, rows(t, db, "show variables like 'vitro_vschema'"))
}
