package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

var update = flag.Bool("update", false, "write the answers of the tour into README.md")

const fence = "```"

// block is a fenced piece of the README: what stands behind the fence, the
// lines in it, and where they begin and end among the README's lines.
type block struct {
	lang, file string
	text       string
	from, to   int
}

func readmeBlocks(t *testing.T) (lines []string, blocks []block) {
	t.Helper()
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	lines = strings.Split(string(data), "\n")
	open := -1
	for i, line := range lines {
		if !strings.HasPrefix(line, fence) {
			continue
		}
		if open < 0 {
			open = i
			continue
		}
		lang, file, _ := strings.Cut(strings.TrimPrefix(lines[open], fence), " ")
		blocks = append(blocks, block{lang, file, strings.Join(lines[open+1:i], "\n"), open + 1, i})
		open = -1
	}
	require.Negative(t, open, "a fence is not closed")
	return lines, blocks
}

// TestReadmeTour pastes the tour into the demo: below each piece of SQL stands
// what came back.
func TestReadmeTour(t *testing.T) {
	cluster, err := combo.Start(context.Background(), combo.Config{})
	require.NoError(t, err)
	defer cluster.Close()
	db, err := sql.Open("mysql", cluster.DSN("customer"))
	require.NoError(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1) // USE and BEGIN belong to the connection

	lines, blocks := readmeBlocks(t)
	var out []string
	copied, pieces := 0, 0
	for i, b := range blocks {
		if b.lang != "sql" {
			continue
		}
		require.Less(t, i+1, len(blocks))
		require.Equal(t, "text", blocks[i+1].lang, "the block after line %d holds the answers", b.to)
		got := paste(db, b.text)
		if !*update {
			require.Equal(t, blocks[i+1].text, strings.TrimSuffix(got, "\n"), "answers to line %d", b.from)
		}
		out = append(append(out, lines[copied:blocks[i+1].from]...), strings.Split(strings.TrimSuffix(got, "\n"), "\n")...)
		copied = blocks[i+1].to
		pieces++
	}
	require.Greater(t, pieces, 5)
	if *update {
		out = append(out, lines[copied:]...)
		require.NoError(t, os.WriteFile("README.md", []byte(strings.Join(out, "\n")), 0o600))
	}
}

// paste runs the statements of a text, one a line, and gives what the mysql
// client prints with -t: tables, and errors.
func paste(db *sql.DB, text string) string {
	var out strings.Builder
	for _, line := range strings.Split(text, "\n") {
		query, vertical := strings.CutSuffix(line, `\G`)
		rows, err := db.Query(strings.TrimSuffix(query, ";"))
		if err == nil {
			err = printRows(&out, rows, vertical)
		}
		var coded *mysql.MySQLError
		switch {
		case errors.As(err, &coded):
			fmt.Fprintf(&out, "ERROR %d (%s): %s\n", coded.Number, coded.SQLState[:], coded.Message)
		case err != nil:
			fmt.Fprintf(&out, "%v\n", err)
		}
	}
	return out.String()
}

func printRows(out *strings.Builder, rows *sql.Rows, vertical bool) error {
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil || len(types) == 0 {
		return err
	}
	var table [][]string
	for rows.Next() {
		cells := make([]sql.NullString, len(types))
		into := make([]any, len(types))
		for i := range cells {
			cells[i].String = "NULL" // stays if the cell is NULL
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		texts := make([]string, len(cells))
		for i, cell := range cells {
			texts[i] = cell.String
		}
		table = append(table, texts)
	}
	if vertical {
		printVertical(out, types, table)
	} else if len(table) > 0 {
		printTable(out, types, table)
	}
	return rows.Err()
}

func printVertical(out *strings.Builder, types []*sql.ColumnType, table [][]string) {
	for i, row := range table {
		stars := strings.Repeat("*", 27)
		fmt.Fprintf(out, "%s %d. row %s\n", stars, i+1, stars)
		for j, cell := range row {
			fmt.Fprintf(out, "%s: %s\n", types[j].Name(), cell)
		}
	}
}

func printTable(out *strings.Builder, types []*sql.ColumnType, table [][]string) {
	header := make([]string, len(types))
	width := make([]int, len(types))
	rule := "+"
	for i, column := range types {
		header[i] = column.Name()
		width[i] = utf8.RuneCountInString(header[i])
		if nullable, _ := column.Nullable(); nullable {
			width[i] = max(width[i], len("NULL")) // the client leaves room for it
		}
		for _, row := range table {
			width[i] = max(width[i], utf8.RuneCountInString(row[i]))
		}
		rule += strings.Repeat("-", width[i]+2) + "+"
	}
	line := func(cells []string, numbersRight bool) {
		for i, cell := range cells {
			if kind := types[i].DatabaseTypeName(); numbersRight && (strings.HasSuffix(kind, "INT") || kind == "DECIMAL") {
				fmt.Fprintf(out, "| %*s ", width[i], cell)
			} else {
				fmt.Fprintf(out, "| %-*s ", width[i], cell)
			}
		}
		out.WriteString("|\n")
	}
	fmt.Fprintln(out, rule)
	line(header, false)
	fmt.Fprintln(out, rule)
	for _, row := range table {
		line(row, true)
	}
	fmt.Fprintln(out, rule)
}

// TestReadmeFiles writes the README's files to a folder of this module, and
// builds, tests and runs them.
func TestReadmeFiles(t *testing.T) {
	cluster, err := combo.Start(context.Background(), combo.Config{})
	require.NoError(t, err)
	defer cluster.Close()
	dir, err := os.MkdirTemp("testdata", "readme") // Go code must be in the module to import it
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	var files []string
	_, blocks := readmeBlocks(t)
	for _, b := range blocks {
		if b.file == "" {
			continue
		}
		text := strings.ReplaceAll(b.text, "127.0.0.1:15306", cluster.Addr())
		file := filepath.Join(dir, b.file)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		files = append(files, b.file)
	}
	require.Equal(t, []string{"ask/main.go", "shop/shop_test.go", "vschema.json", "plans/customer.json", "plans/plans_test.go", "schema.sql", "explain.txt"}, files)

	explained, err := os.ReadFile(filepath.Join(dir, "explain.txt"))
	require.NoError(t, err)

	here := "./" + filepath.ToSlash(dir)
	for _, tc := range []struct {
		cmd  *exec.Cmd
		want string
	}{
		{exec.Command("go", "run", here+"/ask"), "Alice\n"},
		{exec.Command("go", "test", here+"/shop", here+"/plans"), "ok"},
		{vitro(t, "plantest", "--vschema", here+"/vschema.json", "--keyspace", "customer", "--no-scatter", here+"/plans"), "1 case passed\n"},
		{vitro(t, "plantest", "--schema-dir", "combo/demo", "--keyspace", "customer", "--no-scatter", here+"/plans"), "1 case passed\n"},
		{vitro(t, "explain", "--vschema-file", here+"/vschema.json", "--schema-file", here+"/schema.sql", "--sql",
			"update corder set price = 5 where customer_id in (1, 8)"), string(explained)},
	} {
		out, err := tc.cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", tc.cmd, out)
		require.Contains(t, string(out), tc.want)
	}
}

// TestReadmeLookup adds the lookup to the demo's customers as the README does.
func TestReadmeLookup(t *testing.T) {
	cluster, err := combo.Start(context.Background(), combo.Config{})
	require.NoError(t, err)
	defer cluster.Close()
	db, err := sql.Open("mysql", cluster.DSN("customer"))
	require.NoError(t, err)
	defer db.Close()
	_, blocks := readmeBlocks(t)
	ran := 0
	for _, b := range blocks {
		if b.lang != "mysql" || b.file != "" {
			continue
		}
		for _, statement := range strings.Split(strings.TrimSuffix(b.text, ";"), ";\n") {
			_, err := db.Exec(statement)
			require.NoError(t, err, statement)
			ran++
		}
	}
	require.Equal(t, 4, ran)
	plan := paste(db, `vexplain plan select name from customer where email = 'alice@example.com'\G`)
	require.Contains(t, plan, `"Vindex": "by_email"`)
}

// TestReadmeGreeting holds the shown greeting and ready line against real ones.
func TestReadmeGreeting(t *testing.T) {
	cluster, err := combo.Start(context.Background(), combo.Config{})
	require.NoError(t, err)
	defer cluster.Close()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	port := fmt.Sprint(cluster.Info().MySQLPort)
	for shown, asJSON := range map[string]bool{"15306": false, "40123": true} {
		var out strings.Builder
		require.NoError(t, greet(&out, cluster, asJSON))
		require.Contains(t, string(readme), strings.ReplaceAll(out.String(), port, shown))
	}
}
