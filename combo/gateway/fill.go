package gateway

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// A lookup is added to a table that holds rows in three steps, while clients go on reading and writing:
//
//	alter vschema on t add vindex by_a (a) using lookup with owner=t, ..., write_only=true
//	    from now on writes keep entries, but nobody looks them up
//	call vitro.fill_lookup('ks.by_a')
//	    writers that know nothing of it yet  ── are waited for
//	    rows, shard by shard, a batch at a time ── are locked, and get their entries
//	    write_only                           ── is taken off: the lookup is used
//
// Vitess does the second step with a workflow (LookupVindex create) and the third with LookupVindex externalize.

// fillProcedure is the procedure that fills a lookup, called with its name.
const (
	fillProcedureSchema = "vitro"
	fillProcedure       = "fill_lookup"
)

// isFillLookup reports whether a CALL is the gateway's own.
func isFillLookup(call *sqlparser.CallProc) bool {
	return call.Name.Qualifier.String() == fillProcedureSchema && strings.EqualFold(call.Name.Name.String(), fillProcedure)
}

// callFillLookup is CALL vitro.fill_lookup('keyspace.vindex').
func (s *Session) callFillLookup(ctx context.Context, call *sqlparser.CallProc) (rows uint64, err error) {
	if len(call.Params) == 1 {
		if name, ok := call.Params[0].(*sqlparser.Literal); ok && name.Type == sqlparser.StrVal {
			return s.FillLookup(ctx, name.Val)
		}
	}
	return 0, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "%s.%s takes one text: the lookup's name, as in 'keyspace.vindex'", fillProcedureSchema, fillProcedure)
}

// FillLookup makes the entries of a lookup that is write_only for the rows that have none, and puts the lookup to use. name
// is the vindex's, perhaps with its keyspace before it. It returns how many rows it looked at. Two rows with one value of a
// unique lookup are error 1062: the lookup stays write_only then, and what was filled stays. It may be repeated.
func (s *Session) FillLookup(ctx context.Context, name string) (rows uint64, err error) {
	if !s.mayAlterVSchema() {
		return 0, s.mayNotAlterVSchema()
	}
	if err := s.commit(ctx); err != nil {
		return 0, err
	}
	keyspace, vindex, qualified := strings.Cut(name, ".")
	if !qualified {
		keyspace, vindex = s.keyspace(), name
	}
	worker, err := s.gateway.Connect(ctx, ConnInfo{User: s.info.User})
	if err != nil {
		return 0, err
	}
	defer worker.Close()
	worker.vars, worker.autocommit = newVariables(), true // whatever clients begin with
	worker.vars.set("transaction_mode", "MULTI")
	fill, err := newLookupFill(worker, keyspace, vindex)
	if err != nil {
		return 0, err
	}
	if err := s.gateway.waitForWriters(ctx, s); err != nil {
		return 0, err
	}
	shards, err := worker.shardsOf(keyspace, key.DestinationAllShards{})
	if err != nil {
		return 0, err
	}
	for _, shard := range shards {
		n, err := fill.shard(ctx, engine.Shard{Keyspace: keyspace, Name: shard})
		rows += n
		if err != nil {
			return rows, err
		}
	}
	return rows, s.gateway.useLookup(keyspace, vindex)
}

// useLookup takes write_only off a lookup.
func (g *Gateway) useLookup(keyspace, name string) error {
	g.schemaMu.Lock()
	defer g.schemaMu.Unlock()
	def := g.VSchema().Definition().CloneVT()
	vindex := def.GetKeyspaces()[keyspace].GetVindexes()[name]
	if vindex == nil {
		return vterrors.Errorf(vtrpcpb.Code_FAILED_PRECONDITION, "vindex %s was dropped from keyspace %s while it was filled", name, keyspace)
	}
	delete(vindex.Params, writeOnly)
	changed, err := g.VSchema().WithDefinition(def)
	if err != nil {
		return err
	}
	g.SetVSchema(changed)
	return nil
}

// writeOnly is the parameter of a lookup that is kept up to date but not used.
const writeOnly = "write_only"

// writersPoll is how often it is looked whether earlier writers are done.
const writersPoll = 2 * time.Millisecond

// waitForWriters waits until all statements of other sessions that run now, and all transactions that are open now, have
// ended: they may have been planned with an older VSchema.
func (g *Gateway) waitForWriters(ctx context.Context, self *Session) error {
	running := g.runningStatements(self)
	open := g.openTransactions()
	ticker := time.NewTicker(writersPoll)
	defer ticker.Stop()
	for {
		now, stillOpen := g.runningStatements(self), g.openTransactions()
		maps.DeleteFunc(running, func(s *Session, run *statementRun) bool { return now[s] != run })
		open = slices.DeleteFunc(open, func(id uint64) bool { return !slices.Contains(stillOpen, id) })
		if len(running) == 0 && len(open) == 0 {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// runningStatements are the statements that other sessions run.
func (g *Gateway) runningStatements(self *Session) map[*Session]*statementRun {
	g.mu.Lock()
	defer g.mu.Unlock()
	running := map[*Session]*statementRun{}
	for _, s := range g.sessions {
		if s == self {
			continue
		}
		s.mu.Lock()
		if s.running != nil {
			running[s] = s.running
		}
		s.mu.Unlock()
	}
	return running
}

// opened notes a transaction that has its first part on a shard, and closed that it has ended.
func (g *Gateway) opened(id uint64) {
	g.openMu.Lock()
	defer g.openMu.Unlock()
	g.open[id] = struct{}{}
}

func (g *Gateway) closed(id uint64) {
	g.openMu.Lock()
	defer g.openMu.Unlock()
	delete(g.open, id)
}

// openTransactions are the numbers of the transactions that have a part on a shard.
func (g *Gateway) openTransactions() []uint64 {
	g.openMu.Lock()
	defer g.openMu.Unlock()
	return slices.Collect(maps.Keys(g.open))
}

// lookupFill fills one lookup.
type lookupFill struct {
	session *Session
	table   *vindexes.Table
	primary *vindexes.ColumnVindex
	lookup  *vindexes.ColumnVindex
	// used is the lookup as it will be, which can tell whose an entry is.
	used vindexes.Vindex
}

// newLookupFill finds a lookup that can be filled.
func newLookupFill(worker *Session, keyspace, name string) (*lookupFill, error) {
	vs := worker.gateway.VSchema()
	refuse := func(format string, args ...any) (*lookupFill, error) {
		return nil, vterrors.Errorf(vtrpcpb.Code_FAILED_PRECONDITION, format, args...)
	}
	ks := vs.Definition().GetKeyspaces()[keyspace]
	if ks == nil {
		return nil, vterrors.VT05003(keyspace)
	}
	def := ks.Vindexes[name]
	if def == nil {
		return refuse("vindex %s does not exist in keyspace %s%s", name, keyspace, vindexes.DidYouMean(name, slices.Sorted(maps.Keys(ks.Vindexes))))
	}
	table := vs.Keyspaces[keyspace].Tables[def.Owner]
	if table == nil {
		return refuse("lookup %s has no owner whose rows could fill it", name)
	}
	at := slices.IndexFunc(table.Owned, func(owned *vindexes.ColumnVindex) bool { return owned.Name == name })
	switch {
	case at < 0:
		return refuse("table %s does not own a lookup %s", def.Owner, name)
	case def.Params[writeOnly] != "true":
		return refuse(`lookup %s is in use: it can be filled while it has the parameter %s=true`, name, writeOnly)
	}
	params := maps.Clone(def.Params)
	delete(params, writeOnly)
	used, err := vindexes.Types().New(def.Type, name, params)
	if err != nil {
		return nil, err
	}
	return &lookupFill{session: worker, table: table, primary: table.ColumnVindexes[0], lookup: table.Owned[at], used: used}, nil
}
