package shardsim

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShowTriggers checks what tools read of a trigger, but for the time it was made at.
func TestShowTriggers(t *testing.T) {
	conn := connectTriggers(t, New(Config{}))
	mustExec(t, conn, "create trigger tr after insert on t for each row insert into log values ('insert', new.v)")
	mustExec(t, conn, "create trigger other before update on log for each row set @x = 1")
	for _, query := range []string{"show triggers like 't'", "show triggers where `Event` = 'INSERT'", "show triggers from ks like 't%'"} {
		res, err := conn.Query(context.Background(), query, nil)
		require.NoError(t, err)
		var names []string
		for _, f := range res.Fields {
			names = append(names, f.Name)
		}
		require.Equal(t, []string{"Trigger", "Event", "Table", "Statement", "Timing", "Created", "sql_mode", "Definer",
			"character_set_client", "collation_connection", "Database Collation"}, names)
		require.Len(t, res.Rows, 1)
		require.Equal(t, "tr | INSERT | t | insert into log values ('insert', new.v) | AFTER", rowText(res.Rows[0][:5]))
		require.Equal(t, "root@localhost | utf8mb4 | utf8mb4_0900_ai_ci | utf8mb4_0900_ai_ci", rowText(res.Rows[0][7:]))
	}
	res, err := conn.Query(context.Background(), "show create trigger tr", nil)
	require.NoError(t, err)
	require.Equal(t, "CREATE DEFINER=`root`@`localhost` trigger tr after insert on t for each row insert into log values ('insert', new.v)", res.Rows[0][2].ToString())
	_, err = conn.Query(context.Background(), "show create trigger nope", nil)
	require.ErrorContains(t, err, "Trigger does not exist (errno 1360)")
}

func connectTriggers(t *testing.T, c *Cluster) *Conn {
	tablet, err := c.AddShard("ks", "-")
	require.NoError(t, err)
	conn := tablet.Connect()
	t.Cleanup(conn.Close)
	mustExec(t, conn, "create table t (id int auto_increment primary key, v int)")
	mustExec(t, conn, "create table log (what varchar(20), v int)")
	return conn
}

// TestTriggersOfManySessions has sessions fire one trigger at once, which is shared.
func TestTriggersOfManySessions(t *testing.T) {
	conn := connectTriggers(t, New(Config{}))
	mustExec(t, conn, `create trigger tr after insert on t for each row begin declare e enum('a','b') default 'b'; declare n int default 0;
		while n < 2 do set n = n + 1; insert into log values (e, new.v); end while; end`)
	const sessions, rows = 4, 20
	var wg sync.WaitGroup
	for range sessions {
		wg.Add(1)
		go func() {
			defer wg.Done()
			own := conn.Tablet().Connect()
			defer own.Close()
			for i := range rows {
				if _, err := own.Query(context.Background(), fmt.Sprintf("insert into t (v) values (%d), (%d)", i, i), nil); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	res, err := conn.Query(context.Background(), "select (select count(*) from t), (select count(*) from log where what = 'b')", nil)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(sessions*rows*2, " | ", sessions*rows*4), rowText(res.Rows[0]))
}

// TestTriggerStops has a statement stop whose trigger runs without end, when its context does.
func TestTriggerStops(t *testing.T) {
	conn := connectTriggers(t, New(Config{}))
	mustExec(t, conn, "create trigger tr before insert on t for each row begin while true do set @n = 1; end while; end")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := conn.Query(ctx, "insert into t (v) values (1)", nil)
		done <- err
	}()
	cancel()
	require.ErrorContains(t, <-done, "errno 1317")
	require.False(t, conn.InTransaction())
	mustExec(t, conn, "drop trigger tr")
	mustExec(t, conn, "insert into t (v) values "+strings.Repeat("(1), ", 999)+"(1)")
}
