package combo

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"

	"github.com/vitrodb/vitro/vindexes"
)

// demoFiles are the keyspaces of the demo, and its rows.
//
//go:embed demo demo_rows.sql
var demoFiles embed.FS

// source is what one keyspace is made of.
type source struct {
	keyspace    Keyspace
	vschema     *vschemapb.Keyspace // nil: none was given
	vschemaFile string              // for messages; empty: inline
	scripts     []script
}

// script is one SQL file, or an inline list of statements.
type script struct {
	statements []statement
	// alterVSchema: the one statement changes the VSchema and runs at the
	// gateway, not on the shards.
	alterVSchema bool
}

// input is everything a cluster is made of, read and checked in its form.
type input struct {
	sources []source
	rules   *vschemapb.SrvVSchema // routing rules, of their file or that a vschema.json brought along
	// rulesFile is how the routing rules are called in messages.
	rulesFile string
	rows      []statement // run at the gateway at the end
	stray     []Finding   // files that are not read
}

// readInput reads what the Config names.
func readInput(cfg Config) (*input, error) {
	in := &input{rules: &vschemapb.SrvVSchema{}, rulesFile: "routing rules"}
	var fsys fs.FS
	shown := cfg.SchemaDir
	keyspaces := cfg.Keyspaces
	switch {
	case cfg.SchemaDir != "":
		if err := checkDir(cfg.SchemaDir); err != nil {
			return nil, err
		}
		fsys = os.DirFS(cfg.SchemaDir)
		if len(keyspaces) == 0 {
			var err error
			if keyspaces, err = keyspacesIn(cfg.SchemaDir); err != nil {
				return nil, err
			}
		}
	case len(keyspaces) == 0:
		demo, err := fs.Sub(demoFiles, "demo")
		if err != nil {
			return nil, err
		}
		fsys, shown = demo, "demo"
		keyspaces = []Keyspace{{Name: "commerce"}, {Name: "customer", Shards: 2}}
		if in.rows, err = readScript(demoFiles, "demo_rows.sql", "demo_rows.sql", 0); err != nil {
			return nil, err
		}
	}
	if cfg.SchemaDir != "" {
		in.stray = strayFiles(fsys, filepath.ToSlash(cfg.SchemaDir), keyspaces)
		if i := slices.IndexFunc(in.stray, func(f Finding) bool { return f.Check == checkFileName }); i >= 0 {
			return nil, &vindexes.Error{File: in.stray[i].File, Message: in.stray[i].Message}
		}
	}
	if err := in.readRoutingRules(cfg); err != nil {
		return nil, err
	}
	for _, ks := range keyspaces {
		src, err := readKeyspace(fsys, shown, ks, in.rules)
		if err != nil {
			return nil, err
		}
		in.sources = append(in.sources, *src)
	}
	return in, nil
}

// readRoutingRules reads the file of routing rules, if there is one.
func (in *input) readRoutingRules(cfg Config) error {
	file := cfg.RoutingRules
	if file == "" && cfg.SchemaDir != "" {
		file = filepath.Join(cfg.SchemaDir, "routing_rules.json")
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	if file == "" {
		return nil
	}
	rules, err := vindexes.LoadRoutingRules(file)
	if err != nil {
		return err
	}
	in.rulesFile = file
	mergeRules(in.rules, &vschemapb.SrvVSchema{RoutingRules: rules})
	return nil
}

// checkDir says why a path is no directory one can read.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no such directory: --schema-dir must hold a directory for each keyspace", dir)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is no directory: --schema-dir must hold a directory for each keyspace", dir)
	}
	return nil
}

// keyspacesIn makes a keyspace of each directory in the schema directory.
func keyspacesIn(dir string) ([]Keyspace, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var keyspaces []Keyspace
	for _, entry := range entries {
		if entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			keyspaces = append(keyspaces, Keyspace{Name: entry.Name()})
		}
	}
	if len(keyspaces) == 0 {
		return nil, fmt.Errorf("%s: there is no keyspace in it: make a directory for each, with *.sql files and a vschema.json", dir)
	}
	return keyspaces, nil
}

// readKeyspace reads a keyspace's files, or takes what stands in the Config.
func readKeyspace(fsys fs.FS, shown string, ks Keyspace, rules *vschemapb.SrvVSchema) (*source, error) {
	src := &source{keyspace: ks}
	if ks.VSchema != "" {
		src.vschemaFile = "keyspace " + ks.Name
		if err := src.loadVSchema([]byte(ks.VSchema), rules); err != nil {
			return nil, err
		}
	}
	if len(ks.Schema) > 0 {
		src.addScript(inlineStatements(ks))
	}
	if fsys == nil || ks.VSchema != "" || len(ks.Schema) > 0 {
		return src, nil
	}
	entries, err := fs.ReadDir(fsys, ks.Name)
	if err != nil {
		return nil, missingKeyspace(fsys, shown, ks.Name)
	}
	for _, entry := range entries { // in lexical order
		name := path.Join(ks.Name, entry.Name())
		shownName := filepath.ToSlash(filepath.Join(shown, ks.Name, entry.Name()))
		switch {
		case entry.IsDir():
		case entry.Name() == "vschema.json":
			data, err := fs.ReadFile(fsys, name)
			if err != nil {
				return nil, err
			}
			src.vschemaFile = shownName
			if err := src.loadVSchema(data, rules); err != nil {
				return nil, err
			}
		case strings.HasSuffix(entry.Name(), ".sql"):
			statements, err := readScript(fsys, name, shownName, 0)
			if err != nil {
				return nil, err
			}
			src.addScript(statements)
		}
	}
	return src, nil
}

// missingKeyspace names the directories there are.
func missingKeyspace(fsys fs.FS, shown, name string) error {
	var dirs []string
	if entries, err := fs.ReadDir(fsys, "."); err == nil {
		for _, entry := range entries {
			if entry.IsDir() {
				dirs = append(dirs, entry.Name())
			}
		}
	}
	has := "it has no directories"
	if len(dirs) > 0 {
		has = "it has " + strings.Join(dirs, ", ")
	}
	return fmt.Errorf("%s: there is no directory %s in it for keyspace %s: %s", shown, name, name, has)
}

// inlineStatements are the statements of a Config, each a "file" of its own.
func inlineStatements(ks Keyspace) []statement {
	var all []statement
	for i, text := range ks.Schema {
		file := fmt.Sprintf("keyspace %s, Schema[%d]", ks.Name, i)
		cut, err := splitScript(text, file)
		if err != nil { // a quote without end: the shard says so better
			cut = []statement{{file, 1, text}}
		}
		all = append(all, cut...)
	}
	return all
}

func (src *source) addScript(statements []statement) {
	alters := len(statements) == 1 && isAlterVSchema(statements[0].sql)
	src.scripts = append(src.scripts, script{statements, alters})
}

func isAlterVSchema(sql string) bool {
	words := strings.Fields(sql)
	return len(words) > 2 && strings.EqualFold(words[0], "alter") && strings.EqualFold(words[1], "vschema")
}

// loadVSchema reads the keyspace's VSchema. A file that holds several
// keyspaces must hold this one, and brings its routing rules along.
func (src *source) loadVSchema(data []byte, rules *vschemapb.SrvVSchema) error {
	name := src.keyspace.Name
	def, err := vindexes.Load(name, data, src.vschemaFile)
	if err != nil {
		return err
	}
	src.vschema = def.Keyspaces[name]
	if src.vschema == nil {
		return &vindexes.Error{File: src.vschemaFile, Path: "keyspaces", Message: fmt.Sprintf("keyspace %s is not in it: it has %s", name, strings.Join(namesOf(def), ", "))}
	}
	mergeRules(rules, def)
	return nil
}

func namesOf(def *vschemapb.SrvVSchema) []string {
	var names []string
	for name := range def.Keyspaces {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// mergeRules adds the rules of one file to those of the others.
func mergeRules(all, def *vschemapb.SrvVSchema) {
	if rules := def.GetRoutingRules().GetRules(); len(rules) > 0 {
		all.RoutingRules = &vschemapb.RoutingRules{Rules: append(all.GetRoutingRules().GetRules(), rules...)}
	}
	if rules := def.GetShardRoutingRules().GetRules(); len(rules) > 0 {
		all.ShardRoutingRules = &vschemapb.ShardRoutingRules{Rules: append(all.GetShardRoutingRules().GetRules(), rules...)}
	}
	if rules := def.GetKeyspaceRoutingRules().GetRules(); len(rules) > 0 {
		all.KeyspaceRoutingRules = &vschemapb.KeyspaceRoutingRules{Rules: append(all.GetKeyspaceRoutingRules().GetRules(), rules...)}
	}
	if rules := def.GetMirrorRules().GetRules(); len(rules) > 0 {
		all.MirrorRules = &vschemapb.MirrorRules{Rules: append(all.GetMirrorRules().GetRules(), rules...)}
	}
}
