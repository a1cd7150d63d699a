package wire_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/sqlerror"
	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/combo/wire"
)

// fakeGateway answers statements by their text and remembers what it was told.
type fakeGateway struct {
	mu       sync.Mutex
	infos    []wire.ConnInfo
	sessions []*fakeSession
	closed   int
	began    time.Time // of the last slow or waiting statement
}

func (g *fakeGateway) Connect(_ context.Context, info wire.ConnInfo) (wire.Session, error) {
	if info.Database == "nowhere" {
		return nil, vterrors.VT05003(info.Database)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	session := &fakeSession{gateway: g, status: wire.Status{Autocommit: true}}
	g.infos, g.sessions = append(g.infos, info), append(g.sessions, session)
	return session, nil
}

func (g *fakeGateway) last(t *testing.T) *fakeSession {
	g.mu.Lock()
	defer g.mu.Unlock()
	require.NotEmpty(t, g.sessions)
	return g.sessions[len(g.sessions)-1]
}

type fakeSession struct {
	gateway *fakeGateway
	status  wire.Status
	ran     []string
	vars    map[string]*querypb.BindVariable
	resets  int
}

func (s *fakeSession) Execute(ctx context.Context, query string, vars map[string]*querypb.BindVariable, emit func(*sqltypes.Result) error) error {
	s.ran, s.vars = append(s.ran, query), vars
	s.status.Warnings = 0
	switch word, _, _ := strings.Cut(strings.TrimSpace(query), " "); word {
	case "begin":
		s.status.InTransaction = true
		return emit(&sqltypes.Result{})
	case "warn":
		s.status.Warnings = 3
		return emit(&sqltypes.Result{})
	case "update":
		return emit(&sqltypes.Result{RowsAffected: 2, InsertID: 7, Info: "Rows matched: 2"})
	case "duplicate":
		return fmt.Errorf("insert into ks/-80: %w", sqlerror.NewSQLError(sqlerror.ERDupEntry, sqlerror.SSConstraintViolation, "Duplicate entry '1' for key 't.PRIMARY'"))
	case "unsupported":
		return vterrors.VT12001("that")
	case "fail":
		return errors.New("something broke")
	case "late": // an error, or a panic, after the first rows
		if err := emit(allTypes()); err != nil {
			return err
		}
		if strings.Contains(query, "panic") {
			panic("oh no")
		}
		return sqlerror.NewSQLError(sqlerror.ERQueryInterrupted, sqlerror.SSQueryInterrupted, "too late")
	case "panic":
		panic("oh no")
	case "slow":
		s.gateway.begin()
		if err := s.slow(ctx); err != nil {
			return err
		}
		return emit(&sqltypes.Result{})
	case "wait":
		s.gateway.begin()
		<-ctx.Done()
		return ctx.Err()
	case "echo": // the parameters as one row
		return emit(echo(vars))
	case "many": // 3 pieces of 2 rows
		fields := sqltypes.MakeTestFields("a", "int64")
		for i := range 3 {
			if err := emit(sqltypes.MakeTestResult(fields, fmt.Sprint(2*i), fmt.Sprint(2*i+1))); err != nil {
				return err
			}
		}
		return nil
	}
	return emit(allTypes())
}

// echo gives bind variables back as a row of one column each.
func echo(vars map[string]*querypb.BindVariable) *sqltypes.Result {
	result := &sqltypes.Result{Rows: []sqltypes.Row{{}}}
	for i := range vars {
		_ = i
		name := fmt.Sprintf("v%d", len(result.Fields)+1)
		value, _ := sqltypes.BindVariableToValue(vars[name])
		kind := value.Type()
		if value.IsNull() {
			kind = sqltypes.VarChar
		}
		result.Fields = append(result.Fields, &querypb.Field{Name: name, Type: kind})
		result.Rows[0] = append(result.Rows[0], value)
	}
	return result
}

func (s *fakeSession) Prepare(_ context.Context, query string) ([]*querypb.Field, int, error) {
	if strings.HasPrefix(query, "broken") {
		return nil, 0, vterrors.VT03014("x", "y")
	}
	return nil, strings.Count(query, "?"), nil
}

func (s *fakeSession) Status() wire.Status { return s.status }
func (s *fakeSession) Reset(context.Context) error {
	s.resets++
	s.status = wire.Status{Autocommit: true}
	return nil
}
func (s *fakeSession) Close() {
	s.gateway.mu.Lock()
	defer s.gateway.mu.Unlock()
	s.gateway.closed++
}

// typeRow is one column of allTypes: its type, its text, and what the driver
// reads of it.
var typeRow = []struct {
	kind querypb.Type
	text string
}{
	{sqltypes.Int8, "-8"}, {sqltypes.Uint8, "200"}, {sqltypes.Int16, "-300"}, {sqltypes.Uint16, "60000"},
	{sqltypes.Int24, "-70000"}, {sqltypes.Uint24, "16000000"}, {sqltypes.Int32, "-2000000000"}, {sqltypes.Uint32, "4000000000"},
	{sqltypes.Int64, "-9223372036854775808"}, {sqltypes.Uint64, "18446744073709551615"},
	{sqltypes.Float32, "0.5"}, {sqltypes.Float64, "-1234.56"}, {sqltypes.Decimal, "12345678901234567890.123"},
	{sqltypes.Date, "2024-02-29"}, {sqltypes.Datetime, "2024-02-29 01:02:03.000045"}, {sqltypes.Timestamp, "2024-02-29 01:02:03"},
	{sqltypes.Time, "-12:30:45"}, {sqltypes.Year, "2024"}, {sqltypes.Char, "abc"}, {sqltypes.VarChar, "äöü"},
	{sqltypes.Text, "text"}, {sqltypes.Blob, "\x00\xff"}, {sqltypes.VarBinary, "\x01"}, {sqltypes.Binary, "bin"},
	{sqltypes.Bit, "\x05"}, {sqltypes.Enum, "one"}, {sqltypes.Set, "a,b"}, {sqltypes.TypeJSON, `{"a": 1}`}, {sqltypes.Geometry, "\x00\x00"},
}

func allTypes() *sqltypes.Result {
	result := &sqltypes.Result{Rows: []sqltypes.Row{{}, {}}}
	for _, column := range typeRow {
		field := &querypb.Field{Name: column.kind.String(), Type: column.kind, OrgName: "org", Table: "t", OrgTable: "ot", Database: "ks", ColumnLength: 10}
		if column.kind == sqltypes.Datetime {
			field.Decimals = 6
		}
		result.Fields = append(result.Fields, field)
		result.Rows[0] = append(result.Rows[0], sqltypes.MakeTrusted(column.kind, []byte(column.text)))
		result.Rows[1] = append(result.Rows[1], sqltypes.NULL)
	}
	return result
}

// start serves a fake gateway and gives a pool of one connection to it.
func start(t *testing.T, cfg wire.Config, dsn string) (*fakeGateway, *sql.DB, *wire.Server) {
	t.Helper()
	gateway := &fakeGateway{}
	cfg.Address = "127.0.0.1:0"
	server, err := wire.Listen(cfg, gateway)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	db, err := sql.Open("mysql", strings.ReplaceAll(dsn, "ADDR", "tcp("+server.Addr().String()+")"))
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return gateway, db, server
}

func requireErrno(t *testing.T, err error, number uint16, state, message string) {
	t.Helper()
	var mysqlErr *mysql.MySQLError
	require.ErrorAs(t, err, &mysqlErr)
	require.Equal(t, number, mysqlErr.Number, "%v", mysqlErr)
	require.Equal(t, state, string(mysqlErr.SQLState[:]))
	require.Contains(t, mysqlErr.Message, message)
}

func TestAllTypesTextAndBinary(t *testing.T) {
	_, db, _ := start(t, wire.Config{}, "root@ADDR/ks")
	for name, args := range map[string][]any{"text": nil, "binary": {1}} {
		t.Run(name, func(t *testing.T) {
			query := "select"
			if args != nil {
				query += " ?"
			}
			rows, err := db.Query(query, args...)
			require.NoError(t, err)
			defer rows.Close()
			for i := range 2 {
				require.True(t, rows.Next(), "%v", rows.Err())
				cells := make([]sql.NullString, len(typeRow))
				into := make([]any, len(cells))
				for j := range cells {
					into[j] = &cells[j]
				}
				require.NoError(t, rows.Scan(into...))
				for j, column := range typeRow {
					require.Equal(t, i == 0, cells[j].Valid)
					if i == 1 {
						continue
					}
					require.Equal(t, column.text, cells[j].String, "%v", column.kind)
				}
			}
			require.False(t, rows.Next())
			require.NoError(t, rows.Err())
		})
	}
}

func TestParameters(t *testing.T) {
	gateway, db, _ := start(t, wire.Config{}, "root@ADDR/")
	moment := time.Date(2024, 2, 29, 1, 2, 3, 45000, time.UTC)
	row := db.QueryRow("echo ? ? ? ? ? ? ? ?", int64(-5), uint64(1)<<63, 1.5, "text", []byte{0xff, 0}, nil, moment, true)
	var cells [8]sql.NullString
	require.NoError(t, row.Scan(&cells[0], &cells[1], &cells[2], &cells[3], &cells[4], &cells[5], &cells[6], &cells[7]))
	for i, want := range []string{"-5", "9223372036854775808", "1.5", "text", "\xff\x00", "", "2024-02-29 01:02:03.000045", "1"} {
		require.Equal(t, want, cells[i].String, "parameter %d", i+1)
	}
	require.False(t, cells[5].Valid)
	vars := gateway.last(t).vars
	require.Equal(t, sqltypes.Int64, vars["v1"].Type)
	require.Equal(t, sqltypes.Uint64, vars["v2"].Type)
	require.Equal(t, sqltypes.VarChar, vars["v4"].Type)
	require.Equal(t, sqltypes.VarBinary, vars["v5"].Type, "what is no text must not become one")
}

func TestStatementsOfVitessCanBePrepared(t *testing.T) {
	gateway, db, _ := start(t, wire.Config{}, "root@ADDR/")
	stmt, err := db.Prepare("echo vexplain plan select 1 from t where a = ? for share skip locked")
	require.NoError(t, err)
	for i := range 3 {
		var got int
		require.NoError(t, stmt.QueryRow(i).Scan(&got))
		require.Equal(t, i, got)
	}
	require.NoError(t, stmt.Close())
	require.Equal(t, "echo vexplain plan select 1 from t where a = ? for share skip locked", gateway.last(t).ran[2])
	_, err = db.Prepare("broken")
	requireErrno(t, err, 1054, "42S22", "VT03014")
	require.NoError(t, db.Ping())
}

func TestLongParameters(t *testing.T) {
	_, db, _ := start(t, wire.Config{}, "root@ADDR/?maxAllowedPacket=67108864")
	for _, size := range []int{0, 1, 250, 251, 16 * 1024, 70_000, 1 << 24, 40_000_000} {
		text := strings.Repeat("x", size)
		var got string
		require.NoError(t, db.QueryRow("echo ?", text).Scan(&got))
		require.Equal(t, size, len(got))
	}
	// The driver sends a value longer than maxAllowedPacket ahead.
	_, small, _ := start(t, wire.Config{}, "root@ADDR/?maxAllowedPacket=4096")
	text := strings.Repeat("0123456789", 3000)
	var got string
	var second int
	require.NoError(t, small.QueryRow("echo ? ?", text, 7).Scan(&got, &second))
	require.Equal(t, text, got)
	require.Equal(t, 7, second)
}

func TestCountsAndInfo(t *testing.T) {
	_, db, _ := start(t, wire.Config{}, "root@ADDR/")
	for name, args := range map[string][]any{"text": nil, "binary": {1}} {
		t.Run(name, func(t *testing.T) {
			result, err := db.Exec("update ?"[:6+2*len(args)], args...)
			require.NoError(t, err)
			affected, _ := result.RowsAffected()
			id, _ := result.LastInsertId()
			require.Equal(t, []int64{2, 7}, []int64{affected, id})
		})
	}
}

func TestErrorsKeepErrnoAndState(t *testing.T) {
	_, db, _ := start(t, wire.Config{}, "root@ADDR/")
	for _, tc := range []struct {
		query, state, message string
		number                uint16
	}{
		{"duplicate", "23000", "Duplicate entry '1' for key 't.PRIMARY'", 1062},
		{"unsupported", "42000", "VT12001: unsupported: that", 1235},
		{"fail", "HY000", "something broke", 1105},
		{"panic", "HY000", "VT13001: [BUG] panic: oh no", 1815},
	} {
		for _, args := range [][]any{nil, {1}} {
			query := tc.query
			if args != nil {
				query += " ?"
			}
			_, err := db.Exec(query, args...)
			requireErrno(t, err, tc.number, tc.state, tc.message)
			require.NotContains(t, err.Error(), "insert into ks/-80", "the wrapping trail is not for clients")
		}
	}
	require.NoError(t, db.Ping(), "the connection lives on")
}

func TestMultipleStatementsAndPieces(t *testing.T) {
	gateway, db, _ := start(t, wire.Config{}, "root@ADDR/?multiStatements=true")
	rows, err := db.Query("many 1; update x ; many ';' ;\n ;")
	require.NoError(t, err)
	defer rows.Close()
	counts := []int{0}
	for {
		for rows.Next() {
			counts[len(counts)-1]++
		}
		if !rows.NextResultSet() {
			break
		}
		counts = append(counts, 0)
	}
	require.NoError(t, rows.Err())
	require.Equal(t, 6, counts[0])
	require.Equal(t, 6, counts[len(counts)-1])
	require.Len(t, gateway.last(t).ran, 3)
	require.Equal(t, " many ';' ", " "+strings.TrimLeft(gateway.last(t).ran[2], " "))
}

func TestLogin(t *testing.T) {
	t.Run("any user, no password", func(t *testing.T) {
		gateway, db, _ := start(t, wire.Config{}, "somebody@ADDR/ks?clientFoundRows=true")
		require.NoError(t, db.Ping())
		require.Equal(t, "somebody", gateway.infos[0].User)
		require.Equal(t, "ks", gateway.infos[0].Database)
		require.True(t, gateway.infos[0].FoundRows)
	})
	t.Run("unknown database", func(t *testing.T) {
		_, db, _ := start(t, wire.Config{}, "root@ADDR/nowhere")
		requireErrno(t, db.Ping(), 1049, "42000", "VT05003: unknown database 'nowhere' in vschema")
	})
	for _, tc := range []struct {
		name, dsn string
		ok        bool
	}{
		{"right password", "me:secret@ADDR/", true}, {"wrong password", "me:wrong@ADDR/", false},
		{"no password", "me@ADDR/", false}, {"wrong user", "you:secret@ADDR/", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, db, _ := start(t, wire.Config{User: "me", Password: "secret"}, tc.dsn)
			if tc.ok {
				require.NoError(t, db.Ping())
				return
			}
			requireErrno(t, db.Ping(), 1045, "28000", "Access denied for user")
		})
	}
}

func TestCloseInterruptsAndWaits(t *testing.T) {
	gateway, db, server := start(t, wire.Config{}, "root@ADDR/")
	done := make(chan error)
	require.NoError(t, db.Ping())
	go func() {
		_, err := db.Exec("wait")
		done <- err
	}()
	require.Eventually(t, func() bool {
		gateway.mu.Lock()
		defer gateway.mu.Unlock()
		return len(gateway.sessions) > 0
	}, 10*time.Second, time.Millisecond)
	server.Close()
	require.Error(t, <-done)
	require.Equal(t, len(gateway.sessions), gateway.closed)
}

// TestSemicolonsOfProcedures sends procedures, whose bodies have semicolons, among several statements.
func TestSemicolonsOfProcedures(t *testing.T) {
	gateway, db, _ := start(t, wire.Config{}, "root@ADDR/?multiStatements=true")
	procedures := []string{
		"create procedure p() begin update x set a = ';'; if 1 then delete from x; end if; end",
		"/* made; by */ CREATE DEFINER=`root`@`%` PROCEDURE q(in a int) BEGIN DECLARE b int; set b = a; END",
		"create procedure r() select 1",
	}
	_, err := db.Exec(strings.Join(procedures, ";\n") + ";\nupdate x; update y;")
	require.NoError(t, err)
	require.Equal(t, append(procedures, "update x", "update y"), gateway.last(t).ran)
}
