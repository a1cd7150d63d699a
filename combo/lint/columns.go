package lint

import (
	"strings"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vschemapb "vitess.io/vitess/go/vt/proto/vschema"

	"github.com/vitrodb/vitro/vindexes"
)

type columnDef = *vschemapb.Column

// checkTypes reports columns whose values a vindex cannot map, or maps apart although they are equal.
func (c *checker) checkTypes() {
	for _, use := range c.uses() {
		for i := range use.columns {
			if col := use.column(i); col != nil {
				c.checkType(&use, i, col)
			}
		}
	}
}

func (c *checker) checkType(use *columnVindexUse, i int, col *vindexes.Column) {
	name, typ := use.columns[i], partType(use.vindex, i)
	described := strings.ToLower(col.Type.String())
	switch {
	case integersOnly[typ] && !sqltypes.IsIntegral(col.Type):
		c.fail(use.ks, use.path, "%s maps integers alone but column %s.%s is %s: use %s", typ, use.table, name, described, insteadOf(col.Type))
	case textsOnly[typ] && !sqltypes.IsText(col.Type) && !sqltypes.IsBinary(col.Type):
		c.fail(use.ks, use.path, "%s maps texts alone but column %s.%s is %s", typ, use.table, name, described)
	case sqltypes.IsFloat(col.Type) || col.Type == querypb.Type_JSON || col.Type == querypb.Type_GEOMETRY:
		c.fail(use.ks, use.path, "column %s.%s is %s: equal values may be written differently, and would be on different shards", use.table, name, described)
	case bytesExactly[typ] && sqltypes.IsText(col.Type) && !strings.HasSuffix(col.CollationName, "_bin"):
		c.warn(use.ks, use.path, "%s tells texts apart that the collation %s of column %s.%s finds equal, as 'a' and 'A': use unicode_loose_xxhash, or a _bin collation",
			typ, col.CollationName, use.table, name)
	}
}

// partType is the vindex type that maps the i-th column.
func partType(vindex *vschemapb.Vindex, i int) string {
	switch vindex.Type {
	case "multicol":
		if parts := strings.Split(vindex.Params["column_vindex"], ","); i < len(parts) && strings.TrimSpace(parts[i]) != "" {
			return strings.TrimSpace(parts[i])
		}
		return "hash"
	case "region_json":
		return []string{"hash", "region_json"}[min(i, 1)]
	}
	return vindex.Type
}

var (
	integersOnly = map[string]bool{"hash": true, "numeric": true, "reverse_bits": true, "numeric_static_map": true, "region_experimental": true}
	textsOnly    = map[string]bool{"region_json": true, "lookup_unicodeloosemd5_hash": true, "lookup_unicodeloosemd5_hash_unique": true}
	bytesExactly = map[string]bool{"xxhash": true, "binary": true, "binary_md5": true, "cfc": true}
)

// insteadOf names vindex types that map a column type.
func insteadOf(typ querypb.Type) string {
	if sqltypes.IsText(typ) {
		return "unicode_loose_xxhash"
	}
	return "xxhash"
}

// checkNullable reports columns of vindexes that may be NULL: a NULL has no keyspace id, and most lookups store none.
func (c *checker) checkNullable() {
	for _, use := range c.uses() {
		for i, name := range use.columns {
			col := use.column(i)
			if col == nil || !col.Nullable {
				continue
			}
			switch owned := use.vindex.Owner == use.table; {
			case use.primary && use.vindex.Type != "null":
				c.warn(use.ks, use.path, "column %s.%s may be NULL, but a row without a value in its primary vindex has no shard: make it NOT NULL", use.table, name)
			case owned && c.isLookup(use.vindex.Type) && use.vindex.Params["ignore_nulls"] != "true":
				c.warn(use.ks, use.path, `column %s.%s may be NULL, which lookup %s does not store: make it NOT NULL, or give the vindex "ignore_nulls": "true"`, use.table, name, use.name)
			}
		}
	}
}
