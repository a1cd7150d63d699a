package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vitrodb/vitro/combo"
	"github.com/vitrodb/vitro/combo/explain"
	"github.com/vitrodb/vitro/planner/plantest"
	"github.com/vitrodb/vitro/vindexes"
)

// textOrFile is an input that is given as text or by the name of a file.
type textOrFile struct{ name, text, file string }

// explainFlags are the flags of `vitro explain`; names and defaults are vtexplain's.
type explainFlags struct {
	sql, schema, vschema, shardMap textOrFile
	schemaDir                      string

	cfg                                                        explain.Config
	replicationMode, executionMode, plannerVersion, outputMode string
	plan, trace                                                bool
}

// explainCommand shows what shards would be asked, without data.
func explainCommand() *cobra.Command {
	f := &explainFlags{}
	cmd := &cobra.Command{
		Use:   "explain (--schema-dir DIR | --vschema-file F --schema-file F) (--sql SQL | --sql-file F)",
		Short: "Show which queries each shard would get for a statement, without data",
		Long: `Shows what becomes of statements, as Vitess's vtexplain does: the queries that MySQL gets on each shard, with a logical time.
Nothing is served and there is no data: rows that later queries depend on are made up, an integer column as its number in the row
and others as a text like name_val_2.

The VSchema is an object of keyspaces by name. --plan adds the plans as trees, --trace how the planner came to them.`,
		Example: `  vitro explain --schema-dir schema --sql "select * from customer where id = 5"
  vitro explain --vschema-file vschema.json --schema-file schema.sql --shards 16 --plan --sql-file queries.sql`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd)
		},
	}
	flags := cmd.Flags()
	for _, input := range []struct {
		in         *textOrFile
		name, what string
	}{
		{&f.sql, "sql", "statements, separated by semicolons"},
		{&f.schema, "schema", "CREATE TABLE statements"},
		{&f.vschema, "vschema", "VSchema: keyspaces by name"},
		{&f.shardMap, "ks-shard-map", `shards by keyspace, {"ks": {"-80": {...}, "80-": {...}}}`},
	} {
		input.in.name = input.name
		flags.StringVar(&input.in.text, input.name, "", input.what)
		flags.StringVar(&input.in.file, input.name+"-file", "", "file of them, in place of --"+input.name)
	}
	flags.StringVar(&f.schemaDir, "schema-dir", "", "directory as `vitro serve` takes it, in place of --schema and --vschema")
	flags.IntVar(&f.cfg.Shards, "shards", 2, "shards of each sharded keyspace that the shard map does not name")
	flags.StringVar(&f.cfg.Target, "dbname", "", "database, or target such as ks/-80, that the statements run in")
	flags.StringVar(&f.executionMode, "execution-mode", "multi", "multi, legacy-autocommit or twopc (which shows the commits of multi)")
	flags.StringVar(&f.replicationMode, "replication-mode", "ROW", "ROW or STATEMENT; the queries are the same")
	flags.BoolVar(&f.cfg.Normalized, "normalize", false, "leave the types of literals as comments in the queries")
	flags.StringVar(&f.plannerVersion, "planner-version", "", "Gen4, which is also the default")
	flags.StringVar(&f.outputMode, "output-mode", "text", "text or json")
	flags.DurationVar(&f.cfg.BatchInterval, "batch-interval", explain.BatchIntervalDefault, "how far apart queries may come that have the same time")
	flags.BoolVar(&f.plan, "plan", false, "show the plans as trees (with text)")
	flags.BoolVar(&f.trace, "trace", false, "show the phases of planning and what each rewrite changed (with text)")
	return cmd
}

// errMissing begins as vtexplain's error does.
var errMissing = errors.New("action requires")

// read gives the text, and whether there is one.
func (in *textOrFile) read(required bool) (string, bool, error) {
	switch {
	case in.text != "" && in.file != "":
		return "", false, fmt.Errorf("action requires only one of %s or %s-file", in.name, in.name)
	case in.text != "":
		return in.text, true, nil
	case in.file != "":
		data, err := os.ReadFile(in.file)
		return string(data), true, err
	case required:
		return "", false, fmt.Errorf("%w one of %s or %s-file", errMissing, in.name, in.name)
	}
	return "", false, nil
}

// check refuses values that no flag can have.
func (f *explainFlags) check() error {
	for _, flag := range []struct {
		name, value string
		known       []string
	}{
		{"replication-mode", f.replicationMode, []string{"ROW", "STATEMENT"}},
		{"execution-mode", f.executionMode, []string{"multi", "legacy-autocommit", "twopc"}},
		{"output-mode", f.outputMode, []string{"text", "json"}},
		{"planner-version", strings.ToLower(f.plannerVersion), []string{"", "gen4"}},
	} {
		if !slices.Contains(flag.known, flag.value) {
			known := strings.Join(flag.known, ", ")
			if flag.name == "planner-version" {
				known = "Gen4"
			}
			return fmt.Errorf("--%s: %q is not known: it must be one of %s", flag.name, flag.value, known)
		}
	}
	switch {
	case f.cfg.Shards < 1:
		return fmt.Errorf("--shards: %d: there must be one or more", f.cfg.Shards)
	case f.cfg.BatchInterval <= 0:
		return fmt.Errorf("--batch-interval: %s: it must be more than 0", f.cfg.BatchInterval)
	case f.outputMode == "json" && (f.plan || f.trace):
		return errors.New("--plan and --trace belong to --output-mode text: JSON always has the plans")
	}
	return nil
}

func (f *explainFlags) run(cmd *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	sql, _, err := f.sql.read(true)
	if err != nil {
		return err
	}
	if err := f.readSchema(); err != nil {
		return err
	}
	shardMap, given, err := f.shardMap.read(false)
	if err != nil {
		return err
	}
	if given {
		if f.cfg.ShardMap, err = explain.ReadShardMap([]byte(shardMap)); err != nil {
			return err
		}
	}
	if f.executionMode == "twopc" {
		f.cfg.TransactionMode = "TWOPC"
	}
	explainer, err := explain.New(cmd.Context(), f.cfg)
	if err != nil {
		return err
	}
	defer explainer.Close()
	explained, err := explainer.Run(cmd.Context(), sql)
	if err != nil {
		return err
	}
	if f.outputMode == "json" {
		return explain.WriteJSON(cmd.OutOrStdout(), explained)
	}
	return explain.WriteText(cmd.OutOrStdout(), explained, f.about)
}

// readSchema reads the tables and the VSchema.
func (f *explainFlags) readSchema() (err error) {
	file := f.vschema.file
	var vschema string
	if f.schemaDir != "" {
		if f.schema != (textOrFile{name: f.schema.name}) || f.vschema != (textOrFile{name: f.vschema.name}) {
			return errors.New("--schema-dir has the tables and the VSchema: --schema and --vschema cannot stand beside it")
		}
		file = f.schemaDir
		cfg := combo.Config{SchemaDir: f.schemaDir}
		if f.cfg.Schema, err = combo.ReadTables(cfg); err != nil {
			return err
		}
		written, err := combo.ReadVSchema(cfg, "")
		if err != nil {
			return err
		}
		vschema = string(written)
	} else {
		if f.cfg.Schema, _, err = f.schema.read(true); err == nil {
			vschema, _, err = f.vschema.read(true)
		}
		if errors.Is(err, errMissing) {
			return fmt.Errorf("%w; or --schema-dir, which has the tables and the VSchema", err)
		}
		if err != nil {
			return err
		}
	}
	if file == "" {
		file = "--vschema"
	}
	f.cfg.VSchema, err = vindexes.Load("", []byte(vschema), file)
	return err
}

// about writes the trace and the plans of a statement.
func (f *explainFlags) about(out io.Writer, e *explain.Explanation) error {
	if f.trace {
		for _, line := range e.Trace {
			fmt.Fprintln(out, line)
		}
		fmt.Fprintln(out)
	}
	if !f.plan {
		return nil
	}
	for _, plan := range e.Plans {
		text, err := json.Marshal(plan)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, plantest.Outline(text))
	}
	return nil
}
