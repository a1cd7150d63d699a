package gateway

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
)

// explainedPlan plans a statement without taking literals out.
func (s *Session) explainedPlan(stmt sqlparser.Statement, bindVars BindVars) (*engine.Plan, error) {
	known := sqlparser.BindVars{}
	for name := range bindVars {
		known[name] = struct{}{}
	}
	reserved := sqlparser.NewReservedVars("vtg", known)
	result, err := sqlparser.Normalize(stmt, reserved, BindVars{}, false, s.keyspace(), s.selectLimit(), "", variableNames, nil, nil)
	if err != nil {
		return nil, err
	}
	n := &normalised{stmt: result.AST, query: sqlparser.String(result.AST), needs: result.BindVarNeeds, reserved: reserved}
	cached, err := s.newPlan(n)
	if err != nil {
		return nil, err
	}
	return cached.plan, nil
}

// vexplainRun is VEXPLAIN QUERIES and TRACE: it runs the statement and tells what the shards were asked, or what the nodes
// of the plan did.
func (s *Session) vexplainRun(ctx context.Context, stmt *sqlparser.VExplainStmt, bindVars BindVars) (*sqltypes.Result, error) {
	switch stmt.Type {
	case sqlparser.TraceVExplainType:
	case sqlparser.QueriesVExplainType:
		if sqlparser.IsDMLStatement(stmt.Statement) && !hasDirective(stmt, sqlparser.DirectiveVExplainRunDMLQueries) {
			return nil, vterrors.VT09008()
		}
	default:
		return nil, vterrors.VT12001("VEXPLAIN " + strings.ToUpper(stmt.Type.ToString()))
	}
	plan, err := s.explainedPlan(stmt.Statement, bindVars)
	if err != nil {
		return nil, err
	}
	bindVars, err = s.addNeeds(plan.BindVarNeeds, bindVars, false)
	if err != nil {
		return nil, err
	}
	x := &execution{session: s, together: isTogether(plan.Instructions), isDML: plan.Instructions.NeedsTransaction()}
	recorder := &recorder{ShardExecutor: x, session: s}
	env := s.newEnv(x)
	env.Shards, env.Trace = recorder, engine.NewTrace()
	err = s.guarded(plan, func() error {
		_, err := engine.Collect(ctx, env, plan.Instructions, bindVars)
		return err
	})
	if err := x.finish(ctx, err); err != nil {
		return nil, err
	}
	if stmt.Type == sqlparser.QueriesVExplainType {
		return recorder.result(), nil
	}
	return jsonResult("Trace", env.Trace.Describe(plan.Instructions))
}

// recorder keeps what the shards are asked.
type recorder struct {
	engine.ShardExecutor
	session *Session
	mu      sync.Mutex
	rounds  int
	asked   []askedQuery
}

// askedQuery is one query of a round.
type askedQuery struct {
	round int
	query engine.ShardQuery
}

// note puts a query into the round of the same text that has not had the shard, so that what runs at once is one round
// whatever comes first.
func (r *recorder) note(queries ...engine.ShardQuery) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, query := range queries {
		had := map[int]bool{}
		round := -1
		for _, asked := range r.asked {
			if asked.query.SQL == query.SQL && asked.query.Shard == query.Shard {
				had[asked.round] = true
			}
		}
		for _, asked := range r.asked {
			if asked.query.SQL == query.SQL && !had[asked.round] {
				round = asked.round
				break
			}
		}
		if round < 0 {
			round = r.rounds
			r.rounds++
		}
		r.asked = append(r.asked, askedQuery{round: round, query: query})
	}
}

// Execute implements engine.ShardExecutor.
func (r *recorder) Execute(ctx context.Context, queries []engine.ShardQuery, opts engine.ShardOptions) ([]*sqltypes.Result, error) {
	r.note(queries...)
	return r.ShardExecutor.Execute(ctx, queries, opts)
}

// Stream implements engine.ShardExecutor.
func (r *recorder) Stream(ctx context.Context, query engine.ShardQuery, opts engine.ShardOptions, emit engine.Emit) error {
	r.note(query)
	return r.ShardExecutor.Stream(ctx, query, opts, emit)
}

// result lists the queries with their values in place.
func (r *recorder) result() *sqltypes.Result {
	out := textResult([]string{"#", "keyspace", "shard", "query"})
	out.Fields[0] = &querypb.Field{Name: "#", Type: sqltypes.Int32}
	slices.SortStableFunc(r.asked, func(a, b askedQuery) int {
		return cmp.Or(cmp.Compare(a.round, b.round), cmp.Compare(a.query.Shard.Keyspace, b.query.Shard.Keyspace),
			cmp.Compare(a.query.Shard.Name, b.query.Shard.Name))
	})
	for _, asked := range r.asked {
		out.Rows = append(out.Rows, sqltypes.Row{
			sqltypes.NewInt32(int32(asked.round)), sqltypes.NewVarChar(asked.query.Shard.Keyspace),
			sqltypes.NewVarChar(asked.query.Shard.Name), sqltypes.NewVarChar(r.session.inlined(asked.query)),
		})
	}
	return out
}

// inlined prints a query with its bind variables' values.
func (s *Session) inlined(q engine.ShardQuery) string {
	stmt, err := s.gateway.env.Parser().Parse(q.SQL)
	if err != nil {
		return q.SQL
	}
	text, err := sqlparser.NewParsedQuery(stmt).GenerateQuery(q.BindVars, nil)
	if err != nil {
		return q.SQL
	}
	return text
}
