package engine

import (
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner/engine/opcode"
)

// Plan is how one statement runs. It is immutable and shared by all sessions.
type Plan struct {
	// Type is a rough measure of how much the plan asks of the cluster.
	Type PlanType
	// QueryType is the kind of statement.
	QueryType sqlparser.StatementType
	// Original is the statement's text as it was planned.
	Original string
	// Instructions is the tree to run; nil for statements the gateway runs by itself (BEGIN, COMMIT, ...).
	Instructions Primitive
	// BindVarNeeds are the bind variables the gateway must add before the plan runs (`__lastInsertId`, ...).
	BindVarNeeds *sqlparser.BindVarNeeds
	// Warnings are the session's after the statement ran.
	Warnings []*querypb.QueryWarning
	// TablesUsed are the tables read and written, as keyspace.table, sorted.
	TablesUsed []string
	// QueryHints are the SET_VAR hints that shaped the plan.
	QueryHints sqlparser.QueryHints
	// ParamsCount is the number of ? in a prepared statement.
	ParamsCount uint16
}

// NewPlan returns the plan of a statement.
func NewPlan(query string, stmt sqlparser.Statement, primitive Primitive, needs *sqlparser.BindVarNeeds, tablesUsed []string) *Plan {
	return &Plan{
		Type:         planTypeOf(primitive),
		QueryType:    sqlparser.ASTToStatementType(stmt),
		Original:     query,
		Instructions: primitive,
		BindVarNeeds: needs,
		TablesUsed:   tablesUsed,
	}
}

// MarshalJSON writes the plan as VEXPLAIN PLAN and golden plans show it, without a newline at the end.
func (p *Plan) MarshalJSON() ([]byte, error) {
	w := objectWriter{}
	w.add("Type", p.Type.String())
	w.add("QueryType", p.QueryType.String())
	if p.Original != "" {
		w.add("Original", p.Original)
	}
	if p.Instructions != nil {
		w.add("Instructions", Describe(p.Instructions))
	}
	if len(p.TablesUsed) > 0 {
		w.add("TablesUsed", p.TablesUsed)
	}
	return w.finish()
}

// Scatters reports whether some leaf of the plan goes to all shards of a sharded keyspace: one that reads, which NoScatter
// forbids, or one that writes.
func (p *Plan) Scatters() (reads, writes bool) {
	if p.Instructions == nil {
		return false, false
	}
	return scatters(p.Instructions)
}

func scatters(p Primitive) (reads, writes bool) {
	switch p := p.(type) {
	case *Route:
		reads = p.Opcode == opcode.Scatter
	case *Update:
		writes = p.Opcode == opcode.Scatter
	case *Delete:
		writes = p.Opcode == opcode.Scatter
	}
	for _, input := range p.Inputs() {
		inputReads, inputWrites := scatters(input.Primitive)
		reads, writes = reads || inputReads, writes || inputWrites
	}
	return reads, writes
}
