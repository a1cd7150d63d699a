package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vitrodb/vitro/vindexes"
)

// checkTables holds the tables of the VSchema against those the SQL files make.
func (c *checker) checkTables() {
	for i := range c.in.Keyspaces {
		ks := &c.in.Keyspaces[i]
		if !ks.Scripted {
			continue
		}
		var unnamed []string // made, but not in the VSchema
		for _, table := range ks.Tables {
			if ks.Def.Tables[table.Name] == nil {
				unnamed = append(unnamed, table.Name)
			}
		}
		for _, name := range ks.tableNames() {
			if ks.made(name) == nil {
				c.fail(ks, "tables."+name, "no SQL file of keyspace %s makes table %s%s", ks.Name, name, vindexes.DidYouMean(name, ks.madeNames()))
			}
		}
		for _, name := range unnamed {
			if table := ks.made(name); table.View == nil && ks.Def.Sharded && !c.routedAway(ks.Name, name) {
				c.fail(ks, "tables", "table %s, which an SQL file makes, is not in the VSchema: no row can be inserted and reads go to all shards; give it column_vindexes, or make it a reference table", name)
			}
		}
	}
}

// routedAway says whether a routing rule leads from a table.
func (c *checker) routedAway(keyspace, table string) bool {
	for _, rule := range c.in.Rules.GetRoutingRules().GetRules() {
		if from, _, _ := strings.Cut(rule.FromTable, "@"); from == keyspace+"."+table || from == table {
			return true
		}
	}
	return false
}

// checkColumns reports columns of the VSchema that the table does not have.
func (c *checker) checkColumns() {
	for _, use := range c.uses() {
		for i, name := range use.columns {
			path := use.path + ".column"
			if len(use.ks.Def.Tables[use.table].ColumnVindexes[indexIn(use.path)].Columns) > 0 {
				path = fmt.Sprintf("%s.columns[%d]", use.path, i)
			}
			c.checkColumn(use.ks, use.table, path, name)
		}
	}
	for i := range c.in.Keyspaces {
		ks := &c.in.Keyspaces[i]
		for _, table := range ks.tableNames() {
			def := ks.Def.Tables[table]
			if auto := def.GetAutoIncrement(); auto != nil {
				c.checkColumn(ks, table, "tables."+table+".auto_increment.column", auto.Column)
			}
			for i, listed := range def.GetColumns() {
				c.checkColumn(ks, table, fmt.Sprintf("tables.%s.columns[%d].name", table, i), listed.Name)
			}
			if def.GetColumnListAuthoritative() {
				c.checkWholeList(ks, table)
			}
		}
	}
}

// indexIn is the index at the end of a path.
func indexIn(path string) (index int) {
	_, _ = fmt.Sscanf(path[strings.LastIndexByte(path, '['):], "[%d]", &index) // uses made the path
	return index
}

func (c *checker) checkColumn(ks *Keyspace, table, path, name string) {
	made := ks.made(table)
	if made == nil || made.View != nil || column(made, name) != nil {
		return
	}
	c.fail(ks, path, "table %s has no column %s%s", table, name, vindexes.DidYouMean(name, columnNames(made)))
}

// checkWholeList reports columns that a list which says it is complete lacks.
func (c *checker) checkWholeList(ks *Keyspace, table string) {
	made := ks.made(table)
	if made == nil {
		return
	}
	for _, name := range columnNames(made) {
		if !slices.ContainsFunc(ks.Def.Tables[table].Columns, func(listed columnDef) bool { return strings.EqualFold(listed.Name, name) }) {
			c.fail(ks, "tables."+table+".columns", "the list is to be complete (column_list_authoritative) but lacks column %s", name)
		}
	}
}
