package combo_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// answersDir holds scripts of answers that MySQL 8.4 documents, as a client of the gateway gets them: the same from an unsharded
// keyspace and from any number of shards, as text and prepared, from a fresh plan and a cached one.
//
//	tables        CREATE TABLEs, one a line; sharded keyspaces are split by the column id
//	sql           statements, one a line, and what each answers, warnings too
//	types         the same, with the columns' types
//	sql sharded   statements that only sharded keyspaces are given; "sql unsharded" is the other way round
//
// Do not rewrite what is not understood: a difference is a bug, or has a line in testdata/differences.md.
const answersDir = "../testdata/answers"

var (
	createdTable = regexp.MustCompile(`(?i)^create table (\w+)`)
	fromTablet   = regexp.MustCompile(`target: \S+: vttablet: `)
	isAnswered   = regexp.MustCompile(`(?i)^\(*(select|with|show|values)\b`)
)

// answering is a keyspace and a way to ask it.
type answering struct {
	shards   int // 0 for unsharded
	prepared bool
	conn     *sql.Conn
}

func (a answering) name() string {
	name := fmt.Sprintf("ks%d", a.shards)
	if a.prepared {
		name += "p"
	}
	return name
}

func TestAnswersOnAnyShards(t *testing.T) {
	datadriven.Walk(t, answersDir, func(t *testing.T, path string) {
		var all []*answering
		for _, shards := range []int{0, 2, 4} {
			all = append(all, &answering{shards: shards}, &answering{shards: shards, prepared: true})
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "tables" {
				startAnswering(t, all, strings.Split(d.Input, "\n"))
				return ""
			}
			first, asked := "", ""
			for _, a := range all {
				if d.HasArg("sharded") && a.shards == 0 || d.HasArg("unsharded") && a.shards > 0 {
					continue
				}
				got := a.script(t, d.Input, d.Cmd == "types")
				if asked == "" {
					first, asked = got, a.name()
				}
				require.Equal(t, first, got, "%s: %s, then %s", d.Pos, asked, a.name())
			}
			return first
		})
	})
}

func startAnswering(t *testing.T, all []*answering, schema []string) {
	t.Helper()
	var sharded, plain []string
	for _, line := range schema {
		if name := createdTable.FindStringSubmatch(line); name != nil {
			sharded = append(sharded, fmt.Sprintf(`%q: {"column_vindexes": [{"column": "id", "name": "xxhash"}]}`, name[1]))
			plain = append(plain, fmt.Sprintf(`%q: {}`, name[1]))
		}
	}
	var cfg combo.Config
	for _, a := range all {
		keyspace := combo.Keyspace{Name: a.name(), Shards: max(a.shards, 1), Schema: schema, VSchema: `{"tables": {` + strings.Join(plain, ", ") + `}}`}
		if a.shards > 0 {
			keyspace.VSchema = `{"sharded": true, "vindexes": {"xxhash": {"type": "xxhash"}}, "tables": {` + strings.Join(sharded, ", ") + `}}`
		}
		cfg.Keyspaces = append(cfg.Keyspaces, keyspace)
	}
	cluster, err := combo.Start(context.Background(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, cluster.Close()) })
	for _, a := range all {
		db := open(t, cluster, a.name())
		a.conn, err = db.Conn(context.Background())
		require.NoError(t, err)
		t.Cleanup(func() { a.conn.Close() })
	}
}

// script is what statements answer. Queries are asked twice: the second time their plan is cached.
func (a answering) script(t *testing.T, statements string, types bool) string {
	t.Helper()
	var out strings.Builder
	for _, line := range strings.Split(statements, "\n") {
		got := a.ask(line, types)
		if isAnswered.MatchString(line) {
			require.Equal(t, got, a.ask(line, types), "%s, cached plan: %s", a.name(), line)
		}
		out.WriteString(got)
	}
	return out.String()
}

func (a answering) ask(line string, types bool) string {
	ctx := context.Background()
	got, err := a.answer(ctx, line, types)
	if err != nil {
		var e *mysql.MySQLError
		if !errors.As(err, &e) {
			return "lost: " + err.Error() + "\n"
		}
		text := strings.ReplaceAll(fromTablet.ReplaceAllString(e.Message, ""), a.name()+".", "ks.")
		return fmt.Sprintf("error %d (%s): %s\n", e.Number, e.SQLState[:], strings.ReplaceAll(text, "'"+a.name(), "'ks"))
	}
	warnings, err := a.conn.QueryContext(ctx, "show warnings")
	if err != nil {
		return "lost: " + err.Error() + "\n"
	}
	defer warnings.Close()
	for warnings.Next() {
		var level, code, message string
		if err := warnings.Scan(&level, &code, &message); err != nil {
			return "lost: " + err.Error() + "\n"
		}
		got += fmt.Sprintf("%s %s: %s\n", level, code, message)
	}
	return got
}

func (a answering) answer(ctx context.Context, line string, types bool) (string, error) {
	query, exec := a.conn.QueryContext, a.conn.ExecContext
	if a.prepared && isPrepared.MatchString(line) {
		stmt, err := a.conn.PrepareContext(ctx, line)
		if err != nil {
			return "", err
		}
		defer stmt.Close()
		query = func(ctx context.Context, _ string, args ...any) (*sql.Rows, error) {
			return stmt.QueryContext(ctx, args...)
		}
		exec = func(ctx context.Context, _ string, args ...any) (sql.Result, error) {
			return stmt.ExecContext(ctx, args...)
		}
	}
	if !isAnswered.MatchString(line) {
		result, err := exec(ctx, line)
		if err != nil {
			return "", err
		}
		affected, _ := result.RowsAffected()
		return fmt.Sprintf("ok: %d rows\n", affected), nil
	}
	rows, err := query(ctx, line)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	return shownRows(rows, types)
}

func shownRows(rows *sql.Rows, types bool) (string, error) {
	columns, err := rows.ColumnTypes()
	if err != nil {
		return "", err
	}
	got, err := readAnswer(rows)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	if types {
		for i, c := range columns {
			name := c.DatabaseTypeName()
			if _, scale, ok := c.DecimalSize(); ok && scale < 31 {
				name = fmt.Sprintf("%s(%d)", name, scale)
			}
			if i > 0 {
				out.WriteString(" | ")
			}
			out.WriteString(name)
		}
		out.WriteString("\n")
	}
	for _, row := range got.rows {
		out.WriteString(strings.ReplaceAll(row, "\n", `\n`) + "\n")
	}
	if len(got.rows) == 0 {
		out.WriteString("no rows\n")
	}
	return out.String(), nil
}
