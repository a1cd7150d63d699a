package engine

import (
	"vitess.io/vitess/go/vt/sqlparser"
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
