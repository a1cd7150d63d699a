package gateway

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/planner"
	"github.com/vitrodb/vitro/planner/engine"
)

// buildPlan is the PlanFunc of the real planner.
func buildPlan(sql string, stmt sqlparser.Statement, req PlanRequest) (*engine.Plan, error) {
	return planner.Build(sql, stmt, req.Reserved, req.BindVarNeeds, req.Context())
}

// Context is the request as the planner takes it.
func (req PlanRequest) Context() *planner.Context {
	return &planner.Context{
		VSchema:            req.VSchema,
		Keyspaces:          req.Keyspaces,
		ViewsEnabled:       true,
		Keyspace:           req.Keyspace,
		TargetString:       req.TargetString,
		TabletType:         req.TabletType,
		Destination:        req.Destination,
		Collation:          req.Collation,
		Env:                req.Env,
		ForeignKeyChecks:   req.ForeignKeyChecks,
		NormalizedLiterals: req.NormalizedLiterals,

		ForeignKeysDisallowed: req.ForeignKeysDisallowed,
		WarnShardedOnly:       req.WarnShardedOnly,
	}
}
