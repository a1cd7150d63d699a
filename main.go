// Vitro is a sharded MySQL in one binary: a gateway that plans like Vitess's,
// simulated shards on an in-memory SQL engine, and a topology in the process.
//
// The map of the house, from the door inwards:
//
//	main.go            this file and cmd_*.go: flags to one Config
//	combo              starts and stops a whole cluster; the Go test fixture
//	  combo/wire       the MySQL protocol
//	  combo/gateway    sessions, transactions over shards, plan cache
//	  combo/topo       keyspaces, shards, tablets
//	combo/explain      what shards would be asked, without any
//	planner            statement to plan: semantics, operators, primitives
//	  planner/engine   the primitives and how they run
//	shardsim           the shards: SQL engine, storage, faults
//	vindexes           vindex types, VSchema; vindexes/key: keyspace ids
//
// Without a subcommand it serves: `go run .` is the demo.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// run runs the command line and gives the exit code: 1 for any error, which
// is printed as one message.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := rootCommand()
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "vitro: "+err.Error())
		return 1
	}
	return 0
}

// rootCommand is `vitro` with its subcommands; alone it serves.
func rootCommand() *cobra.Command {
	serve := serveCommand()
	root := &cobra.Command{
		Use:     "vitro",
		Short:   "A sharded MySQL in one binary",
		Long:    "Vitro is a sharded MySQL in one binary. Without a subcommand it serves; without flags it serves the demo.",
		Version: version(),
		Example: `  vitro
  vitro --schema-dir schema --keyspaces commerce,customer --num-shards 1,2 --mysql-port 0 --ready-json`,
		Args:          noCommand,
		RunE:          serve.RunE,
		SilenceErrors: true,
		SilenceUsage:  true,

		CompletionOptions:          cobra.CompletionOptions{HiddenDefaultCmd: true},
		SuggestionsMinimumDistance: 2,
	}
	root.Flags().AddFlagSet(serve.Flags())
	root.Flags().SortFlags, serve.Flags().SortFlags = false, false
	root.SetGlobalNormalizationFunc(dashes)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(serve, explainCommand(), plantestCommand(), lintCommand(), vschemaCommand())
	return root
}

// version is that of the module, as Go's tools stamp it into the binary.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return cmp.Or(info.Main.Version, "(devel)") + ", " + info.GoVersion
}

// noCommand refuses an argument where a subcommand may stand.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "`vitro --help` lists the commands"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %q?", near[0])
	}
	return fmt.Errorf("there is no command %q: %s", args[0], hint)
}

// flagError says what would be right in place of a flag that cannot be read.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		given := unknown.GetSpecifiedName()
		hint := fmt.Sprintf("`%s --help` lists the flags", cmd.CommandPath())
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if strings.HasPrefix(given, flag.Name) || strings.HasPrefix(flag.Name, given) {
				hint = fmt.Sprintf("did you mean --%s?", flag.Name)
			}
		})
		return fmt.Errorf("there is no flag --%s: %s", given, hint)
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		return fmt.Errorf("--%s: %q is no %s", invalid.GetFlag().Name, invalid.GetValue(), kind(invalid.GetFlag()))
	}
	return err
}

// kind is what a flag's value must be, in words.
func kind(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "int":
		return "whole number"
	case "bool":
		return "truth value: write --" + flag.Name + " or --" + flag.Name + "=false"
	}
	return flag.Value.Type()
}

// dashes makes --schema_dir mean --schema-dir.
func dashes(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
}
