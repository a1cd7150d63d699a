package combo_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"net"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// okReader keeps what the server sent since the client last spoke, for what the driver does not tell of an OK packet.
type okReader struct {
	net.Conn
	sent []byte
}

func (r *okReader) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	r.sent = append(r.sent, p[:n]...)
	return n, err
}

func (r *okReader) Write(p []byte) (int, error) {
	r.sent = r.sent[:0]
	return r.Conn.Write(p)
}

// answer is "affected, insert id, warnings, text" of the last OK packet. All numbers are small.
func (r *okReader) answer(t *testing.T) string {
	payload := r.sent[4:]
	require.Zero(t, payload[0], "not an OK packet: %q", payload)
	text := ""
	if len(payload) > 7 {
		require.Equal(t, int(payload[7]), len(payload)-8, "length of the text")
		text = string(payload[8:])
	}
	return fmt.Sprintf("%d, %d, %d, %s", payload[1], payload[2], binary.LittleEndian.Uint16(payload[5:]), text)
}

// openRaw opens one connection whose OK packets can be looked at.
func openRaw(t *testing.T, dsn string) (*sql.Conn, func() *okReader) {
	t.Helper()
	var reader *okReader
	cfg, err := mysql.ParseDSN(dsn)
	require.NoError(t, err)
	cfg.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		reader = &okReader{Conn: conn}
		return reader, err
	}
	connector, err := mysql.NewConnector(cfg)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn, func() *okReader { return reader }
}

// What an OK packet says is MySQL's (manual, "mysql_info()"), on any number of shards.
func TestWhatWritesAnswer(t *testing.T) {
	const matched, records = "Rows matched: %d  Changed: %d  Warnings: %d", "Records: %d  Duplicates: %d  Warnings: %d"
	script := []struct {
		sql   string
		want  string
		found string // with CLIENT_FOUND_ROWS, where it differs
	}{
		{sql: "insert into event (id, kind, n) values (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)", want: "3, 0, 0, " + fmt.Sprintf(records, 3, 0, 0)},
		{sql: "insert into event (id, kind, n) values (4, 'd', 4)", want: "1, 0, 0, "},
		{sql: "insert ignore into event (id, kind, n) values (4, 'd', 4), (5, 'e', 5), (1, 'x', 1)", want: "1, 0, 2, " + fmt.Sprintf(records, 3, 2, 2)},
		{sql: "insert ignore into event (id, kind, n) values (4, 'd', 4)", want: "0, 0, 1, "},
		{sql: "insert into event (id, kind, n) values (1, 'a', 7), (2, 'b', 2), (6, 'f', 6) on duplicate key update n = values(n)",
			want: "3, 0, 0, " + fmt.Sprintf(records, 3, 1, 0), found: "4, 0, 0, " + fmt.Sprintf(records, 3, 1, 0)},
		{sql: "insert into event (id, kind, n) values (1, 'a', 8) on duplicate key update n = values(n)", want: "2, 0, 0, "},
		{sql: "insert into event (id, kind, n) values (1, 'a', 8) on duplicate key update n = values(n)", want: "0, 0, 0, ", found: "1, 0, 0, "},
		{sql: "insert into event (id, kind, n) select id + 10, kind, n from event where id < 4", want: "3, 0, 0, " + fmt.Sprintf(records, 3, 0, 0)},
		{sql: "insert into event (id, kind, n) select id + 20, kind, n from event where id = 1", want: "1, 0, 0, " + fmt.Sprintf(records, 1, 0, 0)},
		{sql: "insert into event (id, kind, n) select id, kind, n from event where id = 999", want: "0, 0, 0, " + fmt.Sprintf(records, 0, 0, 0)},
		{sql: "insert ignore into event (id, kind, n) select id, kind, n from event where id < 3", want: "0, 0, 2, " + fmt.Sprintf(records, 2, 2, 2)},
		{sql: "update event set n = 9 where id in (1, 2)", want: "2, 0, 0, " + fmt.Sprintf(matched, 2, 2, 0)},
		{sql: "update event set n = 9 where id in (1, 2, 3)", want: "1, 0, 0, " + fmt.Sprintf(matched, 3, 1, 0), found: "3, 0, 0, " + fmt.Sprintf(matched, 3, 1, 0)},
		{sql: "update event set n = 9 where id = 1", want: "0, 0, 0, " + fmt.Sprintf(matched, 1, 0, 0), found: "1, 0, 0, " + fmt.Sprintf(matched, 1, 0, 0)},
		{sql: "update event set n = 9 where id = 999", want: "0, 0, 0, " + fmt.Sprintf(matched, 0, 0, 0)},
		{sql: "update event set n = 9 where id = null", want: "0, 0, 0, " + fmt.Sprintf(matched, 0, 0, 0)},
		{sql: "update event set n = 9 order by id limit 0", want: "0, 0, 0, " + fmt.Sprintf(matched, 0, 0, 0)},
		{sql: "update event a join event b on a.id = b.n set a.weight = b.id where b.id = 999", want: "0, 0, 0, " + fmt.Sprintf(matched, 0, 0, 0)},
		{sql: "update ignore event set n = 99999999999 where id = 1", want: "1, 0, 1, " + fmt.Sprintf(matched, 1, 1, 1)},
		{sql: "update event set n = last_insert_id(77) where id = 2", want: "1, 77, 0, " + fmt.Sprintf(matched, 1, 1, 0)},
		{sql: "update event a join event b on a.id = b.n set a.weight = b.id", want: "5, 0, 0, " + fmt.Sprintf(matched, 5, 5, 0)},
		{sql: "insert into customer (name) values ('a'), ('b')", want: "2, 1, 0, " + fmt.Sprintf(records, 2, 0, 0)},
		{sql: "insert into customer (name) values ('c')", want: "1, 3, 0, "},
		{sql: "delete from event where id in (1, 2, 999)", want: "2, 0, 0, "},
		{sql: "delete ignore from event where id = 3", want: "1, 0, 0, "},
		{sql: "delete from event", want: "7, 0, 0, "},
	}
	for _, shards := range []int{0, 1, 4} {
		for _, params := range []string{"", "?clientFoundRows=true"} {
			for _, prepared := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d shards, %s, prepared %t", shards, params, prepared), func(t *testing.T) {
					conn, reader := openRaw(t, shop(t, shards).DSN("shop")+params)
					ctx := context.Background()
					for _, line := range script {
						if prepared {
							stmt, err := conn.PrepareContext(ctx, line.sql)
							require.NoError(t, err, line.sql)
							_, err = stmt.ExecContext(ctx)
							require.NoError(t, err, line.sql)
						} else {
							_, err := conn.ExecContext(ctx, line.sql)
							require.NoError(t, err, line.sql)
						}
						want := line.want
						if params != "" && line.found != "" {
							want = line.found
						}
						require.Equal(t, want, reader().answer(t), line.sql)
					}
				})
			}
		}
	}
}
