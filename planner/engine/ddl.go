package engine

import (
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

// Description implements Primitive.
func (ddl *DDL) Description() Description {
	d := describe("DDL", "")
	d.Keyspace = ddl.Keyspace
	d.set("Query", ddl.SQL)
	d.set("TempTable", ddl.CreateTempTable)
	return d
}
