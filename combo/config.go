package combo

import (
	"fmt"
	"strings"

	"github.com/vitrodb/vitro/shardsim"
	"github.com/vitrodb/vitro/shardsim/faults"
)

// Config says what cluster to start. The zero value is the demo on a free
// port of 127.0.0.1.
type Config struct {
	// SchemaDir holds a directory for each keyspace, with *.sql files that run
	// in lexical order and perhaps a vschema.json.
	SchemaDir string
	// Keyspaces to make. With SchemaDir and no Keyspaces, each directory in it
	// is one.
	Keyspaces []Keyspace
	// RoutingRules is a file of routing rules, {"rules": [...]}; empty is
	// routing_rules.json in SchemaDir, if there is one.
	RoutingRules string

	Host      string // to listen at; empty is 127.0.0.1
	MySQLPort int    // 0 picks a free one
	// User and Password that clients must give; both empty let anyone in.
	User, Password string
	ServerVersion  string // that clients see; empty is 8.4.6-Vitess

	// VSchemaDDLUsers may run ALTER VSCHEMA: names with commas, "%" for all.
	// Empty is "%"; "-" is nobody.
	VSchemaDDLUsers string
	// NoScatter refuses queries that would go to all shards; writes may, as in Vitess.
	NoScatter bool
	// WarnShardedOnly warns clients of what works in unsharded keyspaces alone: temporary tables, CALL and LOAD DATA.
	WarnShardedOnly bool
	// MaxMemoryRows bounds the rows that the gateway holds for one statement; 0 is Vitess's 300,000.
	MaxMemoryRows int
	// TransactionMode is SINGLE, MULTI or TWOPC; empty is MULTI.
	TransactionMode string
	// ForeignKeyMode is allow, or disallow: then clients may make no foreign keys and the gateway keeps none. Empty is allow.
	ForeignKeyMode string
	// Faults makes statements on the shards fail or wait by rule; nil for none.
	Faults *faults.Rules
	// Log hears of broken invariants, such as a panic; nil drops them.
	Log func(message string)
}

// Keyspace is one logical database of a Config.
type Keyspace struct {
	Name string
	// Shards is the number of even shards. 0 is 2 for a keyspace whose VSchema
	// says it is sharded, else 1.
	Shards int
	// ShardNames, in place of Shards, are the key ranges: -40, 40-80, 80-.
	ShardNames []string
	// Schema are SQL statements that run on each shard, VSchema is the
	// vschema.json: the alternative to files in SchemaDir.
	Schema  []string
	VSchema string
}

// ServerInfo is how a cluster is reached, as --ready-json prints it.
type ServerInfo struct {
	Host      string         `json:"host"`
	MySQLPort int            `json:"mysql_port"`
	User      string         `json:"user"`
	Keyspaces []KeyspaceInfo `json:"keyspaces"`
}

// KeyspaceInfo is one keyspace of a running cluster.
type KeyspaceInfo struct {
	Name    string   `json:"name"`
	Sharded bool     `json:"sharded"`
	Shards  []string `json:"shards"`
}

// check finds what is wrong with the settings themselves.
func (cfg *Config) check() error {
	if cfg.MySQLPort < 0 || cfg.MySQLPort > 65535 {
		return fmt.Errorf("port %d is out of range: it must be from 1 to 65535, or 0 for a free one", cfg.MySQLPort)
	}
	if cfg.MaxMemoryRows < 0 {
		return fmt.Errorf("the most rows in memory cannot be %d: it must be 1 or more, or 0 for 300000", cfg.MaxMemoryRows)
	}
	switch cfg.ForeignKeyMode {
	case "", "allow", "disallow":
	default:
		return fmt.Errorf("foreign key mode %q is not known: it must be allow or disallow", cfg.ForeignKeyMode)
	}
	switch strings.ToUpper(cfg.TransactionMode) {
	case "", "SINGLE", "MULTI", "TWOPC":
	default:
		return fmt.Errorf("transaction mode %q is not known: it must be SINGLE, MULTI or TWOPC", cfg.TransactionMode)
	}
	seen := map[string]bool{}
	for _, ks := range cfg.Keyspaces {
		switch {
		case ks.Name == "":
			return fmt.Errorf("a keyspace has no name")
		case seen[ks.Name]:
			return fmt.Errorf("keyspace %s is given twice", ks.Name)
		case ks.Shards < 0:
			return fmt.Errorf("keyspace %s: %d shards make no sense: at least 1 is needed", ks.Name, ks.Shards)
		case ks.Shards > 0 && len(ks.ShardNames) > 0 && ks.Shards != len(ks.ShardNames):
			return fmt.Errorf("keyspace %s: %d shards are asked for but %d are named", ks.Name, ks.Shards, len(ks.ShardNames))
		}
		seen[ks.Name] = true
	}
	return nil
}

// shardConfig is what the shards need to know.
func (cfg *Config) shardConfig() shardsim.Config {
	if cfg.Faults == nil {
		return shardsim.Config{}
	}
	return shardsim.Config{Faults: cfg.Faults}
}

// host is the address to listen at.
func (cfg *Config) host() string {
	if cfg.Host == "" {
		return "127.0.0.1"
	}
	return cfg.Host
}

// ddlUsers are the users for ALTER VSCHEMA as the gateway wants them.
func (cfg *Config) ddlUsers() string {
	switch cfg.VSchemaDDLUsers {
	case "":
		return "%"
	case "-":
		return ""
	}
	return cfg.VSchemaDDLUsers
}
