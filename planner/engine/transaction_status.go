package engine

import (
	"context"

	querypb "vitess.io/vitess/go/vt/proto/query"
)

var _ Primitive = (*TransactionStatus)(nil)

// TransactionStatus tells of distributed transactions: SHOW UNRESOLVED TRANSACTIONS of a keyspace, or of one transaction.
type TransactionStatus struct {
	leaf
	reads

	Keyspace      string
	TransactionID string
}

// Execute implements Primitive.
func (ts *TransactionStatus) Execute(ctx context.Context, env *Env, bindVars BindVars, emit Emit) error {
	return runCommand(ctx, env, ts, bindVars, emit)
}

// GetFields implements Primitive.
func (ts *TransactionStatus) GetFields(ctx context.Context, env *Env, bindVars BindVars) ([]*querypb.Field, error) {
	return commandFields(ctx, env, ts, bindVars)
}

// Description implements Primitive.
func (ts *TransactionStatus) Description() Description {
	d := describe("TransactionStatus", "")
	d.set("Keyspace", ts.Keyspace)
	d.set("TransactionID", ts.TransactionID)
	return d
}
