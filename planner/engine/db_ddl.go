package engine

import (
	"context"

	querypb "vitess.io/vitess/go/vt/proto/query"

	"github.com/vitrodb/vitro/vindexes"
)

var _ Primitive = (*DBDDL)(nil)

// DBDDL makes or removes a keyspace: CREATE DATABASE, DROP DATABASE.
type DBDDL struct {
	leaf
	reads

	Name   string
	Create bool
	// QueryTimeout is in milliseconds; 0 for none.
	QueryTimeout int
}

// NewDBDDL returns a DBDDL.
func NewDBDDL(name string, create bool, queryTimeout int) *DBDDL {
	return &DBDDL{Name: name, Create: create, QueryTimeout: queryTimeout}
}

// Execute implements Primitive.
func (ddl *DBDDL) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return runCommand(ctx, env, ddl, bindVars, emit)
}

// GetFields implements Primitive.
func (*DBDDL) GetFields(context.Context, *Env, BindVars) ([]*querypb.Field, error) { return nil, nil }

// Description implements Primitive.
func (ddl *DBDDL) Description() Description {
	operator := "DROPDB"
	if ddl.Create {
		operator = "CREATEDB"
	}
	d := describe(operator, "")
	d.Keyspace = &vindexes.Keyspace{Name: ddl.Name}
	return d
}
