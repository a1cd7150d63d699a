package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vitrodb/vitro/combo"
)

// lintFlags are the flags of `vitro lint`.
type lintFlags struct {
	cfg       combo.Config
	keyspaces []string
	format    string
}

// lintCommand checks a schema directory without serving.
func lintCommand() *cobra.Command {
	f := &lintFlags{}
	cmd := &cobra.Command{
		Use:   "lint DIR",
		Short: "Check a schema directory without serving",
		Long: `Checks a schema directory as --schema-dir takes it: the form of its files, the VSchema, and whether the VSchema fits the tables
that the SQL files make. Each finding names the file, the path in its JSON, what is wrong and what would be right. The exit code
is 1 if there is one that is not a mere warning.`,
		Example: `  vitro lint schema
  vitro lint schema --format json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("one directory is needed: write `vitro lint DIR`")
			}
			f.cfg.SchemaDir = args[0]
			for _, name := range f.keyspaces {
				f.cfg.Keyspaces = append(f.cfg.Keyspaces, combo.Keyspace{Name: name})
			}
			findings, err := combo.Lint(cmd.Context(), f.cfg)
			if err != nil {
				return err
			}
			return f.print(cmd.OutOrStdout(), findings)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.keyspaces, "keyspaces", nil, "keyspaces to check, with commas (default: each directory in DIR)")
	flags.StringVar(&f.cfg.RoutingRules, "routing-rules", "", "file of routing rules (default: routing_rules.json in DIR, if there is one)")
	flags.StringVar(&f.format, "format", "text", "text, or json: a list of {file, line, path, level, check, message}")
	return cmd
}

// print prints the findings; mistakes among them are an error.
func (f *lintFlags) print(out io.Writer, findings []combo.Finding) error {
	mistakes := 0
	for _, finding := range findings {
		if finding.Level == combo.LintError {
			mistakes++
		}
	}
	switch f.format {
	case "json":
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		if findings == nil {
			findings = []combo.Finding{}
		}
		if err := encoder.Encode(findings); err != nil {
			return err
		}
	case "text":
		for _, finding := range findings {
			fmt.Fprintln(out, finding)
		}
		if len(findings) == 0 {
			fmt.Fprintf(out, "%s: nothing found\n", f.cfg.SchemaDir)
		}
	default:
		return fmt.Errorf("--format: %q is not known: it must be text or json", f.format)
	}
	if mistakes > 0 {
		return fmt.Errorf("%s has %d %s", f.cfg.SchemaDir, mistakes, map[bool]string{true: "mistake", false: "mistakes"}[mistakes == 1])
	}
	return nil
}
