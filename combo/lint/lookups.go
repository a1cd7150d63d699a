package lint

import (
	"slices"
	"strings"

	"vitess.io/vitess/go/sqltypes"
	vschemapb "vitess.io/vitess/go/vt/proto/vschema"
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/vitrodb/vitro/vindexes"
)

// checkLookups reports lookups whose table, columns or owner are not there or do not fit.
func (c *checker) checkLookups() {
	for i := range c.in.Keyspaces {
		ks := &c.in.Keyspaces[i]
		for _, name := range ks.vindexNames() {
			if def := ks.Def.Vindexes[name]; c.isLookup(def.GetType()) {
				c.checkOwner(ks, name, def)
				c.checkLookupTable(ks, name, def)
			}
		}
	}
}

// checkOwner reports a lookup that no table keeps up to date.
func (c *checker) checkOwner(ks *Keyspace, name string, def *vschemapb.Vindex) {
	path := "vindexes." + name + ".owner"
	owner := ks.Def.Tables[def.Owner]
	switch {
	case def.Owner == "":
		c.fail(ks, "vindexes."+name, "lookup %s has no owner: no table would keep its entries up to date", name)
		return
	case owner == nil:
		c.fail(ks, path, "owner %s is no table of keyspace %s%s", def.Owner, ks.Name, vindexes.DidYouMean(def.Owner, ks.tableNames()))
		return
	}
	i := slices.IndexFunc(owner.ColumnVindexes, func(cv *vschemapb.ColumnVindex) bool { return cv.Name == name })
	if i < 0 {
		c.fail(ks, path, "owner %s does not use vindex %s in its column_vindexes, so no entry is ever written", def.Owner, name)
		return
	}
	if from, columns := split(def.Params["from"]), vindexColumns(owner.ColumnVindexes[i]); len(from) > 0 && len(from) != len(columns) {
		c.fail(ks, "vindexes."+name+".params.from", "lookup %s has %d columns (%s) but its owner gives %d (%s)",
			name, len(from), strings.Join(from, ", "), len(columns), strings.Join(columns, ", "))
	}
	if def.Params["write_only"] == "true" {
		c.warn(ks, "vindexes."+name+".params.write_only", "lookup %s is written only: it finds no shard, so its column reaches all", name)
	}
}

// checkLookupTable reports what is wrong with the table that holds the entries.
func (c *checker) checkLookupTable(ks *Keyspace, name string, def *vschemapb.Vindex) {
	path := "vindexes." + name + ".params"
	for _, param := range []string{"table", "from", "to"} {
		if def.Params[param] == "" {
			c.fail(ks, path, "lookup %s lacks the parameter %q: it needs a table, the columns from, and the column to", name, param)
			return
		}
	}
	in, table, err := c.resolved(ks, def.Params["table"])
	if err != nil {
		c.fail(ks, path+".table", "%s", err.Error())
		return
	}
	if in.Def.Tables[table] == nil && (in.Def.Sharded || in.Scripted && in.made(table) == nil) {
		c.fail(ks, path+".table", "there is no table %s in keyspace %s%s", table, in.Name, vindexes.DidYouMean(table, append(in.tableNames(), in.madeNames()...)))
		return
	}
	made := in.made(table)
	if made == nil {
		return // checkTables reports it
	}
	for _, from := range split(def.Params["from"]) {
		if column(made, from) == nil {
			c.fail(ks, path+".from", "lookup table %s has no column %s%s", table, from, vindexes.DidYouMean(from, columnNames(made)))
		}
	}
	to := column(made, def.Params["to"])
	switch {
	case to == nil:
		c.fail(ks, path+".to", "lookup table %s has no column %s%s", table, def.Params["to"], vindexes.DidYouMean(def.Params["to"], columnNames(made)))
	case hashesKsids(def.Type) && !sqltypes.IsIntegral(to.Type):
		c.fail(ks, path+".to", "%s stores keyspace ids as numbers: column %s.%s must be bigint unsigned", def.Type, table, def.Params["to"])
	case !hashesKsids(def.Type) && !sqltypes.IsBinary(to.Type):
		c.fail(ks, path+".to", "%s stores keyspace ids as bytes: column %s.%s must be varbinary", def.Type, table, def.Params["to"])
	}
}

// hashesKsids says whether a lookup stores the numbers that keyspace ids are the hash of.
func hashesKsids(typ string) bool {
	return strings.HasPrefix(typ, "lookup_") && strings.Contains(typ, "hash")
}

// checkLookupKeys reports lookup tables without the unique key that keeps one entry per value, or per value and keyspace id,
// and those whose key is too narrow for values that rows may share.
func (c *checker) checkLookupKeys() {
	for i := range c.in.Keyspaces {
		ks := &c.in.Keyspaces[i]
		for _, name := range ks.vindexNames() {
			def := ks.Def.Vindexes[name]
			if !c.isLookup(def.GetType()) {
				continue
			}
			in, table, err := c.resolved(ks, def.Params["table"])
			if err != nil || in.made(table) == nil {
				continue // checkLookups reports it
			}
			c.checkLookupKey(ks, name, def, in.made(table))
		}
	}
}

func (c *checker) checkLookupKey(ks *Keyspace, name string, def *vschemapb.Vindex, made *vindexes.TableSchema) {
	from, path := split(def.Params["from"]), "vindexes."+name+".params.table"
	with := append(slices.Clone(from), def.Params["to"])
	keys := uniqueKeys(made)
	narrow := slices.ContainsFunc(keys, func(key []string) bool { return covers(from, key) })
	unique := strings.HasSuffix(def.Type, "_unique")
	switch {
	case unique && !narrow:
		c.fail(ks, path, "lookup table %s needs a unique key on (%s): without it two rows can have one value", made.Name, strings.Join(from, ", "))
	case !unique && narrow:
		c.fail(ks, path, "lookup table %s has a unique key within (%s), but rows may share values of %s: the key needs column %s as well, or the vindex type %s_unique",
			made.Name, strings.Join(from, ", "), name, def.Params["to"], def.Type)
	case !unique && !slices.ContainsFunc(keys, func(key []string) bool { return covers(with, key) }):
		c.fail(ks, path, "lookup table %s needs a unique key on (%s): without it entries pile up", made.Name, strings.Join(with, ", "))
	}
}

// uniqueKeys are the columns of the primary and the unique keys.
func uniqueKeys(made *vindexes.TableSchema) [][]string {
	var keys [][]string
	if len(made.PrimaryKey) > 0 {
		var key []string
		for _, name := range made.PrimaryKey {
			key = append(key, name.String())
		}
		keys = append(keys, key)
	}
	for _, unique := range made.UniqueKeys {
		var key []string
		for _, expr := range unique {
			key = append(key, sqlparser.String(expr))
		}
		keys = append(keys, key)
	}
	return keys
}

// covers says whether all columns of a key are among some columns.
func covers(columns, key []string) bool {
	return !slices.ContainsFunc(key, func(name string) bool {
		return !slices.ContainsFunc(columns, func(column string) bool { return strings.EqualFold(column, strings.Trim(name, "`")) })
	})
}
