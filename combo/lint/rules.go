package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vitrodb/vitro/vindexes"
)

// checkMultiTenants reports tables without the column that tells tenants apart.
func (c *checker) checkMultiTenants() {
	for i := range c.in.Keyspaces {
		ks := &c.in.Keyspaces[i]
		spec := ks.Def.GetMultiTenantSpec()
		if spec == nil {
			continue
		}
		if spec.TenantIdColumnName == "" {
			c.fail(ks, "multi_tenant_spec.tenant_id_column_name", "the column that tells tenants apart is missing")
			continue
		}
		for _, table := range ks.Tables {
			if table.View == nil && column(&table, spec.TenantIdColumnName) == nil {
				c.fail(ks, "multi_tenant_spec.tenant_id_column_name", "table %s has no column %s%s", table.Name, spec.TenantIdColumnName,
					vindexes.DidYouMean(spec.TenantIdColumnName, columnNames(&table)))
			}
		}
	}
}

// checkRules reports rules that lead nowhere.
func (c *checker) checkRules() {
	rules := &Keyspace{File: c.in.RulesFile}
	if c.built != nil {
		for _, from := range slices.Sorted(maps.Keys(c.built.RoutingRules)) {
			if err := c.built.RoutingRules[from].Error; err != nil {
				c.fail(rules, "rules", "rule for table %s: %s", from, err.Error())
			}
		}
		for _, from := range slices.Sorted(maps.Keys(c.built.MirrorRules)) {
			if err := c.built.MirrorRules[from].Error; err != nil {
				c.fail(rules, "mirror_rules", "rule for table %s: %s", from, err.Error())
			}
		}
	}
	for i, rule := range c.in.Rules.GetRoutingRules().GetRules() {
		from, _, _ := strings.Cut(rule.FromTable, "@")
		if keyspace, _, qualified := strings.Cut(from, "."); qualified {
			c.checkKeyspace(rules, Warning, fmt.Sprintf("rules[%d].from_table", i), keyspace)
		}
	}
	for i, rule := range c.in.Rules.GetShardRoutingRules().GetRules() {
		c.checkKeyspace(rules, Error, fmt.Sprintf("shard_routing_rules.rules[%d].to_keyspace", i), rule.ToKeyspace)
	}
	for i, rule := range c.in.Rules.GetKeyspaceRoutingRules().GetRules() {
		c.checkKeyspace(rules, Error, fmt.Sprintf("keyspace_routing_rules.rules[%d].to_keyspace", i), rule.ToKeyspace)
	}
}

func (c *checker) checkKeyspace(rules *Keyspace, level Level, path, name string) {
	if c.keyspace(name) == nil {
		c.report(rules, level, path, "there is no keyspace %s%s", name, vindexes.DidYouMean(name, c.keyspaceNames()))
	}
}
