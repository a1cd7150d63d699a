package lint

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"

	"github.com/vitrodb/vitro/vindexes"
)

// checkBuild reports what the VSchema cannot be built with. The loader stops at the first mistake: the part it stands in is
// taken out, with all that depends on it, and the rest is built again.
func (c *checker) checkBuild() {
	def := &vschemapb.SrvVSchema{}
	if c.in.Rules != nil {
		def = proto.Clone(c.in.Rules).(*vschemapb.SrvVSchema)
	}
	def.Keyspaces = map[string]*vschemapb.Keyspace{}
	for _, ks := range c.in.Keyspaces {
		def.Keyspaces[ks.Name] = proto.Clone(ks.Def).(*vschemapb.Keyspace)
	}
	for {
		built, err := vindexes.Build(proto.Clone(def).(*vschemapb.SrvVSchema), c.in.Types)
		if err == nil {
			c.built = built
			return
		}
		finding := Of(c.check, err)
		part := partOf.FindStringSubmatch(finding.Path)
		if part == nil || c.keyspace(part[1]) == nil {
			c.findings = append(c.findings, finding)
			return
		}
		ks := c.keyspace(part[1])
		finding.File, finding.Path = ks.File, strings.TrimPrefix(finding.Path, "keyspaces."+ks.Name+".")
		c.findings = append(c.findings, finding)
		takeOut(def, part[1], part[2], part[3])
	}
}

// partOf matches the path of a mistake: keyspace, kind, and name up to the next member.
var partOf = regexp.MustCompile(`^keyspaces\.([^.]+)\.(tables|vindexes)\.([^.]+)`)

// takeOut removes a table or a vindex and what would not build without it.
func takeOut(def *vschemapb.SrvVSchema, keyspace, kind, name string) {
	ks := def.Keyspaces[keyspace]
	if kind == "vindexes" {
		delete(ks.Vindexes, name)
		for table, tableDef := range ks.Tables {
			had := len(tableDef.GetColumnVindexes())
			tableDef.ColumnVindexes = slices.DeleteFunc(tableDef.ColumnVindexes, func(cv *vschemapb.ColumnVindex) bool { return cv.Name == name })
			if had > 0 && len(tableDef.ColumnVindexes) == 0 {
				delete(ks.Tables, table)
			}
		}
		return
	}
	delete(ks.Tables, name)
	for _, other := range def.Keyspaces {
		for _, table := range other.Tables {
			if auto := table.GetAutoIncrement(); auto != nil && lastName(auto.Sequence) == name {
				table.AutoIncrement = nil
			}
			if lastName(table.GetSource()) == name {
				table.Source = ""
			}
		}
	}
}

// lastName is the table in keyspace.table.
func lastName(qualified string) string {
	return strings.Trim(qualified[strings.LastIndexByte(qualified, '.')+1:], "`")
}

// checkVindexes reports parameters that a vindex does not know, and vindexes that no table uses.
func (c *checker) checkVindexes() {
	used := map[string]bool{}
	for _, use := range c.uses() {
		used[use.ks.Name+"."+use.name] = true
	}
	for i := range c.in.Keyspaces {
		ks := &c.in.Keyspaces[i]
		for _, name := range ks.vindexNames() {
			c.checkParams(ks, name)
			if !used[ks.Name+"."+name] {
				c.warn(ks, "vindexes."+name, "no table uses vindex %s", name)
			}
		}
	}
}

func (c *checker) checkParams(ks *Keyspace, name string) {
	def := ks.Def.Vindexes[name]
	vindex, err := c.in.Types.New(def.GetType(), name, def.GetParams())
	if err != nil {
		return // checkBuild reports it
	}
	validating, ok := vindex.(interface{ UnknownParams() []string })
	if !ok {
		return
	}
	known := vindexParams
	for _, param := range validating.UnknownParams() {
		c.fail(ks, "vindexes."+name+".params."+param, "vindex type %s has no parameter %q%s", def.Type, param, vindexes.DidYouMean(param, known))
	}
}

// vindexParams are the parameters that vindexes have, for hints.
var vindexParams = []string{
	"table", "from", "to", "autocommit", "batch_lookup", "read_lock", "multi_shard_autocommit", "ignore_nulls", "write_only", "no_verify",
	"column_count", "column_bytes", "column_vindex", "region_bytes", "region_map", "json_path", "json", "fallback_type", "hash", "offsets",
}

// checkSharded reports what only a sharded keyspace has a use for.
func (c *checker) checkSharded() {
	for i := range c.in.Keyspaces {
		ks := &c.in.Keyspaces[i]
		if ks.Def.Sharded {
			continue
		}
		for _, table := range ks.tableNames() {
			if len(ks.Def.Tables[table].GetColumnVindexes()) > 0 {
				c.fail(ks, "tables."+table+".column_vindexes", `keyspace %s is not sharded, so nothing uses them: add "sharded": true, or take them out`, ks.Name)
			}
		}
	}
}

// resolved finds a table by a name that may have a keyspace before it.
func (c *checker) resolved(from *Keyspace, name string) (ks *Keyspace, table string, err error) {
	keyspace, table, qualified := strings.Cut(strings.ReplaceAll(name, "`", ""), ".")
	if qualified {
		if ks = c.keyspace(keyspace); ks == nil {
			return nil, "", errors.New("there is no keyspace " + keyspace + vindexes.DidYouMean(keyspace, c.keyspaceNames()))
		}
		return ks, table, nil
	}
	table = keyspace
	if from.Def.Tables[table] != nil || from.made(table) != nil {
		return from, table, nil
	}
	for i := range c.in.Keyspaces {
		if c.in.Keyspaces[i].Def.Tables[table] != nil {
			return &c.in.Keyspaces[i], table, nil
		}
	}
	return from, table, nil
}
