package combo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

func TestDroppedDatabaseIsSelectedNoMore(t *testing.T) {
	_, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{{Name: "shop"}, {Name: "other"}}}, "shop")
	db.SetMaxOpenConns(1)
	exec(t, db, "create database more")
	exec(t, db, "use more")
	exec(t, db, "create table t (id bigint primary key)")
	exec(t, db, "drop database more")
	require.Equal(t, []string{"NULL"}, rows(t, db, "select database()"))
	require.Equal(t, []string{"1"}, rows(t, db, "select 1"))
	_, err := db.Exec("create table t (id bigint primary key)")
	require.ErrorContains(t, err, "1046")
	exec(t, db, "create database more")
	exec(t, db, "use more")
	exec(t, db, "create table t (id bigint primary key)")
}

func TestTheOnlyKeyspaceNeedsNoSelection(t *testing.T) {
	_, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{{Name: "shop"}}}, "")
	exec(t, db, "create table t (id bigint primary key)")
	exec(t, db, "insert into t values (1)")
	require.Equal(t, []string{"1"}, rows(t, db, "select id from t"))
	require.Equal(t, []string{"t"}, rows(t, db, "show tables"))
	exec(t, db, "alter vschema add table t")
}
