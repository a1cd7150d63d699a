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
//	planner            statement to plan: semantics, operators, primitives
//	  planner/engine   the primitives and how they run
//	shardsim           the shards: SQL engine, storage, faults
//	vindexes           vindex types, VSchema; vindexes/key: keyspace ids
//
// Without a subcommand it serves: `go run .` is the demo.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
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
		Use:           "vitro",
		Short:         "A sharded MySQL in one binary",
		Long:          "Vitro is a sharded MySQL in one binary. Without a subcommand it serves; without flags it serves the demo.",
		Args:          cobra.NoArgs,
		RunE:          serve.RunE,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Flags().AddFlagSet(serve.Flags())
	root.SetGlobalNormalizationFunc(dashes)
	root.AddCommand(serve, plantestCommand())
	return root
}

// dashes makes --schema_dir mean --schema-dir.
func dashes(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
}
