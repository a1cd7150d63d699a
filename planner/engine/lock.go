package engine

import (
	"context"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

var _ Primitive = (*Lock)(nil)

// Lock takes and gives back named locks: GET_LOCK and its relatives, all on one shard.
type Lock struct {
	leaf
	reads

	Keyspace          *vindexes.Keyspace
	TargetDestination key.Destination
	// FieldQuery returns no rows and tells the fields.
	FieldQuery    string
	LockFunctions []*LockFunc
}

// LockFunc is one locking function of the select list.
type LockFunc struct {
	Typ *sqlparser.LockingFunc
	// Name is the lock's name, to be evaluated; nil for functions without one.
	Name evalengine.Expr
}

// Execute implements Primitive. The session keeps the connection, as the locks belong to it.
func (l *Lock) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	calls := make([]string, len(l.LockFunctions))
	for i, f := range l.LockFunctions {
		calls[i] = sqlparser.String(f.Typ)
	}
	result, err := l.ask(ctx, env, "select "+strings.Join(calls, ", ")+" from dual", bindVars, ShardOptions{Reserved: true})
	if err != nil {
		return err
	}
	return emit(result)
}

func (l *Lock) ask(ctx context.Context, env *Env, sql string, bindVars BindVars, opts ShardOptions) (*sqltypes.Result, error) {
	shards, _, err := env.Shards.Resolve(ctx, l.Keyspace.Name, []key.Destination{l.TargetDestination})
	if err != nil {
		return nil, err
	}
	if len(shards) != 1 {
		return nil, vterrors.Errorf(vtrpcpb.Code_FAILED_PRECONDITION, "lock query can be routed to single shard only: %v", shards)
	}
	results, err := env.Shards.Execute(ctx, []ShardQuery{{Shard: shards[0], SQL: sql, BindVars: bindVars}}, opts)
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// GetFields implements Primitive.
func (l *Lock) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	result, err := l.ask(ctx, env, l.FieldQuery, bindVars, ShardOptions{})
	if err != nil {
		return nil, err
	}
	return result.Fields, nil
}

// Description implements Primitive.
func (l *Lock) Description() Description {
	d := describe("Lock", "")
	d.Keyspace = l.Keyspace
	d.TargetDestination = l.TargetDestination
	d.set("FieldQuery", l.FieldQuery)
	functions := make([]string, len(l.LockFunctions))
	for i, f := range l.LockFunctions {
		functions[i] = sqlparser.String(f.Typ)
	}
	d.set("lock_func", functions)
	return d
}
