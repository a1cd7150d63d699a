package gateway

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"

	"github.com/vitrodb/vitro/vindexes"
)

const lookupVSchema = `{"keyspaces": {
	"main": {"tables": {"by_name": {}}},
	"user": {"sharded": true,
		"vindexes": {"hash": {"type": "hash"}, "by_name": {"type": "lookup_unique", "owner": "u",
			"params": {"table": "main.by_name", "from": "name", "to": "keyspace_id"}}},
		"tables": {"u": {"column_vindexes": [{"column": "id", "name": "hash"}, {"column": "name", "name": "by_name"}]}}}}}`

func TestEntriesOfConsistentLookupsCommitBeforeAndAfterTheRows(t *testing.T) {
	consistent := strings.Replace(lookupVSchema, "lookup_unique", "consistent_lookup_unique", 1)
	def, err := vindexes.Load("", []byte(consistent), "vschema.json")
	require.NoError(t, err)
	vs, err := vindexes.Build(def, vindexes.Types())
	require.NoError(t, err)
	commits := func(c *fakeCluster) []string {
		return slices.DeleteFunc(c.taken(), func(line string) bool { return !strings.Contains(line, "commit") })
	}
	lost := sqlerror.NewSQLError(sqlerror.CRServerLost, sqlerror.SSUnknownSQLState, "Lost connection")
	s, c := newFakeSession(t, func(cfg *Config) { cfg.VSchema = vs })
	mustExec(t, s, "insert into u(id, name) values (1, 'a')")
	assert.Equal(t, []string{
		"main/0: commit entries of by_name", "main/0: commit all but by_name", "user/-80: commit", "main/0: commit",
	}, commits(c))

	c.rules = []fakeRule{{shard: "main/0", sql: "commit entries", err: lost}}
	_, err = exec(s, "insert into u(id, name) values (1, 'a')")
	require.Error(t, err)
	assert.Equal(t, []string{"main/0: commit entries of by_name"}, commits(c), "without entries no rows")

	c.rules = []fakeRule{{shard: "main/0", sql: "commit", err: nil}, {shard: "user/-80", sql: "commit", err: lost}}
	_, err = exec(s, "insert into u(id, name) values (1, 'a')")
	require.Error(t, err)
	assert.Equal(t, []string{
		"main/0: commit entries of by_name", "main/0: commit all but by_name", "user/-80: commit",
	}, commits(c), "entries that were to be removed stay with their rows")
}

func TestLookupsAreWrittenWithTheRows(t *testing.T) {
	def, err := vindexes.Load("", []byte(lookupVSchema), "vschema.json")
	require.NoError(t, err)
	vs, err := vindexes.Build(def, vindexes.Types())
	require.NoError(t, err)
	s, c := newFakeSession(t, func(cfg *Config) { cfg.VSchema = vs })
	mustExec(t, s, "insert into u(id, name) values (1, 'a')")
	log := c.taken()
	assert.Equal(t, "main/0: begin", log[0])
	assert.Contains(t, log[1], "main/0: insert into by_name")
	assert.Equal(t, []string{
		"user/-80: begin", "user/-80: insert into u(id, `name`) values (:_id_0, :_name_0)", "main/0: commit", "user/-80: commit",
	}, log[2:])
	c.rules = []fakeRule{{shard: "user/-80", sql: "insert", err: duplicate()}}
	_, err = exec(s, "insert into u(id, name) values (1, 'b')")
	assert.Equal(t, 1062, errnoOf(err))
	assert.Contains(t, c.taken(), "main/0: rollback", "an entry without its row does not stay")
	c.rules = nil
	mustExec(t, s, "select id from u where name = 'a'")
	assert.Len(t, c.taken(), 2, "the lookup finds nothing, so one shard tells the fields")
}
