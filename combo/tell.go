package combo

import (
	"github.com/vitrodb/vitro/combo/lint"
	"github.com/vitrodb/vitro/vindexes"
)

// tellFindings tells the log what Lint would find in the input. The application may yet mend it, by making tables for
// example, so the cluster starts nevertheless.
func (c *Cluster) tellFindings(in *input, vs *vindexes.VSchema) error {
	if c.cfg.Log == nil {
		return nil
	}
	checked := lint.Input{Rules: in.rules, RulesFile: in.rulesFile, Types: vindexes.Types()}
	for _, src := range in.sources {
		name := src.keyspace.Name
		shards, err := c.topology.Shards(name)
		if err != nil {
			return err
		}
		tablet, err := c.topology.Tablet(name, shards[0].Name, tabletTypes[0])
		if err != nil {
			return err
		}
		tables, _ := tablet.Schema()
		checked.Keyspaces = append(checked.Keyspaces, lint.Keyspace{
			Name: name, File: src.file(), Def: vs.Definition().Keyspaces[name], Tables: tables, Scripted: len(src.scripts) > 0,
		})
	}
	for _, finding := range append(in.stray, lint.Check(checked)...) {
		c.cfg.Log(finding.String())
	}
	return nil
}
