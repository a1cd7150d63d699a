package engine

import (
	"context"

	"github.com/vitrodb/vitro/vindexes"
	"github.com/vitrodb/vitro/vindexes/key"
)

var _ Primitive = (*MStream)(nil)

// MStream streams the messages of a table: STREAM * FROM t.
type MStream struct {
	leaf
	reads
	noFields

	Keyspace          *vindexes.Keyspace
	TargetDestination key.Destination
	TableName         string
}

// Execute implements Primitive.
func (ms *MStream) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return runCommand(ctx, env, ms, bindVars, emit)
}

// Description implements Primitive.
func (ms *MStream) Description() Description {
	d := describe("MStream", "")
	d.Keyspace = ms.Keyspace
	d.TargetDestination = ms.TargetDestination
	d.set("Table", ms.TableName)
	return d
}
