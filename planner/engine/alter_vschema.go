package engine

import (
	"context"

	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/vindexes"
)

var _ Primitive = (*AlterVSchema)(nil)

// AlterVSchema changes the VSchema of a keyspace.
type AlterVSchema struct {
	leaf
	reads

	Keyspace        *vindexes.Keyspace
	AlterVschemaDDL *sqlparser.AlterVschema
}

// Execute implements Primitive.
func (av *AlterVSchema) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return runCommand(ctx, env, av, bindVars, emit)
}

// GetFields implements Primitive.
func (*AlterVSchema) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) {
	return nil, nil
}

// Description implements Primitive.
func (av *AlterVSchema) Description() Description {
	d := describe("AlterVSchema", "")
	d.Keyspace = av.Keyspace
	d.set("query", sqlparser.String(av.AlterVschemaDDL))
	return d
}
