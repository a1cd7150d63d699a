package gateway

import (
	"strings"

	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
)

// normalised is a statement with its literals taken out.
type normalised struct {
	stmt     sqlparser.Statement
	query    string
	bindVars BindVars // the caller's and the literals; a map of its own
	needs    *sqlparser.BindVarNeeds
	reserved *sqlparser.ReservedVars
	// parameterised: literals were taken out.
	parameterised bool
	// personal: the bind variables hold something of this session alone, though the text does not.
	personal bool
	// named: columns were named by their text, which is of this statement alone.
	named bool
	// foreignKeyChecks is what counts for the statement, nil if neither it nor the session says.
	foreignKeyChecks *bool
	// rowVars are the bind variables of an INSERT of rows alone, see there.
	rowVars []string
	// hidden are the terms of ORDER BY that look like values while the statement is normalised.
	hidden []position
}

// normalise turns literals into bind variables, and functions and variables of the session into needs. The syntax tree is
// changed.
func (s *Session) normalise(stmt sqlparser.Statement, known sqlparser.BindVars, bindVars BindVars) (_ *normalised, err error) {
	if err := s.refuseUnwritable(stmt); err != nil {
		return nil, err
	}
	n := &normalised{bindVars: make(BindVars, len(bindVars)+4), parameterised: true}
	for name, value := range bindVars {
		n.bindVars[name] = value
	}
	s.rewriteSession(stmt, n)
	if n.foreignKeyChecks, err = s.foreignKeyChecksOf(stmt); err != nil {
		return nil, err
	}
	n.reserved = sqlparser.NewReservedVars("vtg", known)
	result, err := sqlparser.Normalize(stmt, n.reserved, n.bindVars, true, s.keyspace(), s.selectLimit(),
		"", variableNames, n.foreignKeyChecks, s)
	if err != nil {
		return nil, err
	}
	n.showPositions()
	n.stmt, n.needs = result.AST, result.BindVarNeeds
	n.query = sqlparser.String(result.AST)
	n.rowVars = rowVars(result.AST)
	return n, nil
}

// planOf returns the plan of a normalised statement, from the cache where it is.
func (s *Session) planOf(n *normalised) (*cachedPlan, error) {
	key := planKey{vschema: s.gateway.VSchema(), session: s.planKey(), query: n.query}
	if cached, ok := s.gateway.plans.get(key); ok {
		return cached, nil
	}
	cached, err := s.newPlan(n)
	if err != nil {
		return nil, err
	}
	s.gateway.plans.put(key, cached)
	return cached, nil
}

// newPlan plans a statement.
func (s *Session) newPlan(n *normalised) (*cachedPlan, error) {
	plan, err := s.gateway.cfg.Plan(n.query, n.stmt, PlanRequest{
		VSchema: s.gateway.VSchema(), Keyspaces: s.gateway.cfg.Topology.Keyspaces(), Keyspace: s.keyspace(), Destination: s.target.Destination,
		TargetString: s.targetText, TabletType: s.target.TabletType, Collation: s.collation(), Env: s.gateway.env,
		ForeignKeyChecks: n.foreignKeyChecks, ForeignKeysDisallowed: s.gateway.cfg.ForeignKeysDisallowed, NormalizedLiterals: n.parameterised,
		WarnShardedOnly: s.gateway.cfg.WarnShardedOnly,
		BindVarNeeds:    n.needs, Reserved: n.reserved,
	})
	if err != nil {
		return nil, err
	}
	if reads, _ := plan.Scatters(); reads && s.gateway.cfg.NoScatter && !hasDirective(n.stmt, sqlparser.DirectiveAllowScatter) {
		return nil, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT,
			"plan includes scatter, which is disallowed using the `no-scatter` command line argument")
	}
	cached := wrapPlan(plan, n)
	if cached != nil && cached.isDML {
		cached.sources = s.gateway.sourcesIn(plan)
	}
	return cached, nil
}

func wrapPlan(plan *engine.Plan, n *normalised) *cachedPlan {
	if plan == nil {
		return nil
	}
	cached := &cachedPlan{plan: plan, needs: n.needs}
	cached.ignoresMemory = hasDirective(n.stmt, sqlparser.DirectiveIgnoreMaxMemoryRows)
	cached.ownTimeout = hasDirective(n.stmt, sqlparser.DirectiveQueryTimeout)
	if plan.Instructions != nil {
		cached.isDML, cached.together = plan.Instructions.NeedsTransaction(), isTogether(plan.Instructions)
		cached.leaf = !cached.isDML && leaves(plan.Instructions) == 1
	}
	return cached
}

// leaves counts the primitives of a tree that have none below.
func leaves(p engine.Primitive) int {
	inputs := p.Inputs()
	if len(inputs) == 0 {
		return 1
	}
	n := 0
	for _, input := range inputs {
		n += leaves(input.Primitive)
	}
	return n
}

// planKey is the session's part of the key of its plans.
func (s *Session) planKey() string {
	if s.planKeyText == "" {
		var b strings.Builder
		b.WriteString(s.target.Keyspace)
		b.WriteByte('@')
		b.WriteString(s.target.TabletType.String())
		b.WriteByte(':')
		if s.target.Destination != nil {
			b.WriteString(s.target.Destination.String())
		}
		for _, name := range []string{"collation_connection", "sql_mode", "foreign_key_checks", "sql_select_limit", "names"} {
			b.WriteByte('|')
			if value, ok := s.vars.own(name); ok {
				b.WriteString(value)
			}
		}
		s.planKeyText = b.String()
	}
	return s.planKeyText
}

// addNeeds returns bind variables with what the plan needs of the session added. bindVars may be changed if owned.
func (s *Session) addNeeds(needs *sqlparser.BindVarNeeds, bindVars BindVars, owned bool) (BindVars, error) {
	if needs == nil || len(needs.NeedFunctionResult)+len(needs.NeedSystemVariable)+len(needs.NeedUserDefinedVariables) == 0 {
		return bindVars, nil
	}
	out := bindVars
	if !owned || out == nil {
		out = make(BindVars, len(bindVars)+4)
		for name, value := range bindVars {
			out[name] = value
		}
	}
	for _, name := range needs.NeedFunctionResult {
		out[name] = s.functionResult(name)
	}
	for _, name := range needs.NeedSystemVariable {
		value, ok := s.variable(name)
		if !ok {
			return nil, vterrors.VT05006(name)
		}
		out["__vt"+name] = value.bindVariable()
	}
	for _, name := range needs.NeedUserDefinedVariables {
		out[sqlparser.UserDefinedVariableName+name] = s.userVariable(name)
	}
	return out, nil
}

// hasDirective reports whether a statement carries a comment directive.
func hasDirective(stmt sqlparser.Statement, name string) bool {
	commented, ok := stmt.(sqlparser.Commented)
	if !ok {
		return false
	}
	comments := commented.GetParsedComments()
	if comments == nil {
		return false
	}
	_, given := comments.Directives().GetString(name, "")
	return given
}
