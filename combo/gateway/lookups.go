package gateway

import (
	"context"
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	vtgatepb "vitess.io/vitess/go/vt/proto/vtgate"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner"
	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

var _ vindexes.VCursor = (*lookups)(nil)

// lookups runs the queries of lookup vindexes as parts of a statement (vindexes.VCursor). They join its transaction, so that
// it sees its own entries and waits for no lock of its own; what commits before the rows and what after is settled when it
// ends (transaction_parts.go). Only queries that ask to commit at once run apart.
type lookups struct {
	execution *execution
	isDML     bool
}

// Execute implements vindexes.VCursor.
func (l *lookups) Execute(ctx context.Context, _, query string, bindVars BindVars, write bool, order vtgatepb.CommitOrder) (*sqltypes.Result, error) {
	s := l.execution.session
	plan, err := s.lookupPlan(query, bindVars)
	if err != nil {
		return nil, err
	}
	if order != vtgatepb.CommitOrder_AUTOCOMMIT {
		if l.isDML {
			l.execution.readWithWrites()
		}
		env := s.newEnv(l.execution)
		env.MoreWrites = true
		if order != vtgatepb.CommitOrder_NORMAL {
			env.Shards = entryExecution{l.execution, tableNames(plan.plan.TablesUsed)}
		}
		return engine.Collect(ctx, env, plan.plan.Instructions, bindVars)
	}
	apart := &execution{session: s, apart: true}
	result, err := engine.Collect(ctx, s.newEnv(apart), plan.plan.Instructions, bindVars)
	if err = apart.finish(ctx, err); err != nil {
		return nil, err
	}
	return result, nil
}

// entryExecution is an execution whose queries work for a consistent lookup, which has its entries in the given tables.
type entryExecution struct {
	*execution
	tables []string
}

// Execute implements engine.ShardExecutor.
func (x entryExecution) Execute(ctx context.Context, queries []engine.ShardQuery, opts engine.ShardOptions) ([]*sqltypes.Result, error) {
	opts.Entries = x.tables
	return x.execution.Execute(ctx, queries, opts)
}

// tableNames are the names of keyspace.table without the keyspace.
func tableNames(qualified []string) []string {
	names := make([]string, len(qualified))
	for i, name := range qualified {
		_, names[i], _ = strings.Cut(name, ".")
	}
	return names
}

// lookupPlan plans a query of a lookup vindex, or finds its plan.
func (s *Session) lookupPlan(query string, bindVars BindVars) (*cachedPlan, error) {
	cacheKey := planKey{vschema: s.gateway.VSchema(), session: "lookup:" + s.target.Keyspace, query: query}
	if cached, ok := s.gateway.plans.get(cacheKey); ok {
		return cached, nil
	}
	stmt, known, err := planner.Parse(s.gateway.env.Parser(), query)
	if err != nil {
		return nil, err
	}
	for name := range bindVars {
		known[name] = struct{}{}
	}
	plan, err := s.gateway.cfg.Plan(query, stmt, PlanRequest{
		VSchema: s.gateway.VSchema(), Keyspace: s.keyspace(), TabletType: primaryType,
		Collation: s.collation(), Env: s.gateway.env, NormalizedLiterals: true,
		BindVarNeeds: &sqlparser.BindVarNeeds{}, Reserved: sqlparser.NewReservedVars("vtg", known),
	})
	if err != nil {
		return nil, err
	}
	if plan.Instructions == nil {
		return nil, vterrors.VT13001("a lookup's query has no plan: " + query)
	}
	cached := &cachedPlan{plan: plan}
	s.gateway.plans.put(cacheKey, cached)
	return cached, nil
}

// ExecuteKeyspaceID implements vindexes.VCursor.
func (l *lookups) ExecuteKeyspaceID(ctx context.Context, keyspace string, ksid []byte, query string, bindVars BindVars, write, autocommit bool) (*sqltypes.Result, error) {
	shards, _, err := l.execution.Resolve(ctx, keyspace, []key.Destination{key.DestinationKeyspaceID(ksid)})
	if err != nil {
		return nil, err
	}
	if len(shards) != 1 {
		return nil, vterrors.VT09022(shards)
	}
	queries := []engine.ShardQuery{{Shard: shards[0], SQL: query, BindVars: bindVars}}
	// Locks that the query takes belong in the transaction also where it only reads.
	results, err := l.execution.Execute(ctx, queries, engine.ShardOptions{Write: write, Locks: l.isDML, Autocommit: autocommit})
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// InTransactionAndIsDML implements vindexes.VCursor. A write that looks up always has a transaction, if need be its own.
func (l *lookups) InTransactionAndIsDML() bool { return l.isDML }

// LookupRowLockShardSession implements vindexes.VCursor.
func (l *lookups) LookupRowLockShardSession() vtgatepb.CommitOrder { return vtgatepb.CommitOrder_PRE }

// ConnCollation implements vindexes.VCursor.
func (l *lookups) ConnCollation() collations.ID { return l.execution.session.collation() }
