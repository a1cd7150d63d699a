package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vitrodb/vitro/combo"
	"github.com/vitrodb/vitro/combo/wire"
)

// serveFlags are the flags of `vitro serve` as they are written.
type serveFlags struct {
	cfg        combo.Config
	keyspaces  []string
	numShards  []string
	shardNames []string
	readyJSON  bool
}

// mysqlPortDefault is that of vttestserver's examples.
const mysqlPortDefault = 15306

// serveCommand is `vitro serve`: a cluster until SIGINT or SIGTERM.
func serveCommand() *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a cluster (the default)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd.Context(), cmd.OutOrStdout(), f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.cfg.SchemaDir, "schema-dir", "", "directory with a directory for each keyspace: *.sql files and vschema.json")
	flags.StringSliceVar(&f.keyspaces, "keyspaces", nil, "keyspaces to make, with commas (default: each directory in --schema-dir)")
	flags.StringSliceVar(&f.numShards, "num-shards", nil, "number of shards of each of --keyspaces, with commas (default: 2 if its VSchema is sharded, else 1)")
	flags.StringArrayVar(&f.shardNames, "shard-names", nil, "uneven shards of a keyspace, as in user:-40,40-80,80- (may be repeated)")
	flags.StringVar(&f.cfg.RoutingRules, "routing-rules", "", "file of routing rules (default: routing_rules.json in --schema-dir, if there is one)")
	flags.StringVar(&f.cfg.Host, "mysql-bind-host", "127.0.0.1", "address to listen at")
	flags.IntVar(&f.cfg.MySQLPort, "mysql-port", mysqlPortDefault, "port to listen at; 0 picks a free one")
	flags.StringVar(&f.cfg.User, "mysql-user", "", "user that clients must log in as (default: any)")
	flags.StringVar(&f.cfg.Password, "mysql-password", "", "password of --mysql-user")
	flags.StringVar(&f.cfg.ServerVersion, "mysql-server-version", wire.DefaultServerVersion, "version that clients see")
	flags.StringVar(&f.cfg.VSchemaDDLUsers, "vschema-ddl-authorized-users", "%", "users that may run ALTER VSCHEMA, with commas; % is all, - is nobody")
	flags.StringVar(&f.cfg.TransactionMode, "transaction-mode", "MULTI", "SINGLE, MULTI or TWOPC")
	flags.StringVar(&f.cfg.ForeignKeyMode, "foreign-key-mode", "allow", "allow or disallow foreign keys in CREATE and ALTER TABLE of clients")
	flags.BoolVar(&f.cfg.NoScatter, "no-scatter", false, "refuse queries that would go to all shards")
	flags.BoolVar(&f.cfg.WarnShardedOnly, "warn-sharded-only", false, "warn of temporary tables, CALL and LOAD DATA, which work in unsharded keyspaces alone")
	flags.IntVar(&f.cfg.MaxMemoryRows, "max-memory-rows", 300_000, "most rows that the gateway holds in memory for one statement")
	flags.BoolVar(&f.readyJSON, "ready-json", false, "print one line of JSON with the addresses instead of the greeting")
	flags.SetNormalizeFunc(dashes)
	return cmd
}

// serve starts the cluster, tells how to reach it, and waits for the end.
func serve(ctx context.Context, out io.Writer, f *serveFlags) error {
	cfg, err := f.config()
	if err != nil {
		return err
	}
	cfg.Log = func(message string) { log.Print(message) }
	if cfg.SchemaDir == "" && len(f.keyspaces) > 0 {
		cfg.Log("without --schema-dir " + strings.Join(f.keyspaces, ", ") + " begin empty: CREATE TABLE and ALTER VSCHEMA fill them")
	}
	cluster, err := combo.Start(ctx, cfg)
	if err != nil {
		return err
	}
	if err := greet(out, cluster, f.readyJSON); err != nil {
		cluster.Close()
		return err
	}
	<-ctx.Done()
	return cluster.Close()
}

// config makes the cluster's Config of the flags.
func (f *serveFlags) config() (combo.Config, error) {
	cfg := f.cfg
	if cfg.Password != "" && cfg.User == "" {
		return cfg, fmt.Errorf("--mysql-password needs --mysql-user beside it")
	}
	if len(f.numShards) > 0 && len(f.keyspaces) == 0 {
		return cfg, fmt.Errorf("--num-shards needs --keyspaces beside it: give one number for each keyspace")
	}
	if len(f.numShards) > 0 && len(f.numShards) != len(f.keyspaces) {
		return cfg, fmt.Errorf("--num-shards has %s but --keyspaces has %s: give one number for each keyspace", count(len(f.numShards), "number"), count(len(f.keyspaces), "name"))
	}
	for i, name := range f.keyspaces {
		ks := combo.Keyspace{Name: strings.TrimSpace(name)}
		if len(f.numShards) > 0 {
			n, err := strconv.Atoi(strings.TrimSpace(f.numShards[i]))
			if err != nil || n < 1 {
				return cfg, fmt.Errorf("--num-shards: %q for keyspace %s is no number of shards: it must be 1 or more", f.numShards[i], ks.Name)
			}
			ks.Shards = n
		}
		cfg.Keyspaces = append(cfg.Keyspaces, ks)
	}
	return cfg, f.nameShards(&cfg)
}

// count is a number of things, in words: 1 number, 2 numbers.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// nameShards gives keyspaces the shards that --shard-names names.
func (f *serveFlags) nameShards(cfg *combo.Config) error {
	for _, flag := range f.shardNames {
		keyspace, list, ok := strings.Cut(flag, ":")
		if !ok || list == "" {
			return fmt.Errorf("--shard-names: %q must be a keyspace and its shards, as in user:-40,40-80,80-", flag)
		}
		i := slices.IndexFunc(cfg.Keyspaces, func(ks combo.Keyspace) bool { return ks.Name == keyspace })
		if i < 0 {
			if len(f.keyspaces) > 0 {
				return fmt.Errorf("--shard-names: keyspace %s is not among --keyspaces %s", keyspace, strings.Join(f.keyspaces, ","))
			}
			if cfg.SchemaDir != "" {
				return fmt.Errorf("--shard-names beside --schema-dir needs --keyspaces too: name all keyspaces to make")
			}
			cfg.Keyspaces = append(cfg.Keyspaces, combo.Keyspace{Name: keyspace})
			i = len(cfg.Keyspaces) - 1
		}
		cfg.Keyspaces[i].ShardNames = strings.Split(list, ",")
	}
	return nil
}

// shardsShownMax is how many shards of a keyspace the greeting names.
const shardsShownMax = 16

// greet prints how to connect and what there is to see, ending with the ready
// line.
func greet(out io.Writer, cluster *combo.Cluster, asJSON bool) error {
	info := cluster.Info()
	if asJSON {
		return json.NewEncoder(out).Encode(info)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Connect:  mysql -h %s -P %d -u %s\n", info.Host, info.MySQLPort, info.User)
	for i, ks := range info.Keyspaces {
		label := "Keyspaces:"
		if i > 0 {
			label = ""
		}
		kind := "unsharded"
		if ks.Sharded {
			kind = "sharded"
		}
		shards := strings.Join(ks.Shards, " ")
		if n := len(ks.Shards); n > shardsShownMax {
			shards = fmt.Sprintf("%s %s ... %s, %d shards", ks.Shards[0], ks.Shards[1], ks.Shards[n-1], n)
		}
		fmt.Fprintf(&b, "%-10s %s (%s): %s\n", label, ks.Name, kind, shards)
	}
	fmt.Fprintf(&b, "Vitro is ready at %s\n", cluster.Addr())
	_, err := io.WriteString(out, b.String())
	return err
}
