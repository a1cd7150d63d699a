package combo_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// mistake is one case of testdata/lint/mistakes.txt.
type mistake struct {
	name string
	want []string
	// seed puts the mistake into a copy of the schema.
	seed []func(t *testing.T, dir string)
}

func readMistakes(t *testing.T) []mistake {
	t.Helper()
	data, err := os.ReadFile("testdata/lint/mistakes.txt")
	require.NoError(t, err)
	var all []mistake
	for _, part := range strings.Split(string(data), "\n\n")[1:] {
		lines := strings.Split(strings.TrimRight(part, "\n"), "\n")
		m := mistake{name: lines[0]}
		file, old := "", ""
		for _, line := range lines[1:] {
			word, rest, _ := strings.Cut(line, " ")
			at, was := file, old
			switch word {
			case "in":
				file = rest
			case "-":
				old = rest
			case "+":
				m.seed = append(m.seed, func(t *testing.T, dir string) { replaceIn(t, filepath.Join(dir, at), was, rest) })
			case "add":
				file = rest
			case "|":
				m.seed = append(m.seed, func(t *testing.T, dir string) {
					require.NoError(t, os.WriteFile(filepath.Join(dir, at), []byte(rest+"\n"), 0o644))
				})
			case "move":
				from, to, _ := strings.Cut(rest, " ")
				m.seed = append(m.seed, func(t *testing.T, dir string) {
					require.NoError(t, os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)))
				})
			case "want":
				m.want = append(m.want, rest)
			default:
				t.Fatalf("%s: %q", m.name, line)
			}
		}
		all = append(all, m)
	}
	return all
}

func replaceIn(t *testing.T, file, old, with string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(data), old)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(data), old, with, 1)), 0o644))
}

func TestLintFindsSeededMistakes(t *testing.T) {
	mistakes := readMistakes(t)
	require.Greater(t, len(mistakes), 25)
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/lint/shop")))
			for _, seed := range m.seed {
				seed(t, dir)
			}
			findings, err := combo.Lint(context.Background(), combo.Config{SchemaDir: dir})
			require.NoError(t, err)
			var got []string
			for _, finding := range findings {
				got = append(got, strings.TrimPrefix(finding.String(), filepath.ToSlash(dir)+"/"))
			}
			require.Len(t, got, len(m.want), "%s", strings.Join(got, "\n"))
			for i, want := range m.want {
				beginning, end, cut := strings.Cut(want, " [")
				require.True(t, strings.HasPrefix(got[i], beginning), "got  %s\nwant %s", got[i], want)
				require.True(t, !cut || strings.HasSuffix(got[i], " ["+end), "got  %s\nwant %s", got[i], want)
			}
		})
	}
}

func TestLintFindsNothingInGoodSchemas(t *testing.T) {
	for _, dir := range []string{"demo", "testdata/lint/shop"} {
		findings, err := combo.Lint(context.Background(), combo.Config{SchemaDir: dir})
		require.NoError(t, err)
		require.Empty(t, findings, dir)
	}
}
