package main_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/vitrodb/vitro"

// allowed are the rooms each room may enter, by their path in the module; a
// room may always import what is below it in its list only. Rooms that are not
// here may not exist. It is section 2 of the design: arrows never go up.
var allowed = map[string][]string{
	"": {"combo", "combo/explain", "combo/wire", "planner/plantest", "vindexes"},

	"combo":         {"combo/admin", "combo/console", "combo/gateway", "combo/lint", "combo/topo", "combo/wire", "planner", "shardsim", "shardsim/faults", "vindexes", "vindexes/key"},
	"combo/admin":   {"combo/topo", "shardsim/faults", "vindexes", "vindexes/key"},
	"combo/console": {"combo/topo", "vindexes", "vindexes/key"},
	"combo/explain": {"combo/gateway", "planner", "planner/engine", "vindexes", "vindexes/key"},
	"combo/gateway": {"combo/gateway/buffer", "combo/topo", "planner", "planner/engine", "planner/engine/opcode", "vindexes", "vindexes/key"},
	"combo/lint":    {"vindexes", "vindexes/key"},
	"combo/wire":    {},
	"combo/topo":    {"vindexes/key"},

	"combo/gateway/buffer": {"combo/topo", "vindexes/key"},

	"planner":               {"planner/engine", "planner/engine/opcode", "planner/operators", "planner/semantics", "vindexes", "vindexes/key"},
	"planner/plantest":      {"planner", "planner/engine", "vindexes", "vindexes/key"},
	"planner/operators":     {"planner/engine/opcode", "planner/semantics", "vindexes", "vindexes/key"},
	"planner/semantics":     {"planner/engine/opcode", "vindexes", "vindexes/key"},
	"planner/engine":        {"planner/engine/opcode", "vindexes", "vindexes/key"},
	"planner/engine/opcode": {},

	"shardsim":           {"shardsim/sqlengine", "shardsim/faults", "vindexes/key"},
	"shardsim/sqlengine": {"shardsim/store", "vindexes/key"},
	"shardsim/store":     {"vindexes/key"},
	"shardsim/faults":    {"vindexes/key"},

	"vindexes":     {"vindexes/key"},
	"vindexes/key": {},
}

// only names the rooms that may import a library.
var only = map[string][]string{
	"github.com/dolthub/go-mysql-server": {"shardsim/sqlengine"},
	"github.com/dolthub/vitess":          {"combo/wire", "shardsim/sqlengine"},
	"github.com/spf13/cobra":             {""},
}

// forbidden are the parts of Vitess that this project exists to build itself.
var forbidden = []string{
	"vitess.io/vitess/go/vt/vtgate/planbuilder", "vitess.io/vitess/go/vt/vtgate/semantics", "vitess.io/vitess/go/vt/vtgate/engine",
	"vitess.io/vitess/go/vt/vtgate/vindexes", "vitess.io/vitess/go/vt/vtgate/executorcontext", "vitess.io/vitess/go/vt/vttablet",
	"vitess.io/vitess/go/vt/key", "vitess.io/vitess/go/vt/topo", "vitess.io/vitess/go/vt/srvtopo",
}

func TestImportsFollowTheArrows(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "." {
			_, err := os.Stat(filepath.Join(path, "go.mod")) // a module of its own
			if err == nil || entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") {
				return filepath.SkipDir
			}
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		room := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), ".")
		rooms, known := allowed[room]
		if !known {
			t.Errorf("%s: room %q is not in the list of rooms", path, room)
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			checkImport(t, path, room, rooms, imported)
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, files, 50, "the test must have found the source")
}

func checkImport(t *testing.T, path, room string, rooms []string, imported string) {
	if inner, ok := strings.CutPrefix(imported, module+"/"); ok && !slices.Contains(rooms, inner) {
		t.Errorf("%s: %q may not import %q", path, room, inner)
	}
	for library, users := range only {
		if within(imported, library) && !slices.Contains(users, room) {
			t.Errorf("%s: %s is for %q alone", path, library, users)
		}
	}
	for _, library := range forbidden {
		if within(imported, library) {
			t.Errorf("%s: %s is not to be used", path, library)
		}
	}
}

// within says whether a package is a library or lies in it.
func within(imported, library string) bool {
	return imported == library || strings.HasPrefix(imported, library+"/")
}
