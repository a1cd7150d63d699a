package shardsim

import (
	"context"
	"testing"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
)

type binds = map[string]*querypb.BindVariable

func mustExec(tb testing.TB, conn *Conn, sql string) *sqltypes.Result {
	tb.Helper()
	res, err := conn.Query(context.Background(), sql, nil)
	if err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
	return res
}
