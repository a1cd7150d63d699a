package shardsim

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cockroachdb/datadriven"
	"vitess.io/vitess/go/sqltypes"
)

// TestSQL runs the scripts of testdata/sql.
func TestSQL(t *testing.T) { runScripts(t, "testdata/sql") }

// TestMySQLAnswers runs the scripts of answers that MySQL 8.4 documents. Do not rewrite them: a difference is a bug, or
// has a line in testdata/differences.md.
func TestMySQLAnswers(t *testing.T) { runScripts(t, "../testdata/scripts") }

// runScripts runs the scripts of a directory. A command "sql [conn=N]" runs the statements below it, one per line, on
// connection N, and shows each result; "types" shows the columns' types too. -rewrite writes the results anew.
func runScripts(t *testing.T, dir string) {
	datadriven.Walk(t, dir, func(t *testing.T, path string) {
		c := New(Config{})
		tablet, err := c.AddShard("ks", "-80")
		if err != nil {
			t.Fatal(err)
		}
		conns := map[int]*Conn{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			n := 1
			d.MaybeScanArgs(t, "conn", &n)
			if conns[n] == nil {
				conns[n] = tablet.Connect()
				t.Cleanup(conns[n].Close)
			}
			var out strings.Builder
			for _, sql := range strings.Split(d.Input, "\n") {
				if strings.TrimSpace(sql) != "" {
					runScriptLine(&out, conns[n], sql, d.Cmd == "types")
				}
			}
			return out.String()
		})
		if err := tablet.Check(); err != nil {
			t.Error(err)
		}
	})
}

func runScriptLine(out *strings.Builder, conn *Conn, sql string, types bool) {
	res, err := conn.Query(context.Background(), sql, nil)
	if err != nil {
		fmt.Fprintln(out, "error:", err)
		return
	}
	if types {
		for _, f := range res.Fields {
			fmt.Fprintf(out, "%s %s(%d,%d) charset %d flags %d from %s.%s.%s\n", f.Name, f.Type, f.ColumnLength, f.Decimals, f.Charset, f.Flags, f.Database, f.OrgTable, f.OrgName)
		}
	}
	for _, row := range res.Rows {
		out.WriteString(rowText(row) + "\n")
	}
	if len(res.Fields) == 0 {
		fmt.Fprintf(out, "ok: %d rows", res.RowsAffected)
		if res.InsertID != 0 {
			fmt.Fprintf(out, ", insert id %d", res.InsertID)
		}
		if res.Info != "" {
			out.WriteString(", " + res.Info)
		}
		out.WriteString("\n")
	} else if len(res.Rows) == 0 {
		out.WriteString("no rows\n")
	}
	for _, w := range conn.Warnings() {
		fmt.Fprintf(out, "%s %d: %s\n", w.Level, w.Code, w.Message)
	}
}

// printable quotes what is not plain text.
func printable(s string) string {
	for _, r := range s {
		if r < ' ' && r != '\n' || r == utf8.RuneError {
			return strconv.Quote(s)
		}
	}
	return strings.ReplaceAll(s, "\n", `\n`)
}

func rowText(row sqltypes.Row) string {
	texts := make([]string, len(row))
	for i, v := range row {
		if v.IsNull() {
			texts[i] = "NULL"
		} else {
			texts[i] = printable(v.ToString())
		}
	}
	return strings.Join(texts, " | ")
}
