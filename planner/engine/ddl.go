package engine

import (
	"context"

	querypb "vitess.io/vitess/go/vt/proto/query"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/vindexes"
)

var _ Primitive = (*DDL)(nil)

// DDL changes a keyspace's schema on all its shards.
type DDL struct {
	leaf
	reads

	Keyspace *vindexes.Keyspace
	SQL      string
	DDL      sqlparser.DDLStatement
	// NormalDDL sends the statement to the shards.
	NormalDDL *Send
	// CreateTempTable: the table is the session's alone.
	CreateTempTable bool
}

// Execute implements Primitive.
func (ddl *DDL) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return runCommand(ctx, env, ddl, bindVars, emit)
}

// GetFields implements Primitive.
func (*DDL) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) { return nil, nil }

// Description implements Primitive.
func (ddl *DDL) Description() Description {
	d := describe("DDL", "")
	d.Keyspace = ddl.Keyspace
	d.set("Query", ddl.SQL)
	d.set("TempTable", ddl.CreateTempTable)
	return d
}
