package engine

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
)

var _ Primitive = (*VindexLookup)(nil)

// VindexLookup runs a lookup vindex's query as part of the plan, then sends SendTo to the shards the answer names.
type VindexLookup struct {
	Opcode opcode.Opcode
	Vindex vindexes.LookupPlanable
	// Keyspace is where SendTo goes.
	Keyspace *vindexes.Keyspace
	// Arguments are the bind variables of the lookup's query.
	Arguments []string
	// Values hold the value, or the tuple of values, to look up.
	Values []evalengine.Expr
	// Lookup asks for the keyspace ids.
	Lookup Primitive
	// SendTo is a ByDestination route; its destination is made of the answer.
	SendTo *Route
}

// Inputs implements Primitive.
func (vl *VindexLookup) Inputs() []Input {
	if vl.Lookup == nil {
		return inputs(vl.SendTo)
	}
	return inputs(vl.Lookup, vl.SendTo)
}

// NeedsTransaction implements Primitive.
func (vl *VindexLookup) NeedsTransaction() bool { return vl.SendTo.NeedsTransaction() }

// Execute implements Primitive.
func (vl *VindexLookup) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	ids, err := vl.ids(ctx, env, bindVars)
	if err != nil {
		return err
	}
	answers, err := vl.lookup(ctx, env, ids)
	if err != nil {
		return err
	}
	dests, err := vl.Vindex.MapResult(ids, answers)
	if err != nil {
		return err
	}
	send := *vl.SendTo.RoutingParameters
	send.Keyspace = vl.Keyspace
	if vl.Opcode == opcode.IN {
		// Each shard gets the whole list, so that it finds its rows also where their entries are missing, as in Vitess.
		bindVars = withVar(bindVars, opcode.ListVar, listVariable(ids))
	}
	shards, vars, err := send.findDestinations(ctx, env, bindVars, dests)
	if err != nil {
		return err
	}
	return vl.SendTo.executeOn(ctx, env, bindVars, shards, vars, emit)
}

// ids evaluates what is looked up.
func (vl *VindexLookup) ids(ctx context.Context, env *Env, bindVars BindVars) ([]sqltypes.Value, error) {
	switch vl.Opcode {
	case opcode.Equal, opcode.EqualUnique:
		value, err := env.evaluate(ctx, bindVars, vl.Values[0])
		return []sqltypes.Value{value}, err
	case opcode.IN, opcode.MultiEqual:
		return env.evaluateTuple(ctx, bindVars, vl.Values[0])
	default:
		return nil, vterrors.VT13001("opcode " + vl.Opcode.String() + " not supported for VindexLookup")
	}
}

// lookup asks for all ids at once where their texts tell them apart, else one by one. Rows are id and keyspace id.
func (vl *VindexLookup) lookup(ctx context.Context, env *Env, ids []sqltypes.Value) ([]*sqltypes.Result, error) {
	answers := make([]*sqltypes.Result, len(ids))
	if len(ids) > 0 && (ids[0].IsIntegral() || vl.Vindex.AllowBatch()) {
		result, err := env.collect(ctx, vl.Lookup, BindVars{vl.Arguments[0]: listVariable(ids)})
		if err != nil {
			return nil, vterrors.Wrapf(err, "failed while running the lookup query")
		}
		rows := map[string][]sqltypes.Row{}
		for _, row := range result.Rows {
			rows[row[0].ToString()] = append(rows[row[0].ToString()], sqltypes.Row{row[1]})
		}
		for i, id := range ids {
			answers[i] = &sqltypes.Result{Rows: rows[id.ToString()]}
		}
		return answers, nil
	}
	for i, id := range ids {
		result, err := env.collect(ctx, vl.Lookup, BindVars{vl.Arguments[0]: listVariable([]sqltypes.Value{id})})
		if err != nil {
			return nil, err
		}
		answers[i] = &sqltypes.Result{}
		for _, row := range result.Rows {
			answers[i].Rows = append(answers[i].Rows, sqltypes.Row{row[1]})
		}
	}
	return answers, nil
}

// GetFields implements Primitive.
func (vl *VindexLookup) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	return vl.SendTo.GetFields(ctx, env, bindVars)
}

// Description implements Primitive.
func (vl *VindexLookup) Description() Description {
	d := describe("VindexLookup", vl.Opcode.String())
	d.Keyspace = vl.Keyspace
	d.set("Values", expressionTexts(vl.Values))
	d.set("Vindex", vl.Vindex.String())
	return d
}
