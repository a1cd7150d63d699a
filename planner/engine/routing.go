package engine

import (
	"context"
	"fmt"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/planner/engine/opcode"
	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

// RoutingParameters say which shards a leaf runs on. They are part of Route, Update and Delete.
type RoutingParameters struct {
	Opcode opcode.Opcode
	// Keyspace is where the query goes; DBA routes may find another at run time.
	Keyspace *vindexes.Keyspace
	// SysTableTableSchema and SysTableTableName are the schemas and, by bind variable, the tables that a DBA route's
	// predicates name.
	SysTableTableSchema []evalengine.Expr
	SysTableTableName   map[string]evalengine.Expr
	// TargetDestination is where a ByDestination route goes.
	TargetDestination key.Destination
	// Vindex maps Values; nil for opcodes that need none.
	Vindex vindexes.Vindex
	// Values hold one expression per vindex column: a value for EqualUnique and Equal, a tuple for IN and MultiEqual,
	// start and end for Between.
	Values []evalengine.Expr
	// ColumnTypes are the types of the vindex's columns, NULL_TYPE where not known; nil for not known at all.
	ColumnTypes []querypb.Type
}

// describeRouting adds what all routed leaves print.
func (rp *RoutingParameters) describeRouting(d Description) {
	if rp.Vindex != nil {
		d.set("Vindex", rp.Vindex.String())
	}
	d.set("Values", expressionTexts(rp.Values))
}

// expressionTexts prints expressions as SQL; nil for none.
func expressionTexts(exprs []evalengine.Expr) []string {
	if len(exprs) == 0 {
		return nil
	}
	texts := make([]string, len(exprs))
	for i, expr := range exprs {
		texts[i] = sqlparser.String(expr)
	}
	return texts
}

// find returns the shards to ask, in shard order, and the bind variables for each.
func (rp *RoutingParameters) find(ctx context.Context, env *Env, bindVars BindVars) ([]Shard, []BindVars, error) {
	switch rp.Opcode {
	case opcode.None:
		return nil, nil, nil
	case opcode.Unsharded, opcode.Next:
		return rp.findOnly(ctx, env, bindVars)
	case opcode.DBA:
		return rp.findSchema(ctx, env, bindVars)
	case opcode.Reference:
		return rp.findDestination(ctx, env, bindVars, key.DestinationAnyShard{})
	case opcode.Scatter:
		return rp.findDestination(ctx, env, bindVars, key.DestinationAllShards{})
	case opcode.ByDestination:
		return rp.findDestination(ctx, env, bindVars, rp.TargetDestination)
	}
	switch vindex := rp.Vindex.(type) {
	case vindexes.MultiColumn:
		return rp.findByRows(ctx, env, bindVars, vindex)
	case vindexes.SingleColumn:
		return rp.findByValues(ctx, env, bindVars, vindex)
	default:
		return nil, nil, vterrors.VT13001(fmt.Sprintf("route %s without a vindex", rp.Opcode))
	}
}

// findOnly returns the one shard of an unsharded keyspace.
func (rp *RoutingParameters) findOnly(ctx context.Context, env *Env, bindVars BindVars) ([]Shard, []BindVars, error) {
	shards, vars, err := rp.findDestination(ctx, env, bindVars, key.DestinationAllShards{})
	if err == nil && len(shards) != 1 {
		err = vterrors.Errorf(vtrpcpb.Code_FAILED_PRECONDITION,
			"Keyspace '%s' does not have exactly one shard: %v", rp.Keyspace.Name, shards)
	}
	return shards, vars, err
}

// findDestination returns the shards of a destination; all get the same bind variables.
func (rp *RoutingParameters) findDestination(ctx context.Context, env *Env, bindVars BindVars, dest key.Destination) ([]Shard, []BindVars, error) {
	return rp.findDestinations(ctx, env, bindVars, []key.Destination{dest})
}

func (rp *RoutingParameters) findDestinations(ctx context.Context, env *Env, bindVars BindVars, dests []key.Destination) ([]Shard, []BindVars, error) {
	shards, _, err := env.Shards.Resolve(ctx, rp.Keyspace.Name, dests)
	return shards, sameVars(bindVars, len(shards)), err
}

// sameVars repeats one set of bind variables for each shard.
func sameVars(bindVars BindVars, shards int) []BindVars {
	out := make([]BindVars, shards)
	for i := range out {
		out[i] = bindVars
	}
	return out
}

// findByValues maps the values of a single-column vindex.
func (rp *RoutingParameters) findByValues(ctx context.Context, env *Env, bindVars BindVars, vindex vindexes.SingleColumn) ([]Shard, []BindVars, error) {
	switch rp.Opcode {
	case opcode.Equal, opcode.EqualUnique, opcode.SubShard:
		value, err := env.evaluate(ctx, bindVars, rp.Values[0])
		if err != nil {
			return nil, nil, err
		}
		value, ok := comparedValue(rp.columnType(0), literalNumber(rp.columnType(0), rp.Values[0].IR(), bindVars, value))
		if !ok {
			return rp.findDestination(ctx, env, bindVars, everywhere)
		}
		dests, err := vindex.Map(ctx, env.Lookups, []sqltypes.Value{value})
		if err != nil {
			return nil, nil, err
		}
		return rp.findDestinations(ctx, env, bindVars, dests)
	case opcode.Between:
		return rp.findRange(ctx, env, bindVars)
	}
	values, err := env.evaluateTuple(ctx, bindVars, rp.Values[0])
	if err != nil {
		return nil, nil, err
	}
	values = literalNumbers(rp.columnType(0), rp.Values[0].IR(), bindVars, values)
	held, ok := comparedValues(rp.columnType(0), values)
	if !ok {
		return rp.scatterList(ctx, env, bindVars, values)
	}
	dests, err := vindex.Map(ctx, env.Lookups, held)
	if err != nil {
		return nil, nil, err
	}
	if rp.Opcode == opcode.MultiEqual {
		return rp.findDestinations(ctx, env, bindVars, dests)
	}
	return rp.splitList(ctx, env, bindVars, values, dests)
}

// splitList gives each shard of an IN the values that belong to it.
func (rp *RoutingParameters) splitList(ctx context.Context, env *Env, bindVars BindVars, values []sqltypes.Value, dests []key.Destination) ([]Shard, []BindVars, error) {
	shards, owners, err := env.Shards.Resolve(ctx, rp.Keyspace.Name, dests)
	if err != nil {
		return nil, nil, err
	}
	vars := make([]BindVars, len(shards))
	for i, indexes := range owners {
		list := make([]sqltypes.Value, len(indexes))
		for j, index := range indexes {
			list[j] = values[index]
		}
		vars[i] = withVar(bindVars, opcode.ListVar, listVariable(list))
	}
	return shards, vars, nil
}

// scatterList gives all shards all values of an IN.
func (rp *RoutingParameters) scatterList(ctx context.Context, env *Env, bindVars BindVars, values []sqltypes.Value) ([]Shard, []BindVars, error) {
	return rp.findDestination(ctx, env, withVar(bindVars, opcode.ListVar, listVariable(values)), everywhere)
}

// findRange maps the range of a BETWEEN.
func (rp *RoutingParameters) findRange(ctx context.Context, env *Env, bindVars BindVars) ([]Shard, []BindVars, error) {
	vindex, ok := rp.Vindex.(vindexes.Sequential)
	if !ok {
		return nil, nil, vterrors.VT13001("BETWEEN is routed by a vindex that does not keep order: " + rp.Vindex.String())
	}
	limits, err := env.evaluateTuple(ctx, bindVars, rp.Values[0])
	if err != nil {
		return nil, nil, err
	}
	if len(limits) != 2 {
		return nil, nil, vterrors.VT13001("a range of values needs a start and an end")
	}
	dests, err := vindex.RangeMap(ctx, env.Lookups, limits[0], limits[1])
	if err != nil {
		return nil, nil, err
	}
	return rp.findDestinations(ctx, env, bindVars, dests)
}

// listVariable makes a list bind variable.
func listVariable(values []sqltypes.Value) *querypb.BindVariable {
	list := &querypb.BindVariable{Type: querypb.Type_TUPLE, Values: make([]*querypb.Value, len(values))}
	for i, value := range values {
		list.Values[i] = sqltypes.ValueToProto(value)
	}
	return list
}
