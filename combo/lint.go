package combo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/combo/lint"
	"github.com/vitrodb/vitro/shardsim"
	"github.com/vitrodb/vitro/vindexes"
)

// Finding is one mistake that Lint finds.
type Finding = lint.Finding

// LintError is the Level of findings that are mistakes for sure.
const LintError = lint.Error

// Lint checks what Start would read, without serving: the form of all files, the VSchema, and whether it fits the tables
// that the SQL files make on a shard of their own. Of the Config it heeds SchemaDir, Keyspaces and RoutingRules. Unlike
// Start it does not stop at the first mistake; findings are sorted. The error is of a directory that cannot be read.
func Lint(ctx context.Context, cfg Config) ([]Finding, error) {
	if err := checkDir(cfg.SchemaDir); err != nil {
		return nil, err
	}
	if len(cfg.Keyspaces) == 0 {
		var err error
		if cfg.Keyspaces, err = keyspacesIn(cfg.SchemaDir); err != nil {
			return nil, err
		}
	}
	fsys := os.DirFS(cfg.SchemaDir)
	l := &linter{in: &input{rules: &vschemapb.SrvVSchema{}, rulesFile: "routing rules"}}
	l.findings = strayFiles(fsys, filepath.ToSlash(cfg.SchemaDir), cfg.Keyspaces)
	l.read(fsys, cfg)
	if err := l.apply(ctx); err != nil {
		return nil, err
	}
	l.findings = append(l.findings, lint.Check(l.input())...)
	lint.Sort(l.findings)
	return slices.Compact(l.findings), nil
}

// linter is a Lint in progress.
type linter struct {
	in       *input
	findings []Finding
	tables   map[string][]vindexes.TableSchema // by keyspace, as the SQL files made them
}

// note keeps an error as a finding.
func (l *linter) note(check string, err error) {
	l.findings = append(l.findings, lint.Of(check, err))
}

// read reads all files; a keyspace whose files are broken is left out.
func (l *linter) read(fsys fs.FS, cfg Config) {
	if err := l.in.readRoutingRules(cfg); err != nil {
		l.note("rule", err)
	}
	for _, ks := range cfg.Keyspaces {
		src, err := readKeyspace(fsys, cfg.SchemaDir, ks, l.in.rules)
		if err != nil {
			l.note("file", err)
			continue
		}
		if src.vschema == nil {
			src.vschema = &vschemapb.Keyspace{}
		}
		l.in.sources = append(l.in.sources, *src)
	}
}

// apply runs the SQL files, each keyspace's on one shard of its own, and sees what tables they make.
func (l *linter) apply(ctx context.Context) (err error) {
	parser, err := sqlparser.New(sqlparser.Options{MySQLServerVersion: mysqlVersion("")})
	if err != nil {
		return err
	}
	shards := shardsim.New(shardsim.Config{})
	defer func() { err = errors.Join(err, shards.Close()) }()
	l.tables = map[string][]vindexes.TableSchema{}
	for i := range l.in.sources {
		src := &l.in.sources[i]
		sim, err := shards.AddShard(src.keyspace.Name, "0")
		if err != nil {
			return err
		}
		for _, script := range src.scripts {
			if script.alterVSchema {
				err = alterDefinition(parser, l.definition(), src.keyspace.Name, script.statements[0])
			} else {
				err = runOnShard(ctx, sim, script.statements)
			}
			if err != nil {
				l.note("sql", err)
				src.scripts = nil // what would have been made is not known
				break
			}
		}
		seen, _ := sim.Schema()
		l.tables[src.keyspace.Name] = convertSchema(parser, src.keyspace.Name, seen)
	}
	return nil
}

// definition is of all keyspaces that could be read.
func (l *linter) definition() *vschemapb.SrvVSchema {
	def := &vschemapb.SrvVSchema{Keyspaces: map[string]*vschemapb.Keyspace{}}
	for _, src := range l.in.sources {
		def.Keyspaces[src.keyspace.Name] = src.vschema
	}
	return def
}

// input is what package lint checks.
func (l *linter) input() lint.Input {
	in := lint.Input{Rules: l.in.rules, RulesFile: l.in.rulesFile, Types: vindexes.Types()}
	for _, src := range l.in.sources {
		in.Keyspaces = append(in.Keyspaces, lint.Keyspace{
			Name: src.keyspace.Name, File: src.file(), Def: src.vschema,
			Tables: l.tables[src.keyspace.Name], Scripted: len(src.scripts) > 0,
		})
	}
	return in
}
