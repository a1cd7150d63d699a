package engine

import (
	"context"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

var _ Primitive = (*RevertMigration)(nil)

// RevertMigration undoes a migration on all shards of a keyspace.
type RevertMigration struct {
	leaf
	reads
	noFields

	Keyspace          *vindexes.Keyspace
	TargetDestination key.Destination
	Stmt              *sqlparser.RevertMigration
	Query             string
}

// Execute implements Primitive.
func (rm *RevertMigration) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return runCommand(ctx, env, rm, bindVars, emit)
}

// Description implements Primitive.
func (rm *RevertMigration) Description() Description {
	d := describe("RevertMigration", "")
	d.Keyspace = rm.Keyspace
	d.set("query", rm.Query)
	return d
}
