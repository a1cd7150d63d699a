package wire_test

import (
	"context"
	"database/sql"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"github.com/vitrodb/vitro/combo/wire"
)

// cannedGateway answers everything with one row: what is measured with it is
// the listener alone.
type cannedGateway struct{ result *sqltypes.Result }

func (g cannedGateway) Connect(context.Context, wire.ConnInfo) (wire.Session, error) { return g, nil }
func (g cannedGateway) Execute(_ context.Context, _ string, _ map[string]*querypb.BindVariable, emit func(*sqltypes.Result) error) error {
	return emit(g.result)
}
func (g cannedGateway) Prepare(context.Context, string) ([]*querypb.Field, int, error) {
	return nil, 1, nil
}
func (cannedGateway) Status() wire.Status         { return wire.Status{Autocommit: true} }
func (cannedGateway) Reset(context.Context) error { return nil }
func (cannedGateway) Close()                      {}

func BenchmarkCannedResult(b *testing.B) {
	const query = "select id, name from customer where id = ?"
	fields := sqltypes.MakeTestFields("id|name", "int64|varchar")
	server, err := wire.Listen(wire.Config{Address: "127.0.0.1:0"}, cannedGateway{sqltypes.MakeTestResult(fields, "1|alice")})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	for _, bc := range []struct {
		name, params string
		conns        int
	}{
		{"text/1", "?interpolateParams=true", 1}, {"text/16", "?interpolateParams=true", 16},
		{"prepared/1", "", 1}, {"prepared/16", "", 16},
	} {
		b.Run(bc.name, func(b *testing.B) {
			db, err := sql.Open("mysql", "root@tcp("+server.Addr().String()+")/"+bc.params)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			db.SetMaxOpenConns(bc.conns)
			db.SetMaxIdleConns(bc.conns)
			stmt, err := db.Prepare(query)
			if err != nil {
				b.Fatal(err)
			}
			defer stmt.Close()
			b.ReportAllocs()
			b.SetParallelism(max(1, bc.conns/2))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					var id int
					var name string
					ask := stmt.QueryRow
					if bc.params != "" {
						ask = func(args ...any) *sql.Row { return db.QueryRow(query, args...) }
					}
					if err := ask(1).Scan(&id, &name); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
