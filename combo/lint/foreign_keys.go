package lint

import (
	"slices"
	"strings"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/vindexes"
)

// checkForeignKeys reports foreign keys whose parent row may be on another shard than the child's: the shard that checks the
// key does not see it, and where the gateway keeps the keys it refuses writes that need such a check.
func (c *checker) checkForeignKeys() {
	for i := range c.in.Keyspaces {
		ks := &c.in.Keyspaces[i]
		for _, made := range ks.Tables {
			for _, key := range made.ForeignKeys {
				if ks.Def.Tables[made.Name] != nil {
					c.checkForeignKey(ks, made.Name, key)
				}
			}
		}
	}
}

func (c *checker) checkForeignKey(ks *Keyspace, child string, key *sqlparser.ForeignKeyDefinition) {
	path, parent := "tables."+child, key.ReferenceDefinition.ReferencedTable
	if qualifier := parent.Qualifier.String(); qualifier != "" && qualifier != ks.Name {
		c.fail(ks, path, "a foreign key of table %s leads to keyspace %s: it can only be checked within one keyspace", child, qualifier)
		return
	}
	childDef, parentDef := ks.Def.Tables[child], ks.Def.Tables[parent.Name.String()]
	switch {
	case !ks.Def.Sharded || parentDef == nil || parentDef.Type == vindexes.TypeReference:
		return
	case childDef.Type == vindexes.TypeReference:
		c.fail(ks, path, "reference table %s is whole on each shard, but its foreign key leads to %s, which is split", child, parent.Name)
		return
	case len(childDef.ColumnVindexes) == 0 || len(parentDef.ColumnVindexes) == 0:
		return // checkBuild reports it
	}
	childVindex, parentVindex := childDef.ColumnVindexes[0], parentDef.ColumnVindexes[0]
	if ks.Def.Vindexes[childVindex.Name] == nil || ks.Def.Vindexes[parentVindex.Name] == nil {
		return // checkBuild reports it
	}
	if childVindex.Name != parentVindex.Name {
		c.fail(ks, path, "the foreign key of %s to %s crosses shards%s: their primary vindexes are %s and %s",
			child, parent.Name, whoChecks(ks), childVindex.Name, parentVindex.Name)
		return
	}
	childColumns := vindexColumns(childVindex)
	for i, column := range vindexColumns(parentVindex) {
		at := slices.IndexFunc(key.ReferenceDefinition.ReferencedColumns, func(name sqlparser.IdentifierCI) bool { return name.EqualString(column) })
		if at < 0 || i >= len(childColumns) || at >= len(key.Source) || !key.Source[at].EqualString(childColumns[i]) {
			c.fail(ks, path, "the foreign key of %s to %s crosses shards%s: it must lead from column %s to %s.%s, by which both are split",
				child, parent.Name, whoChecks(ks), strings.Join(childColumns, ", "), parent.Name, column)
			return
		}
	}
}

// whoChecks says of a key that crosses shards what becomes of it where no shard checks it.
func whoChecks(ks *Keyspace) string {
	if ks.Def.GetForeignKeyMode() == vschemapb.Keyspace_managed {
		return ", and the gateway, which keeps the keys of this keyspace, refuses writes that must be checked by it (VT12002)"
	}
	return ""
}
