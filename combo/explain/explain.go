package explain

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"vitess.io/vitess/go/sqltypes"
	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vtenv"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/combo/gateway"
	"github.com/vitrodb/vitro/planner"
	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// BatchIntervalDefault is vtexplain's.
const BatchIntervalDefault = 10 * time.Millisecond

// Config is what statements are explained for. VSchema must be set.
type Config struct {
	VSchema *vschemapb.SrvVSchema
	// Schema are CREATE TABLE statements; all keyspaces have all tables.
	Schema string
	// Shards is how many shards a keyspace has that is not in ShardMap; an unsharded one has always one. 0 for 2.
	Shards int
	// ShardMap has the names of shards by keyspace, in shard order.
	ShardMap map[string][]string
	// Target is the database or target (`ks/-80`, `ks@replica`) the statements run in; empty for none.
	Target string
	// TransactionMode is SINGLE, MULTI or TWOPC; empty for MULTI.
	TransactionMode string
	// Normalized leaves the types of literals in the queries, as a gateway that normalises writes them.
	Normalized bool
	// BatchInterval is how far apart queries may arrive that came at once; 0 for BatchIntervalDefault.
	BatchInterval time.Duration
}

// Explanation is what one statement does.
type Explanation struct {
	SQL string
	// Plans are those made for the statement and for the lookups it needs, in their order.
	Plans []*engine.Plan
	// Trace are the phases of planning, line by line.
	Trace []string
	// Tablets are the notes of the shards that had a part in it, by "keyspace/shard".
	Tablets map[string]*Tablet
}

// Explainer explains statements one after another, as one session. It is not safe for concurrent use.
type Explainer struct {
	cfg     Config
	env     *vtenv.Environment
	vschema *vindexes.VSchema
	shards  map[string][]key.Shard
	tables  map[string]*table
	roles   map[tableKey]role
	gateway *gateway.Gateway
	session *gateway.Session

	clock *clock
	notes notes
	// savepoints is how many statements have needed one.
	savepoints int
}

// New returns an explainer, or what is wrong with the schema, the VSchema or the shards.
func New(ctx context.Context, cfg Config) (*Explainer, error) {
	if cfg.Shards == 0 {
		cfg.Shards = 2
	}
	if cfg.BatchInterval == 0 {
		cfg.BatchInterval = BatchIntervalDefault
	}
	env, err := vtenv.New(vtenv.Options{MySQLServerVersion: "8.4.6"})
	if err != nil {
		return nil, err
	}
	vschema, err := vindexes.Build(cfg.VSchema, vindexes.Types())
	if err != nil {
		return nil, err
	}
	x := &Explainer{cfg: cfg, env: env, vschema: vschema, roles: rolesOf(cfg.VSchema), clock: newClock(cfg.BatchInterval)}
	if x.tables, err = readTables(env.Parser(), cfg.Schema); err != nil {
		return nil, err
	}
	x.learnForeignKeys()
	if x.shards, err = layOut(&cfg); err != nil {
		return nil, err
	}
	x.gateway, err = gateway.New(gateway.Config{
		Topology: topology{x}, VSchema: x.vschema, Env: env, Plan: x.plan, TransactionMode: cfg.TransactionMode,
		FanOutMax: max(x.widest(), 1), UnnamedColumns: true,
	})
	if err != nil {
		return nil, err
	}
	x.session, err = x.gateway.Connect(ctx, gateway.ConnInfo{Database: cfg.Target})
	return x, err
}

// learnForeignKeys tells the VSchema the keys of tables in keyspaces whose foreign keys the gateway keeps.
func (x *Explainer) learnForeignKeys() {
	for _, name := range x.vschema.KeyspaceNames() {
		ks := x.vschema.Keyspaces[name]
		if ks.ForeignKeyMode != vschemapb.Keyspace_managed {
			continue
		}
		var tables []vindexes.TableSchema
		for _, table := range slices.Sorted(maps.Keys(ks.Tables)) {
			if made := x.tables[table]; made != nil {
				tables = append(tables, made.keys)
			}
		}
		x.vschema = x.vschema.WithTables(name, tables)
	}
}

// layOut gives each keyspace its shards.
func layOut(cfg *Config) (map[string][]key.Shard, error) {
	for _, keyspace := range slices.Sorted(maps.Keys(cfg.ShardMap)) {
		if cfg.VSchema.GetKeyspaces()[keyspace] == nil {
			return nil, fmt.Errorf("the shard map names keyspace %s, which is not in the VSchema", keyspace)
		}
	}
	shards := map[string][]key.Shard{}
	for keyspace, def := range cfg.VSchema.GetKeyspaces() {
		names := cfg.ShardMap[keyspace]
		if names == nil {
			count := 1
			if def.GetSharded() {
				count = cfg.Shards
			}
			var err error
			if names, err = key.ShardRanges(count, 0); err != nil {
				return nil, err
			}
		}
		var err error
		if shards[keyspace], err = key.ParseShards(names); err != nil {
			return nil, fmt.Errorf("keyspace %s: %w", keyspace, err)
		}
	}
	return shards, nil
}

// widest is the number of shards of the keyspace with the most.
func (x *Explainer) widest() int {
	widest := 0
	for _, shards := range x.shards {
		widest = max(widest, len(shards))
	}
	return widest
}

// Close ends the session.
func (x *Explainer) Close() { x.session.Close() }

// plan is the gateway's PlanFunc: it keeps plans with the trace of their making.
func (x *Explainer) plan(sql string, stmt sqlparser.Statement, req gateway.PlanRequest) (*engine.Plan, error) {
	plan, trace, err := planner.Trace(sql, stmt, req.Reserved, req.BindVarNeeds, req.Context())
	x.notes.trace = append(x.notes.trace, trace...)
	if err != nil {
		return nil, err
	}
	rowByRow(plan.Instructions)
	x.notes.plans = append(x.notes.plans, plan)
	return plan, nil
}

// rowByRow makes checks of foreign keys find nothing, as their made-up rows would break the key. It makes joins ask their right side once for each left row, and recursive common table expressions their term once for
// each row of the seed: the term's made-up rows would lead to others without end.
func rowByRow(p engine.Primitive) {
	if p == nil {
		return
	}
	for _, input := range p.Inputs() {
		rowByRow(input.Primitive)
	}
	switch p := p.(type) {
	case *engine.Join:
		p.Batch = nil
	case *engine.RecurseCTE:
		p.Term = withoutRows{p.Term}
	case *engine.FkVerify:
		for _, check := range p.Verify {
			check.Exec = withoutRows{check.Exec}
		}
	}
}

// withoutRows runs a primitive for its queries alone.
type withoutRows struct{ engine.Primitive }

// Execute implements engine.Primitive.
func (w withoutRows) Execute(ctx context.Context, env *engine.Env, bindVars engine.BindVars, emit engine.Emit) error {
	return w.Primitive.Execute(ctx, env, bindVars, func(result *sqltypes.Result) error {
		return emit(&sqltypes.Result{Fields: result.Fields})
	})
}

// Run explains statements separated by semicolons. The first that fails ends it.
func (x *Explainer) Run(ctx context.Context, sql string) ([]*Explanation, error) {
	pieces, err := x.env.Parser().SplitStatementToPieces(sql)
	if err != nil {
		return nil, err
	}
	var explained []*Explanation
	for _, piece := range pieces {
		piece = strings.TrimSpace(piece)
		for stripped := sqlparser.StripLeadingComments(piece); stripped != piece; stripped = sqlparser.StripLeadingComments(piece) {
			piece = stripped
		}
		if piece == "" {
			continue
		}
		explanation, err := x.explain(ctx, piece)
		if err != nil {
			return nil, vterrors.Wrapf(err, "cannot explain '%s'", piece)
		}
		explained = append(explained, explanation)
	}
	return explained, nil
}

// explain runs one statement and collects the notes. Time begins anew unless a transaction goes on.
func (x *Explainer) explain(ctx context.Context, sql string) (*Explanation, error) {
	if !x.session.Status().InTransaction {
		x.clock = newClock(x.cfg.BatchInterval)
	}
	x.gateway.SetVSchema(x.vschema) // forgets the plans, so that this statement's are made
	_, margin := sqlparser.SplitMarginComments(sql)
	x.notes = notes{trailing: margin.Trailing, tablets: map[string]*Tablet{}}
	if err := x.session.Execute(ctx, sql, nil, func(*sqltypes.Result) error { return nil }); err != nil {
		return nil, err
	}
	x.notes.sort()
	x.nameSavepoints()
	return &Explanation{SQL: sql, Plans: x.notes.plans, Trace: x.notes.trace, Tablets: x.notes.tablets}, nil
}
