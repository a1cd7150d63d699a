package engine

import (
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

// Description implements Primitive.
func (av *AlterVSchema) Description() Description {
	d := describe("AlterVSchema", "")
	d.Keyspace = av.Keyspace
	d.set("query", sqlparser.String(av.AlterVschemaDDL))
	return d
}
