package gateway

import (
	"time"

	"vitess.io/vitess/go/vt/vtenv"

	"github.com/vitrodb/vitro/vindexes"
)

// Config configures a Gateway. Topology and VSchema must be set; zero values of the others work.
type Config struct {
	Topology Topology
	// VSchema is the sharding scheme at the start; schema changes replace it.
	VSchema *vindexes.VSchema
	// Plan makes plans; nil for the planner's.
	Plan PlanFunc

	// Env is the parser and the collations; nil for MySQL 8.4.6's.
	Env *vtenv.Environment
	// ServerVersion is what clients see; empty for 8.4.6-Vitess.
	ServerVersion string
	// Log hears of broken invariants, such as a panic; nil drops them.
	Log func(message string)
	// Now is the clock; nil for the system's.
	Now func() time.Time
	// TransactionMode is SINGLE, MULTI or TWOPC; empty for MULTI.
	TransactionMode string
	// VSchemaDDLUsers are the users that may change the VSchema, separated by commas; % for all, empty for none.
	VSchemaDDLUsers string
	// NoScatter refuses plans that read from all shards.
	NoScatter bool
	// ForeignKeysDisallowed refuses foreign keys in all keyspaces, whatever their mode.
	ForeignKeysDisallowed bool
	// WarnShardedOnly warns of what works in unsharded keyspaces alone.
	WarnShardedOnly bool
	// MemoryRowsMax bounds the rows a statement may hold in memory; 0 for 300,000.
	MemoryRowsMax int
	// PlansMax bounds the plan cache; 0 for 5,000.
	PlansMax int
	// FanOutMax bounds the shards one statement asks at once; 0 for the engine's default.
	FanOutMax int
	// UnnamedColumns leaves it to the shards to name columns whose text has literals, as Vitess does. Otherwise the plan names
	// them, so that a shard may answer without knowing the text.
	UnnamedColumns bool
	// CreateKeyspace and DropKeyspace run CREATE and DROP DATABASE; nil refuses them.
	CreateKeyspace, DropKeyspace func(name string) (*vindexes.VSchema, error)
}

const (
	memoryRowsMaxDefault = 300_000
	plansMaxDefault      = 5_000
)
