package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vitrodb/vitro/combo"
	"github.com/vitrodb/vitro/planner/plantest"
)

// plantestFlags are the flags of vitro plantest.
type plantestFlags struct {
	suite, vschema, keyspace, actual, junit string
	schemas                                 []string
	schemaDir                               string
	opts                                    plantest.Options
}

// plantestCommand runs golden plan tests without a server.
func plantestCommand() *cobra.Command {
	var f plantestFlags
	cmd := &cobra.Command{
		Use:   "plantest (--schema-dir DIR | --vschema F | --suite F) FILE|DIR...",
		Short: "Compare the plans of queries with those in case files",
		Long: `Plans the queries of case files and compares the plans with those in the files. No server is started.

A case file is a JSON list of {"comment", "query", "plan"}, as Vitess's planner tests have it; "plan" is the plan as an object or
the text of an error. --update writes it.`,
		Example: `  vitro plantest --schema-dir schema --keyspace customer --no-scatter plans/
  vitro plantest --vschema vschema.json --schema schema.sql --keyspace customer --no-scatter plans/`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			return f.run(cmd.OutOrStdout(), args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.suite, "suite", "", "file with settings per case file, in place of the flags below")
	flags.StringVar(&f.schemaDir, "schema-dir", "", "directory as `vitro serve` takes it, in place of --schema and --vschema")
	flags.StringVar(&f.vschema, "vschema", "", `VSchema: {"keyspaces": ...}, or one keyspace with --keyspace`)
	flags.StringArrayVar(&f.schemas, "schema", nil, "file of CREATE TABLE statements of the keyspace (may be repeated)")
	flags.StringVar(&f.keyspace, "keyspace", "", "selected keyspace")
	flags.BoolVar(&f.opts.Update, "update", false, "write the plans into the case files")
	flags.StringVar(&f.actual, "actual", "", `write a JSON line per case to this file: {"file","query","plan"|"error"}`)
	flags.StringVar(&f.junit, "junit", "", "write the outcome to this file as JUnit XML")
	flags.IntVar(&f.opts.MaxShards, "max-shards", 0, "fail cases whose plan may ask more shards than this at once; 0 is any number")
	flags.BoolVar(&f.opts.NoScatter, "no-scatter", false, "fail cases whose plan goes to all shards")
	return cmd
}

// check finds what is wrong with the command line itself.
func (f *plantestFlags) check(paths []string) error {
	switch {
	case len(paths) == 0:
		return errors.New("no case files are named: write `vitro plantest --schema-dir DIR FILE|DIR...`")
	case f.suite == "" && f.vschema == "" && f.schemaDir == "":
		return errors.New("a VSchema is needed: give --schema-dir, --vschema, or --suite")
	case f.suite != "" && (f.vschema != "" || f.keyspace != "" || f.schemaDir != "" || len(f.schemas) > 0):
		return errors.New("--suite has settings for each case file: --schema-dir, --vschema, --schema and --keyspace cannot stand beside it")
	case f.schemaDir != "" && (f.vschema != "" || len(f.schemas) > 0):
		return errors.New("--schema-dir has the tables and the VSchema: --schema and --vschema cannot stand beside it")
	case f.opts.MaxShards < 0:
		return fmt.Errorf("--max-shards: %d: it must be 1 or more, or 0 for any number", f.opts.MaxShards)
	}
	return nil
}

// planners are the suite's or the one planner that the flags describe.
func (f *plantestFlags) planners() (plantest.Planners, error) {
	if f.suite != "" {
		return plantest.ReadSuite(f.suite)
	}
	cfg := plantest.Config{
		Settings:    plantest.Settings{DefaultKeyspace: f.keyspace},
		VSchemaFile: f.vschema, Keyspace: f.keyspace, SchemaFiles: f.schemas,
	}
	if f.schemaDir != "" {
		var err error
		dir := combo.Config{SchemaDir: f.schemaDir}
		if cfg.VSchema, err = combo.ReadVSchema(dir, ""); err != nil {
			return nil, err
		}
		if cfg.Schema, err = combo.ReadTables(dir); err != nil {
			return nil, err
		}
		cfg.VSchemaFile = f.schemaDir
	}
	return plantest.NewPlanner(cfg)
}

func (f *plantestFlags) run(out io.Writer, paths []string) (err error) {
	planners, err := f.planners()
	if err != nil {
		return err
	}
	if f.actual != "" {
		file, err := os.Create(f.actual)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		f.opts.Actual = file
	}
	report, err := plantest.RunFiles(planners, f.opts, paths...)
	if err != nil {
		return err
	}
	if f.junit != "" {
		if err := f.writeJUnit(&report); err != nil {
			return err
		}
	}
	if report.Cases == 0 {
		return fmt.Errorf("no cases: %s has none", strings.Join(paths, ", "))
	}
	for _, failure := range report.Failures {
		fmt.Fprintln(out, failure)
	}
	if f.opts.Update {
		fmt.Fprintf(out, "%s written of %d\n", count(report.Updated, "plan"), report.Cases)
	}
	if n := len(report.Failures); n > 0 {
		return fmt.Errorf("%d of %s failed", n, count(report.Cases, "case"))
	}
	if !f.opts.Update {
		fmt.Fprintf(out, "%s passed\n", count(report.Cases, "case"))
	}
	return nil
}

func (f *plantestFlags) writeJUnit(report *plantest.Report) (err error) {
	file, err := os.Create(f.junit)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return report.WriteJUnit(file)
}
