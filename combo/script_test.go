package combo

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplitScript(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []statement
	}{
		{"nothing", " \n-- only a comment\n# and another", nil},
		{"two", "select 1;\nselect 2", []statement{{"f", 1, "select 1"}, {"f", 2, "select 2"}}},
		{"semicolons in quotes", "select ';', \"a;\"\"b\", `c;`, 'it''s; \\'';\n\n select 2;", []statement{
			{"f", 1, "select ';', \"a;\"\"b\", `c;`, 'it''s; \\''"}, {"f", 3, "select 2"}}},
		{"comments of one line go", "select 1 -- one; two\n, 2 # three;\n;", []statement{{"f", 1, "select 1 \n, 2"}}},
		{"two dashes may be arithmetic", "select 2--1", []statement{{"f", 1, "select 2--1"}}},
		{"long comments stay", "/* a;\nb */ select /*vt+ X */ 1;", []statement{{"f", 1, "/* a;\nb */ select /*vt+ X */ 1"}}},
		{"source and delimiter", "source a.sql\nDELIMITER //\ncreate x begin a; b; end//\ndelimiter ;\nselect 1;", []statement{
			{"f", 1, "source a.sql"}, {"f", 3, "create x begin a; b; end"}, {"f", 5, "select 1"}}},
		{"stored programs", "create procedure p() begin declare x int; if x then select 'end;'; end if; case x when 1 then select 1; end case; end; select 2;\ncreate definer=`a`@`b` trigger t after insert on x for each row set @a = 1; select 3", []statement{
			{"f", 1, "create procedure p() begin declare x int; if x then select 'end;'; end if; case x when 1 then select 1; end case; end"},
			{"f", 1, "select 2"}, {"f", 2, "create definer=`a`@`b` trigger t after insert on x for each row set @a = 1"}, {"f", 2, "select 3"}}},
		{"a column named source", "select\nsource from t;", []statement{{"f", 1, "select\nsource from t"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := splitScript(tc.text, "f")
			require.NoError(t, err)
			require.Equal(t, tc.want, got)
		})
	}
	_, err := splitScript("select 1;\n/* no end", "f")
	require.EqualError(t, err, "f:2: the comment that begins here does not end")
}

func FuzzSplitScript(f *testing.F) {
	f.Add("select 1; -- x\nsource a\n/* b */ 'c\\")
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = splitScript(text, "f")
	})
}
