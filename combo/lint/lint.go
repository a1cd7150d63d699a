package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	vschemapb "vitess.io/vitess/go/vt/proto/vschema"

	"github.com/vitrodb/vitro/vindexes"
)

// Input is what is checked.
type Input struct {
	Keyspaces []Keyspace
	// Rules holds routing, mirror and other rules beside the keyspaces.
	Rules *vschemapb.SrvVSchema
	// RulesFile is how the rules are called in findings.
	RulesFile string
	Types     vindexes.Registry
}

// Keyspace is one keyspace of the Input.
type Keyspace struct {
	Name string
	File string // how its VSchema is called in findings
	Def  *vschemapb.Keyspace
	// Tables are those that its SQL files make. Where Scripted is false there are no such files, and tables are not known.
	Tables   []vindexes.TableSchema
	Scripted bool
}

// checks are all checks over the whole input, in order; each reports under its own name. Those that need single names
// resolved do without what does not resolve: the first one reports that.
var checks = []struct {
	name string
	run  func(*checker)
}{
	{"vschema", (*checker).checkBuild},             // what the loader refuses: names, types, parameters
	{"vindex", (*checker).checkVindexes},           // parameters without meaning, vindexes nobody uses
	{"sharded", (*checker).checkSharded},           // vindexes in a keyspace that is not sharded
	{"table", (*checker).checkTables},              // in the SQL files and not in the VSchema, and the reverse
	{"column", (*checker).checkColumns},            // of vindexes, auto_increment and lists, that the table does not have
	{"column-type", (*checker).checkTypes},         // that a vindex cannot hash
	{"nullable", (*checker).checkNullable},         // columns of vindexes
	{"lookup", (*checker).checkLookups},            // their table, columns and owner
	{"lookup-key", (*checker).checkLookupKeys},     // unique keys of their table
	{"sequence", (*checker).checkSequences},        // their tables
	{"foreign-key", (*checker).checkForeignKeys},   // across shards
	{"multi-tenant", (*checker).checkMultiTenants}, // columns of tenants
	{"rule", (*checker).checkRules},                // routing, shard, keyspace and mirror rules
}

// Check gives all findings, sorted.
func Check(in Input) []Finding {
	c := &checker{in: in}
	for _, check := range checks {
		c.check = check.name
		check.run(c)
	}
	Sort(c.findings)
	return slices.Compact(c.findings)
}

// checker is a check in progress.
type checker struct {
	in       Input
	check    string
	findings []Finding
	// built is the VSchema without the parts that do not build; nil if nothing does.
	built *vindexes.VSchema
}

func (c *checker) report(ks *Keyspace, level Level, path, format string, args ...any) {
	c.findings = append(c.findings, Finding{File: ks.File, Path: path, Level: level, Check: c.check, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) fail(ks *Keyspace, path, format string, args ...any) {
	c.report(ks, Error, path, format, args...)
}

func (c *checker) warn(ks *Keyspace, path, format string, args ...any) {
	c.report(ks, Warning, path, format, args...)
}

// keyspace finds a keyspace by name, or nil.
func (c *checker) keyspace(name string) *Keyspace {
	for i := range c.in.Keyspaces {
		if c.in.Keyspaces[i].Name == name {
			return &c.in.Keyspaces[i]
		}
	}
	return nil
}

func (c *checker) keyspaceNames() []string {
	var names []string
	for _, ks := range c.in.Keyspaces {
		names = append(names, ks.Name)
	}
	return names
}

// made finds a table as the SQL files make it, or nil.
func (ks *Keyspace) made(name string) *vindexes.TableSchema {
	for i := range ks.Tables {
		if ks.Tables[i].Name == name {
			return &ks.Tables[i]
		}
	}
	return nil
}

func (ks *Keyspace) madeNames() []string {
	var names []string
	for _, table := range ks.Tables {
		names = append(names, table.Name)
	}
	return names
}

// tableNames are the tables of the VSchema, sorted.
func (ks *Keyspace) tableNames() []string { return slices.Sorted(maps.Keys(ks.Def.Tables)) }

// vindexNames are the vindexes of the VSchema, sorted.
func (ks *Keyspace) vindexNames() []string { return slices.Sorted(maps.Keys(ks.Def.Vindexes)) }

// column finds a column of a table, or nil.
func column(table *vindexes.TableSchema, name string) *vindexes.Column {
	for i := range table.Columns {
		if table.Columns[i].Name.EqualString(name) {
			return &table.Columns[i]
		}
	}
	return nil
}

func columnNames(table *vindexes.TableSchema) []string {
	var names []string
	for _, column := range table.Columns {
		names = append(names, column.Name.String())
	}
	return names
}

// vindexColumns are the columns of a column_vindexes entry.
func vindexColumns(cv *vschemapb.ColumnVindex) []string {
	if cv.Column != "" {
		return []string{cv.Column}
	}
	return cv.Columns
}

// columnVindexUse is a vindex as a table uses it.
type columnVindexUse struct {
	ks      *Keyspace
	table   string
	path    string // of the entry
	primary bool
	columns []string
	name    string
	vindex  *vschemapb.Vindex     // never nil
	made    *vindexes.TableSchema // nil: not known
}

// column is the i-th column as the SQL files make it, or nil.
func (use *columnVindexUse) column(i int) *vindexes.Column {
	if use.made == nil || i >= len(use.columns) {
		return nil
	}
	return column(use.made, use.columns[i])
}

// uses lists all uses of vindexes that exist.
func (c *checker) uses() []columnVindexUse {
	var all []columnVindexUse
	for i := range c.in.Keyspaces {
		ks := &c.in.Keyspaces[i]
		for _, table := range ks.tableNames() {
			for j, cv := range ks.Def.Tables[table].GetColumnVindexes() {
				if vindex := ks.Def.Vindexes[cv.Name]; vindex != nil {
					all = append(all, columnVindexUse{
						ks: ks, table: table, path: fmt.Sprintf("tables.%s.column_vindexes[%d]", table, j),
						primary: j == 0, columns: vindexColumns(cv), name: cv.Name, vindex: vindex, made: ks.made(table),
					})
				}
			}
		}
	}
	return all
}

// isLookup says whether a vindex type is one of the lookups.
func (c *checker) isLookup(typ string) bool {
	return c.in.Types[typ] != nil && (strings.HasPrefix(typ, "lookup") || strings.HasPrefix(typ, "consistent_lookup"))
}

// split cuts a list with commas.
func split(list string) []string {
	var parts []string
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}
