package gateway

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"vitess.io/vitess/go/vt/vtenv"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes"
)

// Gateway executes statements of many clients. It is safe for concurrent use.
type Gateway struct {
	cfg     Config
	env     *vtenv.Environment
	vschema atomic.Pointer[vindexes.VSchema]
	plans   *planCache
	texts   *textCache
	shapes  *shapeCache
	seqs    *sequences
	// migrations are the schema changes of online strategies.
	migrations migrations
	globals    atomic.Pointer[variables] // what SET GLOBAL changed
	txIDs      atomic.Uint64

	// schemaMu is held while a schema change runs on the shards and the VSchema follows.
	schemaMu sync.Mutex

	// copyMu is held while rows of a source are copied to reference tables.
	copyMu sync.Mutex

	// open are the transactions that have a part on a shard, by their ids.
	openMu sync.Mutex
	open   map[uint64]struct{}

	mu       sync.Mutex
	sessions map[uint32]*Session
	nextID   uint32
}

// New returns a gateway.
func New(cfg Config) (*Gateway, error) {
	if cfg.Topology == nil || cfg.VSchema == nil {
		return nil, vterrors.VT13001("a gateway needs a topology and a VSchema")
	}
	if cfg.Plan == nil {
		cfg.Plan = buildPlan
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.ServerVersion == "" {
		cfg.ServerVersion = "8.4.6-Vitess"
	}
	if cfg.TransactionMode == "" {
		cfg.TransactionMode = "MULTI"
	}
	if cfg.MemoryRowsMax == 0 {
		cfg.MemoryRowsMax = memoryRowsMaxDefault
	}
	if cfg.PlansMax == 0 {
		cfg.PlansMax = plansMaxDefault
	}
	env := cfg.Env
	if env == nil {
		var err error
		if env, err = vtenv.New(vtenv.Options{MySQLServerVersion: "8.4.6", TruncateErrLen: 0}); err != nil {
			return nil, err
		}
	}
	g := &Gateway{
		cfg: cfg, env: env,
		plans:    newPlanCache(cfg.PlansMax),
		texts:    newTextCache(cfg.PlansMax),
		shapes:   newLRU[planKey, *shape](cfg.PlansMax),
		seqs:     newSequences(),
		sessions: map[uint32]*Session{},
		open:     map[uint64]struct{}{},
	}
	globals := newVariables()
	globals.set("version", cfg.ServerVersion)
	globals.set("transaction_mode", cfg.TransactionMode)
	g.globals.Store(globals)
	g.vschema.Store(cfg.VSchema)
	return g, nil
}

// VSchema returns the sharding scheme as it is now.
func (g *Gateway) VSchema() *vindexes.VSchema { return g.vschema.Load() }

// SetVSchema replaces the sharding scheme; plans made with the old one are forgotten.
func (g *Gateway) SetVSchema(vs *vindexes.VSchema) {
	g.vschema.Store(vs)
	g.plans.clear()
	g.texts.clear()
	g.shapes.clear()
}

// Connect opens a session. The database may be a target such as `ks:-80@replica`.
func (g *Gateway) Connect(_ context.Context, info ConnInfo) (*Session, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if info.ID == 0 || g.sessions[info.ID] != nil {
		for g.nextID++; g.sessions[g.nextID] != nil; g.nextID++ {
		}
		info.ID = g.nextID
	}
	s := newSession(g, info)
	if info.Database != "" {
		if err := s.use(info.Database); err != nil {
			return nil, err
		}
	}
	g.sessions[info.ID] = s
	return s, nil
}

// forget removes a session that closed.
func (g *Gateway) forget(s *Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sessions[s.info.ID] == s {
		delete(g.sessions, s.info.ID)
	}
}
