package lint

import (
	"strings"

	"github.com/vitrodb/vitro/vindexes"
)

// checkSequences reports sequences whose table is not made or lacks a column, and numbered tables whose sequence is none.
func (c *checker) checkSequences() {
	for i := range c.in.Keyspaces {
		ks := &c.in.Keyspaces[i]
		for _, name := range ks.tableNames() {
			def := ks.Def.Tables[name]
			if def.GetType() == vindexes.TypeSequence {
				c.checkSequence(ks, name)
			}
			if def.GetAutoIncrement() != nil {
				c.checkNumbered(ks, name, def.AutoIncrement.Sequence)
			}
		}
	}
}

func (c *checker) checkSequence(ks *Keyspace, name string) {
	made := ks.made(name)
	if made == nil {
		return // checkTables reports it
	}
	var missing []string
	for _, needed := range []string{"id", "next_id", "cache"} {
		if column(made, needed) == nil {
			missing = append(missing, needed)
		}
	}
	if len(missing) > 0 {
		c.fail(ks, "tables."+name, "sequence %s lacks %s: it needs the columns id, next_id and cache", name, strings.Join(missing, ", "))
	}
}

func (c *checker) checkNumbered(ks *Keyspace, name, sequence string) {
	in, table, err := c.resolved(ks, sequence)
	if err != nil {
		return // checkBuild reports it
	}
	path := "tables." + name + ".auto_increment.sequence"
	switch def := in.Def.Tables[table]; {
	case def != nil && def.Type != vindexes.TypeSequence:
		c.fail(ks, path, `table %s is no sequence: give it "type": "sequence" in keyspace %s`, sequence, in.Name)
	case def == nil && in.Scripted && in.made(table) == nil:
		c.fail(ks, path, "there is no table %s in keyspace %s%s", table, in.Name, vindexes.DidYouMean(table, in.madeNames()))
	}
}
