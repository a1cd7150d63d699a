package gateway

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
)

// vexplain is VEXPLAIN. PLAN and KEYS are answered by planning alone. QUERIES, ALL and TRACE run the statement, and tell what
// the shards were asked, how they would go about it, or what the nodes of the plan did.
func (s *Session) vexplain(ctx context.Context, stmt *sqlparser.VExplainStmt, sql string, bindVars BindVars, emit Emit) error {
	if stmt.Type == sqlparser.PlanVExplainType || stmt.Type == sqlparser.KeysVExplainType {
		return s.runPlanned(ctx, stmt, sql, bindVars, emit)
	}
	cached, err := s.plainPlan(stmt, sql, bindVars)
	if err != nil {
		return err
	}
	explained, ok := cached.plan.Instructions.(*engine.VExplain)
	if !ok {
		return vterrors.VT13001("no plan for " + sql)
	}
	bindVars, err = s.addNeeds(cached.needs, bindVars, false)
	if err != nil {
		return err
	}
	input := explained.Input
	x := &execution{session: s, together: isTogether(input), isDML: input.NeedsTransaction()}
	recorder := &recorder{ShardExecutor: x, session: s}
	env := s.newEnv(x)
	env.Shards, env.Trace = recorder, engine.NewTrace()
	err = s.guarded(cached.plan, func() error {
		_, err := engine.Collect(ctx, env, input, bindVars)
		return err
	})
	if err := x.finish(ctx, err); err != nil {
		return err
	}
	var result *sqltypes.Result
	switch stmt.Type {
	case sqlparser.QueriesVExplainType:
		result = recorder.result()
	case sqlparser.AllVExplainType:
		tree := engine.Describe(input)
		if err := recorder.explainAll(ctx, &tree); err != nil {
			return err
		}
		result, err = jsonResult("VExplain", tree)
	default:
		result, err = jsonResult("Trace", env.Trace.Describe(input))
	}
	if err != nil {
		return err
	}
	return emit(result)
}

// jsonResult is one row of one column: a tree as JSON, indented with tabs. SQL in it stays readable.
func jsonResult(column string, tree engine.Description) (*sqltypes.Result, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(tree); err != nil {
		return nil, err
	}
	return textResult([]string{column}, []string{strings.TrimSpace(text.String())}), nil
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

// explainAll adds to the nodes of a plan that asked shards how the first of these would go about it: MySQL's EXPLAIN as JSON.
func (r *recorder) explainAll(ctx context.Context, node *engine.Description) error {
	query, _ := node.Attributes["Query"].(string)
	for _, asked := range r.asked {
		if query == "" || !isPartOf(asked.query.SQL, query, node.OperatorType) {
			continue
		}
		explain := asked.query
		explain.SQL, explain.BindVars = "explain format = json "+r.session.inlined(asked.query), nil
		results, err := r.ShardExecutor.Execute(ctx, []engine.ShardQuery{explain}, engine.ShardOptions{})
		if err != nil {
			return err
		}
		if rows := results[0].Rows; len(rows) > 0 && json.Valid(rows[0][0].Raw()) {
			node.Attributes["mysql_explain_json"] = json.RawMessage(rows[0][0].Raw())
		}
		break
	}
	for i := range node.Inputs {
		if err := r.explainAll(ctx, &node.Inputs[i]); err != nil {
			return err
		}
	}
	return nil
}

// isPartOf tells whether a shard's query is that of a node: the same, or for an INSERT some of its rows.
func isPartOf(asked, query, operator string) bool {
	if operator != "Insert" {
		return asked == query
	}
	before, _, found := strings.Cut(query, " values ")
	return found && strings.HasPrefix(asked, before+" values ")
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
