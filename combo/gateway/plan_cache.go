package gateway

import (
	"github.com/vitrodb/vitro/planner/engine"
	"github.com/vitrodb/vitro/vindexes"

	"vitess.io/vitess/go/vt/sqlparser"
)

// planKey is what a plan depends on: the statement, literals taken out, and the session's side of it.
type planKey struct {
	vschema *vindexes.VSchema
	// session is the target, the collation and the settings that change plans.
	session string
	query   string
}

// cachedPlan is a plan and the bind variables the gateway must add before it runs.
type cachedPlan struct {
	plan  *engine.Plan
	needs *sqlparser.BindVarNeeds
	// leaf: one primitive alone reaches shards, and reads, so that nothing else of the statement waits for its connection.
	leaf bool
	// together and isDML are what isTogether and NeedsTransaction say of the tree.
	together, isDML bool
	// sources are the tables of a write that have copies.
	sources []*vindexes.Table
	// ignoresMemory: the statement may hold any number of rows.
	ignoresMemory bool
	// ownTimeout: the statement says itself how long it may run.
	ownTimeout bool
}

// planCache holds plans by normalised statement.
type planCache = lru[planKey, *cachedPlan]

func newPlanCache(max int) *planCache { return newLRU[planKey, *cachedPlan](max) }

// textPlan is what a statement's very text led to: its plan and its literals.
type textPlan struct {
	plan     *cachedPlan
	literals BindVars // never changed
}

// textCache holds plans by the text as it came, for clients that repeat themselves and for prepared statements.
type textCache = lru[planKey, textPlan]

func newTextCache(max int) *textCache { return newLRU[planKey, textPlan](max) }

// textLengthMax keeps bulk inserts, whose texts never come again, out of the text cache.
const textLengthMax = 1024
