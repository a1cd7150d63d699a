package sqlengine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

// TestTuplesInLists has lists of pairs, as the gateway sends them for an UPDATE with LIMIT of a table with two key columns.
func TestTuplesInLists(t *testing.T) {
	s := newAnswerSession(t)
	pair := func(id int64, kind string) *querypb.Value {
		return sqltypes.TupleToProto([]sqltypes.Value{sqltypes.NewInt64(id), sqltypes.NewVarChar(kind)})
	}
	binds := map[string]*querypb.BindVariable{"dml_vals": {Type: querypb.Type_TUPLE, Values: []*querypb.Value{pair(1, "a"), pair(2, "A"), pair(3, "x")}}}
	for _, c := range []struct{ name, query, want string }{
		{"select", "select id from event where (id, kind) in ::dml_vals", "INT64 1 2"},
		{"not in", "select id from event where (id, kind) not in ::dml_vals", "INT64 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := s.Query(context.Background(), c.query, binds)
			require.NoError(t, err)
			require.Equal(t, c.want, shown(res))
		})
	}
	for _, query := range []string{
		"update event set n = n + 1 where (id, kind) in ::dml_vals",
		"update event as e set e.weight = 5 where (e.id, e.kind) in ::dml_vals",
		"delete from event where (id, kind) in ::dml_vals",
	} {
		res, err := s.Query(context.Background(), query, binds)
		require.NoError(t, err, query)
		require.Equal(t, uint64(2), res.RowsAffected, query)
	}
}
