package shardsim

import (
	"context"
	"fmt"
	"math/rand"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/sqltypes"
)

// TestIndexesDoNotChangeAnswers runs random conditions on two tables with the same rows, one of which has indexes.
func TestIndexesDoNotChangeAnswers(t *testing.T) {
	r := newRand(t)
	c := New(Config{})
	tablet, err := c.AddShard("ks", "0")
	require.NoError(t, err)
	conn := tablet.Connect()
	defer conn.Close()
	columns := "id int primary key, n int, u tinyint unsigned, s varchar(10), d decimal(6,2), dt datetime, f double"
	mustExec(t, conn, "create table plain ("+columns+")")
	mustExec(t, conn, "create table indexed ("+columns+", key n (n), key u_n (u, n), key s (s), key d_s (d, s), key dt (dt), unique f (f), key p (s(2)))")
	for id := range 60 {
		row := fmt.Sprintf("(%d, %s, %s, %s, %s, %s, %d.25)", id, orNull(r, r.Intn(10)-3), orNull(r, r.Intn(6)), randomText(r),
			orNull(r, fmt.Sprintf("%d.%d", r.Intn(5)-2, r.Intn(3)*25)), randomTime(r), id)
		mustExec(t, conn, "insert into plain values "+row)
		mustExec(t, conn, "insert into indexed values "+row)
	}
	// Some rows are the open transaction's own.
	require.NoError(t, conn.Begin(context.Background(), TxOptions{}))
	for _, table := range []string{"plain", "indexed"} {
		mustExec(t, conn, "update "+table+" set n = n + 1, s = 'own' where id % 7 = 0")
		mustExec(t, conn, "delete from "+table+" where id % 11 = 3")
	}
	for range 1500 {
		where := randomCondition(r, 2)
		tail := []string{"", " order by n, id", " order by n desc, id limit 5", " order by s, id", " order by u desc, n desc, id limit 3", " order by dt, id"}[r.Intn(6)]
		query := "select id, n, s from %s where " + where + tail
		if r.Intn(3) == 0 {
			query, tail = randomJoin(r), ""
		}
		want, wantErr := conn.Query(context.Background(), strings.ReplaceAll(query, "%s", "plain"), nil)
		got, gotErr := conn.Query(context.Background(), strings.ReplaceAll(query, "%s", "indexed"), nil)
		require.Equal(t, wantErr == nil, gotErr == nil, "%s: %v, %v", query, wantErr, gotErr)
		if wantErr == nil {
			require.Equal(t, rowSet(want.Rows, tail), rowSet(got.Rows, tail), query)
		}
	}
}

// randomJoin joins the table with itself, over columns of the same and of different types.
func randomJoin(r *rand.Rand) string {
	join := []string{"join", "left join"}[r.Intn(2)]
	on := []string{"a.n = b.n", "a.n = b.u", "a.id = b.n", "a.s = b.s", "a.d = b.n", "a.n = b.d", "a.dt = b.dt", "a.u = b.u and a.n = b.n",
		"a.n <=> b.n", "a.d = b.d and a.s = b.s", "a.n = b.id and b.u > 2", "a.n > b.id", "a.s = b.s and a.id <> b.id"}[r.Intn(13)]
	where := []string{"a.id < 10", "a.n = 2", "b.n = 2", "a.s = 'A'", "b.id is null", "a.u in (1, 2)", "b.s = 'own'"}[r.Intn(7)]
	switch r.Intn(4) {
	case 0:
		return "select a.id, a.n, a.s from %s a where " + []string{"a.n in", "a.id not in", "a.u in"}[r.Intn(3)] +
			" (select b." + []string{"n", "u", "id"}[r.Intn(3)] + " from %s b where b.s = " + randomText(r) + ")"
	case 1:
		return "select a.id, a.n, a.s from %s a where " + []string{"", "not "}[r.Intn(2)] + "exists (select 1 from %s b where " + on + ")"
	}
	return "select a.id, b.id, b.s from %s a " + join + " %s b on " + on + " where " + where
}

// rowSet shows rows, sorted unless the query sorted them.
func rowSet(rows []sqltypes.Row, order string) string {
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = rowText(row)
	}
	if order == "" {
		sort.Strings(texts)
	}
	return strings.Join(texts, "\n")
}

func orNull(r *rand.Rand, v any) string {
	if r.Intn(6) == 0 {
		return "null"
	}
	return fmt.Sprint(v)
}

func randomText(r *rand.Rand) string {
	return []string{"'a'", "'A'", "'ab'", "'aB'", "'b'", "'bc'", "'é'", "''", "'5'", "'own'", "null"}[r.Intn(11)]
}

func randomTime(r *rand.Rand) string {
	return []string{"'2024-01-01'", "'2024-01-01 10:00:00'", "'2024-02-29'", "'2023-12-31 23:59:59'", "null"}[r.Intn(5)]
}

func randomCondition(r *rand.Rand, depth int) string {
	if depth > 0 && r.Intn(3) > 0 {
		op := []string{"and", "or", "and not"}[r.Intn(3)]
		return "(" + randomCondition(r, depth-1) + " " + op + " " + randomCondition(r, depth-1) + ")"
	}
	cmp := []string{"=", "<", ">", "<=", ">=", "<>", "<=>"}[r.Intn(7)]
	number := func() string {
		return []string{fmt.Sprint(r.Intn(10) - 3), fmt.Sprint(r.Intn(10)-3) + ".5", "1000", "-1000", "null"}[r.Intn(5)]
	}
	switch r.Intn(10) {
	case 0:
		return "n " + cmp + " " + number()
	case 1:
		return "u " + cmp + " " + number()
	case 2:
		return "s " + cmp + " " + randomText(r)
	case 3:
		return "d " + cmp + " " + number()
	case 4:
		return "dt " + cmp + " " + randomTime(r)
	case 5:
		return fmt.Sprintf("n between %d and %d", r.Intn(8)-3, r.Intn(8)-3)
	case 6:
		return fmt.Sprintf("%s in (%s, %s, 3)", []string{"n", "u", "id"}[r.Intn(3)], number(), number())
	case 7:
		return fmt.Sprintf("s in (%s, %s)", randomText(r), randomText(r))
	case 8:
		return "s like " + []string{"'a%'", "'A_'", "'%b'", "'b'"}[r.Intn(4)]
	}
	return []string{"n", "u", "s", "d", "dt"}[r.Intn(5)] + []string{" is null", " is not null"}[r.Intn(2)]
}
